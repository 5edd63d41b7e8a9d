package web_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"kwit/db"
	"kwit/db/dbtest"
	"kwit/exactjson"
	"kwit/ledger"
	"kwit/web"
)

func TestAPanicIsOneFailedRequest(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Ready = func(context.Context) error { panic("of a test") } })
	b := w.browser()
	b.get("/readyz", "X-Request-Id", "r-1").want(http.StatusInternalServerError).says("Something broke on our side", "r-1")
	b.get("/healthz").want(http.StatusOK)
}

// A version that this build cannot compile is a fault of kwit, not of the
// database and not of whoever asks.
func TestAVersionThatCannotBeCompiledIsOurFault(t *testing.T) {
	w := newWorld(t)
	input, err := exactjson.Parse([]byte(`{"text":"a"}`), exactjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := w.ledger.Submit(t.Context(), ledger.Submission{
		Owner: w.ewa.ID, Key: "k", Intent: ledger.Intent{JobType: "summary", Input: input}, Raw: input.Bytes(),
		RouteInForce: []string{"inkjet"}, Digest: "broken", Definition: []byte(`{"from":"a later kwit"}`),
		Actor: ledger.Actor{Kind: ledger.ByUser, ID: w.ewa.ID},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := made.Job.ID.String()
	w.call(w.ewa, "GET", "/jobs/"+id, "").want(http.StatusOK)
	a := w.doubt(w.ewa, id)
	w.call(w.sam(), "POST", "/attempts/"+a.ID.String()+"/resolve", `{"reason":"r","status":"succeeded","result":{}}`).
		problem(http.StatusInternalServerError, "internal-error")
}

// With every connection in use a submission says so, before anything is stored.
func TestAPoolThatIsExhaustedIsOverload(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Timeout = 300 * time.Millisecond })
	taken := w.pool.Config().MaxConns
	for range taken {
		conn, err := w.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
	}
	got := w.submit(w.ewa, "k", summary("a")).problem(http.StatusServiceUnavailable, "overloaded")
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// A server that takes no writes, as during a failover, is not kwit's fault.
func TestADatabaseThatTakesNoWritesIsOverload(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), db.PoolOptions{URL: dbtest.NewURL(t), Application: "web test", MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	w := worldOn(t, pool, types)
	if _, err := pool.Exec(t.Context(), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`); err != nil {
		t.Fatal(err)
	}
	pool.Reset()
	w.submit(w.ewa, "k", summary("a")).problem(http.StatusServiceUnavailable, "overloaded")
}
