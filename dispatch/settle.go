package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"kwit/db"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/provider"
)

const (
	retryEvery = 500 * time.Millisecond
	keepWithin = 5 * time.Second
	// A verdict is worth waiting for a database that is away: what was paid for
	// is in this process's hands.
	persistWithin = 10 * time.Minute
)

// settle tells the ledger how a call ended.
func (d *Dispatcher) settle(c *call, end provider.End) {
	known, call := c.known(), callOf(end)
	call.Sent, call.SentAgo, call.Timeout = known.Sent, known.SentAgo, known.Timeout
	call.Evidence.BytesWritten, call.Evidence.Sealed = &end.BytesWritten, end.Sealed
	switch {
	case end.Accepted:
		d.persist(c, "accept", func(ctx context.Context) error {
			accepted, err := d.o.Ledger.Accept(ctx, c.attempt.OwnerID, c.attempt.ID, call)
			if err != nil || accepted {
				return err
			}
			return d.settlesNothing(ctx, c.attempt.OwnerID, c.attempt.ID, end)
		})
	case end.Outcome == outcome.Succeeded || end.Outcome.Failure():
		d.persist(c, "verdict", func(ctx context.Context) error {
			v, err := d.judge.Answer(ctx, &c.job, &c.attempt, end, call)
			if err == nil && v.Late != "" {
				d.log.Info("an answer came too late and was dropped", "job", c.job.ID, "attempt", c.attempt.ID, "why", v.Late)
			}
			return err
		})
	default:
		d.persist(c, "doubt", func(ctx context.Context) error { return d.doubt(ctx, c.attempt, end, call) })
	}
}

// doubt turns the attempt unknown. One that is unknown already stays so; what
// came is evidence.
func (d *Dispatcher) doubt(ctx context.Context, a ledger.Attempt, end provider.End, call ledger.Call) error {
	if d.alive.Err() != nil {
		end.Outcome, end.Detail = outcome.WorkerLost, "kwit was stopped while the answer was still awaited"
	}
	doubted, err := d.o.Ledger.Doubt(ctx, ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp,
		Outcome: end.Outcome, Detail: end.Detail, Call: call, ByAnswer: end.Answer != nil})
	if err != nil || doubted || end.Answer == nil {
		return err
	}
	return d.settlesNothing(ctx, a.OwnerID, a.ID, end)
}

// settlesNothing keeps what an answer is good for although it clears no doubt:
// its bytes for people, and the provider's own name for the work to ask by.
func (d *Dispatcher) settlesNothing(ctx context.Context, owner, attempt uuid.UUID, end provider.End) error {
	if err := d.o.Ledger.NoteRequestID(ctx, owner, attempt, end.ProviderRequestID); err != nil {
		return err
	}
	return d.o.Ledger.AnswerSettlesNothing(ctx, owner, attempt)
}

// persist repeats a transition until the database has said what became of it: a
// disk that was full for a moment must not lose an answer that was paid for.
// Each is guarded, so a repetition that finds its work done changes nothing. It
// goes on for a moment while the process is being stopped.
func (d *Dispatcher) persist(c *call, what string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), persistWithin)
	defer cancel()
	stop := context.AfterFunc(d.alive, func() { time.AfterFunc(keepWithin, cancel) })
	defer stop()
	for {
		err := do(ctx)
		if err == nil {
			return
		}
		again := errors.Is(err, ledger.ErrOutcomeUnknown) || db.Unreachable(err) || db.Overloaded(err) || db.MayRunAgain(err)
		d.log.Warn("a verdict could not be stored", "what", what, "job", c.job.ID, "attempt", c.attempt.ID, "again", again, "error", err)
		if !again || !sleep(ctx, retryEvery) {
			return
		}
	}
}

// sleep waits, and reports false where ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
