package dispatch_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/outcome"
)

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
