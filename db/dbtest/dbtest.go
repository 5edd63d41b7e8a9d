// Package dbtest gives each test a migrated database of its own on a real
// PostgreSQL, in some ten milliseconds, so that all tests can run in parallel.
//
// All test binaries of a user share one server: the one at
// KWIT_TEST_DATABASE_URL (a superuser's address) if that is set, else one that
// the first of them starts in the temporary folder. It stays for the next run,
// which then begins at once; `go run ./db/dbtest/stop` ends it, and `make test`
// does so. Nothing in it is durable. For a test that kills its server there is
// [StartServer].
package dbtest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db"
	"kwit/db/embedded"
)

// startTimeout bounds the start of a server, initdb included.
const startTimeout = 2 * time.Minute

// poolSize is small, since hundreds of tests share one server.
const poolSize = 8

// New returns a pool of eight connections to a fresh, migrated database, which
// ends with the test. A failed test's database stays, and its address is logged.
func New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return open(t, NewURL(t))
}

// NewURL returns the address of a fresh, migrated database, which ends with the
// test: connections that are open then are cut.
func NewURL(t testing.TB) string {
	t.Helper()
	address, err := sharedServer()
	if err != nil {
		t.Fatal(err)
	}
	return newDatabase(t, address)
}

func open(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), db.PoolOptions{URL: address, Application: t.Name(), MaxConns: poolSize})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// SharedDir is where the shared server of this user lives.
func SharedDir() string {
	return filepath.Join(os.TempDir(), "kwit-test-"+strconv.Itoa(os.Geteuid()))
}

// sharedServer returns the address of the server that all tests share. This
// process uses the server until it ends, so nobody stops it before.
var sharedServer = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if address := os.Getenv("KWIT_TEST_DATABASE_URL"); address != "" {
		return address, nil
	}
	dir := SharedDir()
	if err := claimFolder(dir); err != nil {
		return "", err
	}
	server, err := embedded.Start(ctx, embedded.Options{
		Dir:            dir,
		Log:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		MaxConnections: 500,
		FastUnsafe:     true,
	})
	if err != nil {
		return "", err
	}
	return server.URL(), dropForgotten(ctx, server.URL())
})

// claimFolder makes a folder in the temporary folder, where others could have
// put one of that name.
func claimFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to somebody else: remove it", dir)
	}
	return nil
}
