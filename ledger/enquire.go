package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// Enquiry is a question to a provider about an attempt, and what it answered.
// It settles nothing by itself: an answer that does is completed or failed as
// every other.
type Enquiry struct {
	Attempt uuid.UUID
	At      time.Time
	Kind    string // status or replay
	Told    string // succeeded, failed, running, not_known, no_answer
	Status  int    // of the answer, 0 where none came
	Detail  string // for people
}

// DueEnquiries takes the turn to ask about attempts that are unknown, released,
// or accepted by their provider: whoever is given one asks, and the next turn
// comes later each time (15 s after the doubt, 30 s, 1 min and so on up to 15
// min).
func (l *Ledger) DueEnquiries(ctx context.Context, limit int) ([]AttemptRef, error) {
	rows, err := l.q.TakeDueEnquiries(ctx, l.pool, int32(limit))
	return mapped(rows, err, func(r db.TakeDueEnquiriesRow) AttemptRef {
		return AttemptRef{Owner: r.OwnerID, Attempt: r.ID}
	})
}

// StopEnquiring notes that the attempt's provider cannot be asked about it as
// long as it is in this state. Where it has left it, nothing changes.
func (l *Ledger) StopEnquiring(ctx context.Context, owner, attempt uuid.UUID, state AttemptState) error {
	return l.q.StopEnquiringIfState(ctx, l.pool, db.StopEnquiringIfStateParams{OwnerID: owner, ID: attempt, State: string(state)})
}

// askable tells whether there is a doubt to ask about: the attempt is unknown or
// released, or its provider works on it.
func (a Attempt) askable() bool {
	return a.State == Unknown || a.State == Released || a.State == Running && a.AcceptedAt != nil
}

// EnquireNow makes an attempt's next enquiry due at once. No reason is asked
// for. An *AttemptChangedError where there is nothing to ask about (any more).
func (l *Ledger) EnquireNow(ctx context.Context, act AttemptAct) (*Attempt, error) {
	var after *Attempt
	err := l.onAttempt(ctx, "enquire", act.Owner, act.Attempt, act.Actor, func(s *step, a Attempt) error {
		if act.Seen != "" && act.Seen != a.State || !a.askable() {
			return s.changed(a)
		}
		if err := l.q.EnquireNow(s.ctx, s.tx, db.EnquireNowParams{OwnerID: a.OwnerID, ID: a.ID}); err != nil {
			return err
		}
		if err := s.event(event{action: ActionEnquiryAsked, attempt: &a.ID}); err != nil {
			return err
		}
		now, err := s.attempt(a.ID)
		after = &now
		return errors.Join(err, s.settle())
	})
	return after, err
}

// Replay commits that the same request is sent once more under the same key, as
// an enquiry, before its first byte leaves: only while the attempt is unknown or
// released, its job neither completed nor cancelled, and its first send younger
// than within. It reports false where it must not be sent (2-ledger,
// "Enquiries"), and ErrWait where it may be later: its provider is paused.
func (l *Ledger) Replay(ctx context.Context, owner, attempt uuid.UUID, within time.Duration) (bool, error) {
	may := false
	err := l.onAttempt(ctx, "replay", owner, attempt, System, func(s *step, a Attempt) error {
		may = false
		if a.State != Unknown && a.State != Released || s.job.CompletedBy != nil || s.job.CancelledAt != nil {
			return nil
		}
		young, err := l.q.SentWithin(s.ctx, s.tx, db.SentWithinParams{OwnerID: owner, ID: attempt, Seconds: within.Seconds()})
		if err != nil || !young {
			return err
		}
		if err := s.admit(a, 0); err != nil {
			return err
		}
		may = true
		if err := s.event(event{action: ActionReplayed, attempt: &a.ID}); err != nil {
			return err
		}
		return s.settle()
	})
	return may, err
}

// RecordEnquiry adds what a provider answered to the attempt's evidence.
func (l *Ledger) RecordEnquiry(ctx context.Context, owner uuid.UUID, e Enquiry) error {
	before, err := l.Attempt(ctx, owner, e.Attempt)
	if err != nil {
		return err
	}
	id := newID()
	err = l.transact(ctx, "record-enquiry", func(tx pgx.Tx, _ bool) error {
		if _, err := l.q.LockJob(ctx, tx, db.LockJobParams{OwnerID: owner, ID: before.JobID}); err != nil {
			return notFound(err)
		}
		n, err := l.q.InsertEnquiryOnce(ctx, tx, db.InsertEnquiryOnceParams{OwnerID: owner, ID: id, AttemptID: e.Attempt,
			Kind: e.Kind, Told: e.Told, Status: int32(e.Status), Detail: clean(e.Detail)})
		if err != nil {
			return err
		}
		if n == 0 { // an earlier run's COMMIT got no answer and had happened
			return errNothingToCommit
		}
		return l.q.TouchJob(ctx, tx, db.TouchJobParams{OwnerID: owner, ID: before.JobID})
	})
	if err == nil {
		l.changed(owner, before.JobID)
	}
	return err
}

// EnquiriesOfJob lists what the providers of a job's attempts were asked, in
// order.
func (l *Ledger) EnquiriesOfJob(ctx context.Context, owner, job uuid.UUID) ([]Enquiry, error) {
	rows, err := l.q.EnquiriesOfJob(ctx, l.pool, db.EnquiriesOfJobParams{OwnerID: owner, JobID: job})
	return mapped(rows, err, func(r db.EnquiriesOfJobRow) Enquiry {
		return Enquiry{Attempt: r.AttemptID, At: r.At, Kind: r.Kind, Told: r.Told, Status: int(r.Status), Detail: r.Detail}
	})
}

// LatestEnquiries finds the last enquiry about each of these attempts, where
// there was one.
func (l *Ledger) LatestEnquiries(ctx context.Context, of []AttemptRef) (map[uuid.UUID]Enquiry, error) {
	var p db.LatestEnquiriesParams
	for _, ref := range of {
		p.OwnerIds, p.AttemptIds = append(p.OwnerIds, ref.Owner), append(p.AttemptIds, ref.Attempt)
	}
	rows, err := l.q.LatestEnquiries(ctx, l.pool, p)
	latest := make(map[uuid.UUID]Enquiry, len(rows))
	for _, r := range rows {
		latest[r.AttemptID] = Enquiry{Attempt: r.AttemptID, At: r.At, Kind: r.Kind, Told: r.Told, Status: int(r.Status), Detail: r.Detail}
	}
	return latest, err
}

// DueCancelCalls takes the turn to tell providers that nobody wants these
// attempts any more: their own cancel, or their job's, is committed. Each is
// given out once.
func (l *Ledger) DueCancelCalls(ctx context.Context, limit int) ([]AttemptRef, error) {
	rows, err := l.q.TakeDueCancelCalls(ctx, l.pool, int32(limit))
	return mapped(rows, err, func(r db.TakeDueCancelCallsRow) AttemptRef {
		return AttemptRef{Owner: r.OwnerID, Attempt: r.ID}
	})
}

// NoteCancelCall adds the provider's answer to our cancel call to the attempt's
// evidence. It changes nothing else.
func (l *Ledger) NoteCancelCall(ctx context.Context, owner, attempt uuid.UUID, answer string) error {
	before, err := l.Attempt(ctx, owner, attempt)
	if err != nil {
		return err
	}
	evidence, err := json.Marshal(Evidence{Cancel: answer}.clean())
	if err != nil {
		return err
	}
	err = l.transact(ctx, "note-cancel-call", func(tx pgx.Tx, _ bool) error {
		if _, err := l.q.LockJob(ctx, tx, db.LockJobParams{OwnerID: owner, ID: before.JobID}); err != nil {
			return notFound(err)
		}
		n, err := l.q.AddEvidenceOnce(ctx, tx, db.AddEvidenceOnceParams{OwnerID: owner, ID: attempt, Evidence: evidence})
		if err != nil {
			return err
		}
		if n == 0 { // it stands there already
			return errNothingToCommit
		}
		return l.q.TouchJob(ctx, tx, db.TouchJobParams{OwnerID: owner, ID: before.JobID})
	})
	if err == nil {
		l.changed(owner, before.JobID)
	}
	return err
}
