package httpjson_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/httpjson"
	"kwit/provider/providertest"
)

// whole is an answer with its length.
func whole(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d Whatever\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Location: /again\r\nRetry-After: 0\r\nX-Should-Retry: true\r\nX-Request-Id: of-the-enquiry\r\n\r\n%s", status, len(body), body)
}

func enquire(t *testing.T, ctx context.Context, o httpjson.Options, address string) provider.Report {
	t.Helper()
	o.URL, o.StatusURL = "http://127.0.0.1:1", address
	p, err := httpjson.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.Enquire(ctx, providertest.Ask("attempt-1", nil), "")
}

// TestEnquiryAtTheSocket: only a whole answer that can be read and says
// succeeded or failed settles an attempt; every other ending leaves it. Each is
// one request, whatever the answer invites to.
func TestEnquiryAtTheSocket(t *testing.T) {
	t.Parallel()
	const result = `{"status":"succeeded","result":{"n": 9007199254740993}}`
	tests := []struct {
		name string
		says string
		want provider.Told
		end  outcome.Outcome
	}{
		{"succeeded", whole(200, result), provider.ToldSucceeded, outcome.Succeeded},
		{"succeeded, and more", whole(200, `{"id":7,"status":"succeeded","result":1,"progress":100}`), provider.ToldSucceeded, outcome.Succeeded},
		{"succeeded, of this attempt", whole(200, `{"attempt_id":"attempt-1","status":"succeeded","result":1}`), provider.ToldSucceeded, outcome.Succeeded},
		{"failed", whole(200, `{"status":"failed","error":"no ink"}`), provider.ToldFailed, outcome.ProviderError},
		{"running", whole(200, `{"status":"running"}`), provider.ToldRunning, ""},
		{"running, by 202", whole(202, `{"status":"running"}`), provider.ToldRunning, ""},
		{"not known", whole(404, `{"error":"what?"}`), provider.ToldNotKnown, ""},
		{"not known, without a word", whole(404, ""), provider.ToldNotKnown, ""},
		{"not known, cut", "HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\n", provider.ToldNotKnown, ""},
		{"succeeded, of another attempt", whole(200, `{"attempt_id":"attempt-2","status":"succeeded","result":1}`), provider.ToldNoAnswer, ""},
		{"succeeded, without a result", whole(200, `{"status":"succeeded"}`), provider.ToldNoAnswer, ""},
		{"another status", whole(200, `{"status":"queued"}`), provider.ToldNoAnswer, ""},
		{"no status", whole(200, `{}`), provider.ToldNoAnswer, ""},
		{"two statuses", whole(200, `{"status":"failed","status":"succeeded","result":1}`), provider.ToldNoAnswer, ""},
		{"no JSON", whole(200, "<html>OK</html>"), provider.ToldNoAnswer, ""},
		{"nothing", whole(200, ""), provider.ToldNoAnswer, ""},
		{"a result alone", whole(200, `{"n":1}`), provider.ToldNoAnswer, ""},
		{"cut", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + result, provider.ToldNoAnswer, ""},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-Le", provider.ToldNoAnswer, ""},
		{"closed", "", provider.ToldNoAnswer, ""},
		{"another protocol", "SSH-2.0-OpenSSH_9.2\r\n", provider.ToldNoAnswer, ""},
		{"a redirect", whole(302, result), provider.ToldNoAnswer, ""},
		{"a redirect that keeps the method", whole(307, result), provider.ToldNoAnswer, ""},
		{"no right to ask", whole(401, `{"status":"failed"}`), provider.ToldNoAnswer, ""},
		{"gone", whole(410, `{"status":"failed"}`), provider.ToldNoAnswer, ""},
		{"conflict", whole(409, `{"status":"failed"}`), provider.ToldNoAnswer, ""},
		{"too many questions", whole(429, `{"status":"failed"}`), provider.ToldNoAnswer, ""},
		{"an error", whole(500, `{"status":"failed"}`), provider.ToldNoAnswer, ""},
		{"a gateway", whole(502, "<html>"), provider.ToldNoAnswer, ""},
		{"unavailable", whole(503, `{"status":"failed"}`), provider.ToldNoAnswer, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := providertest.StartRaw(t, nil, says(test.says))
			r := enquire(t, providertest.Patience(t), httpjson.Options{NotProcessedStatuses: []int{503}}, "http://"+server.Addr+"/{attempt_id}")
			if r.Told != test.want || r.End.Outcome != test.end || r.Detail == "" {
				t.Errorf("told %s, %q, want %s, %q (%s)", r.Told, r.End.Outcome, test.want, test.end, r.Detail)
			}
			if r.End.ProviderRequestID != "" {
				t.Errorf("the enquiry's id %q was taken for the work's", r.End.ProviderRequestID)
			}
			checkOnce(t, server)
		})
	}
}

func TestEnquiryThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if r := enquire(t, providertest.Patience(t), httpjson.Options{}, "http://"+closed.Addr().String()); r.Told != provider.ToldNoAnswer {
		t.Errorf("refused: %+v", r)
	}
	ctx, cancel := context.WithCancel(providertest.Patience(t))
	server := providertest.StartRaw(t, nil, func(c *providertest.Talk) {
		c.Request()
		cancel()
		c.Drain()
	})
	if r := enquire(t, ctx, httpjson.Options{}, "http://"+server.Addr); r.Told != provider.ToldNoAnswer || r.Detail == "" {
		t.Errorf("given up: %+v", r)
	}
	checkOnce(t, server)
}

// TestQuestionsCarryTheAttempt: who asks, about what, by which name; and no
// address to call back.
func TestQuestionsCarryTheAttempt(t *testing.T) {
	t.Parallel()
	requests := make(chan *http.Request, 2)
	server := providertest.StartRaw(t, nil, func(c *providertest.Talk) {
		if r, ok := c.Request(); ok {
			requests <- r
			c.Say(whole(200, `{"status":"running","echo":1}`))
		}
	})
	p, err := httpjson.New(httpjson.Options{
		URL:       "http://127.0.0.1:1",
		StatusURL: "http://" + server.Addr + "/renders/{attempt_id}/of/{job_id}?by={provider_id}&all=1",
		CancelURL: "http://" + server.Addr + "/renders/{provider_id}",
		Headers:   map[string]string{"Authorization": "Bearer sesame-opens"},
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := providertest.Ask("attempt/1", []byte(`{"a":1}`))
	ask.Header = http.Header{"Traceparent": {"00-x"}, provider.HeaderCallback: {"https://kwit.example/callbacks/1"}}
	p.Enquire(providertest.Patience(t), ask, "a/b?c&d=é")
	p.Cancel(providertest.Patience(t), ask, "a/b?c")
	for _, want := range []string{
		"GET /renders/attempt%2F1/of/job-of-attempt%2F1?by=a%2Fb%3Fc%26d%3D%C3%A9&all=1",
		"DELETE /renders/a%2Fb%3Fc",
	} {
		r := <-requests
		if got := r.Method + " " + r.RequestURI; got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
		for name, want := range map[string]string{
			"X-Kwit-Attempt": "attempt/1", "X-Kwit-Job": "job-of-attempt/1", "Authorization": "Bearer sesame-opens",
			"Traceparent": "00-x", "X-Kwit-Callback": "", "Idempotency-Key": "", "Content-Type": "",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
	for _, id := range []string{"", ".", ".."} {
		if r := p.Enquire(providertest.Patience(t), ask, id); r.Told != provider.ToldNoAnswer || r.Status != 0 {
			t.Errorf("asked by the name %q: %+v", id, r)
		}
	}
	if n := server.Requests(); n != 2 {
		t.Errorf("the server saw %d requests, want 2", n)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for status, words := range map[int]string{
		200: "cancelled, or being cancelled", 202: "cancelled, or being cancelled", 204: "cancelled, or being cancelled",
		404: "too late", 409: "too late", 302: "302", 403: "403", 429: "429", 500: "500", 503: "503", 0: "did not answer",
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			answer := whole(status, "")
			if status == 0 {
				answer = ""
			}
			server := providertest.StartRaw(t, nil, says(answer))
			p, err := httpjson.New(httpjson.Options{URL: "http://127.0.0.1:1", CancelURL: "http://" + server.Addr + "/{job_id}"})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Cancel(providertest.Patience(t), providertest.Ask("a", nil), ""); !strings.Contains(got, words) {
				t.Errorf("%d: %s", status, got)
			}
			checkOnce(t, server)
		})
	}
}

func TestCancelGivesUpAfterFiveSeconds(t *testing.T) {
	t.Parallel()
	server := providertest.StartRaw(t, nil, func(c *providertest.Talk) { c.Request(); c.Drain() })
	p, err := httpjson.New(httpjson.Options{URL: "http://127.0.0.1:1", CancelURL: "http://" + server.Addr})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	got := p.Cancel(providertest.Patience(t), providertest.Ask("a", nil), "")
	if took := time.Since(began); took < 4*time.Second || took > 10*time.Second || !strings.Contains(got, "did not answer") {
		t.Errorf("after %v: %s", took, got)
	}
	checkOnce(t, server)
}
