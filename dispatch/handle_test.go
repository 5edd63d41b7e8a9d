package dispatch_test

import (
	"testing"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/provider/httpjson"
)

func namesItsWork(o *httpjson.Options, farm string) {
	o.IDPath, o.StatusURL = "/id", farm+"/orders/{provider_id}"
}

// A 202 that comes when the attempt is unknown already still says by which name
// its provider can be asked.
func TestC10_LateAcceptanceLeavesAHandle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farm.Options{Hold: true}, provider: namesItsWork})
	job := w.submit("k1", order)
	id := job.Attempts[0].ID
	if err := w.farm.Seen.WaitFor(t.Context(), id.String()); err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE attempts SET deadline = clock_timestamp() - interval '1 second'`)
	w.sweep()
	w.await(job, ledger.JobUnknown)
	w.farm.Release(id.String(), &farm.Reply{Status: 202, Body: []byte(`{"id":"work-7"}`)})
	w.until("the provider's name for the work is noted", func() bool { return w.attempt(id).ProviderRequestID == "work-7" })
	w.await(job, ledger.JobUnknown)
}

// So does one whose worker died before it was noted.
func TestC10_DeadWorkersAcceptanceLeavesAHandle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, idle: true, provider: namesItsWork})
	job, a := w.deadWorkersAttempt()
	err := w.ledger.KeepAnswer(t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Status: 202,
		Body: []byte(`{"id":"work-7"}`), Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE answers SET received_at = clock_timestamp() - interval '1 minute'`)
	w.steady()
	w.sweep()
	w.await(job, ledger.JobUnknown)
	if got := w.attempt(a.ID).ProviderRequestID; got != "work-7" {
		t.Errorf("the provider's name for the work is %q", got)
	}
}

// A node whose configuration does not name the provider, as in the middle of a
// deployment, puts no paid answer aside.
func TestC10_KeptAnswerWaitsForANodeThatKnowsItsProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, idle: true})
	job, a := w.deadWorkersAttempt()
	err := w.ledger.KeepAnswer(t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Status: 200,
		MediaType: "application/json", Body: []byte(`{"order":1}`), Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE answers SET received_at = clock_timestamp() - interval '1 minute'`)
	w.exec(`UPDATE attempts SET deadline = clock_timestamp() - interval '1 second'`)
	knows, providers := w.d, w.o.Providers
	w.o.Providers = map[string]dispatch.Provider{"another": providers["farm"]}
	other := w.node("other")
	if err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := knows.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.await(job, ledger.JobSucceeded)
}
