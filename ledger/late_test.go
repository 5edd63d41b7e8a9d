package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"kwit/ledger"
	"kwit/outcome"
)

func TestC14_LateResultsAreLoggedAndDropped(t *testing.T) {
	t.Parallel()
	secret := `{"late":"bytes that nobody may keep"}`
	cases := []struct {
		name  string
		reach func(w *world) (ledger.Job, ledger.Attempt)
		why   ledger.LateReason
		state ledger.AttemptState
	}{
		{"the attempt was cancelled", func(w *world) (ledger.Job, ledger.Attempt) {
			job, a := w.running("k")
			w.cancel(a)
			return job, a
		}, ledger.Fenced, ledger.Cancelled},
		{"the job was cancelled", func(w *world) (ledger.Job, ledger.Attempt) {
			job, a := w.running("k")
			w.cancelJob(job)
			return job, a
		}, ledger.JobWasOver, ledger.Discarded},
		{"it had failed", func(w *world) (ledger.Job, ledger.Attempt) {
			job, a := w.running("k")
			w.fail(a, outcome.ProviderError)
			return job, a
		}, ledger.AfterFailure, ledger.Failed},
		{"another had won", func(w *world) (ledger.Job, ledger.Attempt) {
			job, a, second := w.race("k")
			w.complete(second, `2`)
			return job, a
		}, ledger.LostRace, ledger.Discarded},
		{"it had won itself, with another result", func(w *world) (ledger.Job, ledger.Attempt) {
			job, a := w.running("k")
			w.complete(a, `1`)
			return job, a
		}, ledger.LostRace, ledger.Succeeded},
		{"it was never sent", func(w *world) (ledger.Job, ledger.Attempt) {
			job := w.submit("k")
			return job, job.Attempts[0]
		}, ledger.Fenced, ledger.Pending},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job, a := c.reach(w)
			before := w.job(job)
			answer := w.completion(a, secret)
			answer.Call.Usage = []byte(`{"tokens":7}`)
			for range 2 { // the identical answer again is logged once
				keepAnswer(w, a, secret)
				v, err := w.Complete(t.Context(), answer)
				if err != nil || v.State != c.state || v.Late != c.why {
					t.Fatalf("verdict %+v, %v; want %s, %s", v, err, c.state, c.why)
				}
			}
			now := w.job(job)
			if !bytes.Equal(now.Result, before.Result) || now.Version != before.Version {
				t.Errorf("the late answer changed the job: %+v", now)
			}
			if now.Revision <= before.Revision {
				t.Error("a page that watches the job is not told of the late result")
			}
			w.wantLate(job, a, c.why, secret)
			w.wantNowhere("nobody may keep")
		})
	}
}

func keepAnswer(w *world, a ledger.Attempt, body string) {
	w.t.Helper()
	err := w.KeepAnswer(w.t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Status: 200,
		MediaType: "application/json", Body: []byte(body), Whole: true})
	if err != nil {
		w.t.Fatal(err)
	}
}

// wantLate looks for exactly one late result of the job.
func (w *world) wantLate(job ledger.Job, a ledger.Attempt, why ledger.LateReason, body string) {
	w.t.Helper()
	late, err := w.LateResultsOfJob(w.t.Context(), job.OwnerID, job.ID)
	if err != nil || len(late) != 1 {
		w.t.Fatalf("late results %+v, %v", late, err)
	}
	l, sum := late[0], sha256.Sum256([]byte(body))
	if l.AttemptID != a.ID || l.Why != why || l.Bytes != int64(len(body)) || !bytes.Equal(l.SHA256, sum[:]) ||
		string(l.Usage) != `{"tokens":7}` || l.MediaType != "application/json" || l.LateBy < 0 || l.SameAsWinner {
		w.t.Errorf("late result %+v", l)
	}
	winner := w.job(job).CompletedBy
	if (winner == nil) != (l.WinnerID == nil) || winner != nil && *winner != *l.WinnerID {
		w.t.Errorf("the late result names the winner %v, want %v", l.WinnerID, winner)
	}
}

// wantNowhere searches every row of every table, byte strings included.
func (w *world) wantNowhere(text string) {
	w.t.Helper()
	got, err := w.pool.Query(w.t.Context(), `SELECT table_name FROM information_schema.tables
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	if err != nil {
		w.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(got, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	asHex := fmt.Sprintf("%x", text)
	for _, table := range tables {
		n := w.count(`SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+` t
			WHERE position($1 IN to_jsonb(t)::text) > 0 OR position($2 IN to_jsonb(t)::text) > 0`, text, asHex)
		if n > 0 {
			w.t.Errorf("%q is kept in %s", text, table)
		}
	}
}

// The search above finds what is there.
func TestC14_TheSearchFindsAWinner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.complete(a, `"a needle"`)
	if n := w.count(`SELECT count(*) FROM jobs t WHERE position($1 IN to_jsonb(t)::text) > 0`,
		fmt.Sprintf("%x", "a needle")); n != 1 {
		t.Errorf("the winner's bytes were found in %d rows of %s", n, job.ID)
	}
}

func TestC14_SameAsTheWinner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, first, second := w.race("k")
	w.complete(second, `{"equal":true}`)
	w.complete(first, `{"equal":true}`)
	late, err := w.LateResultsOfJob(t.Context(), job.OwnerID, job.ID)
	if err != nil || len(late) != 1 || !late[0].SameAsWinner || late[0].WinnerOrdinal != 2 || late[0].WinnerProvider != second.Provider {
		t.Errorf("late results %+v, %v", late, err)
	}
}

// What breaks the contract and comes after the end is a late result too: it was
// paid for. Told again by the worker whose attempt it failed, it is not.
func TestC14_LateAnswerThatBreaksTheContractIsLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	broken := func(a ledger.Attempt) ledger.Failure {
		return ledger.Failure{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Outcome: outcome.Contract, Detail: "/x is surplus",
			Call: ledger.Call{Body: []byte(`{"x":1}`), Evidence: ledger.Evidence{MediaType: "application/json"}}}
	}
	fail := func(a ledger.Attempt) {
		t.Helper()
		if _, err := w.Fail(t.Context(), broken(a)); err != nil {
			t.Fatal(err)
		}
	}
	_, cancelled := w.running("cancelled")
	w.cancel(cancelled)
	fail(cancelled)
	fail(cancelled) // identical: logged once
	_, failed := w.running("failed")
	fail(failed)
	fail(failed) // the verdict, told again after its COMMIT got no answer
	late, err := w.LateResults(t.Context(), 0, 10)
	if err != nil || len(late) != 1 || late[0].AttemptID != cancelled.ID || late[0].Why != ledger.Fenced || late[0].Bytes != 7 {
		t.Errorf("late results %+v, %v; want one, of the cancelled attempt", late, err)
	}
}

// Size and digest are those of the body as it arrived; whether it says the same
// as the winner is a matter of its result.
func TestLateResultIsMeasuredAsItArrived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, first := w.running("k")
	w.doubt(first)
	w.release(first)
	second := w.claim(w.again(job))
	w.complete(second, `7`)
	body := []byte(`{"result": 7}`)
	_, err := w.Complete(t.Context(), ledger.Completion{Owner: first.OwnerID, Attempt: first.ID, Result: []byte(`7`),
		Call: ledger.Call{Body: body}})
	if err != nil {
		t.Fatal(err)
	}
	late, err := w.LateResults(t.Context(), 0, 10)
	if err != nil || len(late) != 1 || late[0].Bytes != int64(len(body)) || !late[0].SameAsWinner {
		t.Errorf("late results %+v, %v", late, err)
	}
}
