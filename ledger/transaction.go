package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"kwit/db"
	"kwit/faultpoint"
)

const (
	// A COMMIT has a deadline of its own: a browser that went away is no reason
	// to abort what is about to be stored.
	commitWithin = 5 * time.Second
	// How often a transaction is run that PostgreSQL rolled back for the order
	// of things, or whose COMMIT got no answer.
	mostRuns = 5
	runPause = 100 * time.Millisecond
)

var readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

// transact runs a transaction, and runs it again where PostgreSQL rolled it
// back for the order of things or where the answer to its COMMIT was lost. In
// the second case `lost` is true from then on, and the transaction must find
// out whether its twin in flight has happened: locking the same row, or
// inserting the same key, waits for it (7-facts, "PostgreSQL"). A doubt that
// remains is ErrOutcomeUnknown; what the ledger itself refuses is no doubt.
func (l *Ledger) transact(ctx context.Context, name string, do func(tx pgx.Tx, lost bool) error) error {
	lost := false
	for run := 1; ; run++ {
		err := l.runOnce(ctx, name, func(tx pgx.Tx) error { return do(tx, lost) })
		var unheard *unheardCommitError
		var refused *refusedError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &refused):
			return refused.why
		case errors.As(err, &unheard):
			lost = true
		case !lost && !db.MayRunAgain(err):
			return err
		}
		if run == mostRuns || !pause(ctx, runPause) {
			if lost {
				return fmt.Errorf("%s: %w: %w", name, ErrOutcomeUnknown, err)
			}
			return err
		}
	}
}

// runOnce begins, acts and commits.
func (l *Ledger) runOnce(ctx context.Context, name string, do func(pgx.Tx) error) error {
	tx, err := l.begin(ctx)
	if err != nil {
		return fmt.Errorf("%s: begin: %w", name, err)
	}
	defer rollback(ctx, tx)
	faultpoint.Hit(name + ":begun")
	if err := do(tx); err != nil {
		switch {
		case errors.Is(err, errNothingToCommit):
			return nil
		case healthy(tx):
			return &refusedError{err}
		}
		return err
	}
	faultpoint.Hit(name + ":before-commit")
	if err := commit(ctx, tx); err != nil {
		return fmt.Errorf("%s: commit: %w", name, err)
	}
	faultpoint.Hit(name + ":committed")
	return nil
}

// begin begins on a connection that lives. After a lost connection or a restart
// of the server the pool may hold others that have died: nothing was asked of
// them yet, so the next one is taken.
func (l *Ledger) begin(ctx context.Context) (pgx.Tx, error) {
	for tried := int32(0); ; tried++ {
		tx, err := l.pool.BeginTx(ctx, readCommitted)
		var connecting *pgconn.ConnectError
		if err == nil || ctx.Err() != nil || errors.As(err, &connecting) || !db.Unreachable(err) ||
			tried == l.pool.Stat().MaxConns() {
			return tx, err
		}
	}
}

// errNothingToCommit ends a transaction that found its work done.
var errNothingToCommit = errors.New("nothing to commit")

// refusedError is an error that comes from the ledger, not from its database:
// the transaction read all that it wanted to know.
type refusedError struct{ why error }

func (e *refusedError) Error() string { return e.why.Error() }

// healthy tells whether every statement of the transaction was answered, and
// none of them failed.
func healthy(tx pgx.Tx) bool {
	const inTransaction = 'T'
	return !tx.Conn().IsClosed() && tx.Conn().PgConn().TxStatus() == inTransaction
}

// unheardCommitError is a COMMIT whose answer did not arrive.
type unheardCommitError struct{ cause error }

func (e *unheardCommitError) Error() string { return "no answer to COMMIT: " + e.cause.Error() }
func (e *unheardCommitError) Unwrap() error { return e.cause }

func commit(ctx context.Context, tx pgx.Tx) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
	defer cancel()
	err := tx.Commit(ctx)
	if db.CommitLost(err) {
		return &unheardCommitError{err}
	}
	return err
}

// rollback gives the connection back. After a commit it does nothing.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
	defer cancel()
	// An error here means that the connection is gone, and with it the transaction.
	_ = tx.Rollback(ctx)
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// transition is the one shape of every change but submission: lock the job's
// row, act, commit, tell. A transition whose COMMIT got no answer is run again
// and recognises its twin by the id of its first event; what act found then
// stands, so act leaves its findings in variables of its caller.
func (l *Ledger) transition(ctx context.Context, name string, owner, job uuid.UUID, actor Actor, act func(*step) error) error {
	first := newID()
	wrote := false
	err := l.transact(ctx, name, func(tx pgx.Tx, lost bool) error {
		row, err := l.q.LockJob(ctx, tx, db.LockJobParams{OwnerID: owner, ID: job})
		if err != nil {
			return notFound(err)
		}
		if lost {
			done, err := l.q.EventExists(ctx, tx, db.EventExistsParams{OwnerID: owner, ID: first})
			if err != nil {
				return err
			}
			if done {
				return errNothingToCommit
			}
		}
		faultpoint.Hit(name + ":locked")
		s := &step{ctx: ctx, l: l, tx: tx, name: name, job: jobOf(row), actor: actor,
			planned: row.NextAttemptAt != nil, nextEvent: first}
		if err := act(s); err != nil {
			return err
		}
		wrote = s.wrote
		if !wrote {
			return errNothingToCommit
		}
		return nil
	})
	if err == nil && wrote || errors.Is(err, ErrOutcomeUnknown) {
		l.changed(owner, job)
	}
	return err
}

// notFound turns "no rows" into the ledger's own word.
func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	return err
}
