package e2e

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/demo/farm"
	"kwit/e2e/kwittest"
)

func TestC05_TwoHundredClicksAcrossTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, farm.Options{Orders: -1}, time.Minute)
	servers := []*kwittest.Client{w.Serve(kwittest.Options{}).Client(w.token), w.Serve(kwittest.Options{}).Client(w.token)}

	const clicks = 200
	replies := make([]kwittest.Reply, clicks)
	var begin, done sync.WaitGroup
	begin.Add(1)
	for i := range clicks {
		done.Go(func() {
			begin.Wait()
			replies[i] = servers[i%2].MustCall(http.MethodPost, "/jobs", map[string]any{"job_type": "order", "input": order},
				map[string]string{"Idempotency-Key": "one-click"})
		})
	}
	begin.Done()
	done.Wait()

	ids, created := map[uuid.UUID]bool{}, 0
	for _, r := range replies {
		var job kwittest.Job
		switch r.Status {
		case http.StatusCreated:
			created++
		case http.StatusOK:
			if r.Header.Get("Idempotent-Replayed") != "true" {
				t.Error("a repeated answer does not say that it is one")
			}
		default:
			t.Fatalf("answer %d: %s", r.Status, r.Body)
		}
		r.Decode(t, &job)
		ids[job.ID] = true
	}
	if len(ids) != 1 || created != 1 {
		t.Fatalf("%d jobs, %d of them created, want one", len(ids), created)
	}
	for id := range ids {
		job := servers[1].AwaitState(id, "succeeded")
		if len(job.Attempts) != 1 || w.farm.Seen.Total() != 1 {
			t.Errorf("%d attempts and %d requests at the provider, want one", len(job.Attempts), w.farm.Seen.Total())
		}
	}
}
