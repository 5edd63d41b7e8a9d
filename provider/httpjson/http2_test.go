package httpjson_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/httpjson"
	"kwit/provider/providertest"
)

// header writes the header frame of an answer.
func header(f *providertest.Frames, stream uint32, end bool, fields ...string) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := 0; i < len(fields); i += 2 {
		// Writing to a buffer cannot fail.
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: end})
}

// TestC18_NoLayerRetriesOverHTTP2: only a refused stream, and a GOAWAY below
// ours, say that the request was not acted on (2-ledger).
func TestC18_NoLayerRetriesOverHTTP2(t *testing.T) {
	t.Parallel()
	reset := func(code http2.ErrCode) func(*providertest.Frames, uint32) {
		return func(f *providertest.Frames, stream uint32) { _ = f.WriteRSTStream(stream, code); f.Drain() }
	}
	goAway := func(last uint32, code http2.ErrCode) func(*providertest.Frames, uint32) {
		return func(f *providertest.Frames, _ uint32) { _ = f.WriteGoAway(last, code, nil) }
	}
	tests := []struct {
		name  string
		serve func(*providertest.Frames, uint32)
		want  outcome.Outcome
	}{
		{"REFUSED_STREAM", reset(http2.ErrCodeRefusedStream), outcome.NotProcessed},
		{"PROTOCOL_ERROR", reset(http2.ErrCodeProtocol), outcome.ConnectionLost},
		{"INTERNAL_ERROR", reset(http2.ErrCodeInternal), outcome.ConnectionLost},
		{"CANCEL", reset(http2.ErrCodeCancel), outcome.ConnectionLost},
		{"NO_ERROR", reset(http2.ErrCodeNo), outcome.ConnectionLost},
		{"ENHANCE_YOUR_CALM", reset(http2.ErrCodeEnhanceYourCalm), outcome.ConnectionLost},
		{"GOAWAY below", goAway(0, http2.ErrCodeNo), outcome.NotProcessed},
		{"GOAWAY below, with an error", goAway(0, http2.ErrCodeEnhanceYourCalm), outcome.NotProcessed},
		{"GOAWAY at ours", goAway(1, http2.ErrCodeNo), outcome.ConnectionLost},
		{"GOAWAY at ours, with an error", goAway(1, http2.ErrCodeProtocol), outcome.ConnectionLost},
		{"GOAWAY above", goAway(1<<31-1, http2.ErrCodeNo), outcome.ConnectionLost},
		{"closed", func(*providertest.Frames, uint32) {}, outcome.ConnectionLost},
		{"no frame", func(f *providertest.Frames, _ uint32) {
			_ = f.WriteRawFrame(http2.FrameData, 0, 0, []byte("a data frame without a stream"))
			f.Drain()
		}, outcome.AnswerLost},
		{"half a body", func(f *providertest.Frames, s uint32) {
			header(f, s, false, ":status", "200")
			_ = f.WriteData(s, false, []byte(`{"a":`))
		}, outcome.AnswerLost},
		{"a body without an end", func(f *providertest.Frames, s uint32) {
			header(f, s, false, ":status", "200")
			_ = f.WriteData(s, false, []byte(`{"a":1}`))
		}, outcome.AnswerLost},
		{"refused after the answer began", func(f *providertest.Frames, s uint32) {
			header(f, s, false, ":status", "200")
			_ = f.WriteRSTStream(s, http2.ErrCodeRefusedStream)
			f.Drain()
		}, outcome.AnswerLost},
		{"a result", func(f *providertest.Frames, s uint32) {
			header(f, s, false, ":status", "200")
			_ = f.WriteData(s, true, []byte(`12`))
			f.Drain()
		}, outcome.Succeeded},
		{"a status that settles nothing", func(f *providertest.Frames, s uint32) {
			header(f, s, true, ":status", "503")
			f.Drain()
		}, outcome.ServerError},
	}
	serverTLS, clientTLS := providertest.Certificate(t, "h2")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := providertest.StartRaw(t, serverTLS, func(c *providertest.Talk) {
				frames, ok := c.HTTP2()
				if !ok {
					return
				}
				if stream, ok := frames.Request(); ok {
					test.serve(frames, stream)
				}
			})
			end := send(t, providertest.Patience(t), httpjson.Options{URL: "https://" + server.Addr, TLS: clientTLS})
			checkEnd(t, end, test.want)
			checkOnce(t, server)
		})
	}
}

// TestHTTP2SealedBeforeItsHeader: settings may have been exchanged, and still
// no request has left.
func TestHTTP2SealedBeforeItsHeader(t *testing.T) {
	t.Parallel()
	serverTLS, clientTLS := providertest.Certificate(t, "h2")
	server := providertest.StartRaw(t, serverTLS, func(c *providertest.Talk) {
		if frames, ok := c.HTTP2(); ok {
			frames.Request()
		}
	})
	p, err := httpjson.New(httpjson.Options{URL: "https://" + server.Addr, TLS: clientTLS})
	if err != nil {
		t.Fatal(err)
	}
	gate := provider.NewGate(func() error { return io.ErrNoProgress }, nil)
	end := p.Send(providertest.Patience(t), gate, providertest.Ask("a", []byte(`{}`)), nil)
	if end.Outcome != outcome.NotSent || end.BytesWritten != 0 || server.Requests() != 0 {
		t.Errorf("got %q, %d bytes, %d requests", end.Outcome, end.BytesWritten, server.Requests())
	}
}

// TestTLS: a real server over TLS, with and without HTTP/2, gets one request
// with a large body and its answer is understood.
func TestTLS(t *testing.T) {
	t.Parallel()
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			big := append(append([]byte(`{"a":"`), bytes.Repeat([]byte("x"), 1<<20)...), '"', '}')
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				body, err := io.ReadAll(r.Body)
				if err != nil || len(body) != len(big) || r.Proto != name {
					w.WriteHeader(http.StatusTeapot)
					return
				}
				_, _ = w.Write(body)
			}))
			server.EnableHTTP2 = http2
			server.StartTLS()
			t.Cleanup(server.Close)
			trust := server.Client().Transport.(*http.Transport).TLSClientConfig
			p, err := httpjson.New(httpjson.Options{URL: server.URL, TLS: trust})
			if err != nil {
				t.Fatal(err)
			}
			end := p.Send(context.Background(), provider.NewGate(nil, nil), providertest.Ask("a", big), nil)
			checkEnd(t, end, outcome.Succeeded)
			if calls.Load() != 1 || !bytes.Equal(end.Result, big) || end.BytesWritten < int64(len(big)) {
				t.Errorf("%d calls, %d bytes back, %d written", calls.Load(), len(end.Result), end.BytesWritten)
			}
		})
	}
}
