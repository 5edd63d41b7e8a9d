package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kwit/db"
	"kwit/db/embedded"
)

// leaveWithin bounds how long kwit waits at its end for its own PostgreSQL and
// for connections that somebody still holds.
const leaveWithin = 30 * time.Second

// source says where the database of a command is.
type source struct {
	url string // empty: kwit's own PostgreSQL, in dir
	dir string
}

func embeddedFlag(flags *pflag.FlagSet) {
	flags.Bool("embedded", false, "use kwit's own PostgreSQL under KWIT_DATA_DIR instead of DATABASE_URL; or KWIT_EMBEDDED=1")
}

// sourceOf finds out where a command's database is. The variables are asked in
// their order. Nothing is guessed: a node that lost its secret must not start
// on an empty database.
func sourceOf(flags *pflag.FlagSet, variables ...string) (source, error) {
	own := source{dir: dataDir()}
	flag := flags.Lookup("embedded")
	if flag.Changed && flag.Value.String() == "true" {
		return own, nil
	}
	embedded, err := switchedOn("KWIT_EMBEDDED")
	if err != nil {
		return source{}, err
	}
	embedded = embedded && !flag.Changed
	for _, name := range variables {
		switch url := os.Getenv(name); {
		case url != "" && embedded:
			return source{}, wrongUsage("both %s and KWIT_EMBEDDED are set: unset the one that is not meant", name)
		case url != "":
			return source{url: url}, nil
		}
	}
	if embedded {
		return own, nil
	}
	return source{}, errors.New("DATABASE_URL is not set: set it to the address of your PostgreSQL, " +
		"or give --embedded to use kwit's own under " + own.dir)
}

// database is the PostgreSQL that a command works on.
type database struct {
	pool *pgxpool.Pool
	own  *embedded.Server // nil where it is somebody else's
	log  *slog.Logger
}

// open starts kwit's own server, or attaches to it, where the source says so. It
// does not connect yet.
func (s source) open(ctx context.Context, application string, log *slog.Logger) (*database, error) {
	d := &database{log: log}
	if s.url == "" {
		var err error
		if d.own, err = embedded.Start(ctx, embedded.Options{Dir: s.dir, Log: log}); err != nil {
			return nil, err
		}
		s.url = d.own.URL()
	}
	var err error
	if d.pool, err = db.Open(ctx, db.PoolOptions{URL: s.url, Application: application}); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// close leaves the database; kwit's own is stopped if nobody else uses it.
func (d *database) close() {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	if d.pool != nil {
		closePool(ctx, d.pool)
	}
	if d.own == nil {
		return
	}
	if err := d.own.Stop(ctx); err != nil {
		d.log.Error("PostgreSQL was not stopped in order", "error", err)
	}
}

// closePool waits for connections that are in use, but not for ever.
func closePool(ctx context.Context, pool *pgxpool.Pool) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		pool.Close()
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}

// withDatabase runs a short command on a database that must answer now and have
// this build's schema.
func withDatabase(cmd *cobra.Command, do func(context.Context, *pgxpool.Pool) error) error {
	from, err := sourceOf(cmd.Flags(), "DATABASE_URL")
	if err != nil {
		return err
	}
	return from.use(cmd, func(ctx context.Context, pool *pgxpool.Pool) error {
		if err := db.CheckSchema(ctx, pool); err != nil {
			return err
		}
		return do(ctx, pool)
	})
}

// use opens the database for one piece of work.
func (s source) use(cmd *cobra.Command, do func(context.Context, *pgxpool.Pool) error) error {
	ctx := cmd.Context()
	d, err := s.open(ctx, cmd.CommandPath(), plainLog(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.pool.Ping(ctx); err != nil {
		return cannotReach(err)
	}
	return do(ctx, d.pool)
}

func cannotReach(err error) error {
	if db.Refused(err) {
		return fmt.Errorf("the database does not let kwit in, check DATABASE_URL: %w", err)
	}
	return fmt.Errorf("the database cannot be reached, check that it runs and what DATABASE_URL says: %w", err)
}
