package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
)

// dueIn is how long it takes until the next enquiry, by the database's clock,
// in whole seconds; -1 where there is none.
func (w *world) dueIn(a ledger.Attempt) int {
	w.t.Helper()
	return w.count(`SELECT coalesce(ceil(extract(epoch FROM next_enquiry_at - clock_timestamp())), -1)::integer
		FROM attempts WHERE id = $1`, a.ID)
}

// wantDueIn allows for a slow machine.
func (w *world) wantDueIn(a ledger.Attempt, seconds int, when string) {
	w.t.Helper()
	if got := w.dueIn(a); got > seconds || got < seconds-10 && got < seconds*9/10 {
		w.t.Errorf("%s: the next enquiry is due in %d s, want %d s", when, got, seconds)
	}
}

func (w *world) makeDue() {
	w.t.Helper()
	w.exec(`UPDATE attempts SET next_enquiry_at = clock_timestamp() WHERE next_enquiry_at IS NOT NULL`)
}

// take takes the turn that is due.
func (w *world) take(limit int) []ledger.AttemptRef {
	w.t.Helper()
	refs, err := w.DueEnquiries(w.t.Context(), limit)
	if err != nil {
		w.t.Fatal(err)
	}
	return refs
}

func named(refs []ledger.AttemptRef) (ids []uuid.UUID) {
	for _, r := range refs {
		ids = append(ids, r.Attempt)
	}
	return ids
}

// A doubt is asked about after 15 s, 30 s, 1 min and so on up to every 15 min,
// and each turn is given out once.
func TestC10_EnquiriesComeAtGrowingDistance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	if w.dueIn(a) != -1 {
		t.Error("an attempt without a doubt is asked about")
	}
	w.doubt(a)
	w.wantDueIn(a, 15, "after the doubt")
	for _, next := range []int{30, 60, 120, 240, 480, 900, 900} {
		if early := w.take(10); len(early) != 0 {
			t.Fatalf("taken before it is due: %v", early)
		}
		w.makeDue()
		if got := named(w.take(10)); !slices.Equal(got, []uuid.UUID{a.ID}) {
			t.Fatalf("due: %v, want %s", got, a.ID)
		}
		w.wantDueIn(a, next, "after a turn")
	}
	w.exec(`UPDATE attempts SET enquiry_count = 2000000000`)
	w.makeDue()
	w.take(10)
	w.wantDueIn(a, 900, "after ages")
	w.release(a)
	w.wantDueIn(a, 900, "released")
	w.cancel(a)
	if w.dueIn(a) != -1 {
		t.Error("an attempt that has ended is asked about")
	}
}

// What a provider has accepted is polled sooner; a doubt after that begins its
// own distances.
func TestPollsAreNotTheDoubtsEnquiries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	w.accept(a)
	w.wantDueIn(a, 5, "after the 202")
	for _, next := range []int{5, 10, 20, 40, 60, 60} {
		w.makeDue()
		w.take(10)
		w.wantDueIn(a, next, "after a poll")
	}
	w.doubt(a)
	w.wantDueIn(a, 15, "after the doubt")
	w.makeDue()
	w.take(10)
	w.wantDueIn(a, 30, "after its first enquiry")
}

// Two nodes look at once: each turn has one taker, and nobody takes more than
// there is room for.
func TestOneTakerForEachTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const doubts = 12
	for i := range doubts {
		_, a := w.running(fmt.Sprint("k", i))
		w.doubt(a)
	}
	for _, room := range []int{1, 5, 1, 5} {
		w.makeDue()
		if got := w.take(room); len(got) != room {
			t.Errorf("took %d with room for %d", len(got), room)
		}
		w.exec(`ANALYZE attempts`) // another plan must not take more
	}
	w.makeDue()
	other := ledger.New(w.pool, ledger.Options{Waker: asleep{}})
	var mu sync.Mutex
	taken := map[uuid.UUID]int{}
	together(t, 8, func(ctx context.Context, i int) error {
		node := []*ledger.Ledger{w.Ledger, other}[i%2]
		for range doubts {
			refs, err := node.DueEnquiries(ctx, 3)
			if err != nil {
				return err
			}
			mu.Lock()
			for _, id := range named(refs) {
				taken[id]++
			}
			mu.Unlock()
		}
		return nil
	})
	if len(taken) != doubts {
		t.Errorf("%d of %d were taken", len(taken), doubts)
	}
	for id, n := range taken {
		if n != 1 {
			t.Errorf("the turn of %s was taken %d times", id, n)
		}
	}
}

func TestEnquireOnDemand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	act := ledger.AttemptAct{Owner: a.OwnerID, Attempt: a.ID, Actor: w.operator}
	_, err := w.EnquireNow(t.Context(), act)
	changed := wantError[*ledger.AttemptChangedError](t, err)
	if changed.State != ledger.Running {
		t.Errorf("nothing to ask about: %+v", changed)
	}
	w.doubt(a)
	act.Seen = ledger.Running
	_, err = w.EnquireNow(t.Context(), act)
	_ = wantError[*ledger.AttemptChangedError](t, err)
	act.Seen = ledger.Unknown
	before := w.job(job).Revision
	got, err := w.EnquireNow(t.Context(), act)
	if err != nil || got.State != ledger.Unknown || got.NextEnquiryAt == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if w.job(job).Revision == before {
		t.Error("whoever watches the job is not told")
	}
	if got := named(w.take(10)); !slices.Equal(got, []uuid.UUID{a.ID}) {
		t.Errorf("due: %v", got)
	}
	act.Attempt = uuid.New()
	_, err = w.EnquireNow(t.Context(), act)
	wantIs(t, err, ledger.ErrNotFound)
}

// sentAgo says when the first byte left; where it is not known, when the claim
// was committed.
func (w *world) sentAgo(a ledger.Attempt, known bool, ago time.Duration) {
	w.t.Helper()
	w.exec(`UPDATE attempts SET started_at = clock_timestamp() - make_interval(secs => $2),
		sent_at = CASE WHEN $3 THEN clock_timestamp() - make_interval(secs => $2) END WHERE id = $1`, a.ID, ago.Seconds(), known)
}

// A replay is a send: it is allowed only while its answer may still count, and
// while the provider surely remembers the key.
func TestC11_ReplayIsAllowedFirst(t *testing.T) {
	t.Parallel()
	const lifetime = 23 * time.Hour
	doubted := func(w *world, key string) (ledger.Job, ledger.Attempt) {
		j, a := w.running(key)
		w.doubt(a)
		w.sentAgo(a, true, time.Minute)
		return j, a
	}
	after := func(do ...func(*world, ledger.Job, ledger.Attempt)) func(*world, string) (ledger.Job, ledger.Attempt) {
		return func(w *world, key string) (ledger.Job, ledger.Attempt) { return then(w, key, doubted, do...) }
	}
	for _, c := range []struct {
		name  string
		reach func(*world, string) (ledger.Job, ledger.Attempt)
		may   bool
	}{
		{"unknown", doubted, true},
		{"released", after(func(w *world, _ ledger.Job, a ledger.Attempt) { w.release(a) }), true},
		{"a moment before the key is forgotten", after(func(w *world, _ ledger.Job, a ledger.Attempt) {
			w.sentAgo(a, true, lifetime-time.Minute)
		}), true},
		{"the key is forgotten", after(func(w *world, _ ledger.Job, a ledger.Attempt) { w.sentAgo(a, true, lifetime+time.Second) }), false},
		{"its worker died before it noted the first byte", after(func(w *world, _ ledger.Job, a ledger.Attempt) {
			w.sentAgo(a, false, time.Minute)
		}), true},
		{"so did another's, long ago", after(func(w *world, _ ledger.Job, a ledger.Attempt) {
			w.sentAgo(a, false, lifetime+time.Second)
		}), false},
		{"nobody knows when it was sent", func(w *world, key string) (ledger.Job, ledger.Attempt) {
			j := w.submit(key)
			w.forgottenSend(j.Attempts[0])
			return j, j.Attempts[0]
		}, false},
		{"the job is cancelled", after(func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) }), false},
		{"the attempt is cancelled", after(func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a) }), false},
		{"it was answered", after(func(w *world, _ ledger.Job, a ledger.Attempt) { w.complete(a, `1`) }), false},
		{"another attempt won", after(func(w *world, j ledger.Job, a ledger.Attempt) {
			w.release(a)
			w.complete(w.claim(w.again(j)), `1`)
		}), false},
		{"pending", func(w *world, key string) (ledger.Job, ledger.Attempt) { j := w.submit(key); return j, j.Attempts[0] }, false},
		{"running", func(w *world, key string) (ledger.Job, ledger.Attempt) { return w.running(key) }, false},
		{"accepted", func(w *world, key string) (ledger.Job, ledger.Attempt) {
			j, a := w.running(key)
			w.accept(a)
			w.sentAgo(a, true, time.Minute)
			return j, a
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job, a := c.reach(w, "k")
			before := w.rows(job)
			may, err := w.Replay(t.Context(), a.OwnerID, a.ID, lifetime)
			if err != nil || may != c.may {
				t.Fatalf("may be sent again: %v, %v, want %v", may, err, c.may)
			}
			events := w.count(`SELECT count(*) FROM events WHERE attempt_id = $1 AND action = 'replayed'`, a.ID)
			if events != map[bool]int{true: 1}[c.may] {
				t.Errorf("%d events of it", events)
			}
			if changed := before.changed(w.rows(job)); !c.may && len(changed) != 0 {
				t.Errorf("refused, yet %v changed", changed)
			}
		})
	}
}

func TestEnquiriesAreEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.doubt(a)
	told := []ledger.Enquiry{
		{Attempt: a.ID, Kind: "status", Told: "not_known", Status: 404, Detail: "It does not know\x00 the request."},
		{Attempt: a.ID, Kind: "replay", Told: "no_answer", Detail: "Nothing came."},
		{Attempt: a.ID, Kind: "status", Told: "running", Status: 200, Detail: "At work."},
	}
	for _, e := range told {
		before := w.job(job).Revision
		if err := w.RecordEnquiry(t.Context(), a.OwnerID, e); err != nil {
			t.Fatal(err)
		}
		if now := w.job(job).Revision; now != before+1 {
			t.Errorf("the revision moved from %d to %d", before, now)
		}
	}
	w.wantStates(job, ledger.JobUnknown, ledger.Unknown)
	got, err := w.EnquiriesOfJob(t.Context(), job.OwnerID, job.ID)
	if err != nil || len(got) != len(told) {
		t.Fatalf("%+v, %v", got, err)
	}
	told[0].Detail = "It does not know\ufffd the request."
	for i, e := range got {
		if e.At.IsZero() {
			t.Errorf("no time: %+v", e)
		}
		e.At = time.Time{}
		if e != told[i] {
			t.Errorf("got %+v, want %+v", e, told[i])
		}
	}
	if other, err := w.EnquiriesOfJob(t.Context(), uuid.New(), job.ID); err != nil || len(other) != 0 {
		t.Errorf("another owner reads %v, %v", other, err)
	}
	wantIs(t, w.RecordEnquiry(t.Context(), uuid.New(), told[1]), ledger.ErrNotFound)
}

// toCallOff takes the cancel calls that are to be made.
func (w *world) toCallOff() []uuid.UUID {
	w.t.Helper()
	refs, err := w.DueCancelCalls(w.t.Context(), 10)
	if err != nil {
		w.t.Fatal(err)
	}
	return named(refs)
}

// A provider that may have the work is told once that nobody wants it any more,
// whoever said so, and how often.
func TestCancelCallsAreMadeOnce(t *testing.T) {
	t.Parallel()
	type step = func(*world, ledger.Job, ledger.Attempt)
	var (
		claim     = func(w *world, _ ledger.Job, a ledger.Attempt) { w.claim(a) }
		accept    = func(w *world, _ ledger.Job, a ledger.Attempt) { w.accept(a) }
		doubt     = func(w *world, _ ledger.Job, a ledger.Attempt) { w.doubt(a) }
		release   = func(w *world, _ ledger.Job, a ledger.Attempt) { w.release(a) }
		forget    = func(w *world, _ ledger.Job, a ledger.Attempt) { w.forgottenSend(a) }
		complete  = func(w *world, _ ledger.Job, a ledger.Attempt) { w.complete(a, `1`) }
		cancel    = func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a) }
		cancelJob = func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) }
	)
	for _, c := range []struct {
		name   string
		called bool
		steps  []step
	}{
		{"pending attempt", false, []step{cancel}},
		{"running attempt", true, []step{claim, cancel}},
		{"accepted attempt", true, []step{claim, accept, cancel}},
		{"unknown attempt", true, []step{claim, doubt, cancel}},
		{"released attempt", true, []step{claim, doubt, release, cancel}},
		{"attempt whose send was forgotten", true, []step{forget, cancel}},
		{"job with a pending attempt", false, []step{cancelJob}},
		{"job with a running attempt", true, []step{claim, cancelJob}},
		{"job with an unknown attempt", true, []step{claim, doubt, cancelJob}},
		{"job with a released attempt", true, []step{claim, release, cancelJob}},
		{"job with an attempt whose send was forgotten", true, []step{forget, cancelJob}},
		{"job, then its attempt", true, []step{claim, cancelJob, cancel}},
		{"job, then its attempt out of doubt", true, []step{claim, doubt, cancelJob, cancel}},
		{"attempt, then its job", true, []step{claim, cancel, cancelJob}},
		{"job twice", true, []step{claim, cancelJob, cancelJob}},
		{"job, whose attempt is answered", true, []step{claim, cancelJob, complete}},
		{"nothing", false, []step{claim, complete}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submit("k")
			id := job.Attempts[0].ID
			var called []uuid.UUID
			for _, s := range c.steps {
				s(w, job, w.attempt(job.Attempts[0]))
				called = append(called, w.toCallOff()...)
			}
			var want []uuid.UUID
			if c.called {
				want = []uuid.UUID{id}
			}
			if !slices.Equal(called, want) {
				t.Errorf("called off %v, want %v", called, want)
			}
		})
	}
}

func TestOneTakerForEachCancelCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const attempts = 12
	for i := range attempts {
		_, a := w.running(fmt.Sprint("k", i))
		w.cancel(a)
	}
	var mu sync.Mutex
	taken := map[uuid.UUID]int{}
	together(t, 8, func(ctx context.Context, _ int) error {
		for range attempts {
			refs, err := w.DueCancelCalls(ctx, 2)
			if err != nil {
				return err
			}
			if len(refs) > 2 {
				t.Errorf("took %d with room for 2", len(refs))
			}
			mu.Lock()
			for _, id := range named(refs) {
				taken[id]++
			}
			mu.Unlock()
		}
		return nil
	})
	if len(taken) != attempts {
		t.Errorf("%d of %d were taken", len(taken), attempts)
	}
	for id, n := range taken {
		if n != 1 {
			t.Errorf("the call of %s was taken %d times", id, n)
		}
	}
}

// What the provider answered is evidence beside what stands there already.
func TestCancelCallsAnswerIsEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	written := int64(120)
	_, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: "timeout",
		Call: ledger.Call{Evidence: ledger.Evidence{BytesWritten: &written}}})
	if err != nil {
		t.Fatal(err)
	}
	w.cancel(a)
	if err := w.NoteCancelCall(t.Context(), a.OwnerID, a.ID, "too late\x00 (409)"); err != nil {
		t.Fatal(err)
	}
	var got ledger.Evidence
	if err := json.Unmarshal(w.attempt(a).Evidence, &got); err != nil {
		t.Fatal(err)
	}
	if got.Cancel != "too late\ufffd (409)" || got.BytesWritten == nil || *got.BytesWritten != written {
		t.Errorf("evidence %+v", got)
	}
	wantIs(t, w.NoteCancelCall(t.Context(), uuid.New(), a.ID, ""), ledger.ErrNotFound)
}

// Whoever found that a running attempt cannot be asked about does not stop the
// enquiries of the doubt that came in between.
func TestEnquiriesStopForTheStateThatWasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	w.accept(a)
	stop := func(seen ledger.AttemptState) {
		t.Helper()
		if err := w.StopEnquiring(t.Context(), a.OwnerID, a.ID, seen); err != nil {
			t.Fatal(err)
		}
	}
	stop(ledger.Running)
	if w.dueIn(a) != -1 {
		t.Error("polled although its provider cannot be asked")
	}
	w.doubt(a)
	stop(ledger.Running)
	w.wantDueIn(a, 15, "after the doubt")
	stop(ledger.Unknown)
	if w.dueIn(a) != -1 {
		t.Error("asked about although its provider cannot be")
	}
}
