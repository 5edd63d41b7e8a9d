package dispatch_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
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

// A replay is the same request under the same key, marked as an enquiry: the
// farm sees one submission beside it.
func TestC11_ReplayIsTheSameRequestMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		behaviour, told string
		job             ledger.JobState
		outcome         outcome.Outcome
	}{
		{"lost", "succeeded", ledger.JobSucceeded, outcome.Succeeded},
		{"reset", "succeeded", ledger.JobSucceeded, outcome.Succeeded},
		{"fail", "failed", ledger.JobFailed, outcome.ProviderError},
		{"gateway", "no_answer", ledger.JobUnknown, outcome.ServerError},
	} {
		t.Run(c.behaviour, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, provider: honoursKeys})
			job := w.await(w.submit("k1", with(c.behaviour)), ledger.JobUnknown)
			a := job.Attempts[0]
			if told := w.enquire(job); told.Kind != "replay" || told.Told != c.told || told.Detail == "" {
				t.Errorf("told %+v, want %s", told, c.told)
			}
			job = w.await(job, c.job)
			if got := job.Attempts[0]; got.Outcome != c.outcome || len(job.Attempts) != 1 {
				t.Errorf("outcome %s (%s), %d attempts", got.Outcome, got.Detail, len(job.Attempts))
			}
			w.wantReplays(a.ID, 1)
			for _, r := range w.farm.Seen.All() {
				if r.Key != a.ID.String() || r.AttemptID != a.ID.String() || r.JobID != job.ID.String() || r.Path != "/orders" {
					t.Errorf("the farm saw %+v", r)
				}
			}
		})
	}
}

// wantReplays counts at the farm: one submission, and so many enquiries.
func (w *world) wantReplays(attempt uuid.UUID, replays int) {
	w.t.Helper()
	id := attempt.String()
	if n, all := w.farm.Seen.Submissions(id), w.farm.Seen.Count(id); n != 1 || all != 1+replays {
		w.t.Errorf("the farm saw %d requests, %d of them submissions; want %d replays", all, n, replays)
	}
}

// What is refused while the first request is at work says nothing about it.
func TestC10_RefusedReplaySettlesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farm.Options{Orders: -1, Hold: true}, provider: honoursKeys,
		timing: dispatch.Timing{Timeout: 200 * time.Millisecond, Linger: patience, Attempts: 3}})
	job := w.await(w.submit("k1", order), ledger.JobUnknown)
	if told := w.enquire(job); told.Told != "no_answer" || told.Status != http.StatusConflict {
		t.Errorf("told %+v", told)
	}
	job = w.await(job, ledger.JobUnknown)
	w.wantReplays(job.Attempts[0].ID, 1)
	w.farm.Release(job.Attempts[0].ID.String(), nil)
	w.await(job, ledger.JobSucceeded)
}

// replayHeld brings a replay to the farm, which keeps it: the farm has forgotten
// the first request, so the replay carries the work out.
func (w *world) replayHeld() (ledger.Job, ledger.Attempt) {
	w.t.Helper()
	job := w.await(w.submit("k1", with("gateway")), ledger.JobUnknown)
	w.farm.Hold()
	w.makeDue()
	if err := w.d.Enquire(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if err := w.farm.Seen.Wait(w.t.Context(), 2); err != nil {
		w.t.Fatal(err)
	}
	return job, job.Attempts[0]
}

// A person may be quicker than a replay's answer, which is then late.
func TestC14_ReplayAnsweredTooLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		act     func(w *world, j ledger.Job, a ledger.Attempt)
		job     ledger.JobState
		attempt ledger.AttemptState
		why     ledger.LateReason
	}{
		{"attempt cancelled", func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a.ID) }, ledger.JobFailed, ledger.Cancelled, ledger.Fenced},
		{"job cancelled", func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) }, ledger.JobCancelled, ledger.Discarded, ledger.JobWasOver},
		{"resolved as failed", func(w *world, _ ledger.Job, a ledger.Attempt) {
			if _, err := w.ledger.Resolve(w.t.Context(), ledger.Resolution{AttemptAct: w.act(a.ID)}); err != nil {
				w.t.Error(err)
			}
		}, ledger.JobFailed, ledger.Failed, ledger.AfterFailure},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, provider: honoursKeys})
			job, a := w.replayHeld()
			c.act(w, job, a)
			w.farm.Release(a.ID.String(), &farm.Reply{Body: []byte(`{"order":"by the replay"}`)})
			w.until("the late result is logged", func() bool { return len(w.lateResults()) == 1 })
			if late := w.lateResults()[0]; late.Why != c.why || late.AttemptID != a.ID {
				t.Errorf("late %+v, want %s", late, c.why)
			}
			job = w.await(job, c.job)
			if job.Attempts[0].State != c.attempt || job.Result != nil {
				t.Errorf("the attempt is %s, with the result %s", job.Attempts[0].State, job.Result)
			}
			w.wantReplays(a.ID, 1)
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

// The node dies between the commit of a replay and its first byte: the doubt
// stays, and is asked about in the next turn.
func TestC10_ReplayThatWasNeverSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, provider: honoursKeys})
	job := w.await(w.submit("k1", with("lost")), ledger.JobUnknown)
	a := job.Attempts[0]
	may, err := w.ledger.Replay(t.Context(), w.owner, a.ID, time.Hour)
	if err != nil || !may {
		t.Fatalf("%v, %v", may, err)
	}
	w.await(job, ledger.JobUnknown)
	w.wantReplays(a.ID, 0)
	w.enquire(job)
	w.await(job, ledger.JobSucceeded)
	w.wantReplays(a.ID, 1)
}

// The worker died right after its first byte, before any heartbeat told of it.
func TestC10_DeadWorkersRequestIsReplayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, provider: honoursKeys, idle: true})
	job, a := w.deadWorkersAttempt()
	w.steady()
	w.sweep()
	w.await(job, ledger.JobUnknown)
	if w.attempt(a.ID).SentAt != nil {
		t.Fatal("the first byte was noted")
	}
	w.enquire(job)
	w.await(job, ledger.JobSucceeded)
}

// A key that may be forgotten is not used again, and a person is left to decide.
func TestC11_OldKeyIsNotReplayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, provider: honoursKeys})
	job := w.await(w.submit("k1", with("lost")), ledger.JobUnknown)
	w.exec(`UPDATE attempts SET sent_at = sent_at - interval '23 hours', started_at = started_at - interval '23 hours'`)
	w.makeDue()
	w.poll(0, `SELECT count(*) FROM attempts WHERE next_enquiry_at IS NOT NULL`)
	w.await(job, ledger.JobUnknown)
	w.wantReplays(job.Attempts[0].ID, 0)
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

// cancelled reads what the provider answered to the cancel call.
func (w *world) cancelAnswer(id uuid.UUID) string {
	w.t.Helper()
	var e ledger.Evidence
	if err := json.Unmarshal(w.attempt(id).Evidence, &e); err != nil {
		w.t.Fatal(err)
	}
	return e.Cancel
}

func (w *world) deletions() int {
	n := 0
	for _, r := range w.farm.Asked.All() {
		if r.Method == http.MethodDelete {
			n++
		}
	}
	return n
}

// The fence is committed, then the provider is told, once. What it says is
// evidence, and changes nothing.
func TestCancelCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, input string
		acts        func(w *world, j ledger.Job, a ledger.Attempt)
		says        string
		job         ledger.JobState
		attempts    []ledger.AttemptState
	}{
		{"attempt whose work goes on", accepted, func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a.ID) },
			"cancelled", ledger.JobFailed, []ledger.AttemptState{ledger.Cancelled}},
		{"attempt whose work is over", with("lost"), func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a.ID) },
			"too late", ledger.JobFailed, []ledger.AttemptState{ledger.Cancelled}},
		{"attempt that nobody knows", with("gateway"), func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a.ID) },
			"too late", ledger.JobFailed, []ledger.AttemptState{ledger.Cancelled}},
		{"job, and then its attempt", with("lost"), func(w *world, j ledger.Job, a ledger.Attempt) {
			w.cancelJob(j)
			w.until("the call is noted", func() bool { return w.cancelAnswer(a.ID) != "" })
			w.cancel(a.ID)
		}, "too late", ledger.JobCancelled, []ledger.AttemptState{ledger.Cancelled}},
		{"job whose work goes on", accepted, func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) },
			"cancelled", ledger.JobCancelled, []ledger.AttemptState{ledger.Running}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, provider: canCancel})
			other := w.node("w2")
			w.start(other)
			job := w.submit("k1", c.input)
			id := job.Attempts[0].ID
			w.until("accepted or in doubt", func() bool { a := w.attempt(id); return a.AcceptedAt != nil || a.State == ledger.Unknown })
			c.acts(w, job, w.attempt(id))
			w.until("the call is noted", func() bool { return w.cancelAnswer(id) != "" })
			for _, d := range []*dispatch.Dispatcher{w.d, other} {
				if err := d.CallOff(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if says := w.cancelAnswer(id); !strings.Contains(says, c.says) || w.deletions() != 1 {
				t.Errorf("it says %q in %d calls, want %q", says, w.deletions(), c.says)
			}
			job = w.await(job, c.job)
			var states []ledger.AttemptState
			for _, a := range job.Attempts {
				states = append(states, a.State)
			}
			if !slices.Equal(states, c.attempts) {
				t.Errorf("the attempts are %v, want %v", states, c.attempts)
			}
		})
	}
}

// Providers that hang when they are asked hold up no cancel call.
func TestCancelCallsDoNotWaitForEnquiries(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	w := newWorld(t, setup{farm: farmtest.Quick, provider: func(o *httpjson.Options, farm string) {
		stub(t, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-answer:
			case <-r.Context().Done():
			}
		})(o, farm)
		canCancel(o, farm)
	}})
	defer close(answer)
	var jobs []ledger.Job
	for range 30 {
		jobs = append(jobs, w.submit(uuid.NewString(), with("gateway")))
	}
	for _, j := range jobs {
		w.await(j, ledger.JobUnknown)
	}
	w.makeDue()
	if err := w.d.Enquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.cancel(jobs[0].Attempts[0].ID)
	w.until("the call is noted", func() bool { return w.cancelAnswer(jobs[0].Attempts[0].ID) != "" })
	if n := w.count(`SELECT count(*) FROM enquiries`); n != 0 {
		t.Errorf("%d enquiries were answered before: the call may have waited", n)
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
	w.poll(0, `SELECT count(*) FROM attempts WHERE next_enquiry_at IS NOT NULL`)
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
