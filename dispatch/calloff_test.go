package dispatch_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"kwit/demo/farm/farmtest"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/provider/httpjson"
)

// cancelAnswer reads what the provider answered to the cancel call.
func (w *world) cancelAnswer(id uuid.UUID) string {
	w.t.Helper()
	var e ledger.Evidence
	if err := json.Unmarshal(w.attempt(id).Evidence, &e); err != nil {
		w.t.Fatal(err)
	}
	return e.Cancel
}

func (w *world) deletions() int {
	n := 0
	for _, r := range w.farm.Asked.All() {
		if r.Method == http.MethodDelete {
			n++
		}
	}
	return n
}

// The fence is committed, then the provider is told, once. What it says is
// evidence, and changes nothing.
func TestCancelCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, input string
		acts        func(w *world, j ledger.Job, a ledger.Attempt)
		says        string
		job         ledger.JobState
		attempts    []ledger.AttemptState
	}{
		{"attempt whose work goes on", accepted, func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a.ID) },
			"cancelled", ledger.JobFailed, []ledger.AttemptState{ledger.Cancelled}},
		{"attempt whose work is over", with("lost"), func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a.ID) },
			"too late", ledger.JobFailed, []ledger.AttemptState{ledger.Cancelled}},
		{"attempt that nobody knows", with("gateway"), func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a.ID) },
			"too late", ledger.JobFailed, []ledger.AttemptState{ledger.Cancelled}},
		{"job, and then its attempt", with("lost"), func(w *world, j ledger.Job, a ledger.Attempt) {
			w.cancelJob(j)
			w.until("the call is noted", func() bool { return w.cancelAnswer(a.ID) != "" })
			w.cancel(a.ID)
		}, "too late", ledger.JobCancelled, []ledger.AttemptState{ledger.Cancelled}},
		{"job whose work goes on", accepted, func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) },
			"cancelled", ledger.JobCancelled, []ledger.AttemptState{ledger.Running}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farmtest.Quick, provider: canCancel})
			other := w.node("w2")
			w.start(other)
			job := w.submit("k1", c.input)
			id := job.Attempts[0].ID
			w.until("accepted or in doubt", func() bool { a := w.attempt(id); return a.AcceptedAt != nil || a.State == ledger.Unknown })
			c.acts(w, job, w.attempt(id))
			w.until("the call is noted", func() bool { return w.cancelAnswer(id) != "" })
			for _, d := range []*dispatch.Dispatcher{w.d, other} {
				if err := d.CallOff(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if says := w.cancelAnswer(id); !strings.Contains(says, c.says) || w.deletions() != 1 {
				t.Errorf("it says %q in %d calls, want %q", says, w.deletions(), c.says)
			}
			job = w.await(job, c.job)
			var states []ledger.AttemptState
			for _, a := range job.Attempts {
				states = append(states, a.State)
			}
			if !slices.Equal(states, c.attempts) {
				t.Errorf("the attempts are %v, want %v", states, c.attempts)
			}
		})
	}
}

// Providers that hang when they are asked hold up no cancel call.
func TestCancelCallsDoNotWaitForEnquiries(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	w := newWorld(t, setup{farm: farmtest.Quick, provider: func(o *httpjson.Options, farm string) {
		stub(t, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-answer:
			case <-r.Context().Done():
			}
		})(o, farm)
		canCancel(o, farm)
	}})
	defer close(answer)
	var jobs []ledger.Job
	for range 30 {
		jobs = append(jobs, w.submit(uuid.NewString(), with("gateway")))
	}
	for _, j := range jobs {
		w.await(j, ledger.JobUnknown)
	}
	w.makeDue()
	if err := w.d.Enquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.cancel(jobs[0].Attempts[0].ID)
	w.until("the call is noted", func() bool { return w.cancelAnswer(jobs[0].Attempts[0].ID) != "" })
	if n := w.count(`SELECT count(*) FROM enquiries`); n != 0 {
		t.Errorf("%d enquiries were answered before: the call may have waited", n)
	}
}
