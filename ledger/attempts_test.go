package ledger_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

func TestC08_OpenAttemptBlocksFurtherOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	a := job.Attempts[0]
	refused := func(state ledger.AttemptState) {
		t.Helper()
		before := w.rows(job)
		_, _, err := w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: w.jobAct(job), Ordinal: 2})
		got := wantError[*ledger.OpenAttemptError](t, err)
		if got.Blocking != a.ID || got.Ordinal != 1 || got.State != state {
			t.Errorf("blocked by %+v", got)
		}
		if changed := before.changed(w.rows(job)); len(changed) > 0 {
			t.Errorf("the refusal changed %v", changed)
		}
		_, err = w.pool.Exec(t.Context(), `INSERT INTO attempts (owner_id, id, job_id, ordinal, provider, automatic, job_version)
			VALUES ($1, $2, $3, 2, 'inkjet', false, 1)`, job.OwnerID, uuid.New(), job.ID)
		wantViolated(t, err, "23505", "attempts_one_open")
	}
	refused(ledger.Pending)
	a = w.claim(a)
	refused(ledger.Running)
	w.doubt(a)
	refused(ledger.Unknown)
	w.release(a)
	w.again(job)
	w.wantStates(job, ledger.JobQueued, ledger.Released, ledger.Pending)
}

func TestC09_DoubtIsUnknownAndNeverFailed(t *testing.T) {
	t.Parallel()
	for _, o := range []outcome.Outcome{outcome.Timeout, outcome.ConnectionLost, outcome.AnswerLost, outcome.ServerError, outcome.WorkerLost} {
		t.Run(string(o), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job, a := w.running("k")
			if _, err := w.Fail(t.Context(), w.failure(a, o)); err == nil {
				t.Error("a doubt was taken for a failure")
			}
			w.wantStates(job, ledger.JobRunning, ledger.Running)
			ok, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: o, Detail: "silence"})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			w.wantStates(job, ledger.JobUnknown, ledger.Unknown)
			if got := w.attempt(a); got.Outcome != o || got.Detail != "silence" || got.EndedAt != nil {
				t.Errorf("attempt in doubt: %+v", got)
			}
		})
	}
	w := newWorld(t)
	job, a := w.running("k")
	if _, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: outcome.Rejected}); err == nil {
		t.Error("a failure was taken for a doubt")
	}
	w.wantStates(job, ledger.JobRunning, ledger.Running)
}

func TestC10_WhatClearsADoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resolve := func(a ledger.Attempt, succeeded bool) {
		r := ledger.Resolution{AttemptAct: w.act(a), Succeeded: succeeded, Result: []byte(`"r"`)}
		if _, err := w.Resolve(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		by      string
		clear   func(a ledger.Attempt)
		job     ledger.JobState
		attempt ledger.AttemptState
	}{
		{"the answer", func(a ledger.Attempt) { w.complete(a, `"r"`) }, ledger.JobSucceeded, ledger.Succeeded},
		{"the provider's no", func(a ledger.Attempt) { w.fail(a, outcome.Rejected) }, ledger.JobFailed, ledger.Failed},
		{"a cancel", func(a ledger.Attempt) { w.cancel(a) }, ledger.JobFailed, ledger.Cancelled},
		{"a release", func(a ledger.Attempt) { w.release(a) }, ledger.JobUnknown, ledger.Released},
		{"a resolve as succeeded", func(a ledger.Attempt) { resolve(a, true) }, ledger.JobSucceeded, ledger.Succeeded},
		{"a resolve as failed", func(a ledger.Attempt) { resolve(a, false) }, ledger.JobFailed, ledger.Failed},
	}
	for _, c := range cases {
		job, a := w.running(strings.ReplaceAll(c.by, " ", "-"))
		w.doubt(a)
		c.clear(a)
		t.Log(c.by)
		w.wantStates(job, c.job, c.attempt)
	}
}

// Time clears nothing: neither the sweep nor a second look moves an attempt
// that is in doubt, however old it is.
func TestC10_TimeClearsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.doubt(a)
	w.exec(`UPDATE attempts SET state_at = state_at - interval '10 years', heartbeat_at = heartbeat_at - interval '10 years',
		deadline = deadline - interval '10 years', started_at = started_at - interval '10 years' WHERE id = $1`, a.ID)
	before := w.rows(job)
	w.steady()
	stale, err1 := w.StaleAttempts(t.Context(), w.node, 10)
	overdue, err2 := w.OverdueAttempts(t.Context(), 10)
	due, err3 := w.DueJobs(t.Context(), 10)
	if err := errors.Join(err1, err2, err3); err != nil || len(stale)+len(overdue)+len(due) > 0 {
		t.Errorf("stale %v, overdue %v, due %v, %v", stale, overdue, due, err)
	}
	started, err := w.StartDue(t.Context(), job.OwnerID, job.ID)
	if err != nil || started {
		t.Errorf("an attempt was started: %v", err)
	}
	if state, err := w.Fail(t.Context(), w.failure(a, outcome.NotSent)); err != nil || state != ledger.Unknown {
		t.Errorf("a worker that woke up says that it sent nothing: %s, %v", state, err)
	}
	if changed := before.changed(w.rows(job)); len(changed) > 0 {
		t.Errorf("changed %v", changed)
	}
}

// steady makes the world's node one that may call others dead.
func (w *world) steady() {
	w.t.Helper()
	w.exec(`INSERT INTO nodes (id, name, steady_since) VALUES ($1, 'n', clock_timestamp() - interval '31 seconds')
		ON CONFLICT (id) DO UPDATE SET steady_since = excluded.steady_since, seen_at = clock_timestamp()`, w.node)
}

func TestC11_ClaimedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	var claimed atomic.Int32
	together(t, 50, func(ctx context.Context, _ int) error {
		_, _, err := w.Claim(ctx, w.claimOf(job.Attempts[0]))
		if errors.Is(err, ledger.ErrNotClaimable) {
			return nil
		}
		claimed.Add(1)
		return err
	})
	if claimed.Load() != 1 {
		t.Errorf("claimed %d times", claimed.Load())
	}
	if n := w.count(`SELECT count(*) FROM events WHERE action = 'claimed'`); n != 1 {
		t.Errorf("%d claims are written down", n)
	}
}

func TestC11_AClaimIsFoundUnderItsStamp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	claim := w.claimOf(job.Attempts[0])
	_, first, err := w.Claim(t.Context(), claim)
	if err != nil {
		t.Fatal(err)
	}
	before := w.rows(job)
	found, again, err := w.Claim(t.Context(), claim)
	if err != nil || *again.ClaimStamp != claim.Stamp || !again.StartedAt.Equal(*first.StartedAt) || found.ID != job.ID {
		t.Errorf("the same claim again: %+v, %v", again, err)
	}
	if changed := before.changed(w.rows(job)); len(changed) > 0 {
		t.Errorf("the same claim again changed %v", changed)
	}
	_, _, err = w.Claim(t.Context(), w.claimOf(job.Attempts[0]))
	wantIs(t, err, ledger.ErrNotClaimable)
}

func TestC11_ClaimTestsTheJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	moved := w.submit("moved")
	w.exec(`UPDATE jobs SET version = version + 1 WHERE id = $1`, moved.ID)
	over := w.submit("over")
	w.cancelJob(over)
	for _, job := range []ledger.Job{moved, over} {
		before := w.rows(job)
		_, _, err := w.Claim(t.Context(), w.claimOf(job.Attempts[0]))
		wantIs(t, err, ledger.ErrNotClaimable)
		if changed := before.changed(w.rows(job)); len(changed) > 0 {
			t.Errorf("the refusal changed %v", changed)
		}
	}
	stranger := w.claimOf(moved.Attempts[0])
	stranger.Owner = uuid.New()
	_, _, err := w.Claim(t.Context(), stranger)
	wantIs(t, err, ledger.ErrNotFound)
}

func TestClaimSetsTheDeadlineFromTheFirstInstant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k") // a timeout of a minute
	if got := a.Deadline.Sub(*a.StartedAt); got < 89*time.Second || got > 91*time.Second {
		t.Errorf("the deadline is %v after the claim, want 30 s and the timeout", got)
	}
	if *a.ClaimedBy != w.node || a.HeartbeatAt == nil || a.SentAt != nil {
		t.Errorf("claimed: %+v", a)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	call := ledger.Call{Sent: true, SentAgo: 2 * time.Second, Timeout: time.Minute, ProviderRequestID: "p-1"}
	if ok, err := w.Accept(t.Context(), a.OwnerID, a.ID, call); err != nil || !ok {
		t.Fatal(ok, err)
	}
	got := w.attempt(a)
	if got.State != ledger.Running || got.AcceptedAt == nil || got.ProviderRequestID != "p-1" {
		t.Errorf("accepted: %+v", got)
	}
	if left := got.Deadline.Sub(*got.SentAt); left < 59*time.Second || left > 61*time.Second {
		t.Errorf("the deadline is %v after the first byte", left)
	}
	w.exec(`UPDATE attempts SET heartbeat_at = heartbeat_at - interval '1 hour' WHERE id = $1`, a.ID)
	w.steady()
	if stale, err := w.StaleAttempts(t.Context(), w.node, 10); err != nil || len(stale) > 0 {
		t.Errorf("nobody holds it, yet it is stale: %v, %v", stale, err)
	}
	w.wantStates(job, ledger.JobRunning, ledger.Running)
	w.complete(a, `1`)
}
