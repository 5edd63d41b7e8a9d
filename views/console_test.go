package views_test

import (
	"regexp"
	"testing"
	"time"

	. "kwit/views/htmlcheck"

	"kwit/contract"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/views"
	"kwit/views/internal/sample"
)

func console(cases []views.Case, refused *views.ActForm) (views.Page, ledger.AttemptState, []views.Case, *views.ActForm, string) {
	return sample.Page(&sample.Support, "/console", "Attempts in doubt"), ledger.Unknown, cases, refused, ""
}

func TestConsoleCase(t *testing.T) {
	t.Parallel()
	c := sample.OpenCases()[1]
	at := "/console/attempts/" + c.ID.String()
	check(t, views.Console(console([]views.Case{c}, nil)),
		In(".case",
			In("h2", Text("^45 · attempt 1 · inkjet$")), In("h2 a", Attr("href", "/console/jobs/"+c.JobID.String())),
			In(".case-head", Text("unknown for 2 min")),
			Text("why no answer within 10 s, 3,207 bytes of the request were sent"), Text("Ewa Lis ewa@example.com"), Text("charged\\? maybe"),
			Count(".acts details", 3),
			In("form[action="+at+"/cancel]", Hidden("state", "unknown"), In("[name=reason]", Attr("required", ""))),
			In("form[action="+at+"/release]", Hidden("state", "unknown"), In("[name=reason]", Attr("required", ""))),
			In("form[action="+at+"/resolve]", Hidden("state", "unknown"), In("[name=reason]", Attr("required", "")),
				Count("[name=status][required]", 2), In("textarea[name=result]")),
			Text("Whatever inkjet still answers is logged as a late result and dropped. This cannot be undone.")))
}

func TestConsoleSaysWhyAnActIsClosed(t *testing.T) {
	t.Parallel()
	c := sample.OpenCases()[0]
	check(t, views.Console(console([]views.Case{c}, nil)), Count(".acts details", 2), In(".acts", Text("Release Not for this job type")))
	released := sample.OpenCases()[1]
	released.State = ledger.Released
	p, _, cases, _, _ := console([]views.Case{released}, nil)
	check(t, views.Console(p, ledger.Released, cases, nil, "abc"), In(".acts", Text("It is released already")),
		In(".chips [aria-current]", Text("released")), In(".more-link a", Attr("href", `/console\?cursor=abc&state=released`)))
	p, _, _, _, _ = console(nil, nil)
	check(t, views.Console(p, ledger.Released, nil, nil, ""), In(".empty", Text("No attempt is released")))
	check(t, views.Console(console(nil, nil)), In(".empty", Text("Nothing is in doubt")))
}

// TestConsoleSaysWhatEachStateMeans: only where an attempt blocks its job does
// the page say that no other one may start.
func TestConsoleSaysWhatEachStateMeans(t *testing.T) {
	t.Parallel()
	for state, c := range map[ledger.AttemptState]struct{ title, lead string }{
		"":              {"Attempts in doubt", "Until then no other attempt of the same job may start"},
		ledger.Unknown:  {"Attempts in doubt", "Until then no other attempt of the same job may start"},
		ledger.Released: {"Released attempts", "another attempt of the same job may start"},
		ledger.Running:  {"Running attempts", "Until then no other attempt of the same job may start"},
		ledger.Pending:  {"Queued attempts", "Nothing of them was sent yet"},
	} {
		p, _, _, _, _ := console(nil, nil)
		check(t, views.Console(p, state, nil, nil, ""), In("h1", Text("^"+c.title+"$")), In(".lead", Text(c.lead)))
		if got := views.ConsoleTitle(state); got != c.title {
			t.Errorf("%s: the page is called %q", state, got)
		}
	}
}

func TestConsoleKeepsARefusedForm(t *testing.T) {
	t.Parallel()
	cases := sample.OpenCases()
	check(t, views.Console(console(cases, &views.ActForm{Attempt: cases[1].ID, Act: "resolve", Reason: "seen in its log", Status: "succeeded",
		Result: `{"words":3}`, Problem: "Say what really happened.", Faults: []contract.Fault{{Pointer: "/summary", Detail: "is required"}, {Detail: "is no object"}}})),
		Count("details[open]", 1),
		In("details[open]", In("[name=reason]", Attr("value", "seen in its log")), In("[name=status][checked]", Attr("value", "succeeded")),
			In("textarea", Text(`^{"words":3}$`)),
			In("[role=alert]", Text("Say what really happened. In the result, /summary is required. The result is no object."))))
}

// TestDoubtReasons: why it is not known, in one line with the figures.
func TestDoubtReasons(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		outcome  outcome.Outcome
		evidence string
		want     string
	}{
		{outcome.Timeout, `{}`, "no answer within 10 s"},
		{outcome.Timeout, ``, "no answer within 10 s"},
		{outcome.ConnectionLost, `{"bytes_written":2114}`, "connection lost before an answer, 2,114 bytes of the request were sent"},
		{outcome.AnswerLost, `{"answer_bytes":812}`, "answer cut short or unreadable, 812 bytes of it arrived"},
		{outcome.ServerError, `{"status":502}`, "status 502, which settles nothing"},
		{outcome.ServerError, `{}`, "an answer that settles nothing"},
		{outcome.WorkerLost, `{}`, "worker died while the attempt was its own"},
		{outcome.None, `{}`, "no reason was noted"},
	} {
		c := sample.OpenCases()[1]
		c.Outcome, c.Evidence = tc.outcome, []byte(tc.evidence)
		check(t, views.Console(console([]views.Case{c}, nil)), In(".case dl", Text("^why "+regexp.QuoteMeta(tc.want)+" asked by")))
	}
}

// TestEvidenceIsSaidOnce: a figure that the first line or the note gives has no
// line of its own.
func TestEvidenceIsSaidOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		outcome          outcome.Outcome
		detail, evidence string
		want             string
	}{
		{outcome.Timeout, "no answer within 10 s", `{"bytes_written":3207}`, "why no answer within 10 s, 3,207 bytes of the request were sent asked by .* charged[?] maybe 0.04 EUR attempt "},
		{outcome.Timeout, "no answer within 10 s", `{"bytes_written":3207,"late":"hung up"}`, "charged[?] maybe 0.04 EUR afterwards hung up attempt "},
		{outcome.ConnectionLost, "2114 bytes of the request were sent, then the connection was closed without an answer: EOF.", `{"bytes_written":2114}`,
			"why connection lost before an answer asked by .* charged[?] maybe 0.04 EUR noted 2114 bytes of the request were sent, then the connection was closed without an answer: EOF. attempt "},
		{outcome.AnswerLost, "The provider answered 200, but the answer was cut after 812 bytes or is too large.", `{"status":200,"answer_bytes":812,"media_type":"text/html"}`,
			"why answer cut short or unreadable asked by .* noted The provider answered 200, but the answer was cut after 812 bytes or is too large. answer’s type text/html attempt "},
		{outcome.ServerError, "", `{"status":502}`, "why status 502, which settles nothing asked by .* charged[?] maybe 0.04 EUR attempt "},
	} {
		c := sample.OpenCases()[1]
		c.Outcome, c.Detail, c.Evidence, c.ProviderRequestID = tc.outcome, tc.detail, []byte(tc.evidence), ""
		check(t, views.Console(console([]views.Case{c}, nil)), In(".case dl", Text(tc.want)))
	}
}

func TestSomebodyWasFirst(t *testing.T) {
	t.Parallel()
	at := sample.Now.Add(-40 * time.Second)
	for want, e := range map[string]ledger.AttemptChangedError{
		"Nothing was changed: this attempt is cancelled now, by ola@example.com, 40 s ago (2026-12-01 14:03:42 UTC).":     {State: ledger.Cancelled, By: "ola@example.com", At: at},
		"Nothing was changed: this attempt is done now, by the provider's answer, 40 s ago (2026-12-01 14:03:42 UTC).":    {State: ledger.Succeeded, By: "provider", At: at},
		"Nothing was changed: this attempt is answered too late now, by kwit itself, 40 s ago (2026-12-01 14:03:42 UTC).": {State: ledger.Discarded, By: "system", At: at},
	} {
		if got := views.SomebodyWasFirst(&e, sample.Now); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestActed(t *testing.T) {
	t.Parallel()
	for state, want := range map[ledger.AttemptState]string{
		ledger.Cancelled: "Attempt 1 of ticket 45 is cancelled. Whatever inkjet still answers is dropped.",
		ledger.Released:  "may still win", ledger.Succeeded: "ticket 45 is done", ledger.Failed: "resolved as failed", ledger.Discarded: "came too late",
	} {
		a := sample.Find("unknown").Job.Attempts[0]
		a.State = state
		if got := views.Acted(45, &a); !regexp.MustCompile(regexp.QuoteMeta(want)).MatchString(got) {
			t.Errorf("%s: %s", state, got)
		}
	}
}

func TestConsoleJob(t *testing.T) {
	t.Parallel()
	c := sample.Find("racing")
	page := views.ConsoleJob(sample.Page(&sample.Support, "/console/jobs/x", "Ticket 46"), c.Job, "Summarise", views.Owner{Name: "Ewa Lis", Email: "ewa@example.com"},
		sample.Fields(), c.History(), true, nil)
	check(t, page,
		In("h1", Text("^The request of Ewa Lis is being worked on$|^It is not known yet")),
		In("#asked-h", Text("^What Ewa Lis asked for$")), In("section[aria-labelledby=asked-h]", Text("Language Polish Text The user clicks")),
		In(".ticket", Text("idempotency key form-racing"), Text("inkjet, then laser"), In("[name=reason]")),
		Count(".case", 2), Count("section[aria-labelledby=events-h] tbody tr", len(c.Events)),
		In("section[aria-labelledby=events-h]", Text("jan@example.com released attempt 1 unknown → released Ewa cannot wait")),
		None("section[aria-labelledby=late-h]"), None("[name=provider]"))
}
