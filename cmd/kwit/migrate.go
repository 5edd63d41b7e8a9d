package main

import (
	"context"

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
		return printf(cmd, "the schema is up to date\n")
	})
}
