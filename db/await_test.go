package db_test

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"kwit/db"
	"kwit/db/dbtest"
)

func TestAwaitGoesOnWhenTheDatabaseComes(t *testing.T) {
	t.Parallel()
	server := dbtest.StartServer(t)
	pool := server.New()
	server.Stop()

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var once sync.Once
	err := db.Await(ctx, pool, func(err error) {
		if err == nil {
			t.Error("it waits and does not say why")
		}
		once.Do(server.Start)
	})
	if err != nil {
		t.Fatalf("the database is back: %v", err)
	}
}

func TestAwaitGivesUpWhereWaitingCuresNothing(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(dbtest.NewURL(t))
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/nobody_made_this"
	pool, err := db.Open(t.Context(), db.PoolOptions{URL: address.String(), Application: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	err = db.Await(t.Context(), pool, func(err error) { t.Errorf("it waits for what never comes: %v", err) })
	if !db.Refused(err) {
		t.Fatalf("got %v, want a refusal", err)
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), db.PoolOptions{URL: "postgres://127.0.0.1:1/kwit?connect_timeout=1"})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ctx, cancel := context.WithCancel(t.Context())
	if err := db.Await(ctx, pool, func(error) { cancel() }); err != context.Canceled {
		t.Fatalf("got %v, want the context's end", err)
	}
}
