package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// admit lets a send pass if its provider is not paused and takes one more. The
// slot is taken with the claim and freed by the transition that leaves running;
// 0 slots: none is taken, as by a replay.
func (s *step) admit(a Attempt, slots int) error {
	_, err := s.l.q.PauseOf(s.ctx, s.tx, a.Provider)
	if err == nil {
		return ErrWait
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%s: is %s paused: %w", s.name, a.Provider, err)
	}
	if slots == 0 {
		return nil
	}
	n, err := s.l.q.TakeSlotIfFree(s.ctx, s.tx, db.TakeSlotIfFreeParams{
		Provider: a.Provider, Slots: int32(slots), OwnerID: a.OwnerID, AttemptID: a.ID})
	if err != nil {
		return fmt.Errorf("%s: take a slot of %s: %w", s.name, a.Provider, err)
	}
	if n == 0 {
		return ErrWait
	}
	return nil
}

// EnsureSlots makes the rows of a provider's limit, before the first claim that
// names it.
func (l *Ledger) EnsureSlots(ctx context.Context, provider string, slots int) error {
	return l.q.EnsureSlots(ctx, l.pool, db.EnsureSlotsParams{Provider: provider, Slots: int32(slots)})
}

// Pause is a provider's: nothing is sent to it until an admin resumes it.
type Pause struct {
	Provider string
	At       time.Time
	By       string // a person's address
	Reason   string
}

// PauseProvider stops all nodes from sending to a provider: every claim asks.
// Its attempts wait as pending. It reports false where it is paused already.
func (l *Ledger) PauseProvider(ctx context.Context, provider, reason string, by uuid.UUID) (bool, error) {
	if strings.TrimSpace(reason) == "" {
		return false, ErrReasonRequired
	}
	return l.providerEvent(ctx, "provider_paused", provider, reason, by, func(tx pgx.Tx) (int64, error) {
		return l.q.PauseProvider(ctx, tx, db.PauseProviderParams{Provider: provider, PausedBy: by, Reason: clean(reason)})
	})
}

// ResumeProvider lets attempts go to the provider again. since is the Pause.At
// that the person saw: another pause, or none, is left alone, and it reports
// false.
func (l *Ledger) ResumeProvider(ctx context.Context, provider string, since time.Time, reason string, by uuid.UUID) (bool, error) {
	return l.providerEvent(ctx, "provider_resumed", provider, reason, by, func(tx pgx.Tx) (int64, error) {
		return l.q.ResumeProviderIfPausedSince(ctx, tx, db.ResumeProviderIfPausedSinceParams{Provider: provider, PausedAt: since})
	})
}

// providerEvent changes a provider's state and writes the event of it, which
// concerns no owner.
func (l *Ledger) providerEvent(ctx context.Context, action, provider, reason string, by uuid.UUID, change func(pgx.Tx) (int64, error)) (bool, error) {
	id, changed := newID(), false
	err := l.transact(ctx, action, func(tx pgx.Tx, _ bool) error {
		n, err := change(tx)
		if err != nil {
			return err
		}
		if n == 0 {
			// Unless an earlier run's COMMIT got no answer and had happened.
			changed, err = l.q.EventExists(ctx, tx, db.EventExistsParams{OwnerID: uuid.Nil, ID: id})
			if err != nil {
				return err
			}
			return errNothingToCommit
		}
		changed = true
		text := provider
		if reason != "" {
			text += ": " + reason
		}
		return l.q.InsertEvent(ctx, tx, db.InsertEventParams{OwnerID: uuid.Nil, ID: id, ActorKind: string(ByUser),
			ActorID: &by, Action: action, Reason: clean(text)})
	})
	return changed, err
}

// Pauses lists the providers that are paused, by name.
func (l *Ledger) Pauses(ctx context.Context) ([]Pause, error) {
	rows, err := l.q.Pauses(ctx, l.pool)
	return mapped(rows, err, func(r db.PausesRow) Pause {
		return Pause{Provider: r.Provider, At: r.PausedAt, By: value(r.Email), Reason: r.Reason}
	})
}

// Load is how many attempts of a provider have not ended, by state.
type Load struct {
	Provider string
	State    AttemptState
	Attempts int64
	Oldest   time.Time
}

// Loads counts what has not ended, by provider and state.
func (l *Ledger) Loads(ctx context.Context) ([]Load, error) {
	rows, err := l.q.OpenAttemptsByProvider(ctx, l.pool)
	return mapped(rows, err, func(r db.OpenAttemptsByProviderRow) Load {
		return Load{Provider: r.Provider, State: AttemptState(r.State), Attempts: r.Attempts, Oldest: r.Oldest}
	})
}

// WakeProvider wakes the dispatcher for all of a provider's pending attempts, as
// after it was resumed, longest there first and so many in a transaction.
func (l *Ledger) WakeProvider(ctx context.Context, provider string, atOnce int) error {
	p := db.PendingOfProviderParams{Provider: provider, Most: int32(atOnce)}
	for {
		rows, err := l.q.PendingOfProvider(ctx, l.pool, p)
		if err != nil || len(rows) == 0 {
			return err
		}
		err = pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
			for _, r := range rows {
				if err := l.waker.WakeAttempt(ctx, tx, r.OwnerID, r.ID, r.Provider); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(rows) < atOnce {
			return err
		}
		last := rows[len(rows)-1]
		p.AfterAt, p.AfterID = last.StateAt, last.ID
	}
}
