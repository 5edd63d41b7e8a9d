package dispatch_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/provider/httpjson"
)

// What a provider may be able to say about an earlier request.

func hasStatus(o *httpjson.Options, farm string) { o.StatusURL = farm + "/orders/{attempt_id}" }
func honoursKeys(o *httpjson.Options, _ string)  { o.HonoursKey = true }
func canCancel(o *httpjson.Options, farm string) { o.CancelURL = farm + "/orders/{attempt_id}" }

var support = ledger.Actor{Kind: ledger.ByUser, ID: uuid.New(), Operator: true}

func (w *world) act(id uuid.UUID) ledger.AttemptAct {
	return ledger.AttemptAct{Owner: w.owner, Attempt: id, Reason: "asked the farm", Actor: support}
}

func (w *world) cancel(id uuid.UUID) {
	w.t.Helper()
	if _, err := w.ledger.Cancel(w.t.Context(), w.act(id)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) cancelJob(j ledger.Job) {
	w.t.Helper()
	_, err := w.ledger.CancelJob(w.t.Context(), ledger.JobAct{Owner: w.owner, Job: j.ID, Actor: ledger.Actor{Kind: ledger.ByUser, ID: w.owner}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// until waits for what a change of some job brings about.
func (w *world) until(what string, reached func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		changed := w.news.next()
		if reached() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			w.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// count runs a query that answers with one number.
func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	if err := w.pool.QueryRow(w.t.Context(), sql, args...).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// poll asks the database again and again for what nobody is told of.
func (w *world) poll(want int, sql string, args ...any) {
	w.t.Helper()
	for end := time.Now().Add(patience); w.count(sql, args...) != want; {
		if time.Now().After(end) {
			w.t.Fatalf("%s is %d after %s, want %d", sql, w.count(sql, args...), patience, want)
		}
	}
}

func (w *world) makeDue() {
	w.t.Helper()
	w.exec(`UPDATE attempts SET next_enquiry_at = clock_timestamp() WHERE next_enquiry_at IS NOT NULL`)
}

func (w *world) enquiries(j ledger.Job) []ledger.Enquiry {
	w.t.Helper()
	all, err := w.ledger.EnquiriesOfJob(w.t.Context(), w.owner, j.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// enquire lets the provider be asked once, and returns the last that it told.
func (w *world) enquire(j ledger.Job) ledger.Enquiry {
	w.t.Helper()
	before := len(w.enquiries(j))
	w.makeDue()
	if err := w.d.Enquire(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	var all []ledger.Enquiry
	w.until("an enquiry is recorded", func() bool { all = w.enquiries(j); return len(all) > before })
	if len(all) != before+1 {
		w.t.Errorf("asked %d times in one turn", len(all)-before)
	}
	return all[before]
}

func (w *world) lateResults() []ledger.LateResult {
	w.t.Helper()
	all, err := w.ledger.LateResults(w.t.Context(), 0, 10)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// stub is a status address that answers as it is told to.
func stub(t *testing.T, answer http.HandlerFunc) func(*httpjson.Options, string) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return func(o *httpjson.Options, _ string) { o.StatusURL = s.URL + "/{attempt_id}" }
}

// accepted is an input whose work the farm takes (202) and finishes when told.
const accepted = `{"item":"poster","quantity":2,"behaviour":"accept","late_after":86000}`

// Only what speaks about the end of the first request settles an attempt;
// whatever was told is recorded.
func TestC10_StatusAddressSettlesAnUnknownAttempt(t *testing.T) {
	t.Parallel()
	said := func(status int, body string) func(*testing.T) func(*httpjson.Options, string) {
		return func(t *testing.T) func(*httpjson.Options, string) {
			return stub(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			})
		}
	}
	atFarm := func(*testing.T) func(*httpjson.Options, string) { return hasStatus }
	for _, c := range []struct {
		name, input string
		address     func(*testing.T) func(*httpjson.Options, string)
		told        string
		job         ledger.JobState
		outcome     outcome.Outcome
	}{
		{"succeeded", with("lost"), atFarm, "succeeded", ledger.JobSucceeded, outcome.Succeeded},
		{"failed", with("fail"), atFarm, "failed", ledger.JobFailed, outcome.ProviderError},
		{"succeeded with a result that breaks the contract", with("gateway"), said(200, `{"status":"succeeded","result":{"note":1}}`),
			"succeeded", ledger.JobFailed, outcome.Contract},
		{"not known", with("gateway"), atFarm, "not_known", ledger.JobUnknown, outcome.ServerError},
		{"running", with("gateway"), said(200, `{"status":"running"}`), "running", ledger.JobUnknown, outcome.ServerError},
		{"server error", with("gateway"), said(500, `{"status":"succeeded","result":{"order_id":"x"}}`), "no_answer", ledger.JobUnknown, outcome.ServerError},
		{"too many requests", with("gateway"), said(429, `{}`), "no_answer", ledger.JobUnknown, outcome.ServerError},
		{"garbage", with("gateway"), said(200, `<html>`), "no_answer", ledger.JobUnknown, outcome.ServerError},
		{"another word", with("gateway"), said(200, `{"status":"perhaps"}`), "no_answer", ledger.JobUnknown, outcome.ServerError},
		{"another attempt", with("gateway"), said(200, `{"status":"failed","error":"x","attempt_id":"`+uuid.NewString()+`"}`), "no_answer",
			ledger.JobUnknown, outcome.ServerError},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, provider: c.address(t),
				output: `{"type":"object","required":["order_id"],"additionalProperties":true}`})
			job := w.await(w.submit("k1", c.input), ledger.JobUnknown)
			told := w.enquire(job)
			if told.Kind != "status" || told.Told != c.told || told.Detail == "" || told.Attempt != job.Attempts[0].ID {
				t.Errorf("told %+v, want %s", told, c.told)
			}
			job = w.await(job, c.job)
			if a := job.Attempts[0]; a.Outcome != c.outcome {
				t.Errorf("outcome %s (%s), want %s", a.Outcome, a.Detail, c.outcome)
			}
			if c.job == ledger.JobUnknown {
				w.enquire(job) // however often it is said
				w.await(job, ledger.JobUnknown)
			}
			if n := w.farm.Seen.Total(); n != 1 {
				t.Errorf("the provider was sent %d requests", n)
			}
		})
	}
}

// The job is cancelled while its provider is being asked.
func TestC14_StatusToldTooLate(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	w := newWorld(t, setup{farm: farmtest.Quick, provider: stub(t, func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-answer
		_, _ = w.Write([]byte(`{"status":"succeeded","result":{"order":1}}`))
	})})
	job := w.await(w.submit("k1", with("gateway")), ledger.JobUnknown)
	w.makeDue()
	<-asked
	w.cancelJob(job)
	close(answer)
	w.until("the late result is logged", func() bool { return len(w.lateResults()) == 1 })
	if late := w.lateResults()[0]; late.Why != ledger.JobWasOver {
		t.Errorf("late %+v", late)
	}
	if a := w.await(job, ledger.JobCancelled).Attempts[0]; a.State != ledger.Discarded {
		t.Errorf("the attempt is %s", a.State)
	}
}

// After a 202 the provider is polled; what it then says ends the attempt.
func TestPollAfterAccepted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		reply farm.Reply
		job   ledger.JobState
	}{
		{"succeeded", farm.Reply{Body: []byte(`{"order":"polled"}`)}, ledger.JobSucceeded},
		{"failed", farm.Reply{Status: 500, Body: []byte(`{"error":"out of paper"}`)}, ledger.JobFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, provider: hasStatus})
			job := w.submit("k1", accepted)
			id := job.Attempts[0].ID
			w.until("accepted", func() bool { return w.attempt(id).AcceptedAt != nil })
			if told := w.enquire(job); told.Told != "running" {
				t.Errorf("told %+v", told)
			}
			w.await(job, ledger.JobRunning)
			if !w.farm.Finish(id.String(), c.reply) {
				t.Fatal("the farm has no such work")
			}
			w.enquire(job)
			job = w.await(job, c.job)
			if c.job == ledger.JobFailed && !strings.Contains(job.Attempts[0].Detail, "out of paper") {
				t.Errorf("detail %s", job.Attempts[0].Detail)
			}
		})
	}
}

// The deadline makes accepted work unknown, and what the provider says after it
// still counts, by a status address or by the same request again.
func TestC09_DeadlineWhileAccepted(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*httpjson.Options, string){"status address": hasStatus, "replay": honoursKeys} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, provider: ask})
			job := w.submit("k1", accepted)
			id := job.Attempts[0].ID
			w.until("accepted", func() bool { return w.attempt(id).AcceptedAt != nil })
			if name == "replay" { // while it runs there is nothing to ask
				w.makeDue()
				w.poll(0, `SELECT count(*) FROM attempts WHERE next_enquiry_at IS NOT NULL`)
			}
			w.exec(`UPDATE attempts SET deadline = clock_timestamp() - interval '1 second'`)
			w.sweep()
			if a := w.await(job, ledger.JobUnknown).Attempts[0]; a.Outcome != outcome.Timeout {
				t.Errorf("outcome %s", a.Outcome)
			}
			w.farm.Finish(id.String(), farm.Reply{Body: []byte(`{"order":"after the deadline"}`)})
			w.enquire(job)
			job = w.await(job, ledger.JobSucceeded)
			if string(job.Result) != `{"order":"after the deadline"}` {
				t.Errorf("result %s", job.Result)
			}
		})
	}
}

// Two nodes look at every turn; one asks.
func TestOneNodeAsksInEachTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, provider: hasStatus})
	other := w.node("w2")
	w.start(other)
	job := w.await(w.submit("k1", with("gateway")), ledger.JobUnknown)
	id := job.Attempts[0].ID.String()
	for turn := 1; turn <= 5; turn++ {
		w.makeDue()
		rounds := make(chan error, 2)
		for _, d := range []*dispatch.Dispatcher{w.d, other} {
			go func() { rounds <- d.Enquire(t.Context()) }()
		}
		for range 2 {
			if err := <-rounds; err != nil {
				t.Error(err)
			}
		}
		w.until("the turn's enquiry is recorded", func() bool { return len(w.enquiries(job)) >= turn })
		if n := w.farm.Asked.Count(id); n != turn || len(w.enquiries(job)) != turn {
			t.Fatalf("asked %d times and recorded %d in %d turns", n, len(w.enquiries(job)), turn)
		}
	}
}

// An attempt whose provider is not configured any more is neither sent nor
// asked about; people can still end it.
func TestProviderThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, provider: hasStatus, idle: true})
	before := w.node("before")
	if err := before.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	doubted := w.await(w.submit("k1", with("lost")), ledger.JobUnknown)
	w.stop(before)

	w.o.Providers = map[string]dispatch.Provider{"another": w.o.Providers["farm"]}
	w.d = w.node("after")
	w.start(w.d)
	pending := w.submit("k2", order)
	w.exec(`UPDATE attempts SET state_at = clock_timestamp() - interval '1 minute'`)
	w.makeDue()
	// It is not forgotten either: the next turn may be one of a node that knows it.
	w.poll(1, `SELECT count(*) FROM attempts WHERE next_enquiry_at > clock_timestamp()`)
	w.sweep()
	w.await(pending, ledger.JobQueued)
	if n := w.farm.Seen.Total(); n != 1 || w.farm.Asked.Total() != 0 {
		t.Errorf("the provider that is gone was sent %d requests, and asked %d times", n, w.farm.Asked.Total())
	}
	w.cancel(pending.Attempts[0].ID)
	w.await(pending, ledger.JobFailed)
	_, err := w.ledger.Resolve(t.Context(), ledger.Resolution{AttemptAct: w.act(doubted.Attempts[0].ID), Succeeded: true, Result: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	w.await(doubted, ledger.JobSucceeded)
}
