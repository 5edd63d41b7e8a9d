// Package db owns the SQL of kwit: the generated queries, the migrations and
// the connection pool. SQL stands in db/queries and db/migrations and nowhere
// else.
package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// PoolOptions say what a pool is for. The zero value of a limit is its default.
type PoolOptions struct {
	URL         string
	Application string // application_name, so that an operator sees who holds what
	MaxConns    int32  // 20 by default
}

// Open returns a pool whose every connection waits for the disk, reads
// committed rows, and can neither run a statement nor hold an idle transaction
// for ever. It does not connect yet: an unreachable server shows at first use.
func Open(ctx context.Context, o PoolOptions) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL cannot be read: %w", err)
	}
	cfg.MaxConns = 20
	if o.MaxConns > 0 {
		cfg.MaxConns = o.MaxConns
	}
	cfg.MaxConnIdleTime = 5 * time.Minute
	setDefaults(cfg.ConnConfig, o.Application)
	return pgxpool.NewWithConfig(ctx, cfg)
}

func setDefaults(cfg *pgx.ConnConfig, application string) {
	for name, value := range map[string]string{
		"application_name":                    application,
		"synchronous_commit":                  "on",
		"default_transaction_isolation":       "read committed",
		"statement_timeout":                   "30s",
		"idle_in_transaction_session_timeout": "60s",
		"timezone":                            "UTC",
	} {
		cfg.RuntimeParams[name] = value
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 10 * time.Second
	}
}
