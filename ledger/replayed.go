package ledger

import (
	"errors"

	"kwit/db"
	"kwit/outcome"
)

// openByReplay tells whether a word that says "surely not acted on" leaves the
// doubt open, because the same request was sent again as an enquiry: that may
// have been carried out although the first one was refused, and another attempt
// would buy it twice.
func (s *step) openByReplay(a Attempt, o outcome.Outcome) (bool, error) {
	if a.State == Running || o.MayHaveBeenCharged() {
		return false, nil
	}
	return s.l.q.WasReplayed(s.ctx, s.tx, db.WasReplayedParams{OwnerID: a.OwnerID, AttemptID: a.ID})
}

// settlesNothing keeps an answer that clears no doubt as evidence.
func (s *step) settlesNothing(a Attempt, f Failure) error {
	s.wrote = true
	return errors.Join(s.note(a, f.Call, f.Detail), s.l.answerSettlesNothing(s.ctx, s.tx, a.OwnerID, a.ID))
}
