package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// LetServe gives the role that serves what it needs on a schema that another
// role has migrated, and keeps it from changing the append-only tables; their
// owner becomes a role that nobody signs in as, where the migrating role may
// arrange that. It does nothing where both are one role: then the triggers
// alone keep the log. The role must exist.
func LetServe(ctx context.Context, migrating *pgxpool.Pool, serving string) error {
	return pgx.BeginFunc(ctx, migrating, func(tx pgx.Tx) error {
		q := New()
		self, err := q.CurrentRole(ctx, tx)
		if err != nil || self == serving {
			return err
		}
		if err := q.LetServe(ctx, tx, serving); err != nil {
			return fmt.Errorf("give the role %s what it needs to serve: %w", serving, err)
		}
		if err := q.HandOverLog(ctx, tx); err != nil {
			return fmt.Errorf("hand the log over to a role that nobody signs in as: %w", err)
		}
		return nil
	})
}
