package account

import (
	"net/netip"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db"
)

// Accounts is the door to people, tokens, drafts and MAC keys. It is safe for
// concurrent use; a process needs one, since it bounds the work on passwords.
type Accounts struct {
	pool    *pgxpool.Pool
	queries *db.Queries
	hasher  *hasher

	wrongByEmail   *throttle[string]
	wrongByAddress *throttle[netip.Prefix]

	macKeys sync.Map // purpose -> []byte
}

// New returns the accounts of the database behind pool. It does not touch the
// database yet.
func New(pool *pgxpool.Pool) *Accounts {
	return &Accounts{
		pool:           pool,
		queries:        db.New(),
		hasher:         newHasher(),
		wrongByEmail:   newThrottle[string](10, 10*time.Second),
		wrongByAddress: newThrottle[netip.Prefix](30, 2*time.Second),
	}
}
