package ledger_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db/dbtest"
	"kwit/exactjson"
	"kwit/ledger"
	"kwit/outcome"
)

// world is a ledger on a database of its own, and one owner in it.
type world struct {
	t *testing.T
	*ledger.Ledger
	pool  *pgxpool.Pool
	owner uuid.UUID
	node  uuid.UUID

	person   ledger.Actor // the owner
	operator ledger.Actor // somebody from support
}

// asleep wakes nobody: these tests claim by hand.
type asleep struct{}

func (asleep) WakeAttempt(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string) error { return nil }
func (asleep) WakeJob(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, time.Duration) error {
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := worldOn(t, dbtest.New(t))
	t.Cleanup(w.sound)
	return w
}

func worldOn(t *testing.T, pool *pgxpool.Pool) *world {
	t.Helper()
	w := &world{t: t, pool: pool, node: uuid.New(), Ledger: ledger.New(pool, ledger.Options{Waker: asleep{}})}
	w.person = w.user("ewa@example.com")
	w.owner = w.person.ID
	w.operator = w.user("sam@example.com")
	w.operator.Operator = true
	return w
}

// user adds a person to the database.
func (w *world) user(mail string) ledger.Actor {
	w.t.Helper()
	id := uuid.New()
	w.exec(`INSERT INTO users (id, email, name, role, password_hash) VALUES ($1, $2, $2, 'user', '')`, id, mail)
	return ledger.Actor{Kind: ledger.ByUser, ID: id, RequestID: "r1"}
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

// count runs a query that answers with one number.
func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	if err := w.pool.QueryRow(w.t.Context(), sql, args...).Scan(&n); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// sound fails the test if it left behind what breaks an invariant.
func (w *world) sound() {
	found, err := w.Verify(context.Background(), 10)
	if err != nil {
		w.t.Errorf("verify: %v", err)
	}
	for _, f := range found {
		w.t.Errorf("broken invariant: %s", f)
	}
}

func parse(t testing.TB, text string) exactjson.Value {
	t.Helper()
	v, err := exactjson.Parse([]byte(text), exactjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (w *world) submission(key, input string) ledger.Submission {
	w.t.Helper()
	return ledger.Submission{
		Owner: w.owner, Key: key, Raw: []byte(input), RouteInForce: []string{"inkjet", "laser"},
		Intent: ledger.Intent{JobType: "summary", Input: parse(w.t, input)},
		Digest: "d1", Definition: []byte(`{}`), Repeatable: true, Actor: w.person,
	}
}

func (w *world) submit(key string) ledger.Job {
	w.t.Helper()
	r, err := w.Submit(w.t.Context(), w.submission(key, `{"text":"`+key+`"}`))
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Job
}

func (w *world) claim(a ledger.Attempt) ledger.Attempt {
	w.t.Helper()
	_, claimed, err := w.Claim(w.t.Context(), ledger.Claim{Owner: a.OwnerID, Attempt: a.ID, Node: w.node, Stamp: uuid.New(), Timeout: time.Minute})
	if err != nil {
		w.t.Fatal(err)
	}
	return *claimed
}

func (w *world) complete(a ledger.Attempt, result string) ledger.Verdict {
	w.t.Helper()
	v, err := w.Complete(w.t.Context(), ledger.Completion{Owner: a.OwnerID, Attempt: a.ID, Result: []byte(result),
		MediaType: "application/json", Actor: ledger.Actor{Kind: ledger.ByProvider}})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

func (w *world) doubt(a ledger.Attempt) {
	w.t.Helper()
	ok, err := w.Doubt(w.t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp,
		Outcome: outcome.Timeout, Detail: "no answer in time"})
	if err != nil || !ok {
		w.t.Fatalf("doubt: %v, %v", ok, err)
	}
}

// job reads the job again.
func (w *world) job(j ledger.Job) ledger.Job {
	w.t.Helper()
	got, err := w.Job(w.t.Context(), j.OwnerID, j.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return *got
}

func (w *world) states(j ledger.Job) []ledger.AttemptState {
	w.t.Helper()
	var states []ledger.AttemptState
	for _, a := range w.job(j).Attempts {
		states = append(states, a.State)
	}
	return states
}

func (w *world) wantStates(j ledger.Job, job ledger.JobState, attempts ...ledger.AttemptState) {
	w.t.Helper()
	if got := w.job(j).State; got != job {
		w.t.Errorf("the job is %s, want %s", got, job)
	}
	if got := w.states(j); !slices.Equal(got, attempts) {
		w.t.Errorf("the attempts are %v, want %v", got, attempts)
	}
}

// movedAt is when the attempt came to its present state, by its events.
func (w *world) movedAt(a ledger.Attempt) (at time.Time) {
	w.t.Helper()
	err := w.pool.QueryRow(w.t.Context(), `SELECT at FROM events WHERE attempt_id = $1
		AND to_state = (SELECT state FROM attempts WHERE id = $1)`, a.ID).Scan(&at)
	if err != nil {
		w.t.Fatal(err)
	}
	return at
}
