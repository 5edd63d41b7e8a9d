package main_test

import (
	"strings"
	"testing"

	"kwit/e2e/kwittest"
)

// Wrong usage is 2, a failure is 1, and both say in one line of stderr what to
// do.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	const nowhere = "DATABASE_URL=postgres://127.0.0.1:1/kwit"
	for _, c := range []struct {
		args string
		env  []string
		code int
		says string
	}{
		{args: "", code: 2, says: "a command is missing"},
		{args: "user", code: 2, says: "a command is missing (see 'kwit user --help')"},
		{args: "nonsense", code: 2, says: `no command "nonsense"`},
		{args: "demmo", code: 2, says: `did you mean "demo"?`},
		{args: "user ad", code: 2, says: `did you mean "add"?`},
		{args: "help nonsense", code: 2, says: `no command "nonsense"`},
		{args: "certify", code: 2, says: `no command "certify"`},
		{args: "doubt --all", code: 2},
		{args: "serve --nonsense", code: 2, says: "unknown flag: --nonsense (see 'kwit serve --help')"},
		{args: "serve now", code: 2, says: `"now" is one too many`},
		{args: "serve --role cook", env: []string{nowhere}, code: 2, says: `the role "cook" is none`},
		{args: "serve --addr 8080", env: []string{nowhere}, code: 2, says: "write HOST:PORT"},
		{args: "serve --addr 127.0.0.1:65536", env: []string{nowhere}, code: 2, says: "no port"},
		{args: "serve", env: []string{nowhere, "KWIT_ADDR=nonsense"}, code: 2, says: "write HOST:PORT"},
		{args: "serve --drain -1s", env: []string{nowhere}, code: 2, says: "negative"},
		{args: "serve --drain soon", env: []string{nowhere}, code: 2, says: "soon"},
		{args: "serve", env: []string{nowhere, "KWIT_BASE_URL=kwit.example.org"}, code: 2, says: "KWIT_BASE_URL"},
		{args: "serve", env: []string{nowhere, "KWIT_EMBEDDED=perhaps"}, code: 2, says: "KWIT_EMBEDDED"},
		{args: "serve", env: []string{nowhere, "KWIT_EMBEDDED=1"}, code: 2, says: "unset the one that is not meant"},
		{args: "serve", code: 1, says: "DATABASE_URL is not set"},
		{args: "serve", env: []string{"KWIT_EMBEDDED=0"}, code: 1, says: "DATABASE_URL is not set"},
		{args: "serve --embedded=false", env: []string{"KWIT_EMBEDDED=1"}, code: 1, says: "DATABASE_URL is not set"},
		{args: "migrate", code: 1, says: "DATABASE_URL is not set"},
		{args: "verify", code: 1, says: "give --embedded"},
		{args: "user list", code: 1, says: "DATABASE_URL is not set"},
		{args: "verify", env: []string{nowhere}, code: 1, says: "cannot be reached"},
		{args: "verify", env: []string{"DATABASE_URL=nonsense://"}, code: 1, says: "DATABASE_URL"},
		{args: "demo --addr :8080", code: 2, says: "everybody can read its passwords"},
		{args: "demo --addr 0.0.0.0:8080", code: 2, says: "everybody can read its passwords"},
		{args: "demo --addr 192.0.2.1:8080", code: 2, says: "everybody can read its passwords"},
		{args: "demo", env: []string{"KWIT_ADDR=kwit.example.org:80"}, code: 2, says: "everybody can read its passwords"},
		{args: "user add", env: []string{nowhere}, code: 2},
		{args: "user add ewa@example.org", env: []string{nowhere}, code: 2, says: `"role"`},
		{args: "user add ewa@example.org --role cook", env: []string{nowhere}, code: 2, says: `"cook"`},
		{args: "user add ewa@example.org --role user", env: []string{nowhere}, code: 2, says: "--password-stdin"},
		{args: "user disable", env: []string{nowhere}, code: 2, says: "EMAIL is missing"},
		{args: "token create ewa@example.org", env: []string{nowhere}, code: 2, says: `"name"`},
		{args: "token revoke ewa@example.org 1", env: []string{nowhere}, code: 2, says: "no token's id"},
		{args: "config check extra", code: 2, says: `"extra" is one too many`},
	} {
		t.Run(strings.Join(append(c.env, c.args), " "), func(t *testing.T) {
			t.Parallel()
			got := asks(t, c.code, kwittest.Options{Args: strings.Fields(c.args), Env: c.env})
			oneLineOnly(t, got)
			holds(t, got.Stderr, c.says)
		})
	}
}

// Each command explains itself on stdout, with an example.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"", "demo", "serve", "migrate", "config", "config check", "verify", "version", "help",
		"user", "user add", "user list", "user disable", "user passwd",
		"token", "token create", "token list", "token revoke",
	} {
		t.Run("kwit "+command, func(t *testing.T) {
			t.Parallel()
			got := asks(t, 0, kwittest.Options{Args: append(strings.Fields(command), "--help")})
			holds(t, got.Stdout, "Usage:")
			holds(t, got.Stdout, "Examples:\n")
			holds(t, got.Stdout, "kwit "+command)
			if got.Stderr != "" {
				t.Errorf("help belongs on stdout, and stderr has:\n%s", got.Stderr)
			}
			if other := asks(t, 0, kwittest.Options{Args: append([]string{"help"}, strings.Fields(command)...)}); command != "help" && other.Stdout != got.Stdout {
				t.Errorf("kwit help %s says something else:\n%s", command, other.Stdout)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	short := asks(t, 0, kwittest.Options{Args: []string{"--version"}})
	long := asks(t, 0, kwittest.Options{Args: []string{"version"}})
	if !strings.HasPrefix(short.Stdout, "kwit ") || !strings.HasPrefix(long.Stdout, strings.TrimSpace(short.Stdout)) {
		t.Errorf("--version says %q, version says %q", short.Stdout, long.Stdout)
	}
}
