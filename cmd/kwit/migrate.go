package main

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"kwit/db"
)

func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema up to date",
		Long: "Bring the database's schema up to date. It may be run again, and by many at once.\n" +
			"KWIT_MIGRATE_DATABASE_URL may name a stronger role than the one that serves.",
		Example: "  DATABASE_URL=postgres://kwit@db/kwit kwit migrate",
		Args:    noArguments,
		RunE:    does(migrate),
	}
	embeddedFlag(cmd.Flags())
	return cmd
}

func migrate(cmd *cobra.Command, _ []string) error {
	from, err := sourceOf(cmd.Flags(), "KWIT_MIGRATE_DATABASE_URL", "DATABASE_URL")
	if err != nil {
		return err
	}
	return from.use(cmd, func(ctx context.Context, pool *pgxpool.Pool) error {
		if err := db.Migrate(ctx, pool); err != nil {
			return err
		}
		if from.url != "" {
			if err := letServe(ctx, pool); err != nil {
				return err
			}
		}
		return printf(cmd, "the schema is up to date\n")
	})
}

// letServe gives the role of DATABASE_URL its rights, where another role has
// migrated.
func letServe(ctx context.Context, migrating *pgxpool.Pool) error {
	serving := os.Getenv("DATABASE_URL")
	if serving == "" || os.Getenv("KWIT_MIGRATE_DATABASE_URL") == "" {
		return nil
	}
	config, err := pgxpool.ParseConfig(serving)
	if err != nil {
		return fmt.Errorf("DATABASE_URL cannot be read: %w", err)
	}
	return db.LetServe(ctx, migrating, config.ConnConfig.User)
}
