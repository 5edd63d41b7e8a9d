package ledger_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/ledger"
)

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
