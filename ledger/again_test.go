package ledger_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

// A double click on "try again" makes one attempt.
func TestTryAgainTwiceMakesOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.fail(a, outcome.Rejected)
	ids, created := make([]uuid.UUID, 20), make([]bool, 20)
	together(t, 20, func(ctx context.Context, i int) error {
		got, made, err := w.TryAgain(ctx, ledger.NewAttempt{JobAct: w.jobAct(job), Ordinal: 2})
		if err == nil {
			ids[i], created[i] = got.ID, made
		}
		return err
	})
	n := 0
	for i := range ids {
		if ids[i] != ids[0] {
			t.Errorf("two attempts: %s and %s", ids[i], ids[0])
		}
		if created[i] {
			n++
		}
	}
	if n != 1 {
		t.Errorf("created %d times", n)
	}
	w.wantStates(job, ledger.JobQueued, ledger.Failed, ledger.Pending)
}

// What refuses an attempt by hand is judged in the order of 3-interfaces.
func TestTryAgainIsRefusedInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	try := func(n ledger.NewAttempt) error {
		n.Owner, n.Job = job.OwnerID, job.ID
		if n.Actor.ID == uuid.Nil {
			n.Actor = w.person
		}
		_, _, err := w.TryAgain(t.Context(), n)
		return err
	}
	// The ordinal is there: at the same provider it is found, at another it differs.
	if err := try(ledger.NewAttempt{Ordinal: 1, Provider: "inkjet"}); err != nil {
		t.Error(err)
	}
	if got := wantError[*ledger.AttemptDiffersError](t, try(ledger.NewAttempt{Ordinal: 1, Provider: "laser"})); got.Existing.ID != a.ID {
		t.Errorf("%+v", got)
	}
	_ = wantError[*ledger.OpenAttemptError](t, try(ledger.NewAttempt{Ordinal: 7, Provider: "nowhere"}))
	w.fail(a, outcome.Rejected)
	for _, ordinal := range []int32{0, -1, 3, 1 << 30} {
		if got := wantError[*ledger.OrdinalMismatchError](t, try(ledger.NewAttempt{Ordinal: ordinal, Provider: "nowhere"})); got.Next != 2 {
			t.Errorf("ordinal %d: %+v", ordinal, got)
		}
	}
	_ = wantError[*ledger.NotOnRouteError](t, try(ledger.NewAttempt{Ordinal: 2, Provider: "nowhere"}))
	_ = wantError[*ledger.NotCertifiedError](t, try(ledger.NewAttempt{Ordinal: 2, Provider: "laser"}))
	support := ledger.NewAttempt{Ordinal: 2, Provider: "laser", JobAct: ledger.JobAct{Reason: "inkjet is gone", Actor: w.operator}}
	if err := try(support); err != nil {
		t.Fatal(err)
	}
	second := w.job(job).Attempts[1]
	w.complete(w.claim(second), `1`)
	wantIs(t, try(ledger.NewAttempt{Ordinal: 3}), ledger.ErrJobCompleted)
	if err := try(ledger.NewAttempt{Ordinal: 2}); err != nil {
		t.Errorf("what is there is found in a completed job too: %v", err)
	}
	over := w.submit("over")
	w.cancelJob(over)
	_, _, err := w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: w.jobAct(over), Ordinal: 2})
	wantIs(t, err, ledger.ErrJobCancelled)
	_, _, err = w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: ledger.JobAct{Owner: w.owner, Job: uuid.New(), Actor: w.person}, Ordinal: 1})
	wantIs(t, err, ledger.ErrNotFound)
}

// Without a name it goes where the last one went, unless that one refused for
// good or the person may not name it.
func TestWhereTheNextAttemptGoes(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		last outcome.Outcome // of the attempt at the laser
		act  func(w *world, j ledger.Job) ledger.JobAct
		want string
	}{
		{"support, with a reason", outcome.NotSent, func(w *world, j ledger.Job) ledger.JobAct {
			return ledger.JobAct{Owner: j.OwnerID, Job: j.ID, Reason: "r", Actor: w.operator}
		}, "laser"},
		{"the owner", outcome.NotSent, func(w *world, j ledger.Job) ledger.JobAct { return w.jobAct(j) }, "inkjet"},
		{"support, after a refusal for good", outcome.Rejected, func(w *world, j ledger.Job) ledger.JobAct {
			return ledger.JobAct{Owner: j.OwnerID, Job: j.ID, Reason: "r", Actor: w.operator}
		}, "inkjet"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job, a := w.running("k")
			w.fail(a, outcome.Rejected)
			support := ledger.JobAct{Owner: w.owner, Job: job.ID, Reason: "r", Actor: w.operator}
			laser, _, err := w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: support, Ordinal: 2, Provider: "laser"})
			if err != nil {
				t.Fatal(err)
			}
			w.fail(w.claim(*laser), c.last)
			next, _, err := w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: c.act(w, job), Ordinal: 3})
			if err != nil || next.Provider != c.want || next.Automatic {
				t.Errorf("the next: %+v, %v; want it at %s", next, err, c.want)
			}
		})
	}
}

// The automatic attempt and one by hand meet: one attempt, whoever is first.
func TestStartDueAgainstTryAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for round := range 15 {
		job, a := w.running("k" + string(rune('a'+round)))
		w.plan(job, a)
		started, created := false, false
		together(t, 2, func(ctx context.Context, i int) (err error) {
			if i == 0 {
				started, err = w.StartDue(ctx, job.OwnerID, job.ID)
				return err
			}
			_, created, err = w.TryAgain(ctx, ledger.NewAttempt{JobAct: w.jobAct(job), Ordinal: 2})
			return err
		})
		if started == created {
			t.Errorf("round %d: started %v, created %v", round, started, created)
		}
		w.wantStates(job, ledger.JobQueued, ledger.Failed, ledger.Pending)
	}
}

// Two failures of one attempt are one.
func TestTwoFailuresAreOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	together(t, 8, func(ctx context.Context, i int) error {
		f := w.failure(a, outcome.NotProcessed)
		f.Retry.Attempts = 5
		state, err := w.Fail(ctx, f)
		if err == nil && state != ledger.Failed {
			err = errors.New(string(state))
		}
		return err
	})
	if n := w.count(`SELECT count(*) FROM events WHERE action IN ('failed', 'retry_planned')`); n != 2 {
		t.Errorf("%d events of one failure and one plan", n)
	}
	w.wantStates(job, ledger.JobWaiting, ledger.Failed)
}
