package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"kwit/e2e/kwittest"
)

// A person is added, gets a token, uses it, and is disabled: then neither works
// any more.
func TestPeopleAndTokens(t *testing.T) {
	t.Parallel()
	site := kwittest.NewSite(t, kwittest.Config("http://127.0.0.1:9", time.Minute))
	kwit := func(want int, stdin string, args ...string) kwittest.Result {
		t.Helper()
		return asks(t, want, kwittest.Options{
			Args: args, Env: []string{"DATABASE_URL=" + site.DatabaseURL}, Stdin: strings.NewReader(stdin),
		})
	}
	added := kwit(0, "correct horse\n", "user", "add", "Ewa@Example.org", "--role", "user", "--name", "Ewa", "--password-stdin")
	holds(t, added.Stdout, "added ewa@example.org as user")
	oneLineOnly(t, kwit(1, "correct horse", "user", "add", "ewa@example.org", "--role", "user", "--password-stdin"))
	oneLineOnly(t, kwit(1, "short", "user", "add", "jan@example.org", "--role", "user", "--password-stdin"))
	oneLineOnly(t, kwit(2, "correct horse", "user", "add", "jan", "--role", "user", "--password-stdin"))

	made := kwit(0, "", "token", "create", "ewa@example.org", "--name", "laptop")
	token := strings.TrimSuffix(made.Stdout, "\n")
	if !strings.HasPrefix(token, "kwit_") || strings.ContainsAny(token, " \n") || made.Stderr != "" {
		t.Fatalf("the token should stand alone on stdout: %q, stderr %q", made.Stdout, made.Stderr)
	}
	server := site.Serve(kwittest.Options{})
	if reply := server.Client(token).MustCall(http.MethodGet, "/jobs", nil); reply.Status != http.StatusOK {
		t.Fatalf("the token is good and got %d", reply.Status)
	}

	kwit(0, "battery staple\n", "user", "passwd", "ewa@example.org", "--password-stdin")
	listed := kwit(0, "", "user", "list", "--json")
	var people struct {
		Data []struct {
			Email, Role string
			DisabledAt  *string `json:"disabled_at"`
		}
	}
	if err := json.Unmarshal([]byte(listed.Stdout), &people); err != nil || len(people.Data) != 1 || people.Data[0].Role != "user" {
		t.Fatalf("user list --json: %v\n%s", err, listed.Stdout)
	}

	kwit(0, "", "user", "disable", "ewa@example.org")
	if reply := server.Client(token).MustCall(http.MethodGet, "/jobs", nil); reply.Status != http.StatusUnauthorized {
		t.Errorf("the person is disabled and got %d", reply.Status)
	}
	holds(t, kwit(0, "", "user", "list").Stdout, "disabled")
	oneLineOnly(t, kwit(1, "", "token", "create", "ewa@example.org", "--name", "again"))
}

func TestTokensAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	site := kwittest.NewSite(t, kwittest.Config("http://127.0.0.1:9", time.Minute))
	site.Person("ewa@example.org", "user")
	listed := site.Run("token", "list", "ewa@example.org")
	lines := strings.Split(strings.TrimSpace(listed.Stdout), "\n")
	if listed.Code != 0 || len(lines) != 2 {
		t.Fatalf("token list: %d\n%s%s", listed.Code, listed.Stdout, listed.Stderr)
	}
	id := strings.Fields(lines[1])[0]
	for range 2 { // it may be repeated
		if got := site.Run("token", "revoke", "ewa@example.org", id); got.Code != 0 {
			t.Errorf("token revoke: %d %s", got.Code, got.Stderr)
		}
	}
	if got := site.Run("token", "revoke", "ewa@example.org", "00000000-0000-0000-0000-000000000001"); got.Code != 1 {
		t.Errorf("an unknown token: exit code %d, want 1", got.Code)
	}
}

// Unknown people are a failure, not wrong usage.
func TestUnknownPeople(t *testing.T) {
	t.Parallel()
	site := kwittest.NewSite(t, kwittest.Config("http://127.0.0.1:9", time.Minute))
	for _, args := range [][]string{
		{"user", "disable", "nobody@example.org"},
		{"user", "disable", "no address"},
		{"token", "create", "nobody@example.org", "--name", "x"},
		{"token", "list", "nobody@example.org"},
	} {
		got := site.Run(args...)
		if got.Code != 1 {
			t.Errorf("kwit %s: exit code %d, want 1", strings.Join(args, " "), got.Code)
		}
		oneLineOnly(t, got)
		holds(t, got.Stderr, "there is nobody with the address")
	}
}
