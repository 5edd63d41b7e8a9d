package account

import (
	"context"
	"crypto/rand"
	"fmt"

	"kwit/db"
)

// MACKey returns the key of 32 bytes for MACs of one purpose. The first who asks
// makes it, for all processes and for good; of many at once one wins. The caller
// must not change it.
func (a *Accounts) MACKey(ctx context.Context, purpose string) ([]byte, error) {
	if key, ok := a.macKeys.Load(purpose); ok {
		return key.([]byte), nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails: crypto/rand ends the program instead
	err := a.queries.MakeMACKeyIfAbsent(ctx, a.pool, db.MakeMACKeyIfAbsentParams{Purpose: purpose, Key: fresh})
	if err != nil {
		return nil, fmt.Errorf("make the MAC key for %s: %w", purpose, err)
	}
	// A statement of its own: the one above does not see a row that another
	// process committed meanwhile.
	key, err := a.queries.MACKey(ctx, a.pool, purpose)
	if err != nil {
		return nil, fmt.Errorf("read the MAC key for %s: %w", purpose, err)
	}
	a.macKeys.Store(purpose, key)
	return key, nil
}
