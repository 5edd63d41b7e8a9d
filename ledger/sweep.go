package ledger

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// BeatNode says that a node lives and reaches the database, and answers whether
// it may call others dead: only after 30 s without a gap over 10 s, so that a
// database that was away makes nobody look dead.
func (l *Ledger) BeatNode(ctx context.Context, node uuid.UUID, name string) (steady bool, err error) {
	return l.q.BeatNode(ctx, l.pool, db.BeatNodeParams{ID: node, Name: clean(name)})
}

// StaleAttempts lists running attempts whose worker has not beaten for 30 s.
// Only a steady node gets an answer; any other gets none.
func (l *Ledger) StaleAttempts(ctx context.Context, node uuid.UUID, limit int) ([]AttemptRef, error) {
	rows, err := l.q.StaleAttempts(ctx, l.pool, db.StaleAttemptsParams{Node: node, Most: int32(limit)})
	return mapped(rows, err, func(r db.StaleAttemptsRow) AttemptRef {
		return AttemptRef{Owner: r.OwnerID, Attempt: r.ID, Stamp: orNil(r.ClaimStamp)}
	})
}

// OverdueAttempts lists running attempts past their deadline, whoever beats for
// them.
func (l *Ledger) OverdueAttempts(ctx context.Context, limit int) ([]AttemptRef, error) {
	rows, err := l.q.OverdueAttempts(ctx, l.pool, int32(limit))
	return mapped(rows, err, func(r db.OverdueAttemptsRow) AttemptRef {
		return AttemptRef{Owner: r.OwnerID, Attempt: r.ID, Stamp: orNil(r.ClaimStamp)}
	})
}

// WakeSleeping wakes the dispatcher again for pending attempts that lost their
// wake-up, and says how many there were. Doubles are harmless: the claim decides.
func (l *Ledger) WakeSleeping(ctx context.Context, limit int) (int, error) {
	rows, err := l.q.SleepingAttempts(ctx, l.pool, int32(limit))
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	err = pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		for _, r := range rows {
			if err := l.waker.WakeAttempt(ctx, tx, r.OwnerID, r.ID, r.Provider); err != nil {
				return err
			}
		}
		return nil
	})
	return len(rows), err
}

// DueJobs lists jobs whose planned attempt is due.
func (l *Ledger) DueJobs(ctx context.Context, limit int) ([]JobRef, error) {
	rows, err := l.q.DueJobs(ctx, l.pool, int32(limit))
	return mapped(rows, err, func(r db.DueJobsRow) JobRef { return JobRef{Owner: r.OwnerID, Job: r.ID} })
}

// ForgetDeadNodes removes the rows of nodes that were last seen a day ago.
func (l *Ledger) ForgetDeadNodes(ctx context.Context) error {
	return l.q.ForgetDeadNodes(ctx, l.pool)
}

func orNil(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}
