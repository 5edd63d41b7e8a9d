package static_test

import (
	"strings"
	"testing"

	"kwit/static"
)

func TestPathChangesWithTheContent(t *testing.T) {
	t.Parallel()
	css, js := static.Path("kwit.css"), static.Path("kwit.js")
	if !strings.HasPrefix(css, "/static/kwit.css?v=") || len(css) < len("/static/kwit.css?v=")+12 {
		t.Errorf("no digest in %q", css)
	}
	if css[len(css)-12:] == js[len(js)-12:] {
		t.Errorf("two files, one digest: %q and %q", css, js)
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"kwit.css": true, "vendor/.keep": true, "no-such.js": false, "vendor": false} {
		if got := static.Has(name); got != want {
			t.Errorf("Has(%q) = %v, want %v", name, got, want)
		}
	}
}
