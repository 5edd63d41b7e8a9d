package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

// slots makes the rows of a limit of the first provider of every job here.
func (w *world) slots(n int) {
	w.t.Helper()
	if err := w.EnsureSlots(w.t.Context(), "inkjet", n); err != nil {
		w.t.Fatal(err)
	}
}

// claimWithin claims under a limit.
func (w *world) claimWithin(a ledger.Attempt, slots int) error {
	c := w.claimOf(a)
	c.Slots = slots
	_, _, err := w.Claim(w.t.Context(), c)
	return err
}

// inSlot submits a job and claims its attempt under a limit.
func (w *world) inSlot(key string, slots int) (ledger.Job, ledger.Attempt) {
	w.t.Helper()
	job := w.submit(key)
	if err := w.claimWithin(job.Attempts[0], slots); err != nil {
		w.t.Fatal(err)
	}
	return job, w.attempt(job.Attempts[0])
}

func (w *world) taken() int {
	w.t.Helper()
	return w.count(`SELECT count(*) FROM provider_slots WHERE attempt_id IS NOT NULL`)
}

func (w *world) runningNow() int {
	w.t.Helper()
	return w.count(`SELECT count(*) FROM attempts WHERE state = 'running'`)
}

// Two nodes claim at once, more than the provider takes: never more run than it
// has slots, whoever is refused waits, and all of them run in the end.
func TestSlotsHoldOverAllNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const jobs, slots = 50, 5
	w.slots(slots)
	nodes := []*ledger.Ledger{w.Ledger, ledger.New(w.pool, ledger.Options{Waker: asleep{}})}
	var waiting []ledger.Attempt
	for i := range jobs {
		waiting = append(waiting, w.submit(fmt.Sprint("k", i)).Attempts[0])
	}
	for round := 0; len(waiting) > 0; round++ {
		var mu sync.Mutex
		var refused, claimed []ledger.Attempt
		together(t, len(waiting), func(ctx context.Context, i int) error {
			c := w.claimOf(waiting[i])
			c.Slots = slots
			_, _, err := nodes[i%2].Claim(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, ledger.ErrWait):
				refused, err = append(refused, waiting[i]), nil
			case err == nil:
				claimed = append(claimed, waiting[i])
			}
			return err
		})
		if len(claimed) == 0 || len(claimed) > slots || w.runningNow() != len(claimed) || w.taken() != len(claimed) {
			t.Fatalf("round %d: %d claimed, %d run, %d slots taken of %d", round, len(claimed), w.runningNow(), w.taken(), slots)
		}
		for _, a := range refused {
			if state := w.attempt(a).State; state != ledger.Pending {
				t.Errorf("an attempt that waits is %s", state)
			}
		}
		w.sound()
		for _, a := range claimed {
			w.complete(w.attempt(a), `1`)
		}
		waiting = refused
	}
	if w.taken() != 0 {
		t.Errorf("%d slots are left over", w.taken())
	}
}

// While attempts end, others are claimed: the limit holds at every instant.
func TestSlotsHoldWhileAttemptsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const jobs, slots = 24, 3
	w.slots(slots)
	var attempts []ledger.Attempt
	for i := range jobs {
		attempts = append(attempts, w.submit(fmt.Sprint("k", i)).Attempts[0])
	}
	var running atomic.Int32
	together(t, jobs, func(ctx context.Context, i int) error {
		for {
			err := w.claimWithin(attempts[i], slots)
			if errors.Is(err, ledger.ErrWait) && ctx.Err() == nil {
				continue
			}
			if err != nil {
				return err
			}
			break
		}
		if n := running.Add(1); n > slots {
			t.Errorf("%d run at once", n)
		}
		running.Add(-1) // before the slot is free
		_, err := w.Complete(ctx, w.completion(attempts[i], `1`))
		return err
	})
	if w.taken() != 0 {
		t.Errorf("%d slots are left over", w.taken())
	}
}

// Every transition that leaves running frees the slot of its attempt, and no
// other; every other one leaves it alone.
func TestLeavingRunningFreesTheSlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		stays bool
		do    func(w *world, j ledger.Job, a ledger.Attempt)
	}{
		{"complete", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.complete(a, `1`) }},
		{"discard", false, func(w *world, j ledger.Job, a ledger.Attempt) { w.cancelJob(j); w.complete(a, `1`) }},
		{"fail", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.fail(a, outcome.Rejected) }},
		{"fail, not sent", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.fail(a, outcome.NotSent) }},
		{"doubt", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.doubt(a) }},
		{"doubt after a 202", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.accept(a); w.doubt(a) }},
		{"cancel", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a) }},
		{"release", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.release(a) }},
		{"release, then complete", false, func(w *world, _ ledger.Job, a ledger.Attempt) { w.release(a); w.complete(a, `1`) }},
		{"accept", true, func(w *world, _ ledger.Job, a ledger.Attempt) { w.accept(a) }},
		{"cancel of the job", true, func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) }},
		{"a poll asked for", true, func(w *world, _ ledger.Job, a ledger.Attempt) {
			w.accept(a)
			if _, err := w.EnquireNow(w.t.Context(), ledger.AttemptAct{Owner: a.OwnerID, Attempt: a.ID, Actor: w.operator}); err != nil {
				w.t.Error(err)
			}
		}},
		{"refused doubt", true, func(w *world, _ ledger.Job, a ledger.Attempt) {
			d := ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: uuid.New(), Outcome: outcome.WorkerLost}
			if ok, err := w.Doubt(w.t.Context(), d); ok || err != nil {
				w.t.Errorf("%v, %v", ok, err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.slots(2)
			_, other := w.inSlot("other", 2)
			job, a := w.inSlot("k", 2)
			next := w.submit("next").Attempts[0]
			wantIs(t, w.claimWithin(next, 2), ledger.ErrWait)
			c.do(w, job, a)
			left := w.count(`SELECT count(*) FROM provider_slots WHERE attempt_id = $1`, a.ID)
			if left != map[bool]int{true: 1}[c.stays] {
				t.Errorf("the attempt has %d slots", left)
			}
			if w.count(`SELECT count(*) FROM provider_slots WHERE attempt_id = $1`, other.ID) != 1 {
				t.Error("another attempt lost its slot")
			}
			if err := w.claimWithin(next, 2); (err == nil) == c.stays {
				t.Errorf("the next claim: %v", err)
			}
		})
	}
}

// A limit that became smaller counts what ran before it, and one that became
// larger has room at once.
func TestLimitChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.slots(4)
	var ran []ledger.Attempt
	for i := range 4 {
		_, a := w.inSlot(fmt.Sprint("k", i), 4)
		ran = append(ran, a)
	}
	waiting := []ledger.Attempt{w.submit("a").Attempts[0], w.submit("b").Attempts[0], w.submit("c").Attempts[0]}
	for _, left := range []int{3, 2} {
		w.complete(ran[3-left], `1`)
		wantIs(t, w.claimWithin(waiting[0], 2), ledger.ErrWait)
		if n := w.runningNow(); n != left {
			t.Fatalf("%d run, want %d", n, left)
		}
	}
	w.complete(ran[2], `1`)
	if err := w.claimWithin(waiting[0], 2); err != nil {
		t.Fatalf("one runs of two: %v", err)
	}
	wantIs(t, w.claimWithin(waiting[1], 2), ledger.ErrWait)
	w.complete(ran[3], `1`)
	w.slots(3)
	for _, a := range waiting[1:] {
		if err := w.claimWithin(a, 3); err != nil {
			t.Errorf("a larger limit: %v", err)
		}
	}
	if n := w.count(`SELECT count(*) FROM provider_slots`); n != 4 {
		t.Errorf("%d slots, want those of the largest limit", n)
	}
}

// A claim that is refused for another reason gives its slot back.
func TestRefusedClaimTakesNoSlot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.slots(1)
	job := w.submit("k")
	w.cancelJob(job)
	wantIs(t, w.claimWithin(job.Attempts[0], 1), ledger.ErrNotClaimable)
	_, a := w.inSlot("k2", 1)
	wantIs(t, w.claimWithin(a, 1), ledger.ErrNotClaimable)
	c := w.claimOf(a)
	c.Stamp, c.Slots = stampOf(a), 1
	if _, _, err := w.Claim(t.Context(), c); err != nil {
		t.Errorf("the same claim again: %v", err)
	}
	if w.taken() != 1 {
		t.Errorf("%d slots are taken", w.taken())
	}
}

// pause is lifted by what it returns.
func (w *world) pause(provider, reason string) (lift func(reason string) bool) {
	w.t.Helper()
	ok, err := w.PauseProvider(w.t.Context(), provider, reason, w.operator.ID)
	if err != nil || !ok {
		w.t.Fatalf("pause %s: %v, %v", provider, ok, err)
	}
	since := w.pauses()[0].At
	return func(reason string) bool {
		w.t.Helper()
		ok, err := w.ResumeProvider(w.t.Context(), provider, since, reason, w.operator.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		return ok
	}
}

func (w *world) pauses() []ledger.Pause {
	w.t.Helper()
	all, err := w.Pauses(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// A pause holds on every node from the instant it is committed; what waits stays
// pending, what runs goes on, and other providers are not concerned.
func TestPausedProviderIsSentNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := ledger.New(w.pool, ledger.Options{Waker: asleep{}})
	running, a := w.running("before")
	doubted, inDoubt := w.running("doubted")
	w.doubt(inDoubt)
	elsewhere := w.submission("elsewhere", `{}`)
	elsewhere.RouteInForce = []string{"laser"}
	toLaser, err := w.Submit(t.Context(), elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	job := w.submit("k")
	resume := w.pause("inkjet", "it streaks")

	for name, node := range map[string]*ledger.Ledger{"this node": w.Ledger, "another": other} {
		if _, _, err := node.Claim(t.Context(), w.claimOf(job.Attempts[0])); !errors.Is(err, ledger.ErrWait) {
			t.Errorf("%s claims: %v", name, err)
		}
	}
	w.wantStates(job, ledger.JobQueued, ledger.Pending)
	w.complete(a, `1`)
	w.wantStates(running, ledger.JobSucceeded, ledger.Succeeded)
	w.claim(toLaser.Job.Attempts[0])

	before := w.rows(doubted)
	_, err = other.Replay(t.Context(), w.owner, inDoubt.ID, time.Hour)
	if wantIs(t, err, ledger.ErrWait); len(before.changed(w.rows(doubted))) != 0 {
		t.Error("a replay that waits changed something")
	}

	if again, err := other.PauseProvider(t.Context(), "inkjet", "twice", w.operator.ID); again || err != nil {
		t.Errorf("paused twice: %v, %v", again, err)
	}
	if all := w.pauses(); len(all) != 1 || all[0].Provider != "inkjet" || all[0].Reason != "it streaks" || all[0].By != "sam@example.com" {
		t.Errorf("pauses %+v", all)
	}
	if !resume("mended") || resume("mended") {
		t.Error("resumed not once")
	}
	w.claim(job.Attempts[0])
	if may, err := w.Replay(t.Context(), w.owner, inDoubt.ID, time.Hour); !may || err != nil {
		t.Errorf("a replay after the pause: %v, %v", may, err)
	}
}

// Another pause than the one that the person saw is left alone.
func TestResumeLiftsThePauseThatWasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resume := w.pause("inkjet", "it streaks")
	resume("")
	w.pause("inkjet", "on fire")
	if resume("") || len(w.pauses()) != 1 {
		t.Error("a pause was lifted that nobody saw")
	}
}

func TestPauseIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, reason := range []string{"", " \t"} {
		if ok, err := w.PauseProvider(t.Context(), "inkjet", reason, w.operator.ID); ok || !errors.Is(err, ledger.ErrReasonRequired) {
			t.Errorf("without a reason: %v, %v", ok, err)
		}
	}
	resume := w.pause("inkjet", " it streaks\xff")
	resume("")
	resume("") // changes nothing, and is no event
	events, err := w.Events(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ action, reason string }{{"provider_resumed", "inkjet"}, {"provider_paused", "inkjet:  it streaks\ufffd"}}
	if len(events) != len(want) {
		t.Fatalf("events %+v", events)
	}
	for i, e := range events {
		if e.OwnerID != uuid.Nil || e.ActorID == nil || *e.ActorID != w.operator.ID || e.ActorKind != ledger.ByUser ||
			e.Action != want[i].action || e.Reason != want[i].reason || e.JobID != nil {
			t.Errorf("event %+v, want %+v", e, want[i])
		}
	}
}

// Two admins at once: one pauses, the other is told that it was paused.
func TestPausedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var paused atomic.Int32
	together(t, 10, func(ctx context.Context, i int) error {
		ok, err := w.PauseProvider(ctx, "inkjet", fmt.Sprint("admin ", i), w.operator.ID)
		if ok {
			paused.Add(1)
		}
		return err
	})
	if paused.Load() != 1 || w.count(`SELECT count(*) FROM events WHERE action = 'provider_paused'`) != 1 {
		t.Errorf("paused %d times", paused.Load())
	}
}

// The answer to the COMMIT of a pause is lost: it is told whether it was this
// one, and written down once.
func TestLostPauseIsSettled(t *testing.T) {
	t.Parallel()
	for _, cut := range cuts {
		t.Run(cut.name, func(t *testing.T) {
			t.Parallel()
			w := newLossy(t)
			w.line.onCommit(cut.cut)
			if ok, err := w.through.PauseProvider(t.Context(), "inkjet", "it streaks", w.operator.ID); err != nil || !ok {
				t.Errorf("paused: %v, %v", ok, err)
			}
			w.line.onCommit(cut.cut)
			if ok, err := w.through.ResumeProvider(t.Context(), "inkjet", w.pauses()[0].At, "", w.operator.ID); err != nil || !ok {
				t.Errorf("resumed: %v, %v", ok, err)
			}
			if n := w.count(`SELECT count(*) FROM events`); n != 2 || len(w.pauses()) != 0 || !w.line.met() {
				t.Errorf("%d events, pauses %+v", n, w.pauses())
			}
		})
	}
}

// The COMMIT did not happen, and somebody else was quicker at the second try.
func TestLostPauseOfAnother(t *testing.T) {
	t.Parallel()
	w := newLossy(t)
	w.line.onCommit(func(c *call, commit []byte) {
		c.muted.Store(true)
		_ = c.server.Close() // rolled back
		w.pause("inkjet", "on fire")
		cutBefore(c, commit)
	})
	if ok, err := w.through.PauseProvider(t.Context(), "inkjet", "it streaks", w.operator.ID); err != nil || ok {
		t.Errorf("paused by another, yet it says %v, %v", ok, err)
	}
	if all := w.pauses(); len(all) != 1 || all[0].Reason != "on fire" || w.count(`SELECT count(*) FROM events`) != 1 {
		t.Errorf("pauses %+v", all)
	}
}

func TestLoadsCountWhatHasNotEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submit("pending")
	w.running("running")
	_, doubted := w.running("unknown")
	w.doubt(doubted)
	_, done := w.running("done")
	w.complete(done, `1`)
	loads, err := w.Loads(t.Context())
	if err != nil || len(loads) != 3 {
		t.Fatalf("loads %+v, %v", loads, err)
	}
	for _, l := range loads {
		if l.Provider != "inkjet" || l.Attempts != 1 || time.Since(l.Oldest) > time.Minute {
			t.Errorf("load %+v", l)
		}
	}
}

// What waited for a provider is woken when it is resumed: only that, and all of
// it.
func TestWakingAProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		w.submit(fmt.Sprint("k", i))
	}
	w.running("running")
	waker := &rousing{}
	l := ledger.New(w.pool, ledger.Options{Waker: waker})
	for _, c := range []struct {
		provider string
		atOnce   int
		want     int32
	}{{"laser", 10, 0}, {"inkjet", 10, 5}, {"inkjet", 5, 5}, {"inkjet", 2, 5}} {
		waker.woken.Store(0)
		if err := l.WakeProvider(t.Context(), c.provider, c.atOnce); err != nil || waker.woken.Load() != c.want {
			t.Errorf("%s: woken %d, %v, want %d", c.provider, waker.woken.Load(), err, c.want)
		}
	}
}
