package views_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	. "kwit/views/htmlcheck"

	"golang.org/x/net/html"

	"kwit/views"
	"kwit/views/internal/sample"
)

// live draws the changing part of a sample's page.
func live(t *testing.T, name string, mine bool) string {
	t.Helper()
	c := sample.Find(name)
	return render(t, views.JobLive(views.Site{Now: sample.Now}, c.Job, "Summarise a text", c.History(), mine))
}

func TestHeadlines(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ title, state, text string }{
		"queued":            {"Your request is stored", "queued", `It goes to inkjet as soon as there is room\. You can close this page`},
		"running":           {"Your request is being worked on", "running", `We sent it to inkjet at 14:04:18 UTC and are waiting for the answer\. It has until 14:05:18 UTC`},
		"unknown":           {"We do not know yet whether it was done", "unknown", `We sent your request to inkjet at 14:02:12 UTC, and it never answered\. It may still be working, so nothing new is started while that is unclear\.`},
		"worker-lost":       {"We do not know yet whether it was done", "unknown", `our system that spoke with farm stopped in between`},
		"racing":            {"Your request is being worked on", "running", `We sent it to laser at`},
		"released":          {"We do not know yet whether it was done", "unknown", `we stopped waiting for it\. It may still answer`},
		"waiting":           {"Another attempt comes by itself", "waiting", `Nothing was done there\. The next attempt goes to inkjet at 14:04:34 UTC\.`},
		"done":              {"Here is your result", "done", `inkjet answered at 13:59:26 UTC\. This result is final`},
		"failed":            {"It did not work", "failed", `inkjet refused the request\. Nothing more happens by itself\. You can try again: your ticket stays 50\.`},
		"charged":           {"It did not work", "failed", `It may have charged for it`},
		"cancelled":         {"The job was cancelled", "cancelled", `No further attempt is made\. Nothing more can be started`},
		"cancelled-running": {"The job was cancelled", "cancelled", `laser may still be working on attempt 2`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Check(live(t, name, true),
				In("h1", Text("^"+want.title+"$")),
				In(".now-state .state", Text("^"+want.state+"$")),
				In(".ticket-body", Text(want.text)),
				In("[role=status]", Text(fmt.Sprintf(`^Ticket \d+: %s\. %s\.$`, want.state, want.title))))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestC08_TryAgain: the button is closed while an attempt is open, and says
// which; where it is open, it carries the ordinal that it would make.
func TestC08_TryAgain(t *testing.T) {
	t.Parallel()
	closed := func(why string) []Checker {
		return []Checker{
			In("#try-again", Attr("disabled", ""), Attr("type", "button"), Attr("aria-describedby", "try-again-why")),
			In("#try-again-why", Text(why)), None("[name=ordinal]")}
	}
	open := func(ordinal string) []Checker {
		return []Checker{In("#actions form[method=post]", Attr("action", "/jobs/.*/attempts"), Hidden("ordinal", ordinal)), None("#try-again-why")}
	}
	for name, checkers := range map[string][]Checker{
		"queued":   closed("opens when attempt 1 is over"),
		"running":  closed("opens when attempt 1 is over"),
		"unknown":  closed("^“Try again” opens when attempt 1 is settled.$"),
		"racing":   closed("attempt 2"),
		"released": open("2"),
		"waiting":  open("2"),
		"failed":   open("2"),
	} {
		if err := Check(live(t, name, true), checkers...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"done", "cancelled"} {
		if err := Check(live(t, name, true), None("#try-again"), None("#cancel-fold")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMayHaveBeenCharged(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"charged": "Attempt 1 may have been charged 0.04 EUR.", "unknown": "Attempt 1 may have been charged 0.04 EUR.",
		"released": "Attempt 1 may have been charged 0.04 EUR.", "worker-lost": "Attempt 1 may have been charged.",
		"replayed": "Attempt 1 may have been charged 0.00562 EUR.",
		"failed":   "", "waiting": "", "running": "", "queued": "",
	} {
		check := None(".charged")
		if want != "" {
			check = In(".charged", Text("^"+regexp.QuoteMeta(want)+"$"))
		}
		if err := Check(live(t, name, true), check); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestActingOnAnothersJobTakesAReason, and a live page leaves that field alone.
func TestActingOnAnothersJobTakesAReason(t *testing.T) {
	t.Parallel()
	if err := Check(live(t, "failed", false), In("#try-again-reason", Attr("name", "reason"), Attr("required", ""), Attr("hx-morph-skip", "")),
		Count("#try-again-provider option", 3)); err != nil {
		t.Error(err)
	}
	if err := Check(live(t, "unknown", false), In("#cancel-fold form", Attr("action", "/jobs/.*/cancel"), In("[name=reason]", Attr("required", "")))); err != nil {
		t.Error(err)
	}
	if err := Check(live(t, "unknown", true), In("#cancel-fold form", None("[name=reason]"), Text("nothing|may still be working"))); err != nil {
		t.Error(err)
	}
}

// TestLivePart: the stream's data is what stands in the page, under a stable id
// and with the revision.
func TestLivePart(t *testing.T) {
	t.Parallel()
	c := sample.Find("unknown")
	fragment := live(t, "unknown", true)
	page := render(t, views.Job(sample.Page(&sample.User, "/jobs/x", "Ticket 45"), c.Job, "Summarise a text", sample.Fields(), c.History(), true))
	if !strings.HasPrefix(fragment, `<div id="job" `) || !strings.Contains(page, fragment) {
		t.Error("the fragment is not the page's own part")
	}
	err := Check(page,
		In("#live", Attr("hx-sse:connect", "/jobs/.*/events"), Attr("hx-target", "#job"), Attr("hx-swap", "outerMorph"),
			In("#job", Attr("data-revision", "3"), Attr("data-state", "unknown"), Attr("data-refresh", "6550"))),
		In("#poll", Attr("hx-get", "/jobs/[0-9a-f-]+"), Attr("hx-trigger", "kwit:poll"), Attr("hx-select", "#job")),
		In("noscript", Text("Look again")))
	if err != nil {
		t.Error(err)
	}
	if err := Check(live(t, "done", true), In("#job", Attr("data-refresh", "0"))); err != nil {
		t.Error(err)
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	err := Check(live(t, "done", true), In("#result",
		In("dl .long dd", Text("^A user clicks, waits ten seconds")),
		In("dl", Text("words 31 keywords timeout, retry, idempotency")),
		In("#raw-result", Text(`"words": 31`)), In("[data-copy=raw-result]", Attr("hidden", ""))))
	if err != nil {
		t.Error(err)
	}
	c := sample.Find("done")
	c.Job.Result, c.Job.PurgedAt = nil, &sample.Now
	check(t, views.JobLive(views.Site{Now: sample.Now}, c.Job, "", views.History{}, true), None("#result"), In("#job", Text("The result was removed")))
}

func TestPicture(t *testing.T) {
	t.Parallel()
	err := Check(live(t, "late", true), In("svg.timeline", Attr("role", "img"),
		In("title", Text("^Attempts of ticket 44$")),
		In("desc", Text("^Attempt 1 at inkjet: came too late; an answer came 4 s after the winner, dropped. Attempt 2 at laser: answered, and its answer is the result.$")),
		Count(".seg", 6), Count(".point-late", 1), In(".stub-number", Text("^44$"))),
		Count(".as-table tbody tr", 2), Count("ol.stacked .stacked-head", 2),
		In(".stacked", Attr("aria-hidden", "true")), coloursAreClasses)
	if err != nil {
		t.Error(err)
	}
}

// coloursAreClasses: nothing in a picture names a colour, so that a theme and
// paper can change it.
func coloursAreClasses(doc *html.Node) error {
	for _, n := range Find(doc, "svg") {
		for d := range n.Descendants() {
			if has(d, "fill") || has(d, "stroke") || has(d, "style") {
				return fmt.Errorf("<%s> names a colour", d.Data)
			}
		}
	}
	return nil
}

func TestAskedForIsFolded(t *testing.T) {
	t.Parallel()
	c := sample.Find("queued")
	c.Job.Input = []byte(`{"language":"Polish","text":"` + strings.Repeat("click ", 1035) + `"}`)
	check(t, views.Job(sample.Page(&sample.User, "/jobs/x", ""), c.Job, "", sample.Fields(), views.History{}, true),
		In(".values details.fold", In(".more", Text(`^show all \(6,210 characters\)$`)), In(".beginning", Text(`…$`))),
		In(".values dt", Text("^Language$")))
	c.Job.Input = nil
	check(t, views.Job(sample.Page(&sample.User, "/jobs/x", ""), c.Job, "", sample.Fields(), views.History{}, true),
		In("main", Text("The text was removed after the time for which it is kept")))
}
