package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"kwit/ledger"
)

// mostFindings bounds the rows that are named for each invariant.
const mostFindings = 1000

func verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check the invariants I1 to I7 on the database",
		Long: "Check the invariants I1 to I7 on the database, as one snapshot shows it. Rows that break one\n" +
			"are named, at most 1000 for each check, and the exit code is 1. It may run beside a server.",
		Example: "  kwit verify\n  kwit verify --embedded --json",
		Args:    noArguments,
		RunE: does(func(cmd *cobra.Command, _ []string) error {
			return withDatabase(cmd, func(ctx context.Context, pool *pgxpool.Pool) error {
				found, err := ledger.New(pool, ledger.Options{}).Verify(ctx, mostFindings)
				if err != nil {
					return fmt.Errorf("the invariants could not be checked: %w", err)
				}
				return printFindings(cmd, found)
			})
		}),
	}
	embeddedFlag(cmd.Flags())
	cmd.Flags().Bool("json", false, "print the findings as JSON")
	return cmd
}

func printFindings(cmd *cobra.Command, found []ledger.Finding) error {
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = printJSON(cmd, map[string]any{"findings": append([]ledger.Finding{}, found...)})
	case len(found) == 0:
		err = printf(cmd, "I1 to I7 hold\n")
	}
	for _, f := range found {
		if !asJSON && err == nil {
			err = printf(cmd, "%s\n", f)
		}
	}
	if err == nil && len(found) > 0 {
		return errFound
	}
	return err
}

func printJSON(cmd *cobra.Command, v any) error {
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
