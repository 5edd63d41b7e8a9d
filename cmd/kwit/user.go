package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"kwit/account"
)

func userCommand() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:     "user",
		Short:   "Add, list and disable people, and give them passwords",
		Example: "  kwit user add ewa@example.org --role user",
	}, userAddCommand(), userListCommand(), userDisableCommand(), userPasswdCommand())
	embeddedFlag(cmd.PersistentFlags())
	return cmd
}

func userAddCommand() *cobra.Command {
	var person account.NewPerson
	var role string
	cmd := &cobra.Command{
		Use:   "add EMAIL --role user|support|admin",
		Short: "Add a person who may sign in",
		Example: "  kwit user add ewa@example.org --role user --name 'Ewa Nowak'\n" +
			"  pass show kwit/ewa | kwit user add ewa@example.org --role user --password-stdin",
		Args: exactly("EMAIL"),
		RunE: does(func(cmd *cobra.Command, args []string) (err error) {
			person.Email = args[0]
			if person.Role, err = account.ParseRole(role); err != nil {
				return wrongUsage("the role %q is none: give --role user, support or admin", role)
			}
			if person.Password, err = newPassword(cmd); err != nil {
				return err
			}
			return withAccounts(cmd, func(ctx context.Context, accounts *account.Accounts) error {
				added, err := accounts.Add(ctx, person)
				if err != nil {
					return unfit(err)
				}
				return printf(cmd, "added %s as %s\n", added.Email, added.Role)
			})
		}),
	}
	cmd.Flags().StringVar(&role, "role", "", "what the person may see and do: user, support or admin")
	cmd.Flags().StringVar(&person.Name, "name", "", "what to call the person (default: the address before its @)")
	if err := cmd.MarkFlagRequired("role"); err != nil {
		panic(err) // it stands two lines above
	}
	passwordFlag(cmd)
	return cmd
}

func userListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List everybody",
		Example: "  kwit user list --json",
		Args:    noArguments,
		RunE: does(func(cmd *cobra.Command, _ []string) error {
			return withAccounts(cmd, func(ctx context.Context, accounts *account.Accounts) error {
				people, err := accounts.List(ctx)
				if err != nil {
					return err
				}
				return printPeople(cmd, people)
			})
		}),
	}
	cmd.Flags().Bool("json", false, "print JSON")
	return cmd
}

// personRow is a person as `user list --json` shows them.
type personRow struct {
	ID         uuid.UUID    `json:"id"`
	Email      string       `json:"email"`
	Name       string       `json:"name"`
	Role       account.Role `json:"role"`
	CreatedAt  time.Time    `json:"created_at"`
	DisabledAt *time.Time   `json:"disabled_at"`
}

func printPeople(cmd *cobra.Command, people []account.User) error {
	rows := make([]personRow, len(people))
	for i, p := range people {
		rows[i] = personRow{p.ID, p.Email, p.Name, p.Role, p.CreatedAt, p.DisabledAt}
	}
	if asJSON, err := cmd.Flags().GetBool("json"); err != nil || asJSON {
		return errors.Join(err, printJSON(cmd, map[string]any{"data": rows}))
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "EMAIL\tNAME\tROLE\tSTATE")
	for _, p := range rows {
		state := "may sign in"
		if p.DisabledAt != nil {
			state = "disabled " + p.DisabledAt.UTC().Format(time.DateOnly)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.Email, p.Name, p.Role, state)
	}
	return table.Flush()
}

func userDisableCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "disable EMAIL",
		Short:   "End a person's sessions and tokens, for good; their jobs go on",
		Example: "  kwit user disable ewa@example.org",
		Args:    exactly("EMAIL"),
		RunE: does(func(cmd *cobra.Command, args []string) error {
			return withPerson(cmd, args[0], func(ctx context.Context, accounts *account.Accounts, person account.User) error {
				if err := accounts.Disable(ctx, person.ID); err != nil {
					return err
				}
				return printf(cmd, "disabled %s\n", person.Email)
			})
		}),
	}
}

func userPasswdCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "passwd EMAIL",
		Short:   "Give a person a new password, which ends their sessions",
		Example: "  kwit user passwd ewa@example.org",
		Args:    exactly("EMAIL"),
		RunE: does(func(cmd *cobra.Command, args []string) error {
			return withPerson(cmd, args[0], func(ctx context.Context, accounts *account.Accounts, person account.User) error {
				password, err := newPassword(cmd)
				if err != nil {
					return err
				}
				if err := accounts.SetPassword(ctx, person.ID, password); err != nil {
					return unfit(err)
				}
				return printf(cmd, "%s has a new password\n", person.Email)
			})
		}),
	}
	passwordFlag(cmd)
	return cmd
}

func withAccounts(cmd *cobra.Command, do func(context.Context, *account.Accounts) error) error {
	return withDatabase(cmd, func(ctx context.Context, pool *pgxpool.Pool) error { return do(ctx, account.New(pool)) })
}

// withPerson finds a person by their address first.
func withPerson(cmd *cobra.Command, email string, do func(context.Context, *account.Accounts, account.User) error) error {
	return withAccounts(cmd, func(ctx context.Context, accounts *account.Accounts) error {
		person, err := accounts.ByEmail(ctx, email)
		if errors.Is(err, account.ErrUnknownPerson) {
			return fmt.Errorf("there is nobody with the address %q: 'kwit user list' shows everybody", email)
		}
		if err != nil {
			return err
		}
		return do(ctx, accounts, person)
	})
}

// unfit turns what cannot be taken from the command line into wrong usage. A
// password does not come from there.
func unfit(err error) error {
	var invalid *account.InvalidError
	if errors.As(err, &invalid) && invalid.Field != "password" {
		return wrongUsage("the %s %s", invalid.Field, invalid.Reason)
	}
	return err
}
