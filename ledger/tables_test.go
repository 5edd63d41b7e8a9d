package ledger_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"kwit/ledger"
	"kwit/outcome"
)

// wantViolated fails the test unless PostgreSQL refused by this SQLSTATE and,
// where one is named, this constraint.
func wantViolated(t testing.TB, err error, code, constraint string) {
	t.Helper()
	pg := wantError[*pgconn.PgError](t, err)
	if pg.Code != code || constraint != "" && pg.ConstraintName != constraint {
		t.Errorf("got %s %s (%s), want %s %s", pg.Code, pg.ConstraintName, pg.Message, code, constraint)
	}
}

// What was written down stays, whoever asks: these tests are superuser.
func TestWrittenDownStaysWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.fail(a, outcome.Rejected)
	w.complete(a, `1`)
	for _, statement := range []string{
		`UPDATE events SET reason = 'forged'`, `DELETE FROM events`, `TRUNCATE events`, `TRUNCATE events CASCADE`,
		`UPDATE events SET reason = 'forged' WHERE false`,
		`UPDATE late_results SET bytes = 0`, `DELETE FROM late_results`, `TRUNCATE late_results`,
		`UPDATE job_type_versions SET repeatable = true`, `DELETE FROM job_type_versions`, `TRUNCATE job_type_versions`,
		`TRUNCATE jobs CASCADE`, `TRUNCATE attempts CASCADE`, `DELETE FROM attempts`, `DELETE FROM jobs`,
	} {
		before := w.rows(job)
		if _, err := w.pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s went through", statement)
		}
		if changed := before.changed(w.rows(job)); len(changed) > 0 {
			t.Errorf("%s changed %v", statement, changed)
		}
	}
}

// The database refuses nonsense that no statement of the ledger writes.
func TestNonsenseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	won, winner := w.running("k2")
	w.complete(winner, `1`)
	cases := []struct{ set, constraint string }{
		{`jobs SET state = 'lost'`, "jobs_state_check"},
		{`jobs SET state = 'succeeded'`, "jobs_succeeded_has_winner"},
		{`jobs SET completed_by = $2`, "jobs_completed_together"},
		{`jobs SET completed_at = clock_timestamp()`, "jobs_completed_together"},
		{`jobs SET result = '1'`, "jobs_result_with_winner"},
		{`jobs SET result_sha256 = '1'`, "jobs_completed_together"},
		{`jobs SET input = NULL`, "jobs_input_kept"},
		{`jobs SET route = '{}'`, "jobs_route_check"},
		{`jobs SET state = 'waiting'`, "jobs_waiting_has_plan"},
		{`jobs SET state = 'cancelled'`, "jobs_cancelled_stands"},
		{`jobs SET cancelled_at = clock_timestamp()`, "jobs_cancelled_stands"},
		{`jobs SET next_provider = 'inkjet'`, "jobs_plan_whole"},
		{`jobs SET next_attempt_at = clock_timestamp()`, "jobs_plan_whole"},
		{`jobs SET state = 'cancelled', cancelled_at = clock_timestamp(), next_attempt_at = clock_timestamp(), next_provider = 'p'`,
			"jobs_final_has_no_plan"},
		{`attempts SET state = 'lost'`, "attempts_state_check"},
		{`attempts SET state = 'running'`, "attempts_claimed"},
		{`attempts SET claim_stamp = gen_random_uuid()`, "attempts_claimed"},
		{`attempts SET state = 'failed'`, "attempts_ended"},
		{`attempts SET ended_at = clock_timestamp()`, "attempts_ended"},
		{`attempts SET ordinal = 0`, "attempts_ordinal_check"},
		{`attempts SET outcome = 'lost'`, "attempts_outcome_check"},
	}
	for _, c := range cases {
		id, args := "id", []any{job.ID}
		if c.set[0] == 'a' {
			id = "job_id"
		}
		if c.constraint == "jobs_completed_together" && c.set == `jobs SET completed_by = $2` {
			args = append(args, job.Attempts[0].ID)
		}
		_, err := w.pool.Exec(t.Context(), `UPDATE `+c.set+` WHERE `+id+` = $1`, args...)
		t.Log(c.set)
		wantViolated(t, err, "23514", c.constraint)
	}
	_, err := w.pool.Exec(t.Context(), `UPDATE jobs SET result = NULL WHERE id = $1`, won.ID)
	wantViolated(t, err, "23514", "jobs_result_with_winner")
	w.wantStates(won, ledger.JobSucceeded, ledger.Succeeded)
}

// A failure without its proof cannot be written down (I5).
func TestFailureNeedsProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	_, err := w.pool.Exec(t.Context(), `INSERT INTO events (owner_id, id, actor_kind, action, job_id, attempt_id, to_state)
		VALUES ($1, gen_random_uuid(), 'system', 'failed', $2, $3, 'failed')`, job.OwnerID, job.ID, job.Attempts[0].ID)
	wantViolated(t, err, "23514", "events_failure_has_proof")
}
