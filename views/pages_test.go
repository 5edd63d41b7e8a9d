package views_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	. "kwit/views/htmlcheck"

	"kwit/views"
	"kwit/views/internal/sample"
)

// TestEveryPage holds each page to what the Content-Security-Policy, a keyboard
// and a reader that speaks need.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	for name, page := range sample.Pages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, page,
				In("html", Attr("lang", "en")),
				In("title", Text(`kwit$`)),
				In("a.skip", Attr("href", "#main")),
				Count("main h1", 1),
				None("[style]"), None("style"),
				Each("script", Attr("src", "/static/.+")),
				noHandlers, uniqueIDs, labelled, formsKnown,
				Each("svg", either(Attr("aria-hidden", "true"), Attr("role", "img"), insideSVG)),
			)
		})
	}
}

// TestPathsRespectThePrefix holds every address of a page to the prefix of the
// public address.
func TestPathsRespectThePrefix(t *testing.T) {
	t.Parallel()
	c := sample.Find("done")
	p := sample.Page(&sample.Admin, "/jobs/x", "Ticket 43")
	p.Prefix = "/print/kwit"
	page := views.Job(p, c.Job, "Summarise", sample.Fields(), views.History{}, true)
	local := func(n *html.Node) error {
		for _, a := range n.Attr {
			address := a.Key == "href" || a.Key == "action" || a.Key == "src" || a.Key == "hx-get" || a.Key == "hx-sse:connect"
			if address && !strings.HasPrefix(a.Val, "/print/kwit/") && !strings.HasPrefix(a.Val, "#") {
				return fmt.Errorf("%s=%q leaves the prefix", a.Key, a.Val)
			}
		}
		return nil
	}
	check(t, page, func(n *html.Node) error {
		for d := range n.Descendants() {
			if err := local(d); err != nil {
				return err
			}
		}
		return nil
	}, In("title", Text("^Ticket 43 · kwit$")))
}

func TestNavigationByRole(t *testing.T) {
	t.Parallel()
	none := []views.TypeChoice(nil)
	check(t, views.ChooseType(sample.Page(&sample.User, "/jobs/new", ""), none), Count(".nav a", 2), None(".badge"),
		In(".nav [aria-current=page]", Text("New job")))
	check(t, views.ChooseType(sample.Page(&sample.Support, "/jobs/new", ""), none), Count(".nav a", 3), In(".badge", Text("^7 · oldest 18 min$")))
	check(t, views.ChooseType(sample.Page(&sample.Admin, "/admin/events", ""), none), Count(".nav a", 6),
		In(".nav [aria-current=page]", Text("Events")))
	check(t, views.SignIn(sample.Page(nil, "/sign-in", "Sign in"), "", "", nil), None(".nav"), None("form[action=/sign-out]"), None(".demo"))
}

func TestManyDoubtsAreNotCounted(t *testing.T) {
	t.Parallel()
	p := sample.Page(&sample.Support, "/jobs", "")
	p.Doubts.Count = 1000
	check(t, views.ChooseType(p, nil), In(".badge", Text(`^1000\+`)))
}

// noHandlers refuses what our policy forbids: handlers in attributes, and what
// htmx would have to evaluate.
func noHandlers(doc *html.Node) error {
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") || strings.Contains(a.Val, "js:") {
				return fmt.Errorf("<%s %s=%q> needs eval", n.Data, a.Key, a.Val)
			}
		}
	}
	return nil
}

func uniqueIDs(doc *html.Node) error {
	seen := map[string]bool{}
	for _, n := range Find(doc, "[id]") {
		for _, a := range n.Attr {
			if a.Key == "id" && seen[a.Val] {
				return fmt.Errorf("the id %q stands twice", a.Val)
			} else if a.Key == "id" {
				seen[a.Val] = true
			}
		}
	}
	return nil
}

// labelled wants a label, or a name for readers, at each control.
func labelled(doc *html.Node) error {
	named := map[string]bool{}
	for _, l := range Find(doc, "label[for]") {
		named[value(l, "for")] = true
	}
	inside := map[*html.Node]bool{}
	for _, tag := range []string{"input", "textarea", "select"} {
		for _, n := range Find(doc, "label "+tag) {
			inside[n] = true
		}
	}
	for _, tag := range []string{"input", "textarea", "select"} {
		for _, n := range Find(doc, tag) {
			hidden := value(n, "type") == "hidden" || has(n, "hidden")
			if !hidden && !inside[n] && !named[value(n, "id")] {
				return fmt.Errorf("no label for <%s name=%q>", tag, value(n, "name"))
			}
		}
	}
	return nil
}

var addresses = regexp.MustCompile(`^(/sign-in|/sign-out|/jobs|/account/(tokens|password|tokens/[0-9a-f-]{36}/revoke)|` +
	`/jobs/[0-9a-f-]{36}/(attempts|cancel)|/console/attempts/[0-9a-f-]{36}/(cancel|release|resolve|enquire)|/admin/providers/[a-z]+/(pause|resume))$`)

// formsKnown wants each form to post to an address of 3-interfaces; whatever
// changes a job or an attempt carries a key, an ordinal, or the state seen.
func formsKnown(doc *html.Node) error {
	for _, f := range Find(doc, "form") {
		action := value(f, "action")
		if !addresses.MatchString(action) {
			return fmt.Errorf("a form goes to %q", action)
		}
		guard := ""
		switch {
		case action == "/jobs" && value(f, "method") == "post":
			guard = "idempotency_key"
		case strings.HasSuffix(action, "/attempts"):
			guard = "ordinal"
		case strings.HasPrefix(action, "/console/attempts/"):
			guard = "state"
		case strings.HasSuffix(action, "/resume"):
			guard = "since" // a pause is guarded by there being none
		case action == "/account/tokens":
			guard = "token"
		}
		if guard != "" {
			if err := Hidden(guard, `.+`)(f); err != nil {
				return fmt.Errorf("form %s: %w", action, err)
			}
		}
	}
	return nil
}

func either(checkers ...Checker) Checker {
	return func(n *html.Node) (err error) {
		for _, c := range checkers {
			if err = c(n); err == nil {
				return nil
			}
		}
		return err
	}
}

func insideSVG(n *html.Node) error {
	for p := range n.Ancestors() {
		if p.Data == "svg" || value(p, "aria-hidden") == "true" {
			return nil
		}
	}
	return fmt.Errorf("a picture without a name that is not hidden from readers")
}

func value(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
