package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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

func TestBeatNotesTheFirstByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	held := ledger.Held{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Timeout: 45 * time.Second}
	beat := func() ledger.Attempt {
		t.Helper()
		lost, err := w.Beat(t.Context(), []ledger.Held{held})
		if err != nil || len(lost) > 0 {
			t.Fatal(lost, err)
		}
		return w.attempt(a)
	}
	unsent := beat()
	if unsent.SentAt != nil || !unsent.Deadline.Equal(*a.Deadline) || !unsent.HeartbeatAt.After(*a.HeartbeatAt) {
		t.Errorf("before the first byte: %+v", unsent)
	}
	held.Sent, held.SentAgo = true, 3*time.Second
	sent := beat()
	if ago := sent.HeartbeatAt.Sub(*sent.SentAt); ago < 2900*time.Millisecond || ago > 3100*time.Millisecond {
		t.Errorf("sent %v before the beat", ago)
	}
	if left := sent.Deadline.Sub(*sent.SentAt); left < 44900*time.Millisecond || left > 45100*time.Millisecond {
		t.Errorf("the deadline is %v after the first byte", left)
	}
	held.SentAgo, held.Timeout = 10*time.Second, time.Hour
	if again := beat(); !again.SentAt.Equal(*sent.SentAt) || !again.Deadline.Equal(*sent.Deadline) {
		t.Errorf("the first byte was noted twice: %+v", again)
	}
}

// A transition that ends the attempt notes the first byte, if no beat has.
func TestTransitionNotesTheFirstByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	_, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Outcome: "timeout",
		Call: ledger.Call{Sent: true, SentAgo: 60 * time.Second, Timeout: 60 * time.Second, ProviderRequestID: "p"}})
	if err != nil {
		t.Fatal(err)
	}
	got := w.attempt(a)
	if ago := got.StateAt.Sub(*got.SentAt); ago < 59*time.Second || ago > 61*time.Second || got.Deadline.After(got.StateAt.Add(time.Second)) {
		t.Errorf("sent %v before the doubt, deadline %v", ago, got.Deadline)
	}
}

func TestBeatReportsWhatIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, alive := w.running("alive")
	_, cancelled := w.running("cancelled")
	w.cancel(cancelled)
	_, doubted := w.running("doubted")
	w.doubt(doubted)
	_, other := w.running("other")
	held := []ledger.Held{}
	for _, a := range []ledger.Attempt{alive, cancelled, doubted, other} {
		held = append(held, ledger.Held{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp})
	}
	held[3].Stamp = uuid.New()
	lost, err := w.Beat(t.Context(), held)
	if err != nil || !slices.Equal(lost, []uuid.UUID{cancelled.ID, doubted.ID, other.ID}) {
		t.Errorf("lost %v, %v", lost, err)
	}
	if lost, err := w.Beat(t.Context(), nil); lost != nil || err != nil {
		t.Errorf("nothing held: %v, %v", lost, err)
	}
}

// A row that a transition holds just then is skipped, and not presumed lost;
// the beat does not wait for it.
func TestBeatSkipsALockedRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	_, ended := w.running("ended")
	w.cancel(ended)
	tx, err := w.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), `SELECT 1 FROM attempts WHERE id = $1 FOR UPDATE`, a.ID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), giveUp)
	defer cancel()
	lost, err := w.Beat(ctx, []ledger.Held{{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp},
		{Owner: ended.OwnerID, Attempt: ended.ID, Stamp: *ended.ClaimStamp}})
	if err != nil || !slices.Equal(lost, []uuid.UUID{ended.ID}) {
		t.Errorf("lost %v, %v", lost, err)
	}
}

// rousing counts wake-ups, or refuses them.
type rousing struct {
	woken atomic.Int32
	err   error
}

func (r *rousing) WakeAttempt(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string) error {
	r.woken.Add(1)
	return r.err
}

func TestSleepingAttemptsAreWoken(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, state string // of River's row; "": none
		age         time.Duration
		attempted   time.Duration
		woken       int
	}{
		{"no row", "", 6 * time.Second, 0, 1},
		{"no row, but fresh", "", 4 * time.Second, 0, 0},
		{"available", "available", time.Hour, 0, 0},
		{"scheduled", "scheduled", time.Hour, 0, 0},
		{"retryable", "retryable", time.Hour, 0, 0},
		{"running just now", "running", time.Hour, 10 * time.Second, 0},
		{"running for too long", "running", time.Hour, 16 * time.Second, 1},
		{"completed", "completed", time.Hour, 0, 1},
		{"discarded", "discarded", time.Hour, 0, 1},
		{"cancelled", "cancelled", time.Hour, 0, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submit("k")
			w.running("other")
			w.exec(`UPDATE attempts SET state_at = clock_timestamp() - make_interval(secs => $1)`, c.age.Seconds())
			if c.state != "" {
				w.exec(`INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, attempted_at, scheduled_at, finalized_at)
					VALUES (jsonb_build_object('attempt_id', $1::text), 'attempt', 25, 1, 'default', $2::river_job_state,
						clock_timestamp() - make_interval(secs => $3), now(),
						CASE WHEN $2 IN ('completed', 'discarded', 'cancelled') THEN now() END)`,
					job.Attempts[0].ID.String(), c.state, c.attempted.Seconds())
			}
			waker := &rousing{}
			n, err := ledger.New(w.pool, ledger.Options{Waker: waker}).WakeSleeping(t.Context(), 10)
			if err != nil || n != c.woken || int(waker.woken.Load()) != c.woken {
				t.Errorf("woken %d, and %d times, %v; want %d", n, waker.woken.Load(), err, c.woken)
			}
		})
	}
}

// A wake-up that cannot be stored takes its transition with it: what is pending
// has been told of.
func TestWakeUpIsPartOfTheTransition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	full := &rousing{err: errors.New("the queue is full")}
	l := ledger.New(w.pool, ledger.Options{Waker: full})
	_, err := l.Submit(t.Context(), w.submission("k", `{}`))
	wantIs(t, err, full.err)
	if n := w.count(`SELECT count(*) FROM jobs`); n != 0 {
		t.Errorf("%d jobs without a wake-up", n)
	}
	job, a := w.running("k2")
	w.plan(job, a)
	before := w.rows(job)
	if started, err := l.StartDue(t.Context(), job.OwnerID, job.ID); !errors.Is(err, full.err) || len(before.changed(w.rows(job))) > 0 {
		t.Errorf("started %v, %v", started, err)
	}
}

// A whole answer whose worker died before the verdict is found by the sweep,
// wherever its attempt stands by then.
func TestUnjudgedAnswersAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := map[uuid.UUID]string{}
	for i, s := range situations {
		_, a := s.reach(w, fmt.Sprint("k", i))
		keepAnswer(w, a, `"whole"`)
		if a.State != ledger.Running && a.State != ledger.Pending {
			want[a.ID] = s.name
		}
		if i == 0 {
			if got, err := w.UnjudgedAnswers(t.Context(), 100); err != nil || len(got) > 0 {
				t.Errorf("a worker has its time: %v, %v", got, err)
			}
		}
	}
	w.exec(`UPDATE answers SET received_at = received_at - interval '31 seconds'`)
	got, err := w.UnjudgedAnswers(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range got {
		if _, ok := want[ref.Attempt]; !ok {
			t.Errorf("found the answer of %s, which has a worker", ref.Attempt)
		}
		delete(want, ref.Attempt)
		w.complete(ledger.Attempt{OwnerID: ref.Owner, ID: ref.Attempt}, `"whole"`)
	}
	for _, name := range want {
		t.Errorf("not found: the answer of an attempt that is %s", name)
	}
	if got, err := w.UnjudgedAnswers(t.Context(), 100); err != nil || len(got) > 0 {
		t.Errorf("judged, yet found again: %v, %v", got, err)
	}
}

func TestAnswersAreKeptUntilTheVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	keep := func(body string, whole bool) {
		t.Helper()
		err := w.KeepAnswer(t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Status: 200, MediaType: "x/y\x00\xff",
			Header: map[string][]string{"X-A": {"1", "2"}}, Body: []byte(body), Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
	}
	kept := func(body string, whole bool) {
		t.Helper()
		got, err := w.AnswerOf(t.Context(), a.OwnerID, a.ID)
		if err != nil || string(got.Body) != body || got.Whole != whole || !slices.Equal(got.Header["X-A"], []string{"1", "2"}) {
			t.Errorf("kept %+v, %v; want %q", got, err, body)
		}
	}
	keep("par", false)
	kept("par", false)
	keep("partial and whole \x00\xff", true)
	kept("partial and whole \x00\xff", true)
	keep("cut", false) // never the other way round
	kept("partial and whole \x00\xff", true)
	if err := w.AnswerSettlesNothing(t.Context(), a.OwnerID, a.ID); err != nil {
		t.Fatal(err)
	}
	w.doubt(a)
	w.exec(`UPDATE answers SET received_at = received_at - interval '1 hour'`)
	if got, err := w.UnjudgedAnswers(t.Context(), 10); err != nil || len(got) > 0 {
		t.Errorf("judged, yet found: %v, %v", got, err)
	}
	w.complete(a, `1`)
	_, err := w.AnswerOf(t.Context(), a.OwnerID, a.ID)
	wantIs(t, err, ledger.ErrNotFound)
}

// What is kept for an attempt that has ended, and settles nothing, is dropped:
// no person decides by it any more. A whole answer that nobody has looked at
// stays for the sweep, which logs it as late.
func TestNothingIsKeptForAnEndedAttempt(t *testing.T) {
	t.Parallel()
	part := func(w *world, a ledger.Attempt) {
		err := w.KeepAnswer(w.t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Body: []byte("a needle")})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	settlesNothing := func(w *world, a ledger.Attempt) {
		if err := w.AnswerSettlesNothing(w.t.Context(), a.OwnerID, a.ID); err != nil {
			w.t.Fatal(err)
		}
	}
	whole := func(w *world, a ledger.Attempt) { keepAnswer(w, a, "a needle") }
	doubt := func(w *world, a ledger.Attempt) {
		d := ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: "answer_lost", ByAnswer: true}
		if _, err := w.Doubt(w.t.Context(), d); err != nil {
			w.t.Fatal(err)
		}
	}
	cancel := func(w *world, a ledger.Attempt) { w.cancel(a) }
	type step = func(*world, ledger.Attempt)
	for _, c := range []struct {
		name  string
		steps []step
		kept  int
	}{
		{"a part, in doubt", []step{part, doubt}, 1},
		{"a part, in doubt, then cancelled", []step{part, doubt, cancel}, 0},
		{"cancelled, then a part", []step{cancel, part, doubt}, 0},
		{"whole, looked at, then cancelled", []step{whole, settlesNothing, cancel}, 0},
		{"cancelled, then whole, then looked at", []step{cancel, whole, settlesNothing}, 0},
		{"whole, then cancelled before anybody looked", []step{whole, cancel}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, a := w.running("k")
			for _, s := range c.steps {
				s(w, a)
			}
			if n := w.count(`SELECT count(*) FROM answers`); n != c.kept {
				t.Errorf("%d answers are kept, want %d", n, c.kept)
			}
		})
	}
}
