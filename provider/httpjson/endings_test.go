package httpjson_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/httpjson"
	"kwit/provider/providertest"
)

// send makes one call to a provider at url and hands back its end.
func send(t *testing.T, ctx context.Context, o httpjson.Options) provider.End {
	t.Helper()
	p, err := httpjson.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.Send(ctx, provider.NewGate(nil, nil), providertest.Ask("attempt-1", []byte(`{"a":1}`)), nil)
}

// says is a server that reads one request, says text and closes.
func says(text string) func(*providertest.Talk) {
	return func(c *providertest.Talk) {
		if _, ok := c.Request(); ok {
			c.Say(text)
		}
	}
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// TestC18_NoLayerRetries walks through every way in which a call can end at
// the socket: the outcome is the table's (2-ledger), and one request was sent.
func TestC18_NoLayerRetriesAtTheSocket(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		serve func(*providertest.Talk)
		want  outcome.Outcome
	}{
		{"reads and closes", says(""), outcome.ConnectionLost},
		{"reads and resets", func(c *providertest.Talk) { c.Request(); c.Reset() }, outcome.ConnectionLost},
		{"half a status line", says("HTTP/1.1 20"), outcome.ConnectionLost},
		{"half a header", says(head + "Content-Len"), outcome.ConnectionLost},
		{"a header without its end", says(head), outcome.ConnectionLost},
		{"an interim answer, then nothing", says("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), outcome.ConnectionLost},
		{"another protocol", says("SSH-2.0-OpenSSH_9.2\r\n"), outcome.AnswerLost},
		{"another protocol, without a line", says("\x00\x01\x02"), outcome.AnswerLost},
		{"a header that is none", says(head + "no colon here\r\n\r\n{}"), outcome.AnswerLost},
		{"two lengths", says(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "), outcome.AnswerLost},
		{"too short a body", says(head + "Content-Length: 10\r\n\r\n{\"a\":"), outcome.AnswerLost},
		{"no body where one is announced", says(head + "Content-Length: 10\r\n\r\n"), outcome.AnswerLost},
		{"too long a body", says(head + "Content-Length: 5\r\n\r\n{\"a\":1}"), outcome.AnswerLost},
		{"body reset", func(c *providertest.Talk) {
			c.Request()
			c.Say(head + "Content-Length: 10\r\n\r\n{\"a\":")
			c.Reset()
		}, outcome.AnswerLost},
		{"a chunk that is none", says(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"), outcome.AnswerLost},
		{"chunks without an end", says(head + "Transfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n"), outcome.AnswerLost},
		{"whole chunks", says(head + "Transfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n0\r\n\r\n"), outcome.Succeeded},
		{"no length, an object", says(head + "\r\n{\"a\":1}"), outcome.Succeeded},
		{"no length, an array", says(head + "\r\n[1,2]\n"), outcome.Succeeded},
		{"no length, a number", says(head + "\r\n12"), outcome.AnswerLost},
		{"no length, cut", says(head + "\r\n{\"a\":1"), outcome.AnswerLost},
		{"no length, nothing", says(head + "\r\n"), outcome.AnswerLost},
		{"HTTP/1.0", says("HTTP/1.0 200 OK\r\n\r\n{\"a\":1}"), outcome.Succeeded},
		{"interim answers, then the result", says("HTTP/1.1 102 Processing\r\n\r\n" + head + "Content-Length: 2\r\n\r\n{}"), outcome.Succeeded},
		{"an error that is cut", says("HTTP/1.1 500 Oops\r\nContent-Length: 10\r\n\r\n{"), outcome.ServerError},
		{"a refusal that is cut", says("HTTP/1.1 422 No\r\nContent-Length: 10\r\n\r\n{"), outcome.Rejected},
		{"gzip that nobody asked for", says(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"), outcome.AnswerLost},
		{"another protocol by upgrade", says("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"), outcome.ServerError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := providertest.StartRaw(t, nil, test.serve)
			end := send(t, providertest.Patience(t), httpjson.Options{URL: "http://" + server.Addr + "/x"})
			checkEnd(t, end, test.want)
			checkOnce(t, server)
		})
	}
}

func checkEnd(t *testing.T, end provider.End, want outcome.Outcome) {
	t.Helper()
	if end.Outcome != want {
		t.Errorf("outcome: got %q, want %q (%s)", end.Outcome, want, end.Detail)
	}
	if end.BytesWritten == 0 {
		t.Error("no byte was counted")
	}
}

func checkOnce(t *testing.T, server *providertest.Raw) {
	t.Helper()
	if requests, connections := server.Requests(), server.Connections(); requests != 1 || connections != 1 {
		t.Errorf("the server saw %d requests on %d connections, want one on one", requests, connections)
	}
}

// TestC18_NoLayerRetriesByStatus gives each status with a header and a body
// that invite a retry or a redirect.
func TestC18_NoLayerRetriesByStatus(t *testing.T) {
	t.Parallel()
	want := map[outcome.Outcome][]int{
		outcome.Succeeded:    {200, 201, 203, 207, 299},
		outcome.AnswerLost:   {204, 205}, // a 204 has no body, a 205 an empty one
		outcome.None:         {202},
		outcome.Rejected:     {300, 301, 302, 303, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 422, 426, 428, 431, 451},
		outcome.NotProcessed: {421, 425, 429, 503, 529}, // the last two by configuration
		outcome.ServerError:  {408, 419, 420, 423, 424, 427, 430, 444, 499, 500, 501, 502, 504, 505, 507, 520, 524, 599, 600, 999},
	}
	for word, statuses := range want {
		for _, status := range statuses {
			t.Run(fmt.Sprint(status), func(t *testing.T) {
				t.Parallel()
				var server *providertest.Raw
				server = providertest.StartRaw(t, nil, func(c *providertest.Talk) {
					if _, ok := c.Request(); ok {
						c.Say(inviting(status, server.Addr))
					}
				})
				end := send(t, providertest.Patience(t), httpjson.Options{
					URL: "http://" + server.Addr + "/x", NotProcessedStatuses: []int{503, 529},
				})
				checkEnd(t, end, word)
				checkOnce(t, server)
				if end.Accepted != (status == 202) {
					t.Errorf("accepted: %v", end.Accepted)
				}
				if end.ProviderRequestID != "req-1" || end.Answer.Status != status {
					t.Errorf("request id %q, status %d", end.ProviderRequestID, end.Answer.Status)
				}
			})
		}
	}
}

func inviting(status int, addr string) string {
	body := `{"a":1}`
	if status == 204 || status == 205 {
		body = ""
	}
	return fmt.Sprintf("HTTP/1.1 %d Whatever\r\nLocation: http://%s/again\r\nRetry-After: 1\r\nX-Should-Retry: true\r\n"+
		"X-Request-Id: req-1\r\nContent-Length: %d\r\n\r\n%s", status, addr, len(body), body)
}

func TestConflictThatSpeaksOfTheKeyIsADoubt(t *testing.T) {
	t.Parallel()
	body := `{"title":"A request is outstanding for this Idempotency-Key"}`
	server := providertest.StartRaw(t, nil, says(fmt.Sprintf("HTTP/1.1 409 Conflict\r\nContent-Length: %d\r\n\r\n%s", len(body), body)))
	checkEnd(t, send(t, providertest.Patience(t), httpjson.Options{URL: "http://" + server.Addr}), outcome.ServerError)
}

func TestEndlessBodyIsLostAtTheLimit(t *testing.T) {
	t.Parallel()
	server := providertest.StartRaw(t, nil, func(c *providertest.Talk) {
		c.Request()
		c.Say(head + "Transfer-Encoding: chunked\r\n\r\n")
		chunk := "400\r\n" + strings.Repeat(" ", 1024) + "\r\n"
		for {
			if _, err := c.Write([]byte(chunk)); err != nil {
				return
			}
		}
	})
	end := send(t, providertest.Patience(t), httpjson.Options{URL: "http://" + server.Addr, MaxAnswerBytes: 10_000})
	checkEnd(t, end, outcome.AnswerLost)
	checkOnce(t, server)
	if len(end.Answer.Body) != 10_000 || end.Answer.Whole {
		t.Errorf("kept %d bytes, whole %v", len(end.Answer.Body), end.Answer.Whole)
	}
}

// TestNotSent: where no connection stands, nothing was sent and nothing seen.
func TestNotSent(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	plain := providertest.StartRaw(t, nil, func(c *providertest.Talk) { c.Say("this is no TLS\r\n") })
	proxy := providertest.StartRaw(t, nil, says("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n"))
	hangUp := providertest.StartRaw(t, nil, func(*providertest.Talk) {})
	tests := map[string]httpjson.Options{
		"refused":                   {URL: "http://" + closed.Addr().String()},
		"name unknown":              {URL: "http://nowhere.invalid/x"},
		"no TLS there":              {URL: "https://" + plain.Addr},
		"closed in the handshake":   {URL: "https://" + hangUp.Addr},
		"proxy refuses the tunnel":  {URL: "https://127.0.0.1:1/x", Proxy: "http://" + proxy.Addr},
		"proxy cannot be reached":   {URL: "http://127.0.0.1:1/x", Proxy: "http://" + closed.Addr().String()},
		"proxy hangs up the tunnel": {URL: "https://127.0.0.1:1/x", Proxy: "http://" + hangUp.Addr},
	}
	for name, options := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := send(t, providertest.Patience(t), options)
			if end.Outcome != outcome.NotSent || end.BytesWritten != 0 || end.Answer != nil {
				t.Errorf("got %q with %d bytes (%s)", end.Outcome, end.BytesWritten, end.Detail)
			}
		})
	}
}
