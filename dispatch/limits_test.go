package dispatch_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/ledger"
)

// max_concurrent holds over all nodes, as the provider counts: never more
// requests are under way, and all jobs end.
func TestLimitHoldsOverAllNodes(t *testing.T) {
	t.Parallel()
	const limit, jobs = 3, 10
	w := newWorld(t, setup{farm: farm.Options{Orders: -1, Hold: true}, slots: limit})
	w.start(w.node("w2"))
	var all []ledger.Job
	for range jobs {
		all = append(all, w.submit(uuid.NewString(), order))
	}
	for released := range jobs {
		if err := w.farm.Seen.Wait(t.Context(), min(released+limit, jobs)); err != nil {
			t.Fatal(err)
		}
		held := w.farm.Held()
		if under := w.farm.Seen.Total() - released; under > limit || len(held) != under {
			t.Fatalf("%d requests are under way, %d held; the limit is %d", under, len(held), limit)
		}
		w.farm.Release(held[0], nil)
	}
	for _, j := range all {
		w.await(j, ledger.JobSucceeded)
	}
	if n := w.count(`SELECT count(*) FROM provider_slots WHERE attempt_id IS NOT NULL`); n != 0 {
		t.Errorf("%d slots are left over", n)
	}
}

// What the provider has accepted counts, although no worker holds it.
func TestAcceptedWorkCountsInTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, slots: 1, provider: hasStatus})
	first := w.submit("k1", accepted)
	id := first.Attempts[0].ID
	w.until("accepted", func() bool { return w.attempt(id).AcceptedAt != nil })
	second := w.submit("k2", order)
	w.poll(1, `SELECT count(*) FROM river_job WHERE args->>'attempt_id' = $1 AND metadata ? 'snoozes'`, second.Attempts[0].ID.String())
	if n := w.farm.Seen.Total(); n != 1 {
		t.Errorf("the provider saw %d requests", n)
	}
	w.farm.Finish(id.String(), farm.Reply{Body: []byte(`{"order":1}`)})
	w.enquire(first)
	w.await(first, ledger.JobSucceeded)
	w.await(second, ledger.JobSucceeded)
}

// While a provider is paused its attempts wait; resumed, they go at once, also
// where nobody can be told.
func TestPausedProvidersAttemptsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick})
	w.start(w.node("w2"))
	const jobs = 30
	if _, err := w.ledger.PauseProvider(t.Context(), "farm", "it streaks", support.ID); err != nil {
		t.Fatal(err)
	}
	var all []ledger.Job
	for range jobs {
		all = append(all, w.submit(uuid.NewString(), order))
	}
	w.poll(jobs, `SELECT count(*) FROM river_job WHERE kind = 'attempt' AND state = 'scheduled' AND scheduled_at > now() + interval '10 seconds'`)
	for _, j := range all {
		w.await(j, ledger.JobQueued)
	}
	if n := w.farm.Seen.Total(); n != 0 {
		t.Fatalf("the provider saw %d requests while it was paused", n)
	}
	w.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%'`)
	pauses, err := w.ledger.Pauses(t.Context())
	if err != nil || len(pauses) != 1 {
		t.Fatalf("%+v, %v", pauses, err)
	}
	resumed := time.Now()
	if ok, err := w.ledger.ResumeProvider(t.Context(), "farm", pauses[0].At, "", support.ID); err != nil || !ok {
		t.Fatalf("%v, %v", ok, err)
	}
	if err := w.farm.Seen.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if took := w.farm.Seen.All()[0].At.Sub(resumed); took > 10*time.Second {
		t.Errorf("resumed after %s: it waits for the snooze", took)
	} else {
		t.Logf("resumed after %s", took)
	}
	for _, j := range all {
		w.await(j, ledger.JobSucceeded)
	}
}
