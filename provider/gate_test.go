package provider_test

import (
	"context"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/providertest"
)

func TestGateAsksOnceAndTellsOnce(t *testing.T) {
	t.Parallel()
	asked, told := 0, 0
	var at time.Time
	before := time.Now()
	gate := provider.NewGate(func() error { asked++; return nil }, func(first time.Time) { told++; at = first })
	for range 3 {
		n, err := gate.Pass(make([]byte, 10_000), io.Discard.Write)
		if n != 10_000 || err != nil {
			t.Fatalf("Pass: %d, %v", n, err)
		}
	}
	if asked != 1 || told != 1 || gate.Written() != 30_000 {
		t.Errorf("asked %d, told %d, written %d", asked, told, gate.Written())
	}
	if at.Before(before) || at.After(time.Now()) {
		t.Errorf("the first byte left at %v", at)
	}
	if gate.SealUnsent() || gate.Sealed() {
		t.Error("a gate that has let bytes through was sealed as unsent")
	}
	if n := gate.Seal(); n != 30_000 {
		t.Errorf("Seal: %d", n)
	}
	if n, err := gate.Pass([]byte("more"), io.Discard.Write); n != 0 || !errors.Is(err, provider.ErrSealed) {
		t.Errorf("after the seal: %d, %v", n, err)
	}
}

// TestGateTellsBeforeTheRest: the first byte is reported although the peer
// takes no more, else no deadline would ever start.
func TestGateTellsBeforeTheRest(t *testing.T) {
	t.Parallel()
	told := make(chan struct{})
	gate := provider.NewGate(nil, func(time.Time) { close(told) })
	_, err := gate.Pass(make([]byte, 1<<20), func(p []byte) (int, error) {
		if len(p) < 1<<16 {
			return len(p), nil
		}
		select {
		case <-told:
		case <-time.After(10 * time.Second):
			t.Error("the rest is being written, and nobody was told of the first byte")
		}
		return len(p), nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestGateTellsNothingOfAFailedWrite(t *testing.T) {
	t.Parallel()
	gate := provider.NewGate(nil, func(time.Time) { t.Error("sent was called") })
	if n, err := gate.Pass([]byte("x"), func([]byte) (int, error) { return 0, io.ErrClosedPipe }); n != 0 || err == nil {
		t.Errorf("Pass: %d, %v", n, err)
	}
	if !gate.SealUnsent() {
		t.Error("nothing was written, and the gate says otherwise")
	}
}

func TestGateRefusalSeals(t *testing.T) {
	t.Parallel()
	old := errors.New("the claim is too old")
	gate := provider.NewGate(func() error { return old }, func(time.Time) { t.Error("sent was called") })
	_, err := gate.Pass([]byte("x"), func([]byte) (int, error) { t.Error("written"); return 0, nil })
	if !errors.Is(err, old) || !errors.Is(err, provider.ErrSealed) {
		t.Errorf("Pass: %v", err)
	}
	if !gate.Sealed() || gate.Seal() != 0 || !errors.Is(gate.Refusal(), old) {
		t.Errorf("sealed %v, refusal %v", gate.Sealed(), gate.Refusal())
	}
}

// TestGateSealIsExact races the seal with a writer: what Seal counted is all
// that ever leaves.
func TestGateSealIsExact(t *testing.T) {
	t.Parallel()
	for range 2000 {
		var left atomic.Int64
		gate := provider.NewGate(nil, nil)
		var writing sync.WaitGroup
		writing.Go(func() {
			for {
				_, err := gate.Pass([]byte("abc"), func(p []byte) (int, error) {
					left.Add(int64(len(p)))
					return len(p), nil
				})
				if err != nil {
					return
				}
			}
		})
		counted := gate.Seal()
		writing.Wait()
		if counted != left.Load() {
			t.Fatalf("Seal counted %d bytes, %d left", counted, left.Load())
		}
	}
}

// TestSealedCountZeroWasNeverHandled races the heartbeat's seal, and the end of
// ctx, with real calls: where the count is zero the server never saw the
// attempt, and where it is not the end is not "not sent" (I5).
func TestSealedCountZeroWasNeverHandled(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"HTTP/1": false, "HTTP/2 over TLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var handled sync.Map
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				handled.Store(r.Header.Get("X-Kwit-Attempt"), true)
				_, _ = io.WriteString(w, "{}")
			}))
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // calls are cut on purpose
			if secure {
				server.EnableHTTP2 = true
				server.StartTLS()
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			race(t, server, &handled)
		})
	}
}

const rounds = 400

func race(t *testing.T, server *httptest.Server, handled *sync.Map) {
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig
	wire, err := provider.NewWire(nil, trust)
	if err != nil {
		t.Fatal(err)
	}
	zero := map[string]bool{}
	// The window closes in on the first byte: longer after a seal in time,
	// shorter after one that came too late.
	window := time.Millisecond
	for i := range rounds {
		attempt := "attempt-" + time.Duration(i).String()
		ctx, cancel := context.WithCancel(providertest.Patience(t))
		gate := provider.NewGate(nil, nil)
		timer := time.AfterFunc(window/2+rand.N(window), func() {
			if i%2 == 0 {
				cancel()
			} else {
				gate.SealUnsent()
			}
		})
		end := wire.Do(ctx, gate, provider.Exchange{
			Method: http.MethodPost, URL: server.URL, Body: []byte(`{}`),
			Header: http.Header{"X-Kwit-Attempt": {attempt}},
			Judge:  func(a provider.Answer) provider.End { return provider.JudgeJSON(a, nil) },
		}, nil)
		timer.Stop()
		if end.BytesWritten == 0 {
			window += window / 8
		} else {
			window -= window / 8
		}
		cancel()
		if (end.Outcome == outcome.NotSent) != (end.BytesWritten == 0) {
			t.Fatalf("%q with %d bytes written", end.Outcome, end.BytesWritten)
		}
		zero[attempt] = end.BytesWritten == 0
	}
	unsent := 0
	for attempt, unwritten := range zero {
		if !unwritten {
			continue
		}
		unsent++
		if _, seen := handled.Load(attempt); seen {
			t.Errorf("%s was sealed with a count of zero, and the server handled it", attempt)
		}
	}
	if unsent == 0 || unsent == rounds {
		t.Errorf("%d of %d rounds were sealed in time: the race did not take place", unsent, rounds)
	}
	t.Logf("%d of %d rounds were sealed in time", unsent, rounds)
}
