package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"kwit/account"
	"kwit/demo"
)

// firstEpoch is that of people who were neither disabled nor given another
// password since they were added.
const firstEpoch = 1

// addDemoAccounts leaves those alone that are there already.
func addDemoAccounts(ctx context.Context, accounts *account.Accounts) error {
	for _, a := range demo.Accounts() {
		_, err := accounts.ByEmail(ctx, a.Email)
		if errors.Is(err, account.ErrUnknownPerson) {
			_, err = accounts.Add(ctx, a.NewPerson)
		}
		if err != nil {
			return fmt.Errorf("add the demo's accounts: %w", err)
		}
	}
	return nil
}

// guardDemoAccounts keeps a server that others can reach from a database that a
// demo has left accounts in whose password everybody can read. On this machine
// alone it warns.
func (s *server) guardDemoAccounts(ctx context.Context, accounts *account.Accounts) error {
	var open []string
	for _, a := range demo.Accounts() {
		person, err := accounts.ByEmail(ctx, a.Email)
		if errors.Is(err, account.ErrUnknownPerson) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look for accounts of the demo: %w", err)
		}
		if person.DisabledAt == nil && person.SessionEpoch == firstEpoch {
			open = append(open, person.Email)
		}
	}
	if len(open) == 0 {
		return nil
	}
	if s.roles.web && s.reachedByOthers() {
		return fmt.Errorf("the demo left accounts whose password everybody can read: end them by 'kwit user disable %s'",
			strings.Join(open, "' and 'kwit user disable "))
	}
	s.log.Warn("the demo left accounts whose password everybody can read; kwit serves them on this machine's own address only",
		slog.Any("accounts", open))
	return nil
}

func (s *server) reachedByOthers() bool {
	return !isLoopback(s.addr) || s.baseURL != nil && !isLoopback(s.baseURL.Hostname()+":0")
}
