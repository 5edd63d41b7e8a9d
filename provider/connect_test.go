package provider

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"kwit/outcome"
)

// mute accepts connections and says nothing, so that TLS never gets on.
func mute(t *testing.T) (target string, accepted <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			came <- struct{}{}
			t.Cleanup(func() { _ = conn.Close() })
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return "https://" + listener.Addr().String(), came
}

func exchange(target string) Exchange {
	return Exchange{
		Method: http.MethodPost, URL: target, Header: http.Header{}, Body: []byte("{}"),
		Judge: func(a Answer) End { return JudgeJSON(a, nil) },
	}
}

// TestConnectingEnds: a connection that does not come to stand is given up
// after its time, by the gate, and by ctx; nothing was sent in any case.
func TestConnectingEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		patience time.Duration
		tunnel   bool
		end      func(*Gate, context.CancelFunc)
	}{
		"by its time":                {20 * time.Millisecond, false, nil},
		"by its time, in the tunnel": {20 * time.Millisecond, true, nil},
		"by the gate":                {time.Minute, false, func(g *Gate, _ context.CancelFunc) { g.SealUnsent() }},
		"by ctx":                     {time.Minute, false, func(_ *Gate, cancel context.CancelFunc) { cancel() }},
		"by ctx, in the tunnel":      {time.Minute, true, func(_ *Gate, cancel context.CancelFunc) { cancel() }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, accepted := mute(t)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			wire := mustWire(t, target, test.tunnel)
			wire.patience = test.patience
			gate := NewGate(nil, nil)
			if test.end != nil {
				go func() {
					<-accepted
					test.end(gate, cancel)
				}()
			}
			end := wire.Do(ctx, gate, exchange(target), nil)
			if end.Outcome != outcome.NotSent || end.BytesWritten != 0 {
				t.Errorf("got %q, %d bytes (%s)", end.Outcome, end.BytesWritten, end.Detail)
			}
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Error("it took until the test's own deadline")
			}
		})
	}
}

func mustWire(t *testing.T, target string, tunnel bool) *Wire {
	t.Helper()
	var proxy *url.URL
	if tunnel {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		proxy = &url.URL{Scheme: "http", Host: u.Host}
	}
	wire, err := NewWire(proxy, nil)
	if err != nil {
		t.Fatal(err)
	}
	return wire
}

// TestPartOfARequestIsADoubt: the server takes the first bytes and no more;
// the seal cuts the write that blocks, and what left is counted.
func TestPartOfARequestIsADoubt(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]outcome.Outcome{"sealed": outcome.ConnectionLost, "ctx ended": outcome.Timeout} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secure, _ := mute(t)
			target := "http" + secure[len("https"):]
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sent := make(chan struct{})
			gate := NewGate(nil, func(time.Time) { close(sent) })
			counted := make(chan int64, 1)
			go func() {
				<-sent
				if want == outcome.Timeout {
					cancel()
				}
				counted <- gate.Seal()
			}()
			x := exchange(target)
			x.Body = make([]byte, 64<<20) // more than any socket buffer takes
			end := mustWire(t, target, false).Do(ctx, gate, x, nil)
			if end.Outcome != want {
				t.Errorf("got %q, want %q (%s)", end.Outcome, want, end.Detail)
			}
			if n := <-counted; n == 0 || n >= int64(len(x.Body)) || n != end.BytesWritten {
				t.Errorf("Seal counted %d, the end %d", n, end.BytesWritten)
			}
		})
	}
}

func TestAddressesThatCannotBe(t *testing.T) {
	t.Parallel()
	wire := mustWire(t, "", false)
	for _, target := range []string{"ftp://127.0.0.1/", "://", "http://%zz/"} {
		if end := wire.Do(t.Context(), NewGate(nil, nil), exchange(target), nil); end.Outcome != outcome.NotSent {
			t.Errorf("%s: got %q", target, end.Outcome)
		}
	}
	for _, proxy := range []string{"socks5://127.0.0.1:1", "127.0.0.1:3128", "http://"} {
		u, err := url.Parse(proxy)
		if err != nil {
			u = &url.URL{Opaque: proxy}
		}
		if _, err := NewWire(u, nil); err == nil {
			t.Errorf("the proxy %s was accepted", proxy)
		}
	}
}

// TestJudgeThatPanicsIsOneLostAnswer: third-party parsing meets outside input.
func TestJudgeThatPanicsIsOneLostAnswer(t *testing.T) {
	t.Parallel()
	end := Conclude(t.Context(), NewGate(nil, nil), Answer{Status: 200, Whole: true}, func(Answer) End { panic(io.ErrNoProgress) }, nil)
	if end.Outcome != outcome.AnswerLost || end.Detail == "" || end.Answer == nil {
		t.Errorf("got %+v", end)
	}
}
