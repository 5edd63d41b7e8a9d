// Package dispatch sends attempts to their providers: it claims one, calls,
// watches the clock, listens on after the deadline, and sweeps up what other
// workers left behind.
//
// River wakes it, and decides nothing. A wake-up that comes twice finds the
// attempt claimed; one that is lost is made good by the sweeper. What is sent,
// and that it is sent once, the ledger's claim decides, together with the gate
// that every byte must pass (2-ledger, "One send").
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"kwit/contract"
	"kwit/ledger"
	"kwit/provider"
)

// Provider is a configured provider and its limit.
type Provider struct {
	provider.Provider
	MaxConcurrent int           // running attempts at once, over all nodes
	Interval      time.Duration // at least, between two requests of one process; 0: no bound
	Callbacks     bool          // it may call back, so it is told where
}

// Timing is what today's configuration says of a job type. It holds for old
// jobs too.
type Timing struct {
	Timeout  time.Duration // from the first byte sent until the attempt is unknown
	Linger   time.Duration // how long to listen on after that
	Attempts int           // automatic ones for each provider, the first one counted
}

// Options are what a dispatcher needs.
type Options struct {
	Pool      *pgxpool.Pool
	Ledger    *ledger.Ledger
	Providers map[string]Provider
	Timing    func(jobType string) Timing // a job type that is gone has the defaults
	// Contract returns the contract of the job type's version with this digest.
	Contract func(ctx context.Context, digest string) (*contract.Contract, error)
	// CallbackAddress is where a provider that has Callbacks calls back about an
	// attempt; nil where no provider does.
	CallbackAddress func(owner, attempt uuid.UUID) string
	Node            uuid.UUID
	Name            string // of the node, for people
	Log             *slog.Logger
}

// Dispatcher is the worker of one process.
type Dispatcher struct {
	o     Options
	log   *slog.Logger
	river *river.Client[pgx.Tx]

	// alive ends when calls in flight are given up; until then neither a drain
	// nor River's own contexts end one.
	alive      context.Context
	giveUp     context.CancelFunc
	background sync.WaitGroup

	judge   *Judge
	calls   calls
	paused  paused
	rates   rates
	turns   turns
	replays replays
	linger  chan struct{} // bounds how many calls are listened to after their deadline
	// They bound how many providers are asked, and called off, at once: one that
	// hangs when it is asked holds up no cancel call.
	asking, calling chan struct{}
}

// Calls that are past their deadline cost a connection and a goroutine each.
const mostLingering = 1000

// New prepares a dispatcher; Start sets it to work.
func New(o Options) (*Dispatcher, error) {
	alive, giveUp := context.WithCancel(context.Background())
	d := &Dispatcher{o: o, log: o.Log.With("node", o.Name), alive: alive, giveUp: giveUp,
		judge:  &Judge{Ledger: o.Ledger, Contract: o.Contract, Timing: o.Timing},
		rates:  newRates(o.Providers),
		linger: make(chan struct{}, mostLingering), asking: make(chan struct{}, enquireMost),
		calling: make(chan struct{}, enquireMost)}
	client, err := d.newRiver()
	if err != nil {
		giveUp()
		return nil, fmt.Errorf("set up the queue: %w", err)
	}
	d.river = client
	return d, nil
}

// Start begins to take attempts. ctx bounds the start only.
func (d *Dispatcher) Start(ctx context.Context) error {
	if _, err := d.o.Ledger.BeatNode(ctx, d.o.Node, d.o.Name); err != nil {
		return fmt.Errorf("enter this node: %w", err)
	}
	for name, p := range d.o.Providers {
		if err := d.o.Ledger.EnsureSlots(ctx, name, p.MaxConcurrent); err != nil {
			return fmt.Errorf("make the slots of %s: %w", name, err)
		}
	}
	if err := d.river.Start(d.alive); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	d.every(beatEvery, d.beat)
	d.every(sweepEvery, d.sweep)
	d.every(dueEvery, d.startDue)
	d.every(dueEvery, d.watchPauses)
	d.every(enquireEvery, d.enquire)
	d.every(enquireEvery, d.callOff)
	return nil
}

// Stop takes no further attempts and waits for those under way until ctx ends.
// What has no answer by then is unknown.
func (d *Dispatcher) Stop(ctx context.Context) error {
	err := d.river.Stop(ctx)
	d.giveUp()
	d.background.Wait()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		d.log.Warn("stopped while attempts were under way; they are unknown now")
		return nil
	}
	return err
}

// every runs a task in the background, again and again, until the dispatcher
// is stopped.
func (d *Dispatcher) every(period time.Duration, task func(context.Context) error) {
	d.background.Go(func() {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-d.alive.Done():
				return
			case <-tick.C:
			}
			ctx, cancel := context.WithTimeout(d.alive, taskWithin)
			err := task(ctx)
			cancel()
			if err != nil && d.alive.Err() == nil {
				d.log.Warn("a round of the dispatcher failed; it is tried again", "error", err)
			}
		}
	})
}
