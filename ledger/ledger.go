package ledger

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db"
)

// Waker puts a wake-up for the dispatcher into the ledger's transaction. A
// wake-up may be lost, doubled, early or late: the ledger decides what is due.
type Waker interface {
	// WakeAttempt says that a pending attempt waits for a claim.
	WakeAttempt(ctx context.Context, tx pgx.Tx, owner, attempt uuid.UUID, provider string) error
}

// Options are what a ledger needs beside its database.
type Options struct {
	Waker Waker
	// Changed is told of every job that a committed transition changed. It is a
	// hint and must not block.
	Changed func(owner, job uuid.UUID)
}

// Ledger holds jobs and attempts. It is safe for concurrent use, and two
// ledgers on one database, in one process or in many, are one.
type Ledger struct {
	pool    *pgxpool.Pool
	q       *db.Queries
	waker   Waker
	changed func(owner, job uuid.UUID)
}

// New returns a ledger on a database whose schema is up to date.
func New(pool *pgxpool.Pool, o Options) *Ledger {
	changed := o.Changed
	if changed == nil {
		changed = func(uuid.UUID, uuid.UUID) {}
	}
	return &Ledger{pool: pool, q: db.New(), waker: o.Waker, changed: changed}
}

// newID returns an id that sorts by the time it was made. It identifies and
// orders nothing that matters: the database's clock is the clock.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
