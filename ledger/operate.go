package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"kwit/db"
	"kwit/outcome"
)

// AttemptAct is what an operator does to an attempt, meant for the state that
// the person saw.
type AttemptAct struct {
	Owner, Attempt uuid.UUID
	Seen           AttemptState // "": the person did not say
	Reason         string
	Actor          Actor
}

// Cancel ends an attempt: whatever its provider still answers is a late result
// (2-ledger, "Cancel"). It returns the attempt; an *AttemptChangedError where
// somebody was first, or where it has ended.
func (l *Ledger) Cancel(ctx context.Context, act AttemptAct) (*Attempt, error) {
	return l.operate(ctx, "cancel", act, func(s *step, a Attempt) error {
		if a.State.Ended() {
			return s.changed(a)
		}
		m := move{to: Cancelled, outcome: outcome.Cancelled, detail: act.Reason, action: ActionCancelled, reason: act.Reason}
		if err := s.move(a, m); err != nil {
			return err
		}
		if err := s.dropIfEnded(a); err != nil {
			return err
		}
		return s.settle()
	})
}

// Release stops waiting for an attempt, which may still win: the next one races
// it (2-ledger, "Release"). ErrNotRepeatable where the work must not run twice.
func (l *Ledger) Release(ctx context.Context, act AttemptAct) (*Attempt, error) {
	return l.operate(ctx, "release", act, func(s *step, a Attempt) error {
		if a.State != Running && a.State != Unknown {
			return s.changed(a)
		}
		version, err := l.q.JobTypeVersion(s.ctx, s.tx, s.job.JobTypeDigest)
		if err != nil {
			return err
		}
		if !version.Repeatable {
			return ErrNotRepeatable
		}
		if err := s.move(a, move{to: Released, action: ActionReleased, reason: act.Reason}); err != nil {
			return err
		}
		return s.settle()
	})
}

// Resolution is what an operator found out about an attempt.
type Resolution struct {
	AttemptAct
	Succeeded bool
	Result    []byte // where it succeeded; held against the output contract by the caller
}

// Resolve says what really happened to an unknown or released attempt. A result
// is written by the same compare-and-swap as every other: where the job is over,
// the attempt comes back discarded, and the result is logged as late. As failed,
// the attempt keeps the word of its doubt.
func (l *Ledger) Resolve(ctx context.Context, r Resolution) (*Attempt, error) {
	return l.operate(ctx, "resolve", r.AttemptAct, func(s *step, a Attempt) error {
		if a.State != Unknown && a.State != Released {
			return s.changed(a)
		}
		if r.Succeeded {
			c := Completion{Owner: a.OwnerID, Attempt: a.ID, Result: r.Result, MediaType: "application/json", Actor: r.Actor}
			_, err := s.complete(a, c, ActionResolved, r.Reason)
			return err
		}
		m := move{to: Failed, detail: r.Reason, action: ActionResolved, reason: r.Reason, proof: byPerson}
		if err := s.move(a, m); err != nil {
			return err
		}
		if err := s.dropAnswer(a); err != nil {
			return err
		}
		return s.settle()
	})
}

// operate runs an operator's act: a reason is there, and the attempt is in the
// state that the person saw.
func (l *Ledger) operate(ctx context.Context, name string, act AttemptAct, do func(*step, Attempt) error) (*Attempt, error) {
	if strings.TrimSpace(act.Reason) == "" {
		return nil, ErrReasonRequired
	}
	var acted Attempt
	err := l.onAttempt(ctx, name, act.Owner, act.Attempt, act.Actor, func(s *step, a Attempt) (err error) {
		if act.Seen != "" && act.Seen != a.State {
			return s.changed(a)
		}
		if err := do(s, a); err != nil {
			return err
		}
		acted, err = s.attempt(a.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &acted, nil
}

// changed tells who brought the attempt to its present state, and when.
func (s *step) changed(a Attempt) error {
	last, err := s.l.q.LastMoveOfAttempt(s.ctx, s.tx, db.LastMoveOfAttemptParams{OwnerID: a.OwnerID, AttemptID: &a.ID})
	if err != nil {
		return err
	}
	by := last.ActorKind
	if last.ActorEmail != nil {
		by = *last.ActorEmail
	}
	return &AttemptChangedError{State: a.State, By: by, At: last.At}
}

// JobAct is what a person does to a job.
type JobAct struct {
	Owner, Job uuid.UUID
	Reason     string // required where the actor is not the owner
	Actor      Actor
}

func (a JobAct) check() error {
	if a.Actor.ID != a.Owner && strings.TrimSpace(a.Reason) == "" {
		return ErrReasonRequired
	}
	return nil
}

// CancelJob ends the job for good: its version moves, which fences every
// attempt at once. Pending attempts are cancelled with it; what is under way
// stays and can only be late. A cancelled job stays as it is; one with a result
// is ErrJobCompleted.
func (l *Ledger) CancelJob(ctx context.Context, act JobAct) (*Job, error) {
	if err := act.check(); err != nil {
		return nil, err
	}
	var job *Job
	err := l.transition(ctx, "cancel-job", act.Owner, act.Job, act.Actor, func(s *step) (err error) {
		if s.job.CompletedBy != nil {
			return ErrJobCompleted
		}
		if s.job.CancelledAt == nil {
			if err := s.cancelJob(act.Reason); err != nil {
				return err
			}
		}
		job, err = s.present()
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

func (s *step) cancelJob(reason string) error {
	n, err := s.l.q.CancelJobIfOpen(s.ctx, s.tx, db.CancelJobIfOpenParams{OwnerID: s.job.OwnerID, ID: s.job.ID})
	if err != nil {
		return err
	}
	if n != 1 {
		return fmt.Errorf("%s: job %s was over although it is locked", s.name, s.job.ID)
	}
	err = s.event(event{action: ActionJobCancelled, from: string(s.job.State), to: string(JobCancelled), reason: reason})
	if err != nil {
		return err
	}
	err = s.l.q.WantCancelCalls(s.ctx, s.tx, db.WantCancelCallsParams{OwnerID: s.job.OwnerID, JobID: s.job.ID})
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := s.cancelPending("the job was cancelled"); err != nil {
		return err
	}
	return s.settle()
}

// present is the job as the step leaves it, with its attempts.
func (s *step) present() (*Job, error) {
	row, err := s.l.q.JobByID(s.ctx, s.tx, db.JobByIDParams{OwnerID: s.job.OwnerID, ID: s.job.ID})
	if err != nil {
		return nil, notFound(err)
	}
	return s.l.withAttempts(s.ctx, s.tx, row)
}
