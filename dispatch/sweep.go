package dispatch

import (
	"context"
	"errors"
	"time"

	"kwit/ledger"
	"kwit/outcome"
	"kwit/provider"
)

const (
	beatEvery  = 5 * time.Second
	sweepEvery = 5 * time.Second
	dueEvery   = time.Second
	taskWithin = 10 * time.Second
	// One round looks at so many rows of a kind; the next goes on.
	sweepMost = 500
)

// beat says that this node and its calls live. A call whose attempt is not
// running any more may send nothing.
func (d *Dispatcher) beat(ctx context.Context) error {
	began := time.Now()
	_, err := d.o.Ledger.BeatNode(ctx, d.o.Node, d.o.Name)
	calls := d.calls.all()
	held := make([]ledger.Held, 0, len(calls))
	for _, c := range calls {
		held = append(held, c.held())
	}
	beaten, lost, beatErr := d.o.Ledger.Beat(ctx, held)
	if err := errors.Join(err, beatErr); err != nil {
		return err
	}
	for _, id := range lost {
		calls[id].lose()
	}
	for _, id := range beaten {
		calls[id].confirm(began)
	}
	return nil
}

// sweep makes good what was lost: wake-ups, dead workers, deadlines nobody
// watched, answers nobody judged.
func (d *Dispatcher) sweep(ctx context.Context) error {
	_, woke := d.o.Ledger.WakeSleeping(ctx, sweepMost)
	return errors.Join(woke, d.sweepOverdue(ctx), d.sweepStale(ctx), d.sweepAnswers(ctx),
		d.o.Ledger.ForgetDeadNodes(ctx), d.o.Ledger.ForgetWebhooks(ctx))
}

func (d *Dispatcher) sweepOverdue(ctx context.Context) error {
	refs, err := d.o.Ledger.OverdueAttempts(ctx, sweepMost)
	if err != nil {
		return err
	}
	return d.doubtAll(ctx, refs, outcome.Timeout, "no answer by the deadline")
}

// sweepStale calls nobody dead while this node itself has not been steady.
func (d *Dispatcher) sweepStale(ctx context.Context) error {
	refs, err := d.o.Ledger.StaleAttempts(ctx, d.o.Node, sweepMost)
	if err != nil {
		return err
	}
	return d.doubtAll(ctx, refs, outcome.WorkerLost, "the worker died while it waited for the answer")
}

func (d *Dispatcher) doubtAll(ctx context.Context, refs []ledger.AttemptRef, o outcome.Outcome, detail string) error {
	var errs []error
	for _, r := range refs {
		_, err := d.o.Ledger.Doubt(ctx, ledger.Doubt{Owner: r.Owner, Attempt: r.Attempt, Stamp: r.Stamp, Outcome: o, Detail: detail})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// sweepAnswers judges whole answers whose worker died before the verdict.
func (d *Dispatcher) sweepAnswers(ctx context.Context) error {
	refs, err := d.o.Ledger.UnjudgedAnswers(ctx, sweepMost)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range refs {
		// Another node may have judged it meanwhile: then it is there no more.
		if err := d.judgeKept(ctx, r); !errors.Is(err, ledger.ErrNotFound) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (d *Dispatcher) judgeKept(ctx context.Context, r ledger.AttemptRef) error {
	a, err := d.o.Ledger.Attempt(ctx, r.Owner, r.Attempt)
	if err != nil {
		return err
	}
	p, configured := d.o.Providers[a.Provider]
	switch {
	case !configured && a.State.Ended():
		return d.o.Ledger.AnswerSettlesNothing(ctx, r.Owner, r.Attempt)
	case !configured: // on this node; one that knows the provider may judge it, and a person can read it
		return nil
	}
	job, err := d.o.Ledger.Job(ctx, r.Owner, a.JobID)
	if err != nil {
		return err
	}
	kept, err := d.o.Ledger.AnswerOf(ctx, r.Owner, r.Attempt)
	if err != nil {
		return err
	}
	end := provider.JudgeSafely(p.Judge, provider.Answer{Status: kept.Status, MediaType: kept.MediaType, Header: kept.Header, Body: kept.Body,
		Whole: kept.Whole, ReceivedAt: kept.ReceivedAt})
	if end.Outcome == outcome.Succeeded || end.Outcome.Failure() {
		_, err := d.judge.Answer(ctx, job, a, end, callOf(end))
		return err
	}
	return d.settlesNothing(ctx, r.Owner, r.Attempt, end)
}

// startDue makes the attempts whose time has come.
func (d *Dispatcher) startDue(ctx context.Context) error {
	due, err := d.o.Ledger.DueJobs(ctx, sweepMost)
	if err != nil {
		return err
	}
	var errs []error
	for _, j := range due {
		_, err := d.o.Ledger.StartDue(ctx, j.Owner, j.Job)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
