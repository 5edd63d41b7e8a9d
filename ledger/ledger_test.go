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
	pool   *pgxpool.Pool
	owner  uuid.UUID
	node   uuid.UUID
	person ledger.Actor // the owner
}

// asleep wakes nobody: these tests claim by hand.
type asleep struct{}

func (asleep) WakeAttempt(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string) error { return nil }
func (asleep) WakeJob(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, time.Duration) error {
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	pool := dbtest.New(t)
	owner := uuid.New()
	w := &world{t: t, pool: pool, owner: owner, node: uuid.New(),
		Ledger: ledger.New(pool, ledger.Options{Waker: asleep{}}),
		person: ledger.Actor{Kind: ledger.ByUser, ID: owner, RequestID: "r1"}}
	t.Cleanup(w.sound)
	return w
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

func TestC12_ResultIsWrittenByCompareAndSwap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k1")
	w.wantStates(job, ledger.JobQueued, ledger.Pending)
	a := w.claim(job.Attempts[0])
	w.wantStates(job, ledger.JobRunning, ledger.Running)
	if v := w.complete(a, `{"summary":"s"}`); v.State != ledger.Succeeded || v.Late != "" {
		t.Fatalf("verdict %+v", v)
	}
	w.wantStates(job, ledger.JobSucceeded, ledger.Succeeded)
	got := w.job(job)
	if string(got.Result) != `{"summary":"s"}` || *got.CompletedBy != a.ID || got.Version != job.Version+1 {
		t.Errorf("job after completion: %+v", got)
	}
}

func TestC13_ReverseFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k1")
	first := w.claim(job.Attempts[0])
	w.doubt(first)
	operator := ledger.Actor{Kind: ledger.ByUser, ID: uuid.New(), Operator: true}
	if _, err := w.Release(t.Context(), ledger.AttemptAct{Owner: w.owner, Attempt: first.ID, Seen: ledger.Unknown, Reason: "asked them", Actor: operator}); err != nil {
		t.Fatal(err)
	}
	second, created, err := w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: ledger.JobAct{Owner: w.owner, Job: job.ID, Actor: w.person}, Ordinal: 2})
	if err != nil || !created {
		t.Fatalf("try again: %v, %v", created, err)
	}
	claimed := w.claim(*second)
	if v := w.complete(claimed, `2`); v.State != ledger.Succeeded {
		t.Fatalf("second: %+v", v)
	}
	if v := w.complete(first, `1`); v.State != ledger.Discarded || v.Late != ledger.LostRace {
		t.Fatalf("first: %+v", v)
	}
	w.wantStates(job, ledger.JobSucceeded, ledger.Discarded, ledger.Succeeded)
	if got := w.job(job); string(got.Result) != "2" {
		t.Errorf("result %s", got.Result)
	}
	late, err := w.LateResults(t.Context(), 0, 10)
	if err != nil || len(late) != 1 || late[0].Why != ledger.LostRace || *late[0].WinnerID != claimed.ID {
		t.Fatalf("late results %+v, %v", late, err)
	}
}
