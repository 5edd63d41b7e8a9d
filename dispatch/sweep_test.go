package dispatch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/ledger"
	"kwit/outcome"
)

// exec changes a row as time or a dead process would have.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) sweep() {
	w.t.Helper()
	if err := w.d.Sweep(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// steady makes this world's node one that has lived for a while.
func (w *world) steady() {
	w.t.Helper()
	if err := w.d.Beat(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.exec(`UPDATE nodes SET steady_since = clock_timestamp() - interval '1 minute'`)
}

// deadWorkersAttempt is claimed by a worker that has not beaten for a minute.
func (w *world) deadWorkersAttempt() (ledger.Job, ledger.Attempt) {
	w.t.Helper()
	job := w.submit("k1", order)
	_, a, err := w.ledger.Claim(w.t.Context(), ledger.Claim{Owner: w.owner, Attempt: job.Attempts[0].ID,
		Node: uuid.New(), Stamp: uuid.New(), Timeout: time.Hour})
	if err != nil {
		w.t.Fatal(err)
	}
	w.exec(`UPDATE attempts SET heartbeat_at = clock_timestamp() - interval '1 minute'`)
	return job, *a
}

func TestC09_DeadWorkerIsUnknownAndNeverSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, idle: true})
	job, _ := w.deadWorkersAttempt()
	w.sweep()
	w.await(job, ledger.JobRunning) // this node is not steady yet: it calls nobody dead
	w.steady()
	w.sweep()
	job = w.await(job, ledger.JobUnknown)
	if a := job.Attempts[0]; a.Outcome != outcome.WorkerLost {
		t.Errorf("outcome %s", a.Outcome)
	}
	w.start(w.d)
	w.sweep()
	if n := w.farm.Seen.Total(); n != 0 {
		t.Errorf("the provider saw %d requests", n)
	}
}

// What was paid for and kept is judged by whoever sweeps it up.
func TestC10_AnswerOfADeadWorkerIsJudged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer ledger.Answer
		want   ledger.JobState
	}{
		{"result", ledger.Answer{Status: 200, MediaType: "application/json", Body: []byte(`{"order":1}`), Whole: true}, ledger.JobSucceeded},
		{"refusal", ledger.Answer{Status: 422, Body: []byte(`{}`), Whole: true}, ledger.JobFailed},
		{"gateway's page", ledger.Answer{Status: 502, Body: []byte(`<html>`), Whole: true}, ledger.JobUnknown},
		{"part of a result", ledger.Answer{Status: 200, Body: []byte(`{"ord`)}, ledger.JobUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, idle: true})
			job, a := w.deadWorkersAttempt()
			c.answer.Owner, c.answer.Attempt = a.OwnerID, a.ID
			if err := w.ledger.KeepAnswer(t.Context(), c.answer); err != nil {
				t.Fatal(err)
			}
			w.exec(`UPDATE answers SET received_at = clock_timestamp() - interval '1 minute'`)
			w.steady()
			w.sweep()
			w.await(job, c.want)
			left, err := w.ledger.UnjudgedAnswers(t.Context(), 10)
			if err != nil || len(left) != 0 {
				t.Errorf("still to be judged: %v, %v", left, err)
			}
		})
	}
}

func TestC11_LostWakeUpIsMadeGood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, idle: true})
	job := w.submit("k1", order)
	w.exec(`DELETE FROM river_job`)
	w.exec(`UPDATE attempts SET state_at = clock_timestamp() - interval '1 minute'`)
	w.start(w.d)
	w.sweep()
	w.sweep() // a second wake-up for the same attempt
	w.await(job, ledger.JobSucceeded)
	if n := w.farm.Seen.Total(); n != 1 {
		t.Errorf("the provider saw %d requests", n)
	}
}

// What a dead worker left in the queue goes in the end.
func TestQueueRowOfADeadWorkerIsRescued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, idle: true})
	w.exec(`INSERT INTO river_job (state, attempt, attempted_at, kind, queue, args, max_attempts)
		VALUES ('running', 1, clock_timestamp() - interval '2 days', 'attempt', 'provider-farm',
			jsonb_build_object('owner_id', gen_random_uuid(), 'attempt_id', gen_random_uuid()), 25)`)
	w.start(w.d)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for left := 1; left > 0; <-look.C {
		if err := w.pool.QueryRow(ctx, `SELECT count(*) FROM river_job WHERE state <> 'completed'`).Scan(&left); err != nil {
			t.Fatalf("after %s the row is there as it was: %v", patience, err)
		}
	}
}

func TestC10_DeadlineHoldsWhoeverBeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farm.Options{Hold: true}})
	job := w.await(w.submit("k1", order), ledger.JobRunning)
	if err := w.farm.Seen.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := w.d.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE attempts SET deadline = clock_timestamp() - interval '1 second'`)
	w.sweep()
	job = w.await(job, ledger.JobUnknown)
	w.farm.Release(job.Attempts[0].ID.String(), &farm.Reply{Body: []byte(`{"order":1}`)})
	w.await(job, ledger.JobSucceeded)
}

func TestC14_CancelledAttemptsAnswerIsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farm.Options{Hold: true}})
	job := w.submit("k1", order)
	id := job.Attempts[0].ID
	if err := w.farm.Seen.WaitFor(t.Context(), id.String()); err != nil {
		t.Fatal(err)
	}
	support := ledger.Actor{Kind: ledger.ByUser, ID: uuid.New(), Operator: true}
	_, err := w.ledger.Cancel(t.Context(), ledger.AttemptAct{Owner: w.owner, Attempt: id, Seen: ledger.Running, Reason: "hangs", Actor: support})
	if err != nil {
		t.Fatal(err)
	}
	changed := w.news.next()
	w.farm.Release(id.String(), &farm.Reply{Body: []byte(`{"order":"too late"}`)})
	<-changed
	late, err := w.ledger.LateResults(t.Context(), 0, 10)
	if err != nil || len(late) != 1 || late[0].Why != ledger.Fenced || late[0].Bytes != int64(len(`{"order":"too late"}`)) {
		t.Fatalf("late results %+v, %v", late, err)
	}
	w.await(job, ledger.JobFailed)
	if _, err := w.ledger.AnswerOf(t.Context(), w.owner, id); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("the late answer's bytes are kept: %v", err)
	}
}

// After a 202 no worker holds the attempt: it is never stale, and only its
// deadline makes it unknown.
func TestC09_AcceptedAttemptIsUnknownAtItsDeadlineOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farm.Options{Hold: true}})
	job := w.submit("k1", order)
	id := job.Attempts[0].ID
	if err := w.farm.Seen.WaitFor(t.Context(), id.String()); err != nil {
		t.Fatal(err)
	}
	w.farm.Release(id.String(), &farm.Reply{Status: 202, Body: []byte(`{}`)})
	for changed := w.news.next(); w.attempt(id).AcceptedAt == nil; changed = w.news.next() {
		<-changed
	}
	w.exec(`UPDATE attempts SET heartbeat_at = clock_timestamp() - interval '1 minute'`)
	w.steady()
	w.sweep()
	w.await(job, ledger.JobRunning)
	w.exec(`UPDATE attempts SET deadline = clock_timestamp() - interval '1 second'`)
	w.sweep()
	if a := w.await(job, ledger.JobUnknown).Attempts[0]; a.Outcome != outcome.Timeout {
		t.Errorf("outcome %s", a.Outcome)
	}
}

func (w *world) attempt(id uuid.UUID) ledger.Attempt {
	w.t.Helper()
	a, err := w.ledger.Attempt(w.t.Context(), w.owner, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return *a
}
