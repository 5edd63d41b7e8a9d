package ledger_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
)

func refsOf(attempts ...ledger.Attempt) (all []ledger.AttemptRef) {
	for _, a := range attempts {
		all = append(all, ledger.AttemptRef{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp})
	}
	return all
}

// silent makes an attempt whose worker beat last so long ago.
func (w *world) silent(key string, ago time.Duration) ledger.Attempt {
	w.t.Helper()
	_, a := w.running(key)
	w.exec(`UPDATE attempts SET heartbeat_at = clock_timestamp() - make_interval(secs => $2) WHERE id = $1`, a.ID, ago.Seconds())
	return a
}

func TestStaleIsSilentFor30Seconds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.steady()
	b := w.silent("b", 31*time.Second)
	a := w.silent("a", time.Hour)
	w.silent("alive", 25*time.Second)
	w.silent("doubted", time.Hour)
	w.doubt(w.job(w.byKey("doubted")).Attempts[0])
	got, err := w.StaleAttempts(t.Context(), w.node, 10)
	if err != nil || !slices.Equal(got, refsOf(a, b)) {
		t.Errorf("stale: %v, %v; want the one silent for longest first: %v", got, err, refsOf(a, b))
	}
	if got, err := w.StaleAttempts(t.Context(), w.node, 1); err != nil || len(got) != 1 {
		t.Errorf("limited: %v, %v", got, err)
	}
}

func (w *world) byKey(key string) ledger.Job {
	w.t.Helper()
	j, err := w.JobByKey(w.t.Context(), w.owner, key)
	if err != nil {
		w.t.Fatal(err)
	}
	return *j
}

// Only a node that reached the database without a gap may call others dead, so
// that a database that was away makes nobody look dead.
func TestOnlyASteadyNodeCallsOthersDead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.silent("k", time.Hour)
	node := func(seen, steady time.Duration) {
		w.exec(`INSERT INTO nodes (id, name, seen_at, steady_since) VALUES ($1, 'n',
				clock_timestamp() - make_interval(secs => $2), clock_timestamp() - make_interval(secs => $3))
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, steady_since = excluded.steady_since`,
			w.node, seen.Seconds(), steady.Seconds())
	}
	stale := func() int {
		t.Helper()
		got, err := w.StaleAttempts(t.Context(), w.node, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(got)
	}
	beat := func() bool {
		t.Helper()
		steady, err := w.BeatNode(t.Context(), w.node, "n\x00\xff")
		if err != nil {
			t.Fatal(err)
		}
		return steady
	}
	if n := stale(); n != 0 {
		t.Errorf("a node without a row: %d", n)
	}
	if beat() || stale() != 0 {
		t.Error("a node that just began is steady")
	}
	node(9*time.Second, 29*time.Second)
	if beat() || stale() != 0 {
		t.Error("a node of 29 s is steady")
	}
	node(9*time.Second, 31*time.Second)
	if !beat() || stale() != 1 {
		t.Error("a node of 31 s without a gap is not steady")
	}
	node(11*time.Second, time.Hour)
	if n := stale(); n != 0 {
		t.Errorf("a node that has not beaten for 11 s: %d", n)
	}
	if beat() || stale() != 0 {
		t.Error("a gap of 11 s is forgotten at once")
	}
}

func TestDeadNodesAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.steady()
	w.exec(`INSERT INTO nodes (id, name, seen_at) VALUES (gen_random_uuid(), 'old', clock_timestamp() - interval '25 hours')`)
	if err := w.ForgetDeadNodes(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := w.count(`SELECT count(*) FROM nodes WHERE id = $1`, w.node); n != 1 || w.count(`SELECT count(*) FROM nodes`) != 1 {
		t.Error("the wrong nodes are forgotten")
	}
}

// The sweep compares the claim's stamp: a fresh claim is not hit by an old look.
func TestSweepDoesNotHitAFreshClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	ok, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: uuid.New(), Outcome: "worker_lost"})
	if err != nil || ok {
		t.Errorf("doubted under another stamp: %v, %v", ok, err)
	}
	w.wantStates(job, ledger.JobRunning, ledger.Running)
}

func TestOverdueIsPastTheDeadlineWhoeverBeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, late := w.running("late")
	_, taken := w.running("taken")
	if _, err := w.Accept(t.Context(), taken.OwnerID, taken.ID, ledger.Call{}); err != nil {
		t.Fatal(err)
	}
	w.running("in-time")
	w.exec(`UPDATE attempts SET deadline = clock_timestamp() - interval '1 second' WHERE id = $1`, late.ID)
	w.exec(`UPDATE attempts SET deadline = clock_timestamp() - interval '2 seconds' WHERE id = $1`, taken.ID)
	got, err := w.OverdueAttempts(t.Context(), 10)
	if err != nil || !slices.Equal(got, refsOf(taken, late)) {
		t.Errorf("overdue: %v, %v", got, err)
	}
}
