package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// WebhookSeen tells at which attempt a callback with this id was stored before,
// or nil: an id counts once for each provider.
func (l *Ledger) WebhookSeen(ctx context.Context, provider, webhookID string) (*uuid.UUID, error) {
	at, err := l.q.WebhookSeen(ctx, l.pool, db.WebhookSeenParams{Provider: provider, WebhookID: webhookID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &at, err
}

// NoteWebhook notes a callback's id once what it said is stored.
func (l *Ledger) NoteWebhook(ctx context.Context, provider, webhookID string, attempt uuid.UUID) error {
	return l.q.InsertWebhook(ctx, l.pool, db.InsertWebhookParams{Provider: provider, WebhookID: webhookID, AttemptID: attempt})
}

// ForgetWebhooks forgets the ids of callbacks that came a day ago.
func (l *Ledger) ForgetWebhooks(ctx context.Context) error { return l.q.ForgetWebhooks(ctx, l.pool) }

// Clock is the database's time.
func (l *Ledger) Clock(ctx context.Context) (time.Time, error) { return l.q.Clock(ctx, l.pool) }

// ForgottenSend turns a pending attempt unknown because a signed callback for it
// proves a send that the database has forgotten: it is settled as usual and
// never sent. It reports false where the attempt is not pending.
func (l *Ledger) ForgottenSend(ctx context.Context, owner, attempt uuid.UUID) (bool, error) {
	forgotten := false
	err := l.onAttempt(ctx, "forgotten-send", owner, attempt, Actor{Kind: ByProvider}, func(s *step, a Attempt) error {
		forgotten = a.State == Pending
		if !forgotten {
			return nil
		}
		const why = "its provider called back about a request that this database has forgotten"
		if err := s.move(a, move{to: Unknown, detail: why, action: ActionForgottenSend, reason: why}); err != nil {
			return err
		}
		return s.settle()
	})
	return forgotten, err
}
