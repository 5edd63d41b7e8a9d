package dbtest_test

import (
	"fmt"
	"testing"
	"time"

	"kwit/db"
	"kwit/db/dbtest"
)

func TestEachTestHasAMigratedDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	for i := range 30 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			pool := dbtest.New(t)
			t.Logf("made in %v", time.Since(began))
			if err := db.CheckSchema(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(t.Context(), "CREATE TABLE only_here ()"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAServerOfATestsOwnSurvivesKill(t *testing.T) {
	t.Parallel()
	server := dbtest.StartServer(t)
	pool := server.New()
	if _, err := pool.Exec(t.Context(), "CREATE TABLE memory AS SELECT 'acknowledged' AS what"); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	if _, err := pool.Exec(t.Context(), "SELECT"); err == nil {
		t.Fatal("a killed server answers")
	}
	server.Start()
	var what string
	if err := pool.QueryRow(t.Context(), "SELECT what FROM memory").Scan(&what); err != nil {
		t.Fatal(err)
	}
}
