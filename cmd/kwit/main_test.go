package main_test

import (
	"strings"
	"testing"

	"kwit/e2e/kwittest"
)

// asks runs kwit and holds its exit code.
func asks(t *testing.T, want int, o kwittest.Options) kwittest.Result {
	t.Helper()
	got := kwittest.Run(t, o)
	if got.Code != want {
		t.Fatalf("kwit %s: exit code %d, want %d\nstdout:\n%s\nstderr:\n%s",
			strings.Join(o.Args, " "), got.Code, want, got.Stdout, got.Stderr)
	}
	return got
}

func holds(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("there is no %q in:\n%s", part, text)
	}
}

// oneLineOnly holds that an error is told in one line of stderr.
func oneLineOnly(t *testing.T, r kwittest.Result) {
	t.Helper()
	if strings.Count(r.Stderr, "\n") != 1 || !strings.HasPrefix(r.Stderr, "kwit: ") {
		t.Errorf("stderr should be one line that begins with kwit:, and is:\n%s", r.Stderr)
	}
	if r.Stdout != "" {
		t.Errorf("nothing belongs on stdout, and there is:\n%s", r.Stdout)
	}
}
