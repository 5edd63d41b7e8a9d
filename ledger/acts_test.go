package ledger_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/ledger"
	"kwit/outcome"
)

// stampOf is the attempt's claim, or nobody's where it has none.
func stampOf(a ledger.Attempt) uuid.UUID {
	if a.ClaimStamp == nil {
		return uuid.New()
	}
	return *a.ClaimStamp
}

// The acts below fail the test where the ledger refuses them.

func (w *world) claimOf(a ledger.Attempt) ledger.Claim {
	return ledger.Claim{Owner: a.OwnerID, Attempt: a.ID, Node: w.node, Stamp: uuid.New(), Timeout: time.Minute}
}

func (w *world) act(a ledger.Attempt) ledger.AttemptAct {
	return ledger.AttemptAct{Owner: a.OwnerID, Attempt: a.ID, Reason: "asked the shop", Actor: w.operator}
}

func (w *world) jobAct(j ledger.Job) ledger.JobAct {
	return ledger.JobAct{Owner: j.OwnerID, Job: j.ID, Actor: w.person}
}

func (w *world) failure(a ledger.Attempt, o outcome.Outcome) ledger.Failure {
	return ledger.Failure{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: o, Detail: "paper jam",
		Actor: ledger.Actor{Kind: ledger.ByProvider}}
}

func (w *world) completion(a ledger.Attempt, result string) ledger.Completion {
	return ledger.Completion{Owner: a.OwnerID, Attempt: a.ID, Result: []byte(result), MediaType: "application/json",
		Actor: ledger.Actor{Kind: ledger.ByProvider}}
}

func (w *world) fail(a ledger.Attempt, o outcome.Outcome) {
	w.t.Helper()
	state, err := w.Fail(w.t.Context(), w.failure(a, o))
	if err != nil || state != ledger.Failed {
		w.t.Fatalf("fail: %v, %v", state, err)
	}
}

func (w *world) cancel(a ledger.Attempt) {
	w.t.Helper()
	if _, err := w.Cancel(w.t.Context(), w.act(a)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) release(a ledger.Attempt) {
	w.t.Helper()
	if _, err := w.Release(w.t.Context(), w.act(a)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) accept(a ledger.Attempt) {
	w.t.Helper()
	if ok, err := w.Accept(w.t.Context(), a.OwnerID, a.ID, ledger.Call{}); err != nil || !ok {
		w.t.Fatalf("accept: %v, %v", ok, err)
	}
}

func (w *world) forgottenSend(a ledger.Attempt) {
	w.t.Helper()
	if ok, err := w.ForgottenSend(w.t.Context(), a.OwnerID, a.ID); err != nil || !ok {
		w.t.Fatalf("forgotten send: %v, %v", ok, err)
	}
}

func (w *world) cancelJob(j ledger.Job) {
	w.t.Helper()
	if _, err := w.CancelJob(w.t.Context(), w.jobAct(j)); err != nil {
		w.t.Fatal(err)
	}
}

// again makes the job's next attempt by hand.
func (w *world) again(j ledger.Job) ledger.Attempt {
	w.t.Helper()
	now := w.job(j)
	a, created, err := w.TryAgain(w.t.Context(), ledger.NewAttempt{JobAct: w.jobAct(j), Ordinal: now.NextOrdinal()})
	if err != nil || !created {
		w.t.Fatalf("try again: created %v, %v", created, err)
	}
	return *a
}

// attempt reads the attempt again.
func (w *world) attempt(a ledger.Attempt) ledger.Attempt {
	w.t.Helper()
	got, err := w.Attempt(w.t.Context(), a.OwnerID, a.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return *got
}

// running submits a job and claims its first attempt.
func (w *world) running(key string) (ledger.Job, ledger.Attempt) {
	w.t.Helper()
	job := w.submit(key)
	return job, w.claim(job.Attempts[0])
}

// rows are whole rows as text, by their tables.
type rows map[string][]string

// rows reads all that is stored about a job.
func (w *world) rows(j ledger.Job) rows {
	w.t.Helper()
	got, err := w.pool.Query(w.t.Context(), `
		SELECT 'jobs', to_jsonb(t)::text FROM jobs t WHERE id = $1
		UNION ALL SELECT 'attempts', to_jsonb(t)::text FROM attempts t WHERE job_id = $1
		UNION ALL SELECT 'events', to_jsonb(t)::text FROM events t WHERE job_id = $1
		UNION ALL SELECT 'late_results', to_jsonb(t)::text FROM late_results t WHERE job_id = $1
		UNION ALL SELECT 'answers', to_jsonb(t)::text FROM answers t
			WHERE attempt_id IN (SELECT id FROM attempts WHERE job_id = $1)
		UNION ALL SELECT 'enquiries', to_jsonb(t)::text FROM enquiries t
			WHERE attempt_id IN (SELECT id FROM attempts WHERE job_id = $1)
		UNION ALL SELECT 'provider_slots', to_jsonb(t)::text FROM provider_slots t
			WHERE attempt_id IN (SELECT id FROM attempts WHERE job_id = $1)
		ORDER BY 1, 2`, j.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	all := rows{}
	var table, row string
	_, err = pgx.ForEachRow(got, []any{&table, &row}, func() error {
		all[table] = append(all[table], row)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// changed names the tables whose rows differ.
func (r rows) changed(now rows) []string {
	tables := map[string]bool{}
	for _, all := range []rows{r, now} {
		for table := range all {
			if !slices.Equal(r[table], now[table]) {
				tables[table] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(tables))
}

// wantError fails the test unless err is a T, which it returns.
func wantError[T error](t testing.TB, err error) T {
	t.Helper()
	got, ok := errors.AsType[T](err)
	if !ok {
		t.Fatalf("got the error %v, want a %T", err, got)
	}
	return got
}

func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got the error %v, want %v", err, want)
	}
}
