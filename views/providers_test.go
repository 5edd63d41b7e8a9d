package views_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "kwit/views/htmlcheck"

	"kwit/ledger"
	"kwit/outcome"
	"kwit/views"
	"kwit/views/internal/sample"
)

// TestProviderList: who does how much, who is paused by whom and why, and what
// may be done about it.
func TestProviderList(t *testing.T) {
	t.Parallel()
	page := sample.Pages()
	check(t, page["providers"], Count(".case", 4),
		In("#provider-inkjet", Text("attempts go to it"), Text("running 0 of 8 at once"), Text("in doubt none"),
			In("form[action=/admin/providers/inkjet/pause]", In("[name=reason]", Attr("required", "")))),
		In("#provider-laser", Text("paused for 4 min"), Text("by ola@example.com, 4 min ago"), Text("why toner is being changed"), Text("queued 14"),
			In("form[action=/admin/providers/laser/resume]", Hidden("since", "2026-12-01T14:00:22Z")), None("[name=reason]")),
		In("#provider-farm", Text("in doubt 2 oldest for 18 min"), Text("released 1"), Text("at its status address; it calls back by itself, signed")),
		In("#provider-plotter", Text("no longer configured"), Text("queued 1"), Text("Nothing is sent to it anyway"), None("form")))
	check(t, page["providers-refused"], Count("details[open]", 1),
		In("#provider-farm details[open]", In("[role=alert]", Text("^Say why: the reason stands in the audit log.$"))))
	check(t, page["providers-none"], In(".empty", Text("No provider is configured yet")))
}

// TestWhatAProviderMakesAJobWaitFor stands on its page in words.
func TestWhatAProviderMakesAJobWaitFor(t *testing.T) {
	t.Parallel()
	waiting := sample.Find("waiting")
	waiting.Paused = "inkjet"
	for name, c := range map[string]struct {
		sample.Case
		want string
	}{
		"paused": {sample.Find("paused"), "laser is paused; your request waits and is not lost. It goes on by itself"},
		"gone":   {sample.Find("gone"), "plotter is no longer set up here, so your request is not sent there. It is not lost"},
		"retry":  {waiting, "inkjet is paused; until it is resumed the attempt waits, and is not lost."},
		"accepted": {sample.Find("accepted"), "farm accepted it at 14:03:33 UTC and is working on it. It has until 14:13:32 UTC to answer. " +
			"When we asked farm at 14:04:12 UTC, the answer was: “still at work”. We ask again in 8 s."},
		"asked": {sample.Find("asked"), "the answer was: “not known here”, which proves nothing. We ask again in 40 s. If an answer still comes"},
		"first": {sample.Find("replayed"), "We ask laser what became of it in 20 s."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, views.JobLive(views.Site{Now: sample.Now}, c.Job, "", c.History(), true), In(".told", Text(c.want)))
		})
	}
}

func consoleJob(t *testing.T, name string, checkers ...Checker) {
	t.Helper()
	c := sample.Find(name)
	check(t, views.ConsoleJob(sample.Page(&sample.Support, "/console/jobs/x", ""), c.Job, "", views.Owner{}, nil, c.History(), true, nil), checkers...)
}

// TestTheConsoleShowsAllOfAnAttempt: what each enquiry answered, when the next
// comes, what may be going on, and what it costs.
func TestTheConsoleShowsAllOfAnAttempt(t *testing.T) {
	t.Parallel()
	consoleJob(t, "asked", In(".case", Text("provider’s id req_41aa"), Text("asked next in 40 s at its status address"), Text("charged\\? maybe 0.04 EUR"),
		Count(".asked li", 3), In(".asked li", Text("^14:02:39 UTC “not known here”, which proves nothing status 404 Asked at its status address. The provider knows of no")),
		In(".acts form", Attr("action", ".*/enquire"), Hidden("state", "unknown"), None("[name=reason]"))), None(".replay"))
	consoleJob(t, "replayed", In(".case", Text("answer to our cancel It said that it is too late"), In(".replay", Text("A replay is under way and may itself be carrying out the work")),
		Text("It is itself a send, and may carry out the work"), In(".usage", Text("prompt_tokens 1850 completion_tokens 240")), Text("charged\\? maybe 0.00562 EUR")))
	consoleJob(t, "accepted", In(".case", Text("accepted 14:03:33 UTC by farm, to be answered later"), Text("charged\\? not known yet"), None(".charged")))
	consoleJob(t, "paused", In(".case", Text("why laser is paused by ola@example.com: toner is being changed"), Count(".acts form", 1), Text("over before it was sent")))
	consoleJob(t, "gone", In(".case", Text("plotter is no longer configured, so it is not sent"), In("form", Attr("action", ".*/cancel"))))
	consoleJob(t, "late", Count(".case", 2), None(".acts"), In(".case", Text("outcome came too late")))
}

func TestManyEnquiriesAreFolded(t *testing.T) {
	t.Parallel()
	c := sample.Find("asked")
	for len(c.Asked) < 60 {
		c.Asked = append(c.Asked, c.Asked[2])
	}
	check(t, views.ConsoleJob(sample.Page(&sample.Support, "/x", ""), c.Job, "", views.Owner{}, nil, c.History(), true, nil),
		In(".case", Count(".asked", 2), In("summary", Text(".*")), Count(".asked li", 60), Text("54 earlier")),
		In("svg.timeline", Count(".enquiry", 40)))
}

// TestTimelineOfEnquiries: each has its mark, and the last one says what was
// answered.
func TestTimelineOfEnquiries(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"asked": `1 inkjet unknown queued:0-0 running:0-13 unknown:13-100 sent@0 deadline@13 enquiry@19 enquiry@32 enquiry@57
2  waiting planned:0-100
|0 s|1 min|2 min|3 min|now`,
		"accepted": `1 farm running queued:0-0 running:0-100 sent@1 accepted@2 enquiry@20 enquiry@50 enquiry@80
|0 s|10 s|20 s|30 s|40 s|now`,
	} {
		if got := draw(timeline(sample.Find(name))); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	lane := timeline(sample.Find("asked")).Lanes[0]
	if p := lane.Points[len(lane.Points)-1]; p.Label != "asked inkjet: “not known here” (proves nothing)" {
		t.Errorf("the last one says %q", p.Label)
	}
	c := sample.Find("asked")
	check(t, views.JobLive(views.Site{Now: sample.Now}, c.Job, "", c.History(), true),
		In(".as-table tbody tr", Text("asked 3 times, last: “not known here”, which proves nothing maybe 0.04 EUR")),
		In("svg.timeline desc", Text("asked 3 times, last: “not known here”")))
}

// TestWhatAnAttemptCosts: what may have been charged is said even where no price
// is known.
func TestWhatAnAttemptCosts(t *testing.T) {
	t.Parallel()
	tokens := json.RawMessage(`{"input_tokens": 1000, "output_tokens": 500}`)
	for name, c := range map[string]struct {
		provider string
		state    ledger.AttemptState
		outcome  outcome.Outcome
		usage    json.RawMessage
		want     string
	}{
		"a winner with one price":       {"inkjet", ledger.Succeeded, outcome.Succeeded, nil, "0.04 EUR"},
		"a winner by its usage":         {"laser", ledger.Succeeded, outcome.Succeeded, tokens, "0.006 EUR"},
		"a winner without usage":        {"laser", ledger.Succeeded, outcome.Succeeded, nil, "charged, price not known"},
		"a late one":                    {"inkjet", ledger.Discarded, outcome.Succeeded, nil, "0.04 EUR"},
		"a doubt with one price":        {"inkjet", ledger.Unknown, outcome.Timeout, nil, "maybe 0.04 EUR"},
		"a doubt without a price":       {"farm", ledger.Unknown, outcome.Timeout, nil, "maybe charged"},
		"a broken contract":             {"laser", ledger.Failed, outcome.Contract, tokens, "maybe 0.006 EUR"},
		"an error of the provider":      {"inkjet", ledger.Failed, outcome.ProviderError, nil, "maybe 0.04 EUR"},
		"a refusal":                     {"inkjet", ledger.Failed, outcome.Rejected, nil, "nothing"},
		"nothing sent":                  {"inkjet", ledger.Failed, outcome.NotSent, nil, "nothing"},
		"cancelled after it was sent":   {"inkjet", ledger.Cancelled, outcome.Cancelled, nil, "maybe 0.04 EUR"},
		"of a provider that is no more": {"plotter", ledger.Unknown, outcome.Timeout, nil, "maybe charged"},
		"still running":                 {"inkjet", ledger.Running, outcome.None, nil, "not known yet"},
	} {
		job := sample.Find("done")
		a := &job.Job.Attempts[0]
		a.Provider, a.State, a.Outcome, a.Usage = c.provider, c.state, c.outcome, c.usage
		if got := timeline(job).Lanes[0].Cost; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestManyChargedAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	c := sample.Find("charged")
	for range 3 {
		c.Job.Attempts = append(c.Job.Attempts, c.Job.Attempts[0])
	}
	html := render(t, views.JobLive(views.Site{Now: sample.Now}, c.Job, "", c.History(), true))
	if err := Check(html, Count(".charged", 1), In(".charged", Text("^4 attempts so far may have been charged.$"))); err != nil {
		t.Error(err)
	}
	c.Job.Attempts = c.Job.Attempts[:2]
	html = render(t, views.JobLive(views.Site{Now: sample.Now}, c.Job, "", c.History(), true))
	if n := strings.Count(html, "may have been charged <strong>0.04 EUR"); n != 2 {
		t.Errorf("%d sums, want 2", n)
	}
}

// TestAChoiceIsShownByItsTitle, not by the value that the form sends.
func TestAChoiceIsShownByItsTitle(t *testing.T) {
	t.Parallel()
	c := sample.Find("queued")
	c.Job.Input = []byte(`{"language":"Polish","tone":"warm","sender":{"name":"plain"}}`)
	check(t, views.Job(sample.Page(&sample.User, "/jobs/x", ""), c.Job, "", sample.Fields(), c.History(), true),
		In(".values", Text("Tone Warm Sender · Name plain")))
	form := sample.Form(nil)
	form.Note = "Ten lines out of ten pages."
	check(t, views.NewJob(sample.Page(&sample.User, "/jobs/new/summary", ""), form, nil), In(".lead", Text("^Ten lines out of ten pages.$")))
}
