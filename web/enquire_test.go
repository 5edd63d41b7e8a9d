package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kwit/db/dbtest"
	"kwit/ledger"
	"kwit/web"
)

// askable is the configuration of the tests of enquiries: one provider for each
// way of asking, and one that cannot be asked.
const askable = `
providers:
  farm: {kind: http, url: "https://farm.example.com", status_url: "https://farm.example.com/{attempt_id}", price: {per_call: 0.04, currency: EUR}}
  echo: {kind: http, url: "https://echo.example.com", honours_idempotency_key: true, idempotency_key_lifetime: 2h}
  mute: {kind: http, url: "https://mute.example.com"}
job_types:
  summary:
    title: Summarise a text
    input: {type: object, properties: {text: {type: string}}, required: [text]}
    output: {type: object, properties: {summary: {type: string}}, required: [summary]}
    route: [farm]
  echoed:
    title: Echo a text
    input: {type: object, properties: {text: {type: string}}, required: [text]}
    output: {type: object}
    route: [echo]
  muted:
    title: Say nothing
    input: {type: object, properties: {text: {type: string}}, required: [text]}
    output: {type: object}
    route: [mute]
`

func askableWorld(t *testing.T, change ...func(*web.Options)) *world {
	t.Helper()
	t.Parallel()
	return worldOn(t, dbtest.New(t), askable, change...)
}

// newJobOf sends a job of that type.
func (w *world) newJobOf(jobType, key string) string {
	w.t.Helper()
	return w.submit(w.ewa, key, `{"job_type": "`+jobType+`", "input": {"text": "a"}}`).want(http.StatusCreated).text("id")
}

// sentDoubt is a doubt of an attempt whose first byte left that long ago.
func (w *world) sentDoubt(job string, ago time.Duration) *ledger.Attempt {
	w.t.Helper()
	a := w.claim(w.ewa, job)
	_, _, err := w.ledger.Beat(w.t.Context(), []ledger.Held{{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Sent: true, SentAgo: ago, Timeout: time.Minute}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.doubtOf(a)
	return a
}

func TestEnquireMakesTheNextEnquiryDueNow(t *testing.T) {
	w := askableWorld(t)
	sam := w.sam()
	a := w.doubt(w.ewa, w.newJob(w.ewa, "k"))
	w.call(w.ewa, "POST", "/attempts/"+a.ID.String()+"/enquire", "{}").problem(http.StatusForbidden, "forbidden")
	if due, err := w.ledger.DueEnquiries(t.Context(), 10); err != nil || len(due) != 0 {
		t.Fatalf("due before anybody asked: %v, %v", due, err)
	}
	for _, body := range []string{"", "{}", `{"state":"unknown"}`} {
		got := w.call(sam, "POST", "/attempts/"+a.ID.String()+"/enquire", body).want(http.StatusOK)
		if got.text("id") != a.ID.String() || got.text("state") != "unknown" || got.text("next_enquiry_at") == "" {
			t.Errorf("answered %s", got.raw)
		}
	}
	if due, err := w.ledger.DueEnquiries(t.Context(), 10); err != nil || len(due) != 1 || due[0].Attempt != a.ID {
		t.Errorf("due: %v, %v", due, err)
	}
	if n := w.count(`SELECT count(*) FROM events WHERE action = 'enquiry_asked' AND actor_id = $1`, sam.ID); n == 0 {
		t.Error("nothing tells who asked")
	}
}

func TestEnquiriesThatCannotBeMade(t *testing.T) {
	w := askableWorld(t)
	sam := w.sam()
	running := w.claim(w.ewa, w.newJob(w.ewa, "running"))
	ended := w.doubt(w.ewa, w.newJob(w.ewa, "ended"))
	w.call(sam, "POST", "/attempts/"+ended.ID.String()+"/cancel", `{"reason":"r"}`).want(http.StatusOK)
	doubt := w.doubt(w.ewa, w.newJob(w.ewa, "doubt"))
	fresh, old := w.sentDoubt(w.newJobOf("echoed", "fresh"), time.Minute), w.sentDoubt(w.newJobOf("echoed", "old"), 3*time.Hour)
	mute := w.doubt(w.ewa, w.newJobOf("muted", "mute"))
	accepted := w.accepted(w.newJobOf("echoed", "accepted"))
	for name, c := range map[string]struct {
		attempt *ledger.Attempt
		body    string
		status  int
		code    string
		says    string
	}{
		"still running":                    {running, "{}", 409, "attempt-changed", "running now"},
		"over":                             {ended, "{}", 409, "attempt-changed", "cancelled now"},
		"seen in another state":            {doubt, `{"state":"released"}`, 409, "attempt-changed", "unknown now"},
		"a state that is none":             {doubt, `{"state":"lost"}`, 422, "unprocessable", ""},
		"a foreign member":                 {doubt, `{"status":"failed"}`, 400, "malformed-request", ""},
		"of a provider that cannot tell":   {mute, "{}", 409, "cannot-enquire", "no status address"},
		"after the key's lifetime":         {old, "{}", 409, "cannot-enquire", "does not keep the key"},
		"by the key, though it is at work": {accepted, "{}", 409, "cannot-enquire", "can only call back"},
		"by the key":                       {fresh, "{}", 200, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(sam, "POST", "/attempts/"+c.attempt.ID.String()+"/enquire", c.body)
			if c.code == "" {
				got.want(c.status)
				return
			}
			if got.problem(c.status, c.code); !strings.Contains(got.text("detail"), c.says) {
				t.Errorf("it says %q", got.text("detail"))
			}
		})
	}
}

// TestTheConsoleAsks shows how, what it may do, and what was answered.
func TestTheConsoleAsks(t *testing.T) {
	w := askableWorld(t)
	b := w.signedIn(w.sam())
	id := w.newJob(w.ewa, "k")
	a := w.sentDoubt(id, time.Minute)
	path := "/console/attempts/" + a.ID.String() + "/enquire"
	form := b.get("/console").want(http.StatusOK).says("Asks farm now what became of it", "maybe 0.04 EUR", "asked next").form(path)
	if form.Get("state") != "unknown" || form.Has("reason") {
		t.Errorf("the form is %v", form)
	}
	b.get(b.post(path, form).leads()).want(http.StatusOK).says("farm is asked now about attempt 1")
	err := w.ledger.RecordEnquiry(t.Context(), w.ewa.ID, ledger.Enquiry{Attempt: a.ID, Kind: "status", Told: "not_known", Status: 404, Detail: "It knows no such render."})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.ledger.DueEnquiries(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	b.get("/console").says("“not known here”, which proves nothing", "status 404", "It knows no such render.")
	b.get("/console/jobs/"+id).want(http.StatusOK).says("“not known here”, which proves nothing", "It knows no such render.", "asked farm")
	w.signedIn(w.ewa).get("/jobs/"+id).says("the answer was: “not known here”, which proves nothing", "We ask again in", "may have been charged 0.04 EUR")

	w.answer(a, `{"summary":"s"}`)
	b.post(path, form).want(http.StatusConflict).says("done now")
}

func TestTheConsoleWarnsOfAReplay(t *testing.T) {
	w := askableWorld(t)
	b := w.signedIn(w.sam())
	id := w.newJobOf("echoed", "k")
	a := w.sentDoubt(id, time.Minute)
	b.get("/console/jobs/"+id).says("Sends the same request again under the same key", "It is itself a send, and may carry out the work")
	w.call(w.ada(), "POST", "/attempts/"+a.ID.String()+"/enquire", "{}").want(http.StatusOK)
	if due, err := w.ledger.DueEnquiries(t.Context(), 1); err != nil || len(due) != 1 {
		t.Fatal(due, err)
	}
	if may, err := w.ledger.Replay(t.Context(), w.ewa.ID, a.ID, time.Hour); err != nil || !may {
		t.Fatal(may, err)
	}
	const warning = "A replay is under way and may itself be carrying out the work"
	b.get("/console/jobs/" + id).says(warning)
	err := w.ledger.RecordEnquiry(t.Context(), w.ewa.ID, ledger.Enquiry{Attempt: a.ID, Kind: "replay", Told: "no_answer", Detail: "It did not answer."})
	if err != nil {
		t.Fatal(err)
	}
	if page := b.get("/console/jobs/" + id).words(); strings.Contains(page, warning) {
		t.Error("it was answered, and the page still warns")
	}
}
