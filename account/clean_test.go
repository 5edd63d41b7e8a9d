package account_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"kwit/account"
)

func TestWhatEndedIsDeleted(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	p := addPerson(t, s.accounts)
	ended, living := s.browser(t), s.browser(t)
	ended.signIn(p.Email, password)
	keep := func(key string) {
		mac := must(s.accounts.DraftMAC(t.Context(), p.ID, key))(t)
		ok(t, s.accounts.KeepDraft(t.Context(), mac, key, "summary", typed))
	}
	keep("old")
	run(t, s.pool, "UPDATE sessions SET idle_until = clock_timestamp()")
	run(t, s.pool, "UPDATE drafts SET created_at = created_at - interval '1 hour'")
	living.signIn(p.Email, password)
	keep("new")

	ok(t, s.accounts.Clean(t.Context()))
	if rows := ask[int](t, s.pool, "SELECT count(*) FROM sessions"); rows != 1 || living.me() == signedOut {
		t.Errorf("%d sessions are left", rows)
	}
	if key := ask[string](t, s.pool, "SELECT string_agg(idempotency_key, ',') FROM drafts"); key != "new" {
		t.Errorf("left: %s", key)
	}
}

func TestKeepCleanCleansAtOnceAndEndsWithItsContext(t *testing.T) {
	t.Parallel()
	a, pool := newAccounts(t)
	run(t, pool, "INSERT INTO drafts VALUES (gen_random_uuid(), 'k', 'summary', '', clock_timestamp() - interval '1 day')")
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		a.KeepClean(ctx, slog.New(slog.DiscardHandler))
		close(stopped)
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ask[int](t, pool, "SELECT count(*) FROM drafts") > 0 {
		select {
		case <-tick.C:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was deleted")
		}
	}
	stop()
	<-stopped
}
