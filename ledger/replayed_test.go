package ledger_test

import (
	"testing"
	"time"

	"kwit/ledger"
	"kwit/outcome"
)

// A replay may have been carried out although the first request was refused, so
// that a refusal which comes late starts nothing and ends nothing any more. What
// speaks of work that was done ends the attempt as ever.
func TestC10_LateRefusalAfterAReplaySettlesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		outcome  outcome.Outcome
		replayed bool
		want     ledger.JobState
	}{
		{outcome.NotProcessed, true, ledger.JobUnknown},
		{outcome.Rejected, true, ledger.JobUnknown},
		{outcome.ProviderError, true, ledger.JobFailed},
		{outcome.NotProcessed, false, ledger.JobWaiting},
		{outcome.Rejected, false, ledger.JobFailed},
	} {
		key := string(c.outcome)
		if c.replayed {
			key += "-replayed"
		}
		job, a := w.running(key)
		w.doubt(a)
		if c.replayed {
			if may, err := w.Replay(t.Context(), a.OwnerID, a.ID, time.Hour); err != nil || !may {
				t.Fatalf("%s: may be replayed: %t, %v", key, may, err)
			}
		}
		keepAnswer(w, a, `{}`)
		f := w.failure(a, c.outcome)
		f.Retry.Attempts = 3
		if _, err := w.Fail(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		got, err := w.Job(t.Context(), job.OwnerID, job.ID)
		if err != nil || got.State != c.want {
			t.Errorf("%s: the job is %s, %v, want %s", key, got.State, err, c.want)
		}
	}
	w.exec(`UPDATE answers SET received_at = received_at - interval '31 seconds'`)
	if left, err := w.UnjudgedAnswers(t.Context(), 10); err != nil || len(left) > 0 {
		t.Errorf("still to be judged: %v, %v", left, err)
	}
}
