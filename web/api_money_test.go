package web_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"kwit/ledger"
	"kwit/outcome"
)

// TestAttemptsTellUsageAndCost: a cost stands there only where it is known that
// the work was done.
func TestAttemptsTellUsageAndCost(t *testing.T) {
	w := callableWorld(t)
	won, failed, doubt := w.newJob(w.ewa, "won"), w.newJob(w.ewa, "failed"), w.newJob(w.ewa, "doubt")
	w.callBack(callbackOf{attempt: w.accepted(won).ID.String()}).want(http.StatusOK)
	a := w.claim(w.ewa, failed)
	_, err := w.ledger.Fail(t.Context(), ledger.Failure{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Outcome: outcome.NotSent, Detail: "refused"})
	if err != nil {
		t.Fatal(err)
	}
	w.doubt(w.ewa, doubt)
	for name, c := range map[string]struct{ job, usage, cost string }{
		"won":    {won, `{"pages":3}`, `{"amount":"0.02","currency":"EUR"}`},
		"failed": {failed, `null`, `null`},
		"doubt":  {doubt, `null`, `null`},
	} {
		var job struct {
			Attempts []struct{ Usage, Cost json.RawMessage }
		}
		got := w.call(w.ewa, "GET", "/jobs/"+c.job, "").want(http.StatusOK)
		if err := json.Unmarshal(got.raw, &job); err != nil {
			t.Fatal(err)
		}
		if first := job.Attempts[0]; string(first.Usage) != c.usage || string(first.Cost) != c.cost {
			t.Errorf("%s: usage %s, cost %s", name, first.Usage, first.Cost)
		}
	}
}

// TestListedJobsNameTheirBlockingAttempt as the job itself does.
func TestListedJobsNameTheirBlockingAttempt(t *testing.T) {
	w := newWorld(t)
	ended, open := w.newJob(w.ewa, "ended"), w.newJob(w.ewa, "open")
	w.fail(w.ewa, ended)
	rows := w.call(w.ewa, "GET", "/jobs", "").want(http.StatusOK).data()
	blocking := w.job(w.ewa, open).OpenAttempt().ID.String()
	if rows[0]["id"] != open || rows[0]["blocking_attempt"] != blocking || rows[1]["blocking_attempt"] != nil {
		t.Errorf("listed: %v", rows)
	}
	if got := w.call(w.ewa, "GET", "/jobs/"+open, "").text("blocking_attempt"); got != blocking {
		t.Errorf("the job itself names %q", got)
	}
}
