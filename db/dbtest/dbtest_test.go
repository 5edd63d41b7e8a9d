package dbtest_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db"
	"kwit/db/dbtest"
)

func exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestEachTestHasAMigratedDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			pool := dbtest.New(t)
			if err := db.CheckSchema(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
			exec(t, pool, "CREATE TABLE only_here ()") // fails where another test did it
		})
	}
}

func TestADatabaseEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("a test that leaves a connection open", func(t *testing.T) {
		address = dbtest.NewURL(t)
		pool, err := pgxpool.New(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		exec(t, pool, "SELECT")
	})
	pool, err := pgxpool.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if pool.Ping(t.Context()) == nil {
		t.Error("the database outlived its test")
	}
}

func TestAServerOfATestsOwnKeepsItsDatabasesWhenKilled(t *testing.T) {
	t.Parallel()
	server := dbtest.StartServer(t)
	pool := server.New()
	exec(t, pool, "CREATE TABLE memory AS SELECT 'acknowledged' AS what")
	for _, end := range []func(){server.Kill, server.Stop} {
		end()
		if _, err := pool.Exec(t.Context(), "SELECT"); err == nil {
			t.Fatal("a server that has ended answers")
		}
		server.Start()
		exec(t, pool, "SELECT what FROM memory")
	}
}
