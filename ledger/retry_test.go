package ledger_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kwit/ledger"
	"kwit/outcome"
)

// Who starts the next attempt after a definite failure (2-ledger).
func TestRetryByOutcome(t *testing.T) {
	t.Parallel()
	three := ledger.Retry{Attempts: 3}
	repeatable := ledger.Retry{Attempts: 3, Repeatable: true}
	cases := []struct {
		outcome outcome.Outcome
		retry   ledger.Retry
		state   ledger.JobState
	}{
		{outcome.NotSent, three, ledger.JobWaiting},
		{outcome.NotProcessed, three, ledger.JobWaiting},
		{outcome.Rejected, repeatable, ledger.JobFailed},
		{outcome.Contract, three, ledger.JobFailed},
		{outcome.Contract, repeatable, ledger.JobWaiting},
		{outcome.ProviderError, three, ledger.JobFailed},
		{outcome.ProviderError, repeatable, ledger.JobWaiting},
		{outcome.NotSent, ledger.Retry{Attempts: 1}, ledger.JobFailed},
		{outcome.NotSent, ledger.Retry{}, ledger.JobFailed},
	}
	w := newWorld(t)
	for i, c := range cases {
		job, a := w.running(fmt.Sprint("k", i))
		w.failWith(a, c.outcome, c.retry, 0)
		t.Logf("%s, %+v", c.outcome, c.retry)
		w.wantStates(job, c.state, ledger.Failed)
		got := w.job(job)
		if planned := got.NextAttemptAt != nil; planned != (c.state == ledger.JobWaiting) || planned && got.NextProvider != a.Provider {
			t.Errorf("planned %v at %q", got.NextAttemptAt, got.NextProvider)
		}
	}
}

func (w *world) failWith(a ledger.Attempt, o outcome.Outcome, retry ledger.Retry, after time.Duration) {
	w.t.Helper()
	f := w.failure(a, o)
	f.Retry, f.RetryAfter = retry, after
	if state, err := w.Fail(w.t.Context(), f); err != nil || state != ledger.Failed {
		w.t.Fatalf("fail: %s, %v", state, err)
	}
}

// due makes the planned attempt due, by the database's clock, and starts it.
func (w *world) due(j ledger.Job) ledger.Attempt {
	w.t.Helper()
	w.exec(`UPDATE jobs SET next_attempt_at = clock_timestamp() WHERE id = $1 AND next_attempt_at IS NOT NULL`, j.ID)
	if ok, err := w.StartDue(w.t.Context(), j.OwnerID, j.ID); err != nil || !ok {
		w.t.Fatalf("start what is due: %v, %v", ok, err)
	}
	all := w.job(j).Attempts
	return all[len(all)-1]
}

func TestAutomaticAttemptsAreCountedForEachProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	policy := ledger.Retry{Attempts: 3}
	w.failWith(a, outcome.NotSent, policy, 0)
	w.failWith(w.claim(w.due(job)), outcome.NotSent, policy, 0)
	// One by hand does not count, and takes the place of the planned one.
	byHand := w.again(job)
	if got := w.job(job); got.NextAttemptAt != nil || byHand.Automatic {
		t.Errorf("the plan stands beside the attempt by hand: %+v", got)
	}
	w.failWith(w.claim(byHand), outcome.NotSent, policy, 0)
	third := w.due(job)
	if third.Ordinal != 4 || !third.Automatic {
		t.Errorf("third automatic attempt: %+v", third)
	}
	w.failWith(w.claim(third), outcome.NotSent, policy, 0)
	w.wantStates(job, ledger.JobFailed, ledger.Failed, ledger.Failed, ledger.Failed, ledger.Failed)
}

// Attempts at another provider are counted apart.
func TestAnotherProvidersAttemptsDoNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.failWith(a, outcome.Rejected, ledger.Retry{Attempts: 1}, 0)
	laser, _, err := w.TryAgain(t.Context(), ledger.NewAttempt{Ordinal: 2, Provider: "laser",
		JobAct: ledger.JobAct{Owner: w.owner, Job: job.ID, Reason: "r", Actor: w.operator}})
	if err != nil {
		t.Fatal(err)
	}
	w.failWith(w.claim(*laser), outcome.NotSent, ledger.Retry{Attempts: 1}, 0)
	w.wantStates(job, ledger.JobWaiting, ledger.Failed, ledger.Failed)
	if next := w.due(job); next.Provider != "laser" {
		t.Errorf("the next goes to %s", next.Provider)
	}
}

func TestRetryAfterIsObeyedWithinBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cases := []struct{ asked, least, most time.Duration }{
		{0, 500 * time.Millisecond, time.Second},
		{-time.Hour, 500 * time.Millisecond, time.Second},
		{time.Millisecond, time.Millisecond, time.Millisecond},
		{90 * time.Second, 90 * time.Second, 90 * time.Second},
		{time.Hour, time.Hour, time.Hour},
		{300 * time.Hour, time.Hour, time.Hour},
	}
	for i, c := range cases {
		job, a := w.running(fmt.Sprint("k", i))
		w.failWith(a, outcome.NotProcessed, ledger.Retry{Attempts: 2}, c.asked)
		in := w.job(job).NextAttemptAt.Sub(w.movedAt(a))
		if slack := 5 * time.Second; in < c.least-slack/50 || in > c.most+slack {
			t.Errorf("asked for %v: planned in %v, want %v to %v", c.asked, in, c.least, c.most)
		}
	}
}

// Each further try waits longer, to five minutes.
func TestBackoffGrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	for tried := 1; tried <= 12; tried++ {
		w.failWith(a, outcome.NotSent, ledger.Retry{Attempts: 100}, 0)
		most := min(5*time.Minute, time.Second<<(tried-1))
		in := w.job(job).NextAttemptAt.Sub(w.movedAt(a))
		if in < most/2-100*time.Millisecond || in > most+5*time.Second {
			t.Errorf("after %d: planned in %v, want %v to %v", tried, in, most/2, most)
		}
		a = w.claim(w.due(job))
	}
}

// What a person ended or released starts nothing by itself, and neither does
// what fails in a job that is over.
func TestNothingComesByItselfAfterAPerson(t *testing.T) {
	t.Parallel()
	policy := ledger.Retry{Attempts: 9, Repeatable: true}
	cases := []struct {
		name string
		do   func(w *world, j ledger.Job, a ledger.Attempt)
		want ledger.JobState
	}{
		{"released, then it failed", func(w *world, _ ledger.Job, a ledger.Attempt) {
			w.release(a)
			w.failWith(a, outcome.NotProcessed, policy, 0)
		}, ledger.JobFailed},
		{"resolved as failed", func(w *world, _ ledger.Job, a ledger.Attempt) {
			w.doubt(a)
			if _, err := w.Resolve(w.t.Context(), ledger.Resolution{AttemptAct: w.act(a)}); err != nil {
				w.t.Fatal(err)
			}
		}, ledger.JobFailed},
		{"cancelled", func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a) }, ledger.JobFailed},
		{"the job was cancelled, then it failed", func(w *world, j ledger.Job, a ledger.Attempt) {
			w.cancelJob(j)
			w.failWith(a, outcome.NotProcessed, policy, 0)
		}, ledger.JobCancelled},
		{"a sibling is open", func(w *world, j ledger.Job, a ledger.Attempt) {
			w.release(a)
			w.again(j)
			w.failWith(a, outcome.NotProcessed, policy, 0)
		}, ledger.JobQueued},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job, a := w.running("k")
			c.do(w, job, a)
			if got := w.job(job); got.State != c.want || got.NextAttemptAt != nil {
				t.Errorf("the job is %s, planned %v", got.State, got.NextAttemptAt)
			}
		})
	}
}

// A failure that comes out of a doubt is a failure like any other.
func TestFailureOutOfDoubtIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.doubt(a)
	w.failWith(a, outcome.NotProcessed, ledger.Retry{Attempts: 2}, 0)
	w.wantStates(job, ledger.JobWaiting, ledger.Failed)
}

func TestDueTimesAreTheDatabases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.failWith(a, outcome.NotSent, ledger.Retry{Attempts: 2}, time.Hour)
	early, err := w.StartDue(t.Context(), job.OwnerID, job.ID)
	if err != nil || early {
		t.Fatalf("started an hour early: %v", err)
	}
	if due, err := w.DueJobs(t.Context(), 10); err != nil || len(due) > 0 {
		t.Errorf("due: %v, %v", due, err)
	}
	w.exec(`UPDATE jobs SET next_attempt_at = clock_timestamp() WHERE id = $1`, job.ID)
	due, err := w.DueJobs(t.Context(), 10)
	if err != nil || !slices.Equal(due, []ledger.JobRef{{Owner: job.OwnerID, Job: job.ID}}) {
		t.Errorf("due: %v, %v", due, err)
	}
	w.due(job)
	again, err := w.StartDue(t.Context(), job.OwnerID, job.ID)
	if err != nil || again {
		t.Errorf("started twice: %v", err)
	}
	w.wantStates(job, ledger.JobQueued, ledger.Failed, ledger.Pending)
}
