package ledger_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/exactjson"
	"kwit/ledger"
	"kwit/outcome"
)

func TestC01_RetriesAndFallbacksAreAttemptsOfOneJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.fail(a, outcome.Rejected)
	second, _, err := w.TryAgain(t.Context(), ledger.NewAttempt{Ordinal: 2, Provider: "laser",
		JobAct: ledger.JobAct{Owner: w.owner, Job: job.ID, Reason: "the inkjet is gone", Actor: w.operator}})
	if err != nil {
		t.Fatal(err)
	}
	w.complete(w.claim(*second), `"done"`)
	w.wantStates(job, ledger.JobSucceeded, ledger.Failed, ledger.Succeeded)
	if got := w.job(job); got.Number != job.Number || got.ID != job.ID || got.Attempts[1].Provider != "laser" {
		t.Errorf("the ticket changed: %+v", got)
	}
	if n := w.count(`SELECT count(*) FROM jobs`); n != 1 {
		t.Errorf("%d jobs", n)
	}
}

func TestC02_NothingIsStoredWithoutAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keys := map[string]bool{"": false, " ": false, "a b": false, "a\n": false, "\x7f": false, "ü": false, "a\x00": false,
		strings.Repeat("k", 255): true, strings.Repeat("k", 256): false, "!": true, "~": true, `"quoted"`: true, "\xff": false}
	for key, valid := range keys {
		if ledger.ValidKey(key) != valid {
			t.Errorf("ValidKey(%q) is %v", key, !valid)
		}
		before := w.count(`SELECT count(*) FROM jobs`)
		_, err := w.Submit(t.Context(), w.submission(key, `{}`)) // the database refuses by itself
		if stored := w.count(`SELECT count(*) FROM jobs`) > before; stored != valid || (err == nil) != valid {
			t.Errorf("key %q: stored %v, %v", key, stored, err)
		}
	}
}

func TestC03_TheKeyBelongsToTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := w.submit("k")
	other := w.user("jan@example.com")
	s := w.submission("k", `{"another":"input"}`)
	s.Owner, s.Actor = other.ID, other
	theirs, err := w.Submit(t.Context(), s)
	if err != nil || !theirs.Created || theirs.Job.ID == mine.ID {
		t.Fatalf("another owner's key: %+v, %v", theirs, err)
	}
	if _, err := w.Job(t.Context(), other.ID, mine.ID); err == nil {
		t.Error("another owner's job is found")
	}
	again := w.submission("k", `{"text":"k"}`)
	again.Actor.RequestID = "another session"
	r, err := w.Submit(t.Context(), again)
	if err != nil || r.Created || r.Job.ID != mine.ID {
		t.Errorf("the same owner from elsewhere: %+v, %v", r, err)
	}
}

// The database alone refuses a second job under one key.
func TestC04_TheDatabaseDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	insert := `INSERT INTO jobs (owner_id, id, idempotency_key, job_type, job_type_digest, input, fingerprint, route, state)
		VALUES ($1, $2, 'k', 't', 'd', '{}', '1:x', '{p}', 'queued')`
	tx, err := w.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), insert, w.owner, uuid.New()); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SAVEPOINT one`); err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), insert, w.owner, uuid.New())
	wantViolated(t, err, "23505", "jobs_idempotency_key")
	if _, err := tx.Exec(t.Context(), `ROLLBACK TO one`); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), insert, uuid.New(), uuid.New()); err != nil {
		t.Errorf("another owner's: %v", err)
	}
}

func TestC05_TwoHundredSubmissionsMakeOneJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pool, err := pgxpool.New(t.Context(), w.pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	ledgers := []*ledger.Ledger{w.Ledger, ledger.New(pool, ledger.Options{Waker: asleep{}})}
	s := w.submission("k", `{"text":"once"}`)
	var mu sync.Mutex
	created, ids := 0, map[uuid.UUID]bool{}
	together(t, 200, func(ctx context.Context, i int) error {
		r, err := ledgers[i%2].Submit(ctx, s)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		ids[r.Job.ID] = true
		if len(r.Job.Attempts) != 1 {
			t.Errorf("an answer with %d attempts", len(r.Job.Attempts))
		}
		if r.Created {
			created++
		}
		return nil
	})
	if created != 1 || len(ids) != 1 {
		t.Errorf("created %d times, %d ids", created, len(ids))
	}
	if n := w.count(`SELECT count(*) FROM attempts`); n != 1 {
		t.Errorf("%d attempts", n)
	}
	if n := w.count(`SELECT count(*) FROM events WHERE action = 'submitted'`); n != 1 {
		t.Errorf("submitted %d times", n)
	}
}

// Whoever holds the key has not committed: the one that waits creates the job.
func TestC05_HolderOfTheKeyRollsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tx, err := w.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), `INSERT INTO jobs (owner_id, id, idempotency_key, job_type, job_type_digest, input, fingerprint, route, state)
		VALUES ($1, $2, 'k', 'summary', 'd1', '{}', '1:x', '{inkjet}', 'queued')`, w.owner, uuid.New())
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		r   ledger.Receipt
		err error
	}
	answered := make(chan answer, 1)
	s := w.submission("k", `{}`)
	go func() {
		r, err := w.Submit(t.Context(), s)
		answered <- answer{r, err}
	}()
	w.waitForLock()
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.err != nil || !a.r.Created {
		t.Fatalf("the one that waited: %+v, %v", a.r, a.err)
	}
}

// waitForLock waits until a statement on this database waits for a lock.
func (w *world) waitForLock() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), giveUp)
	defer cancel()
	for w.count(`SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 0 {
		if ctx.Err() != nil {
			w.t.Fatal("nobody waits for a lock")
		}
	}
}

func TestC06_SameKeyAnotherIntent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stored := `{"n": 9007199254740993, "text": "a", "list": [1, 2]}`
	first, err := w.Submit(t.Context(), w.submission("k", stored))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, input string
		change      func(*ledger.Submission)
		same        bool
	}{
		{"as it was", stored, nil, true},
		{"another order and white space", `{"list":[1,2],"text":"a","n":9007199254740993}`, nil, true},
		{"numbers by value", `{"list":[1.0,2e0],"text":"a","n":9007199254740993}`, nil, true},
		{"the route that is stored", stored, func(s *ledger.Submission) { s.Route = []string{"inkjet", "laser"} }, true},
		{"another version of the job type", stored, func(s *ledger.Submission) { s.Digest = "d2" }, true},
		{"another route in force today", stored, func(s *ledger.Submission) { s.RouteInForce = []string{"laser"} }, true},
		{"an integer beyond 2^53", `{"n":9007199254740992,"text":"a","list":[1,2]}`, nil, false},
		{"another order in a list", `{"n":9007199254740993,"text":"a","list":[2,1]}`, nil, false},
		{"a member more", `{"n":9007199254740993,"text":"a","list":[1,2],"x":null}`, nil, false},
		{"a text", `{"n":"9007199254740993","text":"a","list":[1,2]}`, nil, false},
		{"composed and decomposed letters", `{"n":9007199254740993,"text":"á","list":[1,2]}`, nil, false},
		{"another job type", stored, func(s *ledger.Submission) { s.JobType = "order" }, false},
		{"another route", stored, func(s *ledger.Submission) { s.Route = []string{"laser"} }, false},
		{"another order of the route", stored, func(s *ledger.Submission) { s.Route = []string{"laser", "inkjet"} }, false},
		{"an empty route", stored, func(s *ledger.Submission) { s.Route = []string{} }, false},
	}
	before := w.rows(first.Job)
	for _, c := range cases {
		s := w.submission("k", c.input)
		if c.change != nil {
			c.change(&s)
		}
		found, findErr := w.FindByKey(t.Context(), w.owner, "k", s.Intent)
		r, err := w.Submit(t.Context(), s)
		if c.same {
			if err != nil || findErr != nil || r.Created || r.Job.ID != first.Job.ID || found.ID != first.Job.ID {
				t.Errorf("%s: %+v, %v, %v", c.name, r, err, findErr)
			}
		} else {
			for _, err := range []error{err, findErr} {
				if got := wantError[*ledger.ConflictError](t, err); got.Existing.ID != first.Job.ID {
					t.Errorf("%s: the conflict names %s", c.name, got.Existing.ID)
				}
			}
		}
		if changed := before.changed(w.rows(first.Job)); len(changed) > 0 || w.count(`SELECT count(*) FROM jobs`) != 1 {
			t.Errorf("%s: changed %v", c.name, changed)
		}
	}
	if n := w.count(`SELECT count(*) FROM job_type_versions`); n != 1 {
		t.Errorf("%d job type versions are kept, of one submission", n)
	}
}

// A conflict carries what was sent before, so that a page can show both texts.
func TestC06_ConflictShowsTheJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submit("k")
	_, err := w.Submit(t.Context(), w.submission("k", `{"text":"changed"}`))
	got := wantError[*ledger.ConflictError](t, err)
	if string(got.Existing.Input) != `{"text":"k"}` || len(got.Existing.Attempts) != 1 || got.Existing.Number == 0 {
		t.Errorf("existing job: %+v", got.Existing)
	}
}

func TestC07_TheKeyOutlivesThePayload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.complete(a, `1`)
	w.exec(`UPDATE jobs SET result = NULL, input = NULL, purged_at = clock_timestamp(),
		created_at = created_at - interval '10 years' WHERE id = $1`, job.ID)
	r, err := w.Submit(t.Context(), w.submission("k", `{"text":"k"}`))
	if err != nil || r.Created || r.Job.ID != job.ID {
		t.Errorf("the same again: %+v, %v", r, err)
	}
	_, err = w.Submit(t.Context(), w.submission("k", `{"text":"changed"}`))
	_ = wantError[*ledger.ConflictError](t, err)
}

// A fingerprint of an algorithm that this version does not know is neither the
// same nor another intent.
func TestC06_UnknownAlgorithm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	w.exec(`UPDATE jobs SET fingerprint = '9:abc' WHERE id = $1`, job.ID)
	_, err := w.Submit(t.Context(), w.submission("k", `{"text":"k"}`))
	_ = wantError[*exactjson.UnknownAlgorithmError](t, err)
}

func TestFindByKeyFindsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, err := w.FindByKey(t.Context(), w.owner, "never sent", ledger.Intent{JobType: "summary", Input: parse(t, `{}`)})
	if job != nil || err != nil {
		t.Errorf("%+v, %v", job, err)
	}
}
