package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db/dbtest"
	"kwit/ledger"
	"kwit/outcome"
)

// lossy is a world whose ledger reaches its database through a line; a second
// ledger goes past it.
type lossy struct {
	*world
	line     *line
	linePool *pgxpool.Pool
	through  *ledger.Ledger
}

func newLossy(t *testing.T) *lossy {
	t.Helper()
	w := newWorld(t)
	l, pool := newLine(t, w.pool.Config().ConnString())
	return &lossy{world: w, line: l, linePool: pool, through: ledger.New(pool, ledger.Options{Waker: asleep{}})}
}

// committed is a transition whose COMMIT may get no answer: what goes before
// it, and the transition itself, which says what is wrong with its answer.
type committed struct {
	name    string
	prepare func(w *lossy, key string) (ledger.Job, ledger.Attempt)
	do      func(w *lossy, key string, j ledger.Job, a ledger.Attempt, stamp uuid.UUID) error
}

func wrong(ok bool, err error, answer any) error {
	if err == nil && !ok {
		return fmt.Errorf("the answer is wrong: %+v", answer)
	}
	return err
}

var committers = func() []committed {
	nobody := func(*lossy, string) (ledger.Job, ledger.Attempt) { return ledger.Job{}, ledger.Attempt{} }
	pending := func(w *lossy, key string) (ledger.Job, ledger.Attempt) { j := w.submit(key); return j, j.Attempts[0] }
	running := func(w *lossy, key string) (ledger.Job, ledger.Attempt) { return w.running(key) }
	in := func(do func(w *world, j ledger.Job, a ledger.Attempt)) func(w *lossy, key string) (ledger.Job, ledger.Attempt) {
		return func(w *lossy, key string) (ledger.Job, ledger.Attempt) {
			j, a := w.running(key)
			do(w.world, j, a)
			return j, a
		}
	}
	unknown := in(func(w *world, _ ledger.Job, a ledger.Attempt) { w.doubt(a) })
	return []committed{
		{"submit", nobody, func(w *lossy, key string, _ ledger.Job, _ ledger.Attempt, _ uuid.UUID) error {
			r, err := w.through.Submit(w.t.Context(), w.submission(key, `{}`))
			return wrong(r.Created && len(r.Job.Attempts) == 1, err, r)
		}},
		{"claim", pending, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, stamp uuid.UUID) error {
			c := w.claimOf(a)
			c.Stamp = stamp
			_, got, err := w.through.Claim(w.t.Context(), c)
			return wrong(err == nil && got.State == ledger.Running && *got.ClaimStamp == stamp, err, got)
		}},
		{"accept", running, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			ok, err := w.through.Accept(w.t.Context(), a.OwnerID, a.ID, ledger.Call{})
			return wrong(ok, err, ok)
		}},
		{"complete", running, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			v, err := w.through.Complete(w.t.Context(), w.completion(a, `1`))
			return wrong(v == ledger.Verdict{State: ledger.Succeeded}, err, v)
		}},
		{"complete, beaten", in(func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) }),
			func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
				v, err := w.through.Complete(w.t.Context(), w.completion(a, `1`))
				return wrong(v == ledger.Verdict{State: ledger.Discarded, Late: ledger.JobWasOver}, err, v)
			}},
		{"complete, late", in(func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a) }),
			func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
				v, err := w.through.Complete(w.t.Context(), w.completion(a, `1`))
				return wrong(v == ledger.Verdict{State: ledger.Cancelled, Late: ledger.Fenced}, err, v)
			}},
		{"fail", running, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			f := w.failure(a, outcome.NotProcessed)
			f.Retry.Attempts = 2
			state, err := w.through.Fail(w.t.Context(), f)
			return wrong(state == ledger.Failed, err, state)
		}},
		{"doubt", running, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			ok, err := w.through.Doubt(w.t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: outcome.Timeout})
			return wrong(ok, err, ok)
		}},
		{"start due", in(func(w *world, j ledger.Job, a ledger.Attempt) { w.plan(j, a) }),
			func(w *lossy, _ string, j ledger.Job, _ ledger.Attempt, _ uuid.UUID) error {
				ok, err := w.through.StartDue(w.t.Context(), j.OwnerID, j.ID)
				return wrong(ok, err, ok)
			}},
		{"cancel", unknown, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			got, err := w.through.Cancel(w.t.Context(), w.act(a))
			return wrong(err == nil && got.State == ledger.Cancelled, err, got)
		}},
		{"release", unknown, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			got, err := w.through.Release(w.t.Context(), w.act(a))
			return wrong(err == nil && got.State == ledger.Released, err, got)
		}},
		{"resolve", unknown, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			got, err := w.through.Resolve(w.t.Context(), ledger.Resolution{AttemptAct: w.act(a), Succeeded: true, Result: []byte(`1`)})
			return wrong(err == nil && got.State == ledger.Succeeded, err, got)
		}},
		{"claim in a slot", func(w *lossy, key string) (ledger.Job, ledger.Attempt) { w.slots(10); return pending(w, key) },
			func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, stamp uuid.UUID) error {
				c := w.claimOf(a)
				c.Stamp, c.Slots = stamp, 10
				_, got, err := w.through.Claim(w.t.Context(), c)
				return wrong(err == nil && got.State == ledger.Running && *got.ClaimStamp == stamp, err, got)
			}},
		{"doubt in a slot", func(w *lossy, key string) (ledger.Job, ledger.Attempt) { w.slots(10); return w.inSlot(key, 10) },
			func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
				ok, err := w.through.Doubt(w.t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: outcome.Timeout})
				return wrong(ok, err, ok)
			}},
		{"forgotten send", pending, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			ok, err := w.through.ForgottenSend(w.t.Context(), a.OwnerID, a.ID)
			return wrong(ok, err, ok)
		}},
		{"cancel job", pending, func(w *lossy, _ string, j ledger.Job, _ ledger.Attempt, _ uuid.UUID) error {
			got, err := w.through.CancelJob(w.t.Context(), w.jobAct(j))
			return wrong(err == nil && got.State == ledger.JobCancelled && len(got.Attempts) == 1, err, got)
		}},
		{"try again", in(func(w *world, _ ledger.Job, a ledger.Attempt) { w.fail(a, outcome.Rejected) }),
			func(w *lossy, _ string, j ledger.Job, _ ledger.Attempt, _ uuid.UUID) error {
				a, created, err := w.through.TryAgain(w.t.Context(), ledger.NewAttempt{JobAct: w.jobAct(j), Ordinal: 2})
				return wrong(created && a != nil && a.Ordinal == 2, err, a)
			}},
	}
}()

// askers change no state. Whoever could not be told whether one was done asks
// again at another time, so they are not told from their twins.
var askers = func() []committed {
	unknown := func(w *lossy, key string) (ledger.Job, ledger.Attempt) {
		j, a := w.running(key)
		w.doubt(a)
		return j, a
	}
	return []committed{
		{"enquire now", unknown, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			got, err := w.through.EnquireNow(w.t.Context(), ledger.AttemptAct{Owner: a.OwnerID, Attempt: a.ID, Actor: w.operator})
			return wrong(err == nil && got.State == ledger.Unknown, err, got)
		}},
		{"replay", unknown, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			may, err := w.through.Replay(w.t.Context(), a.OwnerID, a.ID, time.Hour)
			return wrong(may, err, may)
		}},
		{"record an enquiry", unknown, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			return w.through.RecordEnquiry(w.t.Context(), a.OwnerID, ledger.Enquiry{Attempt: a.ID, Kind: "status", Told: "running", Status: 200})
		}},
		{"note a cancel call", unknown, func(w *lossy, _ string, _ ledger.Job, a ledger.Attempt, _ uuid.UUID) error {
			return w.through.NoteCancelCall(w.t.Context(), a.OwnerID, a.ID, "too late (409)")
		}},
	}
}()

// plan fails an attempt so that the next one comes by itself, and is due.
func (w *world) plan(j ledger.Job, a ledger.Attempt) {
	w.t.Helper()
	f := w.failure(a, outcome.NotProcessed)
	f.Retry.Attempts = 2
	if _, err := w.Fail(w.t.Context(), f); err != nil {
		w.t.Fatal(err)
	}
	w.exec(`UPDATE jobs SET next_attempt_at = clock_timestamp() - interval '1 second' WHERE id = $1`, j.ID)
}

// effect is what a transition left: states, events and late results, without
// ids and times.
func (w *world) effect(key string) (lines []string) {
	w.t.Helper()
	got, err := w.pool.Query(w.t.Context(), `
		WITH j AS (SELECT * FROM jobs WHERE idempotency_key = $1)
		SELECT concat_ws(' ', 'job', state, version, revision, next_attempt_at IS NOT NULL) FROM j
		UNION ALL SELECT concat_ws(' ', 'attempt', a.ordinal, a.state, a.accepted_at IS NOT NULL) FROM attempts a JOIN j ON a.job_id = j.id
		UNION ALL SELECT concat_ws(' ', 'event', e.action, e.from_state, e.to_state) FROM events e JOIN j ON e.job_id = j.id
		UNION ALL SELECT concat_ws(' ', 'late', l.why) FROM late_results l JOIN j ON l.job_id = j.id
		UNION ALL SELECT concat_ws(' ', 'slot of', a.ordinal) FROM provider_slots s JOIN attempts a ON a.id = s.attempt_id JOIN j ON a.job_id = j.id
		UNION ALL SELECT concat_ws(' ', 'enquiry', q.kind, q.told) FROM enquiries q JOIN attempts a ON a.id = q.attempt_id JOIN j ON a.job_id = j.id
		ORDER BY 1`, key)
	if err != nil {
		w.t.Fatal(err)
	}
	if lines, err = pgx.CollectRows(got, pgx.RowTo[string]); err != nil {
		w.t.Fatal(err)
	}
	return lines
}

var cuts = []struct {
	name string
	cut  func(*call, []byte)
}{{"before the server acted", cutBefore}, {"after the server acted", cutAfter}, {"while the server acts", cutInFlight}}

// The answer to COMMIT is lost, and the database is there: the transition has
// happened exactly once, and its answer is right.
func TestLostCommitIsSettled(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(committers, askers) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newLossy(t)
			j, a := c.prepare(w, "plain")
			if err := c.do(w, "plain", j, a, uuid.New()); err != nil {
				t.Fatal(err)
			}
			want := w.effect("plain")
			for i, cut := range cuts {
				key := fmt.Sprint("k", i)
				j, a := c.prepare(w, key)
				w.line.onCommit(cut.cut)
				if err := c.do(w, key, j, a, uuid.New()); err != nil {
					t.Errorf("cut %s: %v", cut.name, err)
				}
				if !w.line.met() {
					t.Fatalf("cut %s: no COMMIT went through the line", cut.name)
				}
				if got := w.effect(key); !slices.Equal(got, want) {
					t.Errorf("cut %s:\n%q\nwant\n%q", cut.name, got, want)
				}
			}
		})
	}
}

// The answer to COMMIT is lost, and the database stays away: nobody says that
// it was done or not, and the same call again settles it.
func TestLostCommitIsNotGuessed(t *testing.T) {
	t.Parallel()
	for _, c := range committers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newLossy(t)
			j, a := c.prepare(w, "plain")
			if err := c.do(w, "plain", j, a, uuid.New()); err != nil {
				t.Fatal(err)
			}
			want := w.effect("plain")
			for i, cut := range cuts[:2] {
				key, stamp := fmt.Sprint("k", i), uuid.New()
				j, a := c.prepare(w, key)
				w.line.onCommit(func(c *call, commit []byte) {
					c.setAway(true)
					cut.cut(c, commit)
				})
				if err := c.do(w, key, j, a, stamp); !errors.Is(err, ledger.ErrOutcomeUnknown) {
					t.Errorf("cut %s: %v", cut.name, err)
				}
				w.line.setAway(false)
				again := c.do(w, key, j, a, stamp)
				if errors.Is(again, ledger.ErrOutcomeUnknown) {
					t.Errorf("cut %s, then again: %v", cut.name, again)
				}
				if got := w.effect(key); !slices.Equal(got, want) {
					t.Errorf("cut %s, then again (%v):\n%q\nwant\n%q", cut.name, again, got, want)
				}
			}
		})
	}
}

// A COMMIT that did not happen leaves room for somebody else: who is refused
// then is told so, not that nothing is known.
func TestLostCommitThenRefused(t *testing.T) {
	t.Parallel()
	w := newLossy(t)
	job := w.submit("k")
	first := func(act func()) func(*call, []byte) {
		return func(c *call, commit []byte) {
			c.muted.Store(true)
			_ = c.server.Close() // rolled back
			act()
			cutBefore(c, commit)
		}
	}
	other := make(chan ledger.Attempt, 1)
	w.line.onCommit(first(func() { other <- w.claim(job.Attempts[0]) }))
	_, _, err := w.through.Claim(t.Context(), w.claimOf(job.Attempts[0]))
	wantIs(t, err, ledger.ErrNotClaimable)
	if errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Errorf("a refused claim: %v", err)
	}

	holder := <-other
	w.line.onCommit(first(func() { w.cancel(holder) }))
	_, err = w.through.Release(t.Context(), w.act(holder))
	_ = wantError[*ledger.AttemptChangedError](t, err)
	if errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Errorf("a refused release: %v", err)
	}

	w.line.onCommit(first(func() { w.submit("k2") }))
	_, err = w.through.Submit(t.Context(), w.submission("k2", `{"another":"intent"}`))
	_ = wantError[*ledger.ConflictError](t, err)
	if errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Errorf("a conflict: %v", err)
	}
}

// A browser that goes away at COMMIT is no reason to abort what is about to be
// stored; where the answer is lost as well, nobody waits for it.
func TestTheCallerGoesAwayAtCommit(t *testing.T) {
	t.Parallel()
	w := newLossy(t)
	ctx, leave := context.WithCancel(t.Context())
	w.line.onCommit(func(c *call, commit []byte) {
		leave()
		if _, err := c.server.Write(commit); err != nil {
			t.Errorf("deliver COMMIT: %v", err)
		}
		_, _ = c.client.Read(make([]byte, 1))
		_ = c.client.Close()
	})
	if r, err := w.through.Submit(ctx, w.submission("k", `{}`)); err != nil || !r.Created {
		t.Errorf("the caller left at COMMIT: %+v, %v", r, err)
	}
	ctx, leave = context.WithCancel(t.Context())
	w.line.onCommit(func(c *call, commit []byte) {
		leave()
		cutAfter(c, commit)
	})
	_, err := w.through.Submit(ctx, w.submission("k2", `{}`))
	wantIs(t, err, ledger.ErrOutcomeUnknown)
}

// PostgreSQL is killed at COMMIT and comes back: whatever was told is true, and
// the same call again settles the rest.
func TestLostCommitByAKilledServer(t *testing.T) {
	t.Parallel()
	server := dbtest.StartServer(t)
	address := server.NewURL()
	l, pool := newLine(t, address)
	w := &lossy{world: worldOn(t, pool), line: l}
	w.through = w.Ledger
	for round, deliver := range []bool{false, true} {
		key := fmt.Sprint("k", round)
		back := make(chan struct{})
		l.onCommit(func(c *call, commit []byte) {
			if deliver {
				cutAfter(c, commit)
			}
			server.Kill()
			_ = c.client.Close()
			go func() { defer close(back); server.Start() }()
		})
		r, err := w.Submit(t.Context(), w.submission(key, `{}`))
		if err != nil && !errors.Is(err, ledger.ErrOutcomeUnknown) {
			t.Errorf("round %d: %v", round, err)
		}
		<-back
		again := w.submitUntilThere(key)
		if r.Created && r.Job.ID != again.Job.ID {
			t.Errorf("round %d: the job that was promised is lost", round)
		}
		if n := w.count(`SELECT count(*) FROM jobs WHERE idempotency_key = $1`, key); n != 1 {
			t.Errorf("round %d: %d jobs", round, n)
		}
	}
	w.sound()
}

// The pool's connections have died: a submission takes the next that lives.
func TestDeadConnectionsArePassedOver(t *testing.T) {
	t.Parallel()
	w := newLossy(t)
	pool := w.linePool
	held := make([]*pgxpool.Conn, 0, pool.Config().MaxConns)
	for range cap(held) {
		c, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	for _, c := range held {
		c.Release()
	}
	w.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'line'`)
	if r, err := w.through.Submit(t.Context(), w.submission("k", `{}`)); err != nil || !r.Created {
		t.Errorf("%+v, %v", r, err)
	}
}

// submitUntilThere sends the same key until the pool has forgotten the
// connections of the server that died.
func (w *lossy) submitUntilThere(key string) ledger.Receipt {
	w.t.Helper()
	for range 20 {
		if r, err := w.Submit(w.t.Context(), w.submission(key, `{}`)); err == nil {
			return r
		}
	}
	w.t.Fatal("the database does not come back")
	return ledger.Receipt{}
}

// The database commits, says so, and goes away: what was done is told, without
// asking the database again.
func TestAnswerNeedsNoFurtherRead(t *testing.T) {
	t.Parallel()
	for _, c := range committers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newLossy(t)
			j, a := c.prepare(w, "k")
			w.line.onCommit(func(c *call, commit []byte) {
				c.setAway(true)
				if _, err := c.server.Write(commit); err != nil {
					t.Errorf("deliver COMMIT: %v", err)
				}
				// Its answer goes through. Whatever is asked next does not.
				_, _ = c.client.Read(make([]byte, 1))
				_ = c.client.Close()
			})
			if err := c.do(w, "k", j, a, uuid.New()); err != nil {
				t.Error(err)
			}
		})
	}
}
