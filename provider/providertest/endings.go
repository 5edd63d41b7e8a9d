package providertest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
)

// Dial makes the adapter under test for a server at baseURL that may answer
// with 1 MiB at most.
type Dial func(t testing.TB, baseURL string) provider.Provider

// AnswerBytes is the limit that a [Dial] sets.
const AnswerBytes = 1 << 20

// Ending is what a server answers, and what an adapter must make of it.
type Ending struct {
	Name   string
	Status int
	Header string // further lines, each with its \r\n
	Body   string
	Want   outcome.Outcome
	Detail string // a part of what a person reads
}

// RunEndings has an adapter meet each ending in an answer that invites it to
// send again and to go elsewhere (C18). check, which may be nil, looks further.
func RunEndings(t *testing.T, dial Dial, endings []Ending, check func(*testing.T, Ending, provider.End)) {
	for _, e := range endings {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			var server *Raw
			server = StartRaw(t, nil, func(c *Talk) {
				if _, ok := c.Request(); ok {
					c.Say(fmt.Sprintf("HTTP/1.1 %d Whatever\r\nX-Should-Retry: true\r\nLocation: http://%s/again\r\n%sContent-Length: %d\r\n\r\n%s",
						e.Status, server.Addr, e.Header, len(e.Body), e.Body))
				}
			})
			end := Once(t, dial, server)
			if end.Outcome != e.Want || !strings.Contains(end.Detail, e.Detail) {
				t.Errorf("got %q (%s), want %q (%s)", end.Outcome, end.Detail, e.Want, e.Detail)
			}
			checkJudgement(t, dial(t, "http://"+server.Addr), end)
			if check != nil {
				check(t, e, end)
			}
		})
	}
}

// checkJudgement: another node that reads the stored answer says the same.
func checkJudgement(t *testing.T, p provider.Provider, end provider.End) {
	t.Helper()
	later := p.Judge(*end.Answer)
	if later.Outcome != end.Outcome || later.Detail != end.Detail || later.ProviderRequestID != end.ProviderRequestID ||
		!bytes.Equal(later.Result, end.Result) || !bytes.Equal(later.Usage, end.Usage) || later.RetryAfter != end.RetryAfter {
		t.Errorf("judged later: %+v, at once: %+v", later, end)
	}
	if (end.Outcome == outcome.Succeeded) != (end.Result != nil) {
		t.Errorf("outcome %q with result %q", end.Outcome, end.Result)
	}
}

// Once makes one call to server, which must see one request on one connection.
func Once(t testing.TB, dial Dial, server *Raw) provider.End {
	t.Helper()
	end := dial(t, "http://"+server.Addr).Send(Patience(t), provider.NewGate(nil, nil), AskModel("attempt-1", []byte(`{"text":"x"}`)), nil)
	if requests, connections := server.Requests(), server.Connections(); requests != 1 || connections != 1 {
		t.Errorf("the server saw %d requests on %d connections, want one on one", requests, connections)
	}
	if end.BytesWritten == 0 || end.Detail == "" {
		t.Errorf("%d bytes written, detail %q", end.BytesWritten, end.Detail)
	}
	return end
}

// RunMisbehaviour has an adapter meet servers that break HTTP or its limits.
// answer is the body of a good answer.
func RunMisbehaviour(t *testing.T, dial Dial, answer string) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	says := func(text string) func(*Talk) {
		return func(c *Talk) {
			if _, ok := c.Request(); ok {
				c.Say(text)
			}
		}
	}
	sized := func(size int, body string) func(*Talk) {
		return says(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, size, body))
	}
	bomb := zipped(t, answer, 64*AnswerBytes)
	tests := map[string]struct {
		serve func(*Talk)
		want  outcome.Outcome
	}{
		"whole":                     {sized(len(answer), answer), outcome.Succeeded},
		"without a length":          {says(head + "\r\n" + answer), outcome.Succeeded},
		"interim answers before it": {says("HTTP/1.1 103 Early Hints\r\n\r\n" + head + "\r\n" + answer), outcome.Succeeded},
		"cut":                       {sized(len(answer), answer[:len(answer)/2]), outcome.AnswerLost},
		"cut before its last byte":  {sized(len(answer), answer[:len(answer)-1]), outcome.AnswerLost},
		"without a length, cut":     {says(head + "\r\n" + answer[:len(answer)-1]), outcome.AnswerLost},
		"half a header":             {says(head + "Content-Le"), outcome.ConnectionLost},
		"closed":                    {says(""), outcome.ConnectionLost},
		"reset":                     {func(c *Talk) { c.Request(); c.Reset() }, outcome.ConnectionLost},
		"a bad chunk":               {says(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + answer), outcome.AnswerLost},
		"another protocol":          {says("SSH-2.0-OpenSSH_9.2\r\n"), outcome.AnswerLost},
		"nothing":                   {sized(0, ""), outcome.AnswerLost},
		"no JSON":                   {sized(5, "hello"), outcome.AnswerLost},
		"JSON and more":             {sized(len(answer)+2, answer+"{}"), outcome.AnswerLost},
		"a gzip bomb":               {says(fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", head, len(bomb), bomb)), outcome.AnswerLost},
		"an endless body":           {endless(head), outcome.AnswerLost},
		"a body over the limit":     {sized(2*AnswerBytes, answer+strings.Repeat(" ", 2*AnswerBytes-len(answer))), outcome.AnswerLost},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := Once(t, dial, StartRaw(t, nil, test.serve))
			if end.Outcome != test.want {
				t.Errorf("got %q (%s), want %q", end.Outcome, end.Detail, test.want)
			}
			if end.Answer != nil && len(end.Answer.Body) > AnswerBytes {
				t.Errorf("%d bytes were kept", len(end.Answer.Body))
			}
		})
	}
}

// zipped is text and then spaces, so much that it is small only while packed.
func zipped(t *testing.T, text string, size int) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for _, part := range []string{text, strings.Repeat(" ", size)} {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

func endless(head string) func(*Talk) {
	return func(c *Talk) {
		c.Request()
		c.Say(head + "Transfer-Encoding: chunked\r\n\r\n")
		chunk := "1000\r\n" + strings.Repeat(" ", 0x1000) + "\r\n"
		for {
			if _, err := c.Write([]byte(chunk)); err != nil {
				return
			}
		}
	}
}

// Arrived is a request as a server saw it.
type Arrived struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Catch makes one call to a server that answers with answer, and hands back
// what the server saw.
func Catch(t testing.TB, dial Dial, r provider.Request, answer string) (Arrived, provider.End) {
	t.Helper()
	requests := make(chan Arrived, 1)
	server := StartRaw(t, nil, func(c *Talk) {
		request, body, ok := c.Read()
		if !ok {
			return
		}
		requests <- Arrived{request.URL.RequestURI(), request.Header, body}
		c.Say(fmt.Sprintf("HTTP/1.1 200 OK\r\nX-Echo: %s %s\r\nContent-Length: %d\r\n\r\n%s",
			request.Header.Get("Authorization"), request.Header.Get("X-Api-Key"), len(answer), answer))
	})
	end := dial(t, "http://"+server.Addr).Send(Patience(t), provider.NewGate(nil, nil), r, nil)
	if server.Requests() != 1 {
		t.Fatalf("%d requests arrived (%s)", server.Requests(), end.Detail)
	}
	return <-requests, end
}
