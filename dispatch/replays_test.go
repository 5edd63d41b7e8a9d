package dispatch_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/provider/httpjson"
)

// A provider whose replays hang gets a bounded number of them, no attempt's
// twice, and holds up nobody's polls: work that another one has accepted is
// asked about in time.
func TestHangingReplaysHoldUpNoPoll(t *testing.T) {
	t.Parallel()
	const doubts, most = 25, 20
	w := newWorld(t, setup{farm: farmtest.Quick, provider: hasStatus, idle: true,
		timing: dispatch.Timing{Timeout: time.Hour, Attempts: 1}})
	arrived := make(chan struct{}, 2*doubts)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the caller hung up
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	p, err := httpjson.New(httpjson.Options{URL: hanging.URL, HonoursKey: true})
	if err != nil {
		t.Fatal(err)
	}
	w.o.Providers["hanging"] = dispatch.Provider{Provider: p, MaxConcurrent: 1}
	w.d = w.node("w1")
	w.start(w.d)

	job := w.submit("k1", accepted)
	id := job.Attempts[0].ID
	w.until("accepted", func() bool { return w.attempt(id).AcceptedAt != nil })
	for range doubts {
		w.await(w.submit(uuid.NewString(), with("gateway")), ledger.JobUnknown)
	}
	w.exec(`UPDATE attempts SET provider = 'hanging', next_enquiry_at = clock_timestamp() WHERE state = 'unknown'`)
	for range most {
		<-arrived
	}
	w.farm.Finish(id.String(), farm.Reply{Body: []byte(`{"order":"polled"}`)})
	w.makeDue()
	w.await(job, ledger.JobSucceeded)
	if n := len(arrived); n != 0 {
		t.Errorf("%d replays too many", n)
	}
}
