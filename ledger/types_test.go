package ledger_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"kwit/ledger"
)

// An error says what happened, and to what.
func TestErrorsNameWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for _, c := range []struct {
		err  error
		says []string
	}{
		{&ledger.ConflictError{Existing: ledger.Job{ID: id}}, []string{id.String(), "another intent"}},
		{&ledger.OpenAttemptError{Blocking: id, Ordinal: 2, State: ledger.Unknown}, []string{id.String(), "2", "unknown"}},
		{&ledger.AttemptDiffersError{Existing: ledger.Attempt{Ordinal: 2, Provider: "laser"}}, []string{"2", "laser"}},
		{&ledger.OrdinalMismatchError{Next: 3}, []string{"3"}},
		{&ledger.NotCertifiedError{Provider: "laser"}, []string{"laser", "not certified"}},
		{&ledger.NotOnRouteError{Provider: "laser", Route: []string{"inkjet"}}, []string{"laser", "inkjet"}},
		{&ledger.AttemptChangedError{State: ledger.Cancelled, By: "sam@example.com"}, []string{"cancelled", "sam@example.com"}},
	} {
		for _, word := range c.says {
			if !strings.Contains(c.err.Error(), word) {
				t.Errorf("%T says %q, without %q", c.err, c.err, word)
			}
		}
	}
}

func TestStatesAreOpenOrEnded(t *testing.T) {
	t.Parallel()
	for _, s := range ledger.AttemptStates {
		open := s == ledger.Pending || s == ledger.Running || s == ledger.Unknown
		if s.Open() != open || s.Ended() != (len(rule[s]) == 0) {
			t.Errorf("%s: open %v, ended %v", s, s.Open(), s.Ended())
		}
	}
}

func TestJobKnowsItsWinnerAndWhatBlocksIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, first, second := w.race("k")
	now := w.job(job)
	if open := now.OpenAttempt(); open == nil || open.ID != second.ID || now.Winner() != nil || now.NextOrdinal() != 3 {
		t.Errorf("in flight: %+v", now)
	}
	w.complete(first, `1`)
	now = w.job(job)
	if winner := now.Winner(); winner == nil || winner.ID != first.ID {
		t.Errorf("completed: %+v", now)
	}
}
