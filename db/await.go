package db

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// awaitEvery is the pause between two looks at a database that is not there.
const awaitEvery = 2 * time.Second

// Await returns when the database answers. Each time it cannot be reached,
// waiting is told why. It gives up with an error for which [Refused] holds at
// once, and with ctx.
func Await(ctx context.Context, pool *pgxpool.Pool, waiting func(error)) error {
	for {
		err := pool.Ping(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case Refused(err) || !Unreachable(err):
			return err
		}
		waiting(err)
		pause := time.NewTimer(awaitEvery)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

// Refused tells whether the server answered and does not let us in: wrong
// credentials, no such database, no right to connect. Waiting cures none of it.
func Refused(err error) bool {
	const (
		authorization    = "28" // a class
		noSuchDatabase   = "3D000"
		noRightToConnect = "42501"
	)
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.SeverityUnlocalized == "FATAL" &&
		(strings.HasPrefix(pg.Code, authorization) || pg.Code == noSuchDatabase || pg.Code == noRightToConnect)
}
