package htmlcheck_test

import (
	"strings"
	"testing"

	"kwit/views/htmlcheck"
)

const page = `<main id="main"><form action="/jobs" class="card form"><input type="hidden" name="key" value="abc">
<p>one <b>two</b>
 three</p><p class="soft">four</p></form><p>five</p></main>`

func TestChecksThatHold(t *testing.T) {
	t.Parallel()
	err := htmlcheck.Check(page,
		htmlcheck.In("#main form.card",
			htmlcheck.Attr("action", "/jobs"),
			htmlcheck.Hidden("key", "a.c"),
			htmlcheck.Count("p", 2),
			htmlcheck.None("a[href]")),
		htmlcheck.In("form p", htmlcheck.Text("^one two three$")),
		htmlcheck.In("p.soft", htmlcheck.Text("four")),
		htmlcheck.Count("main p", 3),
		htmlcheck.Each("form", htmlcheck.Attr("class", ".*form")))
	if err != nil {
		t.Error(err)
	}
}

func TestChecksThatFail(t *testing.T) {
	t.Parallel()
	for want, check := range map[string]htmlcheck.Checker{
		`nothing matches "nav a"`: htmlcheck.In("nav a"),
		`does not match "six"`:    htmlcheck.In("main", htmlcheck.Text("six")),
		`want "/x"`:               htmlcheck.In("form", htmlcheck.Attr("action", "/x")),
		`no attribute id`:         htmlcheck.Each("form", htmlcheck.Attr("id", "")),
		`3 nodes match "p"`:       htmlcheck.Count("p", 2),
		`1 nodes match "b"`:       htmlcheck.None("b"),
	} {
		if err := htmlcheck.Check(page, check); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
