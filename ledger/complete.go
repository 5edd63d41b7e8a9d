package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
	"kwit/outcome"
)

// Completion is an attempt's answer: a result that keeps the output contract.
type Completion struct {
	Owner, Attempt uuid.UUID
	Result         []byte // exactly as it arrived
	MediaType      string
	Call           Call
	Actor          Actor
}

// Verdict says what became of an answer.
type Verdict struct {
	State AttemptState // of the attempt, now
	Late  LateReason   // "" where the attempt won
}

// Complete writes the result by compare-and-swap (C12): the attempt wins if its
// job still has the version that the attempt read when it was made, and no
// result. Whoever comes second is discarded and logged as late (C13, C14), and
// so is what an ended attempt still answered. To complete again with an equal
// result changes nothing.
func (l *Ledger) Complete(ctx context.Context, c Completion) (Verdict, error) {
	var v Verdict
	err := l.onAttempt(ctx, "complete", c.Owner, c.Attempt, c.Actor, func(s *step, a Attempt) (err error) {
		v, err = s.complete(a, c, ActionCompleted, "")
		return err
	})
	return v, err
}

// onAttempt runs a transition that begins with an attempt's state.
func (l *Ledger) onAttempt(ctx context.Context, name string, owner, attempt uuid.UUID, actor Actor, act func(*step, Attempt) error) error {
	before, err := l.Attempt(ctx, owner, attempt)
	if err != nil {
		return err
	}
	return l.transition(ctx, name, owner, before.JobID, actor, func(s *step) error {
		a, err := s.attempt(attempt)
		if err != nil {
			return err
		}
		return act(s, a)
	})
}

// mayWin tells whether an answer of an attempt in this state may still become
// the job's result.
func mayWin(state AttemptState) bool {
	return state == Running || state == Unknown || state == Released
}

func (s *step) complete(a Attempt, c Completion, action, reason string) (Verdict, error) {
	sum := sha256.Sum256(c.Result)
	if a.State == Succeeded && bytes.Equal(s.job.ResultSHA256, sum[:]) {
		return Verdict{State: Succeeded}, s.dropAnswer(a)
	}
	if !mayWin(a.State) {
		return s.late(a, c.Call, c.MediaType, c.Result, s.whyLate(a.State))
	}
	_, err := s.l.q.CompleteJobIfVersion(s.ctx, s.tx, db.CompleteJobIfVersionParams{
		OwnerID: a.OwnerID, ID: a.JobID, Version: a.JobVersion, AttemptID: a.ID, Result: c.Result, ResultSHA256: sum[:]})
	if errors.Is(err, pgx.ErrNoRows) {
		return s.discard(a, c, reason)
	}
	if err != nil {
		return Verdict{}, err
	}
	m := move{to: Succeeded, outcome: outcome.Succeeded, call: c.Call, action: action, reason: reason}
	if err := s.move(a, m); err != nil {
		return Verdict{}, err
	}
	if err := s.cancelPending("another attempt won"); err != nil {
		return Verdict{}, err
	}
	if err := s.dropAnswer(a); err != nil {
		return Verdict{}, err
	}
	return Verdict{State: Succeeded}, s.settle()
}

// discard ends an attempt that answered when the job was over.
func (s *step) discard(a Attempt, c Completion, reason string) (Verdict, error) {
	m := move{to: Discarded, outcome: outcome.Succeeded, call: c.Call, action: ActionDiscarded, reason: reason}
	if err := s.move(a, m); err != nil {
		return Verdict{}, err
	}
	v, err := s.late(a, c.Call, c.MediaType, c.Result, s.whyLate(a.State))
	if err != nil {
		return Verdict{}, err
	}
	v.State = Discarded
	return v, s.settle()
}

// whyLate is why an answer of an attempt in this state lost.
func (s *step) whyLate(state AttemptState) LateReason {
	switch {
	case state == Failed:
		return AfterFailure
	case state == Cancelled || state == Pending:
		return Fenced
	case s.job.CancelledAt != nil:
		return JobWasOver
	}
	return LostRace
}

// late logs an answer that came too late. Its bytes go with this transaction;
// size and digest of what arrived stay (C14). result is nil where the answer
// broke the contract.
func (s *step) late(a Attempt, call Call, mediaType string, result []byte, why LateReason) (Verdict, error) {
	arrived := call.Body
	if arrived == nil {
		arrived = result
	}
	digest, same := sha256.Sum256(arrived), false
	if result != nil {
		sum := sha256.Sum256(result)
		same = bytes.Equal(s.job.ResultSHA256, sum[:])
	}
	n, err := s.l.q.InsertLateResultOnce(s.ctx, s.tx, db.InsertLateResultOnceParams{
		OwnerID: a.OwnerID, ID: newID(), AttemptID: a.ID, JobID: a.JobID, Why: string(why), OverSince: s.overSince(a, why),
		Bytes: int64(len(arrived)), SHA256: digest[:], MediaType: clean(mediaType),
		SameAsWinner: same, WinnerAttemptID: s.job.CompletedBy, Usage: storable(call.Usage)})
	if err != nil {
		return Verdict{}, err
	}
	if err := s.dropAnswer(a); err != nil {
		return Verdict{}, err
	}
	if n == 1 {
		err = s.event(event{action: ActionLateResult, attempt: &a.ID, reason: string(why)})
		if err == nil && !mayWin(a.State) {
			err = s.settle()
		}
	}
	return Verdict{State: a.State, Late: why}, err
}

// overSince is the instant after which an answer is late.
func (s *step) overSince(a Attempt, why LateReason) time.Time {
	switch {
	case why == LostRace && s.job.CompletedAt != nil:
		return *s.job.CompletedAt
	case why == JobWasOver && s.job.CancelledAt != nil:
		return *s.job.CancelledAt
	case a.EndedAt != nil:
		return *a.EndedAt
	}
	return a.StateAt
}

// cancelPending cancels the job's pending attempts with it. There is at most
// one, since pending is open.
func (s *step) cancelPending(reason string) error {
	all, err := s.attempts()
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.State != Pending {
			continue
		}
		err := s.move(a, move{to: Cancelled, outcome: outcome.Cancelled, detail: reason, action: ActionCancelled, reason: reason})
		if err != nil {
			return err
		}
	}
	return nil
}
