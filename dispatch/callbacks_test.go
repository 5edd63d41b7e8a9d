package dispatch_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/provider"
)

// Only a provider whose callbacks we could believe learns where to call back.
func TestOnlyProvidersThatMayCallBackAreToldWhere(t *testing.T) {
	t.Parallel()
	for name, callsBack := range map[string]bool{"may call back": true, "has no secret": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := make(chan string, 1)
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				told <- r.Header.Get(provider.HeaderCallback)
				rw.Header().Set("Content-Type", "application/json")
				_, _ = rw.Write([]byte(`{"order":1}`))
			}))
			t.Cleanup(server.Close)
			w := newWorld(t, setup{url: server.URL, idle: true})
			p := w.o.Providers["farm"]
			p.Callbacks = callsBack
			w.o.Providers["farm"] = p
			w.o.CallbackAddress = func(_, attempt uuid.UUID) string { return "https://kwit.example/callbacks/" + attempt.String() }
			w.d = w.node("w1")
			w.start(w.d)

			job := w.await(w.submit("k", order), ledger.JobSucceeded)
			want := ""
			if callsBack {
				want = "https://kwit.example/callbacks/" + job.Attempts[0].ID.String()
			}
			if got := <-told; got != want {
				t.Errorf("the provider is told %q, want %q", got, want)
			}
		})
	}
}
