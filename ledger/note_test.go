package ledger_test

import (
	"encoding/json"
	"testing"

	"kwit/ledger"
	"kwit/outcome"
)

// What a worker saw of a call whose attempt others had moved already is added to
// the evidence, and changes nothing else.
func TestSealAfterTheEndIsEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := int64(0)
	sealed := ledger.Call{Evidence: ledger.Evidence{BytesWritten: &none, Sealed: true}}
	for _, c := range []struct {
		name string
		end  func(ledger.Attempt) error
	}{
		{"not-sent", func(a ledger.Attempt) error {
			_, err := w.Fail(t.Context(), ledger.Failure{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp,
				Outcome: outcome.NotSent, Detail: "sealed before the first byte", Call: sealed})
			return err
		}},
		{"doubt", func(a ledger.Attempt) error {
			_, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp,
				Outcome: outcome.ConnectionLost, Detail: "sealed before the first byte", Call: sealed})
			return err
		}},
	} {
		job, a := w.running(c.name)
		w.cancel(a)
		if err := c.end(a); err != nil {
			t.Fatal(err)
		}
		got := w.attempt(a)
		var seen ledger.Evidence
		if err := json.Unmarshal(got.Evidence, &seen); err != nil {
			t.Fatal(err)
		}
		if !seen.Sealed || seen.BytesWritten == nil || *seen.BytesWritten != 0 || seen.Late != "sealed before the first byte" {
			t.Errorf("%s: evidence %s", c.name, got.Evidence)
		}
		w.wantStates(job, ledger.JobFailed, ledger.Cancelled)
	}
}

// What was said of a doubt is not said of the success that cleared it.
func TestSuccessDropsTheWordsOfItsDoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	w.doubt(a)
	w.complete(a, `1`)
	if got := w.attempt(a); got.Detail != "" || got.Outcome != outcome.Succeeded {
		t.Errorf("outcome %s, detail %q", got.Outcome, got.Detail)
	}
}
