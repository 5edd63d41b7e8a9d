package account

import (
	"context"
	"errors"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db"
)

// sessionStore keeps the sessions of scs in PostgreSQL. It is not scs's own
// store, because that one, with an idle timeout, writes a row at every request,
// brings a session back when a request that began before the sign-out ends after
// it, and does not give up when the request does. Here reading extends a session,
// once a minute at most, and only one that is there.
type sessionStore struct {
	pool    *pgxpool.Pool
	queries *db.Queries
	idle    time.Duration
}

var (
	_ scs.CtxStore = (*sessionStore)(nil)
	_ scs.Store    = (*sessionStore)(nil)
)

// FindCtx returns the data of a session that is neither idle for too long nor
// over, and counts as a sign of life.
func (s *sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	row, err := s.queries.LiveSession(ctx, s.pool, db.LiveSessionParams{Token: token, IdleSeconds: s.idle.Seconds()})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if row.IdleIsStale {
		err = s.queries.ExtendSessionIfLive(ctx, s.pool,
			db.ExtendSessionIfLiveParams{Token: token, IdleSeconds: s.idle.Seconds()})
	}
	return row.Data, err == nil, err
}

// CommitCtx keeps a session until endsAt, or until it is idle for too long.
func (s *sessionStore) CommitCtx(ctx context.Context, token string, data []byte, endsAt time.Time) error {
	return s.queries.KeepSession(ctx, s.pool,
		db.KeepSessionParams{Token: token, Data: data, EndsAt: endsAt, IdleSeconds: s.idle.Seconds()})
}

// DeleteCtx ends a session.
func (s *sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.queries.DeleteSession(ctx, s.pool, token)
}

// Find, Commit and Delete make it an [scs.Store]; scs calls those above.

// Find is FindCtx without a request.
func (s *sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a request.
func (s *sessionStore) Commit(token string, data []byte, endsAt time.Time) error {
	return s.CommitCtx(context.Background(), token, data, endsAt)
}

// Delete is DeleteCtx without a request.
func (s *sessionStore) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}
