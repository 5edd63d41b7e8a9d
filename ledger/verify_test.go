package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db/dbtest"
	"kwit/ledger"
	"kwit/outcome"
)

// forge changes rows past every trigger and foreign key.
func (w *world) forge(statements ...string) {
	w.t.Helper()
	err := pgx.BeginFunc(w.t.Context(), w.pool, func(tx pgx.Tx) error {
		for _, s := range append([]string{`SET LOCAL session_replication_role = replica`}, statements...) {
			if _, err := tx.Exec(w.t.Context(), s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// Each invariant is broken on purpose, by the hand of a superuser, and the
// finding names the broken row.
func TestVerifyFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	type damage struct {
		invariant, what string
		reach           func(w *world) (ledger.Job, ledger.Attempt)
		job             bool // the finding names the job
		forge           []string
	}
	pending := func(w *world) (ledger.Job, ledger.Attempt) { j := w.submit("k"); return j, j.Attempts[0] }
	running := func(w *world) (ledger.Job, ledger.Attempt) { return w.running("k") }
	inSlot := func(w *world) (ledger.Job, ledger.Attempt) { w.slots(1); return w.inSlot("k", 1) }
	after := func(do func(*world, ledger.Job, ledger.Attempt)) func(*world) (ledger.Job, ledger.Attempt) {
		return func(w *world) (ledger.Job, ledger.Attempt) { j, a := w.running("k"); do(w, j, a); return j, a }
	}
	won := after(func(w *world, _ ledger.Job, a ledger.Attempt) { w.complete(a, `1`) })
	failed := after(func(w *world, _ ledger.Job, a ledger.Attempt) { w.doubt(a); w.fail(a, outcome.Rejected) })
	discarded := after(func(w *world, j ledger.Job, a ledger.Attempt) { w.cancelJob(j); w.complete(a, `1`) })
	for _, d := range []damage{
		{"I1", "a job without its submission", pending, true, []string{`DELETE FROM events WHERE action = 'submitted'`}},
		{"I1", "a job without an attempt", pending, true, []string{`DELETE FROM attempts`}},
		{"I1", "two jobs under one key", func(w *world) (ledger.Job, ledger.Attempt) { w.submit("k2"); return pending(w) }, true,
			[]string{`ALTER TABLE jobs DROP CONSTRAINT jobs_idempotency_key`, `UPDATE jobs SET idempotency_key = 'k'`}},
		{"I2", "two open attempts", pending, true, []string{`DROP INDEX attempts_one_open`,
			`INSERT INTO attempts (owner_id, id, job_id, ordinal, provider, automatic, job_version)
				SELECT owner_id, gen_random_uuid(), job_id, 2, provider, true, 1 FROM attempts`}},
		{"I3", "a claim without its event", running, false, []string{`DELETE FROM events WHERE action = 'claimed'`}},
		{"I3", "two claims", running, false, []string{`INSERT INTO events (owner_id, id, actor_kind, action, job_id, attempt_id)
			SELECT owner_id, gen_random_uuid(), actor_kind, action, job_id, attempt_id FROM events WHERE action = 'claimed'`}},
		{"I3", "a claim's event without the claim", running, false,
			[]string{`UPDATE attempts SET claim_stamp = NULL, started_at = NULL, state = 'unknown'`}},
		{"I4", "another result", won, true, []string{`UPDATE jobs SET result = '2'`}},
		{"I4", "another result with its digest, and the winner's event twice", won, true,
			[]string{`UPDATE jobs SET result = '2', result_sha256 = sha256('2')`,
				`INSERT INTO events (owner_id, id, actor_kind, action, job_id, attempt_id, to_state)
				SELECT owner_id, gen_random_uuid(), actor_kind, action, job_id, attempt_id, to_state FROM events WHERE to_state = 'succeeded'`}},
		{"I4", "a winner that did not succeed", won, true, []string{`UPDATE attempts SET state = 'failed'`}},
		{"I4", "another job's winner", func(w *world) (ledger.Job, ledger.Attempt) {
			_, b := w.running("k2")
			w.complete(b, `1`)
			return won(w)
		}, true, []string{`UPDATE jobs SET completed_by = (SELECT a.id FROM attempts a WHERE a.job_id <> jobs.id)`}},
		{"I5", "a failure without proof", failed, false,
			[]string{`ALTER TABLE events DROP CONSTRAINT events_failure_has_proof`, `UPDATE events SET proof = NULL`}},
		{"I5", "a doubt that nobody's word turned into a failure", failed, false,
			[]string{`UPDATE events SET proof = 'no_byte_written' WHERE to_state = 'failed'`}},
		{"I6", "discarded without its late result", discarded, false, []string{`DELETE FROM late_results`}},
		{"I6", "succeeded, yet not the winner", running, false,
			[]string{`UPDATE attempts SET state = 'succeeded', ended_at = clock_timestamp()`}},
		{"I7", "a state that no event led to", running, false, []string{`UPDATE attempts SET state = 'unknown'`}},
		{"I7", "a step without its event", failed, false, []string{`DELETE FROM events WHERE action = 'doubted'`}},
		{"I7", "a step that is not allowed", failed, false,
			[]string{`UPDATE events SET from_state = 'cancelled' WHERE to_state = 'failed'`}},
		{"I7", "a cancelled job without its event", discarded, true, []string{`DELETE FROM events WHERE action = 'job_cancelled'`}},
		{"I7", "a job's state that does not follow", running, true, []string{`UPDATE jobs SET state = 'unknown'`}},
		{"I7", "a planned attempt that the job does not show", failed, true,
			[]string{`UPDATE jobs SET next_attempt_at = clock_timestamp(), next_provider = 'inkjet'`}},
		{"slots", "a slot that was not freed", inSlot, false, []string{`UPDATE attempts SET state = 'unknown'`}},
		{"slots", "a slot of another provider", inSlot, false, []string{`UPDATE attempts SET provider = 'laser'`}},
		{"slots", "a slot of nobody's attempt", inSlot, false, []string{`DELETE FROM attempts`}},
	} {
		t.Run(d.invariant+" "+d.what, func(t *testing.T) {
			t.Parallel()
			w := worldOn(t, dbtest.New(t))
			job, a := d.reach(w)
			w.sound()
			w.forge(d.forge...)
			id := a.ID
			if d.job {
				id = job.ID
			}
			found, err := w.Verify(t.Context(), 10)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(f ledger.Finding) bool {
				return f.Invariant == d.invariant && f.ID == id && f.Owner == w.owner
			}) {
				t.Errorf("not found; Verify says %v", found)
			}
		})
	}
}

// A finding is a row, and each kind is limited.
func TestVerifyIsLimited(t *testing.T) {
	t.Parallel()
	w := worldOn(t, dbtest.New(t))
	for i := range 5 {
		w.submit(fmt.Sprint("k", i))
	}
	w.forge(`UPDATE jobs SET state = 'failed'`)
	found, err := w.Verify(t.Context(), 3)
	if err != nil || len(found) != 3 {
		t.Fatalf("%v, %v", found, err)
	}
	if f := found[0]; f.Owner == uuid.Nil || f.ID == uuid.Nil || f.String() == "" {
		t.Errorf("finding %+v", f)
	}
}
