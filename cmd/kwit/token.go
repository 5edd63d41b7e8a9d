package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"kwit/account"
)

func tokenCommand() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:     "token",
		Short:   "Make, list and revoke API tokens",
		Long:    "Make, list and revoke API tokens. A token acts as its owner, with its owner's role.",
		Example: "  kwit token create ewa@example.org --name laptop",
	}, tokenCreateCommand(), tokenListCommand(), tokenRevokeCommand())
	embeddedFlag(cmd.PersistentFlags())
	return cmd
}

func tokenCreateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "create EMAIL --name N",
		Short:   "Make a token and print it, this once",
		Example: "  TOKEN=$(kwit token create ewa@example.org --name laptop)",
		Args:    exactly("EMAIL"),
		RunE: does(func(cmd *cobra.Command, args []string) error {
			name, err := cmd.Flags().GetString("name")
			if err != nil {
				return err
			}
			return withPerson(cmd, args[0], func(ctx context.Context, accounts *account.Accounts, person account.User) error {
				token, _, err := accounts.CreateToken(ctx, person.ID, name)
				if errors.Is(err, account.ErrDisabled) {
					return fmt.Errorf("%s is disabled, and gets no token", person.Email)
				}
				if err != nil {
					return unfit(err)
				}
				return printf(cmd, "%s\n", token)
			})
		}),
	}
	cmd.Flags().String("name", "", "what the token is for, to know it by in lists")
	if err := cmd.MarkFlagRequired("name"); err != nil {
		panic(err) // it stands one line above
	}
	return cmd
}

func tokenListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list EMAIL",
		Short:   "List a person's tokens, revoked ones too",
		Example: "  kwit token list ewa@example.org",
		Args:    exactly("EMAIL"),
		RunE: does(func(cmd *cobra.Command, args []string) error {
			return withPerson(cmd, args[0], func(ctx context.Context, accounts *account.Accounts, person account.User) error {
				tokens, err := accounts.Tokens(ctx, person.ID)
				if err != nil {
					return err
				}
				return printTokens(cmd, tokens)
			})
		}),
	}
}

func printTokens(cmd *cobra.Command, tokens []account.Token) error {
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tCREATED\tLAST USED\tREVOKED")
	for _, t := range tokens {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, moment(&t.CreatedAt), moment(t.LastUsedAt), moment(t.RevokedAt))
	}
	return table.Flush()
}

func moment(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

func tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke EMAIL ID",
		Short:   "End a token at once",
		Example: "  kwit token revoke ewa@example.org 0196f5a2-…",
		Args:    exactly("EMAIL", "ID"),
		RunE: does(func(cmd *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[1])
			if err != nil {
				return wrongUsage("%q is no token's id: 'kwit token list %s' shows them", args[1], args[0])
			}
			return withPerson(cmd, args[0], func(ctx context.Context, accounts *account.Accounts, person account.User) error {
				if err := accounts.RevokeToken(ctx, person.ID, id); err != nil {
					return err
				}
				return printf(cmd, "revoked %s\n", id)
			})
		}),
	}
}
