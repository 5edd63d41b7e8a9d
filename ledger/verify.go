package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// Finding is a row that breaks an invariant.
type Finding struct {
	Invariant string    `json:"invariant"` // I1 to I7; slots: a provider's limit counts what does not run
	What      string    `json:"what"`
	Owner     uuid.UUID `json:"owner"`
	ID        uuid.UUID `json:"id"` // of the job or attempt
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s (owner %s)", f.Invariant, f.What, f.ID, f.Owner)
}

// Verify looks for what breaks the invariants of 2-ledger, as far as the
// database can show it: at most limit rows for each. It reads one snapshot, and
// a sound database gives none.
func (l *Ledger) Verify(ctx context.Context, limit int) ([]Finding, error) {
	var found []Finding
	err := pgx.BeginTxFunc(ctx, l.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// It looks at every row: the limit of ordinary statements is not meant for it.
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0"); err != nil {
			return err
		}
		rows, err := l.q.BrokenInvariants(ctx, tx, int32(limit))
		found, err = mapped(rows, err, func(r db.BrokenInvariantsRow) Finding {
			return Finding{Invariant: r.Invariant, What: r.What, Owner: r.OwnerID, ID: r.ID}
		})
		return err
	})
	return found, err
}
