package dispatch

import (
	"context"
	"errors"
	"time"

	"kwit/ledger"
	"kwit/provider"
)

const (
	enquireEvery = time.Second
	// So many questions are asked, and so many cancel calls made, at once; the
	// next round goes on.
	enquireMost = 20
)

// enquire asks providers what became of attempts in doubt, and of those that
// they have accepted. Whoever takes the turn asks once.
func (d *Dispatcher) enquire(ctx context.Context) error {
	return d.eachDue(ctx, d.asking, d.o.Ledger.DueEnquiries, d.enquireAbout)
}

// callOff tells providers that nobody wants an attempt any more.
func (d *Dispatcher) callOff(ctx context.Context) error {
	return d.eachDue(ctx, d.calling, d.o.Ledger.DueCancelCalls, d.cancelCall)
}

// eachDue takes what is due and works on all of it at once, in the background,
// as far as there is room.
func (d *Dispatcher) eachDue(ctx context.Context, busy chan struct{}, take func(context.Context, int) ([]ledger.AttemptRef, error), work func(ledger.AttemptRef) error) error {
	room := cap(busy) - len(busy)
	if room == 0 {
		return nil
	}
	due, err := take(ctx, room)
	if err != nil {
		return err
	}
	for _, ref := range due {
		busy <- struct{}{}
		d.background.Go(func() {
			defer func() { <-busy }()
			if err := work(ref); err != nil && d.alive.Err() == nil {
				d.log.Warn("asking a provider failed", "attempt", ref.Attempt, "error", err)
			}
		})
	}
	return nil
}

func (d *Dispatcher) enquireAbout(ref ledger.AttemptRef) error {
	a, job, err := d.look(ref)
	if err != nil {
		return err
	}
	configured, known := d.o.Providers[a.Provider]
	if !known {
		return nil // to this node; another one's configuration may be newer
	}
	p := configured.Provider
	if e, ok := provider.EnquirerOf(p); ok {
		return d.hear(job, a, "status", e.Enquire(d.alive, d.request(*job, *a), a.ProviderRequestID))
	}
	if r, ok := provider.ReplayerOf(p); ok && a.State != ledger.Running {
		d.replayAside(job, a, p, r)
		return nil
	}
	return d.o.Ledger.StopEnquiring(d.alive, a.OwnerID, a.ID, a.State)
}

// replayAside replays without holding up the questions that wait for room.
func (d *Dispatcher) replayAside(job *ledger.Job, a *ledger.Attempt, p provider.Provider, r provider.Replayer) {
	if !d.replays.begin(a) {
		return
	}
	d.background.Go(func() {
		defer d.replays.end(a)
		if err := d.replay(job, a, p, r); err != nil && d.alive.Err() == nil {
			d.log.Warn("asking a provider by a replay failed", "attempt", a.ID, "error", err)
		}
	})
}

// replay sends the same request again under the same key, to a provider that
// honours keys. That is itself a send, so the ledger allows it first.
func (d *Dispatcher) replay(job *ledger.Job, a *ledger.Attempt, p provider.Provider, r provider.Replayer) error {
	request, err := d.render(d.alive, job, a)
	if err != nil {
		return err
	}
	began := time.Now()
	may, err := d.o.Ledger.Replay(d.alive, a.OwnerID, a.ID, r.ReplayWithin())
	switch {
	case errors.Is(err, ledger.ErrWait):
		return nil // its provider is paused; the next turn comes by itself
	case err != nil:
		return err
	case !may:
		return d.o.Ledger.StopEnquiring(d.alive, a.OwnerID, a.ID, a.State)
	}
	ctx, cancel := context.WithTimeout(d.alive, d.o.Timing(job.JobType).Timeout)
	defer cancel()
	end := p.Send(ctx, provider.NewGate(fresh(began), nil), request.AsEnquiry(), nil)
	return d.hear(job, a, "replay", provider.ReportReplay(r, end))
}

// fresh refuses a first byte later than the claim of an attempt allows: what was
// committed may not be true any more for a process that was stopped since.
func fresh(began time.Time) func() error {
	return func() error {
		if age(began) > freshFor {
			return errTooOld
		}
		return nil
	}
}

// hear puts what was told beside the attempt, and lets it settle it.
func (d *Dispatcher) hear(job *ledger.Job, a *ledger.Attempt, kind string, r provider.Report) error {
	err := d.o.Ledger.RecordEnquiry(d.alive, a.OwnerID, ledger.Enquiry{
		Attempt: a.ID, Kind: kind, Told: string(r.Told), Status: r.Status, Detail: r.Detail})
	return errors.Join(err, d.judge.Report(d.alive, job, a, r))
}

func (d *Dispatcher) cancelCall(ref ledger.AttemptRef) error {
	a, job, err := d.look(ref)
	if err != nil {
		return err
	}
	c, ok := provider.CancellerOf(d.o.Providers[a.Provider].Provider)
	if !ok {
		return nil
	}
	answer := c.Cancel(d.alive, d.request(*job, *a), a.ProviderRequestID)
	return d.o.Ledger.NoteCancelCall(d.alive, a.OwnerID, a.ID, answer)
}

// look reads an attempt and its job.
func (d *Dispatcher) look(ref ledger.AttemptRef) (*ledger.Attempt, *ledger.Job, error) {
	a, err := d.o.Ledger.Attempt(d.alive, ref.Owner, ref.Attempt)
	if err != nil {
		return nil, nil, err
	}
	job, err := d.o.Ledger.Job(d.alive, ref.Owner, a.JobID)
	return a, job, err
}
