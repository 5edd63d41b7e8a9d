package db

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Rolled back by PostgreSQL for the order of things alone: run it again.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
)

// Refused for the state that the server is in.
const (
	insufficientResources = "53" // a class: disk, memory, connections
	readOnlyTransaction   = "25006"
	queryCanceled         = "57014" // by statement_timeout
	lockNotAvailable      = "55P03"
)

// MayRunAgain tells whether PostgreSQL rolled the transaction back only because
// of what ran beside it.
func MayRunAgain(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == serializationFailure || pg.Code == deadlockDetected)
}

// Unreachable tells whether the server did not answer, or ended the connection,
// rather than refuse the statement.
func Unreachable(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return ended(pg)
	}
	return err != nil && !errors.Is(err, pgx.ErrNoRows) && !errors.Is(err, pgx.ErrTxClosed) &&
		!errors.Is(err, pgx.ErrTxCommitRollback)
}

// CommitLost tells whether an error of Commit leaves open what became of the
// transaction: the answer did not arrive, which is neither done nor failed.
func CommitLost(err error) bool {
	return Unreachable(err)
}

// ended tells whether the error is the server's farewell: what it said before
// about a COMMIT was never heard.
func ended(pg *pgconn.PgError) bool {
	return pg.SeverityUnlocalized == "FATAL" || pg.SeverityUnlocalized == "PANIC" || pg.Code[:2] == "08"
}

// Overloaded tells whether the server refused a statement for want of room, of
// time, or of the right to write, rather than for what it says: the same
// statement may pass a moment later, perhaps at another server.
func Overloaded(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case readOnlyTransaction, queryCanceled, lockNotAvailable:
		return true
	}
	return pg.Code[:2] == insufficientResources
}
