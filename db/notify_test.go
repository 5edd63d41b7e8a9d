package db_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/db"
	"kwit/db/dbtest"
)

// Other processes hear of every change in time, a process does not hear of its
// own, and a dropped LISTEN connection comes back by itself.
func TestNotifierTellsOtherProcesses(t *testing.T) {
	t.Parallel()
	pool := dbtest.New(t)
	log := slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	here, there := db.NewNotifier(pool, log), db.NewNotifier(pool, log)
	heard := make(chan uuid.UUID, 1000)
	go here.Run(ctx)
	go there.Run(ctx)
	go there.Listen(ctx, func(_, job uuid.UUID) { heard <- job })
	go here.Listen(ctx, func(_, job uuid.UUID) { t.Errorf("a process was told of its own change of %s", job) })

	// hear repeats the change, since hints before LISTEN are lost.
	hear := func() {
		t.Helper()
		job := uuid.New()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			here.Changed(uuid.New(), job)
			select {
			case got := <-heard:
				if got == job {
					return
				}
			case <-tick.C:
			case <-ctx.Done():
				t.Fatal("the other process was not told")
			}
		}
	}
	hear()
	const cut = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND query ILIKE 'listen%'`
	var n int
	if err := pool.QueryRow(ctx, cut).Scan(&n); err != nil || n == 0 {
		t.Fatalf("cut %d LISTEN connections, %v", n, err)
	}
	hear()
}
