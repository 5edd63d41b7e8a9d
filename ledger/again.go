package ledger

import (
	"context"
	"slices"
	"strings"

	"kwit/outcome"
)

// NewAttempt is a person's wish for another attempt.
type NewAttempt struct {
	JobAct
	Ordinal  int32  // the one that it would create, so that a double click makes one
	Provider string // "": by the rules
}

// TryAgain makes another attempt of a job by hand, or finds the one with this
// ordinal (created is false then). What refuses it is judged in the order of
// 3-interfaces, "Attempts by hand": *AttemptDiffersError, ErrJobCompleted,
// ErrJobCancelled, *OpenAttemptError, *OrdinalMismatchError, *NotOnRouteError,
// *NotCertifiedError.
func (l *Ledger) TryAgain(ctx context.Context, n NewAttempt) (made *Attempt, created bool, err error) {
	if err := n.check(); err != nil {
		return nil, false, err
	}
	err = l.transition(ctx, "try-again", n.Owner, n.Job, n.Actor, func(s *step) error {
		all, err := s.attempts()
		if err != nil {
			return err
		}
		if made, err = existing(all, n); made != nil || err != nil {
			created = false
			return err
		}
		if err := refused(s.job, all, n.Ordinal); err != nil {
			return err
		}
		provider, err := n.provider(s.job, all)
		if err != nil {
			return err
		}
		a, err := s.newAttempt(all, provider, false, n.Reason)
		if err != nil {
			return err
		}
		made, created = &a, true
		return s.settle()
	})
	return made, created, err
}

// existing is the attempt with this ordinal, or nil.
func existing(all []Attempt, n NewAttempt) (*Attempt, error) {
	i := slices.IndexFunc(all, func(a Attempt) bool { return a.Ordinal == n.Ordinal })
	if i < 0 {
		return nil, nil
	}
	if n.Provider != "" && n.Provider != all[i].Provider {
		return nil, &AttemptDiffersError{Existing: all[i]}
	}
	return &all[i], nil
}

// refused says what stands in the way of another attempt.
func refused(job Job, all []Attempt, ordinal int32) error {
	job.Attempts = all
	switch open := job.OpenAttempt(); {
	case job.CompletedBy != nil:
		return ErrJobCompleted
	case job.CancelledAt != nil:
		return ErrJobCancelled
	case open != nil:
		return &OpenAttemptError{Blocking: open.ID, Ordinal: open.Ordinal, State: open.State}
	case ordinal != job.NextOrdinal():
		return &OrdinalMismatchError{Next: job.NextOrdinal()}
	}
	return nil
}

// provider chooses where the attempt goes. Without a name: where the last one
// went, unless that provider refused for good, and else to the first of the
// job's route. Only the first needs no certificate; as long as none is
// certified, the others take an operator and a reason (C16).
func (n NewAttempt) provider(job Job, all []Attempt) (string, error) {
	first := job.Route[0]
	if n.Provider == "" {
		last := all[len(all)-1]
		if last.Outcome == outcome.Rejected || !n.mayUseUncertified() {
			return first, nil
		}
		return last.Provider, nil
	}
	switch {
	case !slices.Contains(job.Route, n.Provider):
		return "", &NotOnRouteError{Provider: n.Provider, Route: job.Route}
	case n.Provider != first && !n.mayUseUncertified():
		return "", &NotCertifiedError{Provider: n.Provider}
	}
	return n.Provider, nil
}

func (n NewAttempt) mayUseUncertified() bool {
	return n.Actor.Operator && strings.TrimSpace(n.Reason) != ""
}
