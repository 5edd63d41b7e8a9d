package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"kwit/ledger"
)

// wakeUp is River's job: somebody should look at this attempt.
type wakeUp struct {
	OwnerID   uuid.UUID `json:"owner_id"`
	AttemptID uuid.UUID `json:"attempt_id"`
}

// Kind names the job to River.
func (wakeUp) Kind() string { return "attempt" }

// River's default of 100 ms caps a node at a thousand jobs a second. It also
// holds back the notification of whatever is inserted within that time of
// another, which then waits for a poll.
const fetchCooldown = time.Millisecond

// A resumed provider's attempts are woken at once; see watchPauses.
const whilePaused = time.Minute

// The dispatcher watches the clock itself, so River's timeout ends nothing here.
// It must be there all the same: what has none is never rescued, and the rows of
// dead workers would lie in the queue as running for ever.
const longestWake = 24 * time.Hour

// queueOf is the River queue of a provider.
func queueOf(provider string) string { return "provider-" + provider }

// NewWaker returns what a ledger enqueues its wake-ups by, in a process that
// need not dispatch itself.
func NewWaker(pool *pgxpool.Pool) (ledger.Waker, error) {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{FetchCooldown: fetchCooldown})
	if err != nil {
		return nil, err
	}
	return waker{client}, nil
}

type waker struct{ client *river.Client[pgx.Tx] }

// WakeAttempt uses no unique options of River's: the claim makes doubles
// harmless.
func (w waker) WakeAttempt(ctx context.Context, tx pgx.Tx, owner, attempt uuid.UUID, provider string) error {
	_, err := w.client.InsertTx(ctx, tx, wakeUp{OwnerID: owner, AttemptID: attempt},
		&river.InsertOpts{Queue: queueOf(provider)})
	return err
}

func (d *Dispatcher) newRiver() (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &worker{d: d}); err != nil {
		return nil, err
	}
	queues := make(map[string]river.QueueConfig, len(d.o.Providers))
	for name, p := range d.o.Providers {
		queues[queueOf(name)] = river.QueueConfig{MaxWorkers: p.MaxConcurrent}
	}
	return river.NewClient(riverpgxv5.New(d.o.Pool), &river.Config{
		ID:                d.o.Node.String(),
		Queues:            queues,
		Workers:           workers,
		Logger:            slog.New(quiet{d.log.Handler()}),
		FetchCooldown:     fetchCooldown,
		FetchPollInterval: 500 * time.Millisecond,
		JobTimeout:        longestWake,
	})
}

// worker is River's way in.
type worker struct {
	river.WorkerDefaults[wakeUp]
	d *Dispatcher
}

// NextRetry keeps a wake-up that met an unreachable database coming soon: the
// claim is what makes it harmless, so nothing is gained by waiting longer.
func (w *worker) NextRetry(*river.Job[wakeUp]) time.Time { return time.Now().Add(time.Second) }

// Work sends the attempt, if it is still to be sent, and returns when it ended
// or its deadline passed. River's context is not used for the call: a soft stop
// must not cut one short.
func (w *worker) Work(_ context.Context, job *river.Job[wakeUp]) error {
	provider := strings.TrimPrefix(job.Queue, queueOf(""))
	if w.d.paused.has(provider) {
		return river.JobSnooze(whilePaused)
	}
	if wait := w.d.rates.take(provider); wait > 0 {
		return river.JobSnooze(wait)
	}
	err := w.d.send(job.Args.OwnerID, job.Args.AttemptID)
	if errors.Is(err, ledger.ErrWait) {
		return river.JobSnooze(w.d.turns.take(provider, time.Now()))
	}
	if errors.Is(err, ledger.ErrNotClaimable) || errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	return err
}
