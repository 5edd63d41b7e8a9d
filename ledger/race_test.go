package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"kwit/ledger"
	"kwit/outcome"
)

// Everything that can end an attempt meets in one moment, with heartbeats and
// readers beside it: one of them has its way, and the invariants hold.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for round := range 25 {
		job, a := w.running(fmt.Sprint("k", round))
		acts := []func(ctx context.Context) error{
			func(ctx context.Context) error { _, err := w.Complete(ctx, w.completion(a, `"first"`)); return err },
			func(ctx context.Context) error { _, err := w.Complete(ctx, w.completion(a, `"second"`)); return err },
			func(ctx context.Context) error { _, err := w.Cancel(ctx, w.act(a)); return err },
			func(ctx context.Context) error { _, err := w.Release(ctx, w.act(a)); return err },
			func(ctx context.Context) error { _, err := w.CancelJob(ctx, w.jobAct(job)); return err },
			func(ctx context.Context) error { _, err := w.Fail(ctx, w.failure(a, outcome.Rejected)); return err },
			func(ctx context.Context) error {
				_, err := w.Doubt(ctx, ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: outcome.Timeout})
				return err
			},
			func(ctx context.Context) error {
				_, _, err := w.TryAgain(ctx, ledger.NewAttempt{JobAct: w.jobAct(job), Ordinal: 2})
				return err
			},
			func(ctx context.Context) error {
				_, _, err := w.Beat(ctx, []ledger.Held{{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Sent: true}})
				return err
			},
			func(ctx context.Context) error {
				return w.KeepAnswer(ctx, ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Whole: true})
			},
		}
		together(t, len(acts), func(ctx context.Context, i int) error { return notRefused(acts[i](ctx)) })
		w.wantOneEnd(job, a)
	}
}

// notRefused passes on an error that is no answer of the ledger's.
func notRefused(err error) error {
	if _, ok := errors.AsType[*ledger.AttemptChangedError](err); ok {
		return nil
	}
	if _, ok := errors.AsType[*ledger.OpenAttemptError](err); ok {
		return nil
	}
	if errors.Is(err, ledger.ErrJobCompleted) || errors.Is(err, ledger.ErrJobCancelled) {
		return nil
	}
	return err
}

// wantOneEnd looks for a single end of the attempt, and of its job.
func (w *world) wantOneEnd(j ledger.Job, a ledger.Attempt) {
	w.t.Helper()
	ends := w.count(`SELECT count(*) FROM events WHERE attempt_id = $1
		AND to_state IN ('succeeded', 'failed', 'discarded', 'cancelled')`, a.ID)
	job, now := w.job(j), w.attempt(a)
	if now.State.Ended() != (ends == 1) || ends > 1 {
		w.t.Errorf("the attempt is %s, and ended %d times", now.State, ends)
	}
	if (job.CompletedBy != nil) != (now.State == ledger.Succeeded) {
		w.t.Errorf("the attempt is %s, and the job was completed by %v", now.State, job.CompletedBy)
	}
	if won := job.Version - j.Version; won > 1 {
		w.t.Errorf("the fence moved %d times", won)
	}
}

// Many workers settle many jobs while their attempts are swept and beaten for:
// no deadlock comes through, and nothing is lost.
func TestNoDeadlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const jobs = 12
	var attempts []ledger.Attempt
	var held []ledger.Held
	for i := range jobs {
		_, a := w.running(fmt.Sprint("k", i))
		attempts = append(attempts, a)
		held = append(held, ledger.Held{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Sent: true})
	}
	var work sync.WaitGroup
	settled := make(chan struct{})
	for range 2 {
		work.Go(func() {
			for {
				select {
				case <-settled:
					return
				default:
				}
				if _, _, err := w.Beat(t.Context(), held); err != nil {
					t.Error(err)
				}
				if _, _, err := w.Doubts(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	together(t, 2*jobs, func(ctx context.Context, i int) error {
		a := attempts[i%jobs] // two for each attempt, in different orders of the rows
		if i < jobs {
			keepAnswer(w, a, `"kept"`)
			_, err := w.Complete(ctx, w.completion(a, `"kept"`))
			return err
		}
		_, err := w.Cancel(ctx, w.act(attempts[2*jobs-1-i]))
		return notRefused(err)
	})
	close(settled)
	work.Wait()
	if n := w.count(`SELECT count(*) FROM attempts WHERE state IN ('succeeded', 'cancelled')`); n != jobs {
		t.Errorf("%d of %d are settled", n, jobs)
	}
}

// A transition that PostgreSQL rolls back to end a deadlock is run again.
func TestDeadlockIsRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	tx, err := w.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	lock := func(sql string, args ...any) {
		t.Helper()
		if _, err := tx.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	lock(`SET LOCAL deadlock_timeout = '10min'`) // so that the ledger is the victim
	lock(`SELECT 1 FROM attempts WHERE id = $1 FOR UPDATE`, a.ID)
	answered := make(chan error, 1)
	go func() {
		_, err := w.Complete(t.Context(), w.completion(a, `1`))
		answered <- err
	}()
	w.waitForLock()
	lock(`SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, job.ID)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	w.wantStates(job, ledger.JobSucceeded, ledger.Succeeded)
}
