package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"kwit/db"
	"kwit/faultpoint"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/provider"
)

// send claims an attempt and calls its provider once.
func (d *Dispatcher) send(owner, attempt uuid.UUID) error {
	c, err := d.claim(owner, attempt)
	if err != nil {
		return err
	}
	defer d.calls.remove(c)
	faultpoint.Hit("send:claimed")

	request, err := d.render(c.ctx, &c.job, &c.attempt)
	if err != nil {
		c.hangUp()
		d.settle(c, provider.End{Outcome: outcome.NotSent, Detail: err.Error()})
		return nil
	}
	ended := make(chan provider.End, 1)
	p := d.o.Providers[c.attempt.Provider]
	d.background.Go(func() {
		defer c.hangUp()
		ended <- p.Send(c.ctx, c.gate, request, func(a provider.Answer) error { return d.keep(c, a) })
	})
	return d.await(c, ended)
}

// claim makes the attempt this worker's. The claim is repeated under its own
// stamp while nobody can say whether it was committed, and given up when what
// it allows would be too old anyway.
func (d *Dispatcher) claim(owner, attempt uuid.UUID) (*call, error) {
	ctx, cancel := context.WithTimeout(d.alive, freshFor)
	defer cancel()
	a, err := d.o.Ledger.Attempt(ctx, owner, attempt)
	if err != nil {
		return nil, err
	}
	if a.State != ledger.Pending {
		return nil, ledger.ErrNotClaimable
	}
	job, err := d.o.Ledger.Job(ctx, owner, a.JobID)
	if err != nil {
		return nil, err
	}
	if _, configured := d.o.Providers[a.Provider]; !configured {
		return nil, fmt.Errorf("attempt %s is for provider %s, which is not configured any more: it is not sent", a.ID, a.Provider)
	}
	timing := d.o.Timing(job.JobType)
	want := ledger.Claim{Owner: owner, Attempt: attempt, Node: d.o.Node, Stamp: uuid.New(), Timeout: timing.Timeout,
		Slots: d.o.Providers[a.Provider].MaxConcurrent}
	began := time.Now() // of the first: it may be the one that was committed
	for unheard := false; ; {
		job, claimed, err := d.o.Ledger.Claim(ctx, want)
		if err == nil {
			c := newCall(d.alive, *job, *claimed, timing, began)
			d.calls.add(c)
			return c, nil
		}
		unheard = unheard || errors.Is(err, ledger.ErrOutcomeUnknown)
		if !claimAgain(err, unheard) || !sleep(ctx, retryEvery) {
			return nil, err
		}
	}
}

// claimAgain tells whether a claim is to be repeated: while one of ours may be
// committed, unheard, and the database says nothing better about it.
func claimAgain(err error, unheard bool) bool {
	for _, known := range []error{ledger.ErrNotClaimable, ledger.ErrWait, ledger.ErrNotFound} {
		if errors.Is(err, known) {
			return false
		}
	}
	return unheard && (errors.Is(err, ledger.ErrOutcomeUnknown) || db.Unreachable(err))
}

// await settles the attempt when its call ended, or turns it unknown at its
// deadline and leaves the call to be listened to.
func (d *Dispatcher) await(c *call, ended <-chan provider.End) error {
	var deadline <-chan time.Time
	for {
		select {
		case at := <-c.sent:
			t := time.NewTimer(time.Until(at.Add(c.timing.Timeout)))
			defer t.Stop()
			deadline = t.C
		case end := <-ended:
			d.settle(c, end)
			return nil
		case <-deadline:
			d.doubtAtDeadline(c)
			d.listenOn(c, ended)
			return nil
		}
	}
}

func (d *Dispatcher) doubtAtDeadline(c *call) {
	known := c.known()
	written := c.gate.Written()
	known.Evidence.BytesWritten = &written
	d.persist(c, "doubt", func(ctx context.Context) error {
		_, err := d.o.Ledger.Doubt(ctx, ledger.Doubt{
			Owner: c.attempt.OwnerID, Attempt: c.attempt.ID, Stamp: *c.attempt.ClaimStamp, Outcome: outcome.Timeout,
			Detail: fmt.Sprintf("no answer within %g s", c.timing.Timeout.Seconds()), Call: known})
		return err
	})
}

// listenOn waits for an answer after the deadline, outside of River and in a
// bounded group: one that comes still may win, or is a late result.
func (d *Dispatcher) listenOn(c *call, ended <-chan provider.End) {
	select {
	case d.linger <- struct{}{}:
	default:
		d.log.Warn("too many calls are listened to after their deadline; this one is not", "attempt", c.attempt.ID)
		c.hangUp()
		return
	}
	d.background.Go(func() {
		defer func() { <-d.linger }()
		over := time.AfterFunc(c.timing.Linger, c.hangUp)
		defer over.Stop()
		d.settle(c, <-ended)
	})
}

// keep stores the raw answer before anybody parses it. The verdict stands
// without it, so a database that is away delays the verdict a little only.
func (d *Dispatcher) keep(c *call, a provider.Answer) error {
	faultpoint.Hit("send:answered")
	ctx, cancel := context.WithTimeout(d.alive, keepWithin)
	defer cancel()
	err := d.o.Ledger.KeepAnswer(ctx, ledger.Answer{Owner: c.attempt.OwnerID, Attempt: c.attempt.ID, Status: a.Status,
		MediaType: a.MediaType, Header: a.Header, Body: a.Body, Whole: a.Whole})
	if err != nil {
		d.log.Warn("an answer could not be kept before its verdict", "attempt", c.attempt.ID, "error", err)
	}
	faultpoint.Hit("send:kept")
	return err
}
