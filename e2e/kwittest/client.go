package kwittest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// pollEvery is how often a condition is looked at that nothing signals.
const pollEvery = 20 * time.Millisecond

// Client speaks JSON to a server's API with a person's token. It never sends
// anything twice.
type Client struct {
	t     testing.TB
	url   string
	token string
	http  *http.Client
}

// Client returns a client of this server's API.
func (s *Server) Client(token string) *Client {
	// A transport of its own: a connection that is used again may be sent over
	// again (7-facts).
	transport := &http.Transport{DisableKeepAlives: true}
	return &Client{t: s.t, url: s.URL + "/api/v1", token: token, http: &http.Client{Transport: transport, Timeout: patience}}
}

// Reply is an answer of the API.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Decode reads the answer's JSON.
func (r Reply) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Body, into); err != nil {
		t.Fatalf("the answer %d is no JSON: %v\n%s", r.Status, err, r.Body)
	}
}

// Call sends one request. body is marshalled; nil sends none. header may hold
// one map of further headers. An error is a connection that broke, which tests
// of crashes expect.
func (c *Client) Call(method, path string, body any, header ...map[string]string) (Reply, error) {
	c.t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, content)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, more := range header {
		for name, value := range more {
			r.Header.Set(name, value)
		}
	}
	response, err := c.http.Do(r)
	if err != nil {
		return Reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return Reply{Status: response.StatusCode, Header: response.Header, Body: text}, err
}

// MustCall is Call where the connection must hold.
func (c *Client) MustCall(method, path string, body any, header ...map[string]string) Reply {
	c.t.Helper()
	reply, err := c.Call(method, path, body, header...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply
}

// Job is a job as the API shows it.
type Job struct {
	ID              uuid.UUID       `json:"id"`
	Number          int64           `json:"number"`
	State           string          `json:"state"`
	Result          json.RawMessage `json:"result"`
	CompletedBy     *uuid.UUID      `json:"completed_by"`
	BlockingAttempt *uuid.UUID      `json:"blocking_attempt"`
	Attempts        []Attempt       `json:"attempts"`
}

// Attempt is an attempt as the API shows it.
type Attempt struct {
	ID       uuid.UUID `json:"id"`
	Ordinal  int       `json:"ordinal"`
	Provider string    `json:"provider"`
	State    string    `json:"state"`
	Outcome  *string   `json:"outcome"`
	Detail   string    `json:"detail"`
}

// Submit submits a job under a key and returns it. Anything but 200 and 201
// fails the test.
func (c *Client) Submit(key, jobType string, input any) Job {
	c.t.Helper()
	reply := c.MustCall(http.MethodPost, "/jobs", map[string]any{"job_type": jobType, "input": input},
		map[string]string{"Idempotency-Key": key})
	if reply.Status != http.StatusCreated && reply.Status != http.StatusOK {
		c.t.Fatalf("submit: %d\n%s", reply.Status, reply.Body)
	}
	var job Job
	reply.Decode(c.t, &job)
	return job
}

// Job reads a job.
func (c *Client) Job(id uuid.UUID) Job {
	c.t.Helper()
	reply := c.MustCall(http.MethodGet, "/jobs/"+id.String(), nil)
	if reply.Status != http.StatusOK {
		c.t.Fatalf("read job %s: %d\n%s", id, reply.Status, reply.Body)
	}
	var job Job
	reply.Decode(c.t, &job)
	return job
}

// AwaitState waits until a job is in one of the states.
func (c *Client) AwaitState(id uuid.UUID, states ...string) Job {
	c.t.Helper()
	var job Job
	Await(c.t, "job "+id.String()+" in one of its states", func() bool {
		job = c.Job(id)
		return slices.Contains(states, job.State)
	})
	return job
}

// Await looks at a condition again and again until it holds.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("waited %s in vain for %s", patience, what)
		case <-t.Context().Done():
			t.Fatalf("the test ended while waiting for %s", what)
		}
	}
}
