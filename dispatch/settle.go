package dispatch

import (
	"context"
	"errors"
	"time"

	"kwit/contract"
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
	call := c.known()
	call.ProviderRequestID, call.Usage, call.Evidence = end.ProviderRequestID, end.Usage, evidence(end)
	switch {
	case end.Accepted:
		d.persist(c, "accept", func(ctx context.Context) error {
			_, err := d.o.Ledger.Accept(ctx, c.attempt.OwnerID, c.attempt.ID, call)
			return err
		})
	case end.Outcome == outcome.Succeeded:
		d.persist(c, "complete", func(ctx context.Context) error {
			return d.judgeResult(ctx, c.job, c.attempt, end, call)
		})
	case end.Outcome.Failure():
		d.persist(c, "fail", func(ctx context.Context) error { return d.fail(ctx, c.job, c.attempt, end, call) })
	default:
		d.persist(c, "doubt", func(ctx context.Context) error { return d.doubt(ctx, c.attempt, end, call) })
	}
}

// judgeResult holds a result against the contract of the job's own version
// (C17): what keeps it completes the attempt, what breaks it fails it.
func (d *Dispatcher) judgeResult(ctx context.Context, job ledger.Job, a ledger.Attempt, end provider.End, call ledger.Call) error {
	rules, err := d.o.Contract(ctx, job.JobTypeDigest)
	if err != nil {
		return err
	}
	if faults := rules.CheckOutput(end.Result); len(faults) > 0 {
		end.Outcome, end.Detail = outcome.Contract, describe(faults)
		return d.fail(ctx, job, a, end, call)
	}
	v, err := d.o.Ledger.Complete(ctx, ledger.Completion{Owner: a.OwnerID, Attempt: a.ID, Result: end.Result,
		MediaType: call.Evidence.MediaType, Call: call, Actor: byProvider})
	if err == nil && v.Late != "" {
		d.log.Info("an answer came too late and was dropped", "job", a.JobID, "attempt", a.ID, "why", v.Late)
	}
	return err
}

var byProvider = ledger.Actor{Kind: ledger.ByProvider}

func (d *Dispatcher) fail(ctx context.Context, job ledger.Job, a ledger.Attempt, end provider.End, call ledger.Call) error {
	version, err := d.o.Ledger.JobTypeVersion(ctx, job.JobTypeDigest)
	if err != nil {
		return err
	}
	f := ledger.Failure{Owner: a.OwnerID, Attempt: a.ID, Outcome: end.Outcome, Detail: end.Detail, Call: call,
		Retry:      ledger.Retry{Attempts: d.o.Timing(job.JobType).Attempts, Repeatable: version.Repeatable},
		RetryAfter: end.RetryAfter}
	if a.ClaimStamp != nil {
		f.Stamp = *a.ClaimStamp
	}
	if end.Outcome != outcome.NotSent {
		f.Actor = byProvider
	}
	_, err = d.o.Ledger.Fail(ctx, f)
	return err
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
	return d.o.Ledger.AnswerSettlesNothing(ctx, a.OwnerID, a.ID)
}

func describe(faults []contract.Fault) string {
	text := ""
	for i, f := range faults {
		if i == 5 {
			return text + "; and more"
		}
		if i > 0 {
			text += "; "
		}
		text += f.String()
	}
	return text
}

func evidence(end provider.End) ledger.Evidence {
	e := ledger.Evidence{BytesWritten: &end.BytesWritten, Sealed: end.Sealed}
	if end.Answer != nil {
		e.Status, e.MediaType, e.AnswerBytes = end.Answer.Status, end.Answer.MediaType, int64(len(end.Answer.Body))
	}
	return e
}

// persist repeats a transition until the database has said what became of it.
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
		again := errors.Is(err, ledger.ErrOutcomeUnknown) || db.Unreachable(err)
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
