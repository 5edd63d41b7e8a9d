package views_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"kwit/views/htmlcheck"
)

// render draws a component to text.
func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// check draws a component and holds it against the checkers.
func check(t *testing.T, c templ.Component, checkers ...htmlcheck.Checker) {
	t.Helper()
	if err := htmlcheck.Check(render(t, c), checkers...); err != nil {
		t.Error(err)
	}
}
