package providertest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"kwit/outcome"
	"kwit/provider/behaviour"
	"kwit/provider/seen"
)

// Dialect is how a language model's API speaks.
type Dialect struct {
	Path   string
	Asked  func(body []byte) string                // the user's text in a request
	Answer func(text string) string                // a finished answer's body
	Fault  func(status int, message string) string // an error's body
}

// RunModel holds the adapter of a language model against [Run] and
// [RunMisbehaviour].
func RunModel(t *testing.T, dial Dial, d Dialect) {
	Run(t, func(t testing.TB) Subject {
		baseURL, log := StartModel(t, d)
		return Subject{
			Model:    true,
			Provider: dial(t, baseURL),
			Seen:     log,
			Ends:     map[behaviour.Behaviour]outcome.Outcome{behaviour.Fail: outcome.ProviderError},
		}
	})
	RunMisbehaviour(t, dial, d.Answer(`{"a":1}`))
}

// StartModel serves a pretend language model on loopback until the test ends.
// It behaves as the user's text asks for (package behaviour).
func StartModel(t testing.TB, d Dialect) (baseURL string, log *seen.Log) {
	t.Helper()
	log = seen.NewLog(0)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != d.Path || r.Method != http.MethodPost {
			http.Error(w, "what is this?", http.StatusTeapot)
			return
		}
		asked := d.Asked(body)
		log.Add(seen.Request{
			AttemptID: r.Header.Get("X-Kwit-Attempt"),
			JobID:     r.Header.Get("X-Kwit-Job"),
			Key:       r.Header.Get("Idempotency-Key"),
			Path:      r.URL.Path,
		})
		w.Header().Set("X-Request-Id", "req-"+r.Header.Get("X-Kwit-Attempt"))
		d.behave(w, r, behaviour.Of([]byte(asked)).Behaviour)
	}))
	t.Cleanup(server.Close)
	return server.URL, log
}

func (d Dialect) behave(w http.ResponseWriter, r *http.Request, b behaviour.Behaviour) {
	fault := func(status int) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, d.Fault(status, "Asked to "+string(b)+"."))
	}
	switch b {
	case behaviour.Silent:
		<-r.Context().Done()
	case behaviour.Lost:
		answer := d.Answer(`{"summary":"lost"}`)
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)+1))
		_, _ = io.WriteString(w, answer[:len(answer)/2])
	case behaviour.Reset:
		reset(w)
	case behaviour.Refuse:
		w.Header().Set("Retry-After", "2")
		fault(http.StatusTooManyRequests)
	case behaviour.Fail:
		fault(http.StatusInternalServerError)
	case behaviour.Reject:
		fault(http.StatusUnprocessableEntity)
	case behaviour.Gateway:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html><h1>502 Bad Gateway</h1></html>")
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, d.Answer(fmt.Sprintf(`{"summary":%q}`, b)))
	}
}

// reset makes the close of the connection an RST.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
