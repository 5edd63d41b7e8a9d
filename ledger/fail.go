package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"kwit/db"
	"kwit/outcome"
)

// Failure is an attempt's definite end without a result.
type Failure struct {
	Owner, Attempt uuid.UUID
	Stamp          uuid.UUID       // of the claim; only its holder can know that nothing was sent
	Outcome        outcome.Outcome // a word whose Failure() is true
	Detail         string          // for people
	Call           Call
	Retry          Retry
	RetryAfter     time.Duration // as the provider asked; 0: not
	Actor          Actor
}

// Fail ends an attempt as failed and plans the next one, where the outcome and
// the job type allow another by itself (2-ledger, "Who starts the next
// attempt"). An attempt that is unknown fails by an answer of its provider
// only: time clears nothing (C10), and neither does proof that *this* send wrote
// no byte, which can only come from the worker that still runs it. It returns
// the attempt's state; an attempt that had ended keeps its own.
func (l *Ledger) Fail(ctx context.Context, f Failure) (AttemptState, error) {
	if !f.Outcome.Failure() {
		return "", fmt.Errorf("fail attempt %s: %q is no definite failure", f.Attempt, f.Outcome)
	}
	var state AttemptState
	err := l.onAttempt(ctx, "fail", f.Owner, f.Attempt, f.Actor, func(s *step, a Attempt) error {
		state = a.State
		if f.Outcome == outcome.NotSent && !a.claimedUnder(f.Stamp) {
			return s.note(a, f.Call, f.Detail)
		}
		if !mayWin(a.State) {
			return s.failedLate(a, f)
		}
		if open, err := s.openByReplay(a, f.Outcome); err != nil || open {
			return errors.Join(err, s.settlesNothing(a, f))
		}
		state = Failed
		m := move{to: Failed, outcome: f.Outcome, detail: f.Detail, call: f.Call, action: ActionFailed,
			reason: f.Detail, proof: proofOf(f.Outcome)}
		if err := s.move(a, m); err != nil {
			return err
		}
		if err := s.dropAnswer(a); err != nil {
			return err
		}
		if err := s.planRetry(a, f); err != nil {
			return err
		}
		return s.settle()
	})
	return state, err
}

// failedLate keeps what came of an attempt that had ended: a result that breaks
// the contract is a late result like any other (I6), unless it is the one that
// failed the attempt, told again.
func (s *step) failedLate(a Attempt, f Failure) error {
	if err := s.note(a, f.Call, f.Detail); err != nil {
		return err
	}
	toldBefore := a.State == Failed && a.Outcome == outcome.Contract
	if f.Outcome == outcome.Contract && f.Call.Body != nil && !toldBefore {
		_, err := s.late(a, f.Call, f.Call.Evidence.MediaType, nil, s.whyLate(a.State))
		return err
	}
	return s.dropAnswer(a)
}

func proofOf(o outcome.Outcome) proof {
	if o == outcome.NotSent {
		return byNoByte
	}
	return byAnswer
}

// planRetry asks the policy, unless the job is over, another attempt is open,
// or a person had let go of this one: what a person ended or released starts
// nothing by itself.
func (s *step) planRetry(a Attempt, f Failure) error {
	if a.State == Released || s.job.CompletedBy != nil || s.job.CancelledAt != nil {
		return nil
	}
	all, err := s.attempts()
	if err != nil {
		return err
	}
	job := Job{Attempts: all}
	if job.OpenAttempt() != nil {
		return nil
	}
	in, again := f.Retry.after(f.Outcome, a.Provider, all, f.RetryAfter)
	if !again {
		return nil
	}
	if err := s.plan(a.Provider, in); err != nil {
		return err
	}
	return s.event(event{action: ActionRetryPlanned, attempt: &a.ID, bySystem: true,
		reason: fmt.Sprintf("%s again in %g s", a.Provider, in.Round(time.Millisecond).Seconds())})
}

// Doubt is an attempt of which nobody can say whether it was acted on.
type Doubt struct {
	Owner, Attempt uuid.UUID
	Stamp          uuid.UUID       // of the claim: a sweeper must not hit a fresh one
	Outcome        outcome.Outcome // a word whose Doubt() is true
	Detail         string
	Call           Call
	ByAnswer       bool // the answer that is kept was looked at, and settles nothing
	Actor          Actor
}

// Doubt turns a running attempt into an unknown one, which blocks every further
// attempt until the doubt is cleared (C09, C10). It reports false where the
// attempt is not running under that stamp any more.
func (l *Ledger) Doubt(ctx context.Context, d Doubt) (bool, error) {
	if !d.Outcome.Doubt() {
		return false, fmt.Errorf("doubt attempt %s: %q is no doubt", d.Attempt, d.Outcome)
	}
	doubted := false
	err := l.onAttempt(ctx, "doubt", d.Owner, d.Attempt, d.Actor, func(s *step, a Attempt) error {
		doubted = a.claimedUnder(d.Stamp)
		if !doubted {
			return errors.Join(s.note(a, d.Call, d.Detail), s.dropIfEnded(a))
		}
		m := move{to: Unknown, outcome: d.Outcome, detail: d.Detail, call: d.Call, action: ActionDoubted, reason: d.Detail}
		if err := s.move(a, m); err != nil {
			return err
		}
		if d.ByAnswer {
			if err := l.answerSettlesNothing(ctx, s.tx, d.Owner, d.Attempt); err != nil {
				return err
			}
		}
		return s.settle()
	})
	return doubted, err
}

// note adds to an attempt's evidence what its worker saw when somebody else had
// moved it already: the seal with its count, or how the call ended after all.
func (s *step) note(a Attempt, call Call, what string) error {
	if call.Evidence == (Evidence{}) {
		return nil
	}
	call.Evidence.Late = what
	evidence, err := json.Marshal(call.Evidence.clean())
	if err != nil {
		return err
	}
	n, err := s.l.q.AddEvidenceOnce(s.ctx, s.tx, db.AddEvidenceOnceParams{OwnerID: a.OwnerID, ID: a.ID, Evidence: evidence})
	s.wrote = s.wrote || n > 0
	return err
}

// StartDue makes the attempt that was planned for the job, if it is due by the
// database's clock. It reports false where nothing is due (any more).
func (l *Ledger) StartDue(ctx context.Context, owner, job uuid.UUID) (bool, error) {
	started := false
	err := l.transition(ctx, "start-due", owner, job, System, func(s *step) error {
		provider, err := s.due()
		if err != nil || provider == "" {
			return err
		}
		all, err := s.attempts()
		if err != nil {
			return err
		}
		if _, err := s.newAttempt(all, provider, true, ""); err != nil {
			return err
		}
		started = true
		return s.settle()
	})
	return started, err
}

// due is the provider of the attempt that is due, or "" where none is.
func (s *step) due() (string, error) {
	p, err := s.l.q.DueJob(s.ctx, s.tx, dueJobParams(s.job))
	if errors.Is(notFound(err), ErrNotFound) {
		return "", nil
	}
	return value(p), err
}
