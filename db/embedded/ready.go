package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// slow is how long a start may take before it is told about.
const slow = 2 * time.Second

// waitReady returns when the server answers and the database is there.
func (s *Server) waitReady(ctx context.Context) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	told := time.NewTimer(slow)
	defer told.Stop()
	for {
		err := s.ensureDatabase(ctx)
		if err == nil {
			return nil
		}
		if s.gone() {
			return fmt.Errorf("PostgreSQL ended while it started; its log %s ends with\n%s", s.layout.logFile(), s.layout.tail())
		}
		if answer := new(pgconn.PgError); errors.As(err, &answer) && answer.Code != cannotConnectNow {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer yet: %w (%w)", ctx.Err(), err)
		case <-told.C:
			s.options.Log.Info("PostgreSQL is still starting, or recovering from a crash", "log", s.layout.logFile())
		case <-tick.C:
		}
	}
}

// SQLSTATEs.
const (
	cannotConnectNow  = "57P03" // starting up, recovering or shutting down
	duplicateDatabase = "42P04"
)

// ensureDatabase makes the database when it is not there.
func (s *Server) ensureDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.post.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var there bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", database).Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+database)
	if answer := new(pgconn.PgError); errors.As(err, &answer) && answer.Code == duplicateDatabase {
		return nil
	}
	return err
}
