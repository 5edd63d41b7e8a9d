package web_test

import (
	"bufio"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/web"
)

// stream is an open event stream.
type stream struct {
	t      testing.TB
	status int
	events chan event // closed where the stream ends
}

type event struct{ id, name, data string }

// follow opens the stream of a job.
func (b *browser) follow(path string) *stream {
	b.w.t.Helper()
	r := mustRequest(b.w.t, "GET", b.w.url+path+"/events", "")
	res, err := b.client.Do(r)
	if err != nil {
		b.w.t.Fatal(err)
	}
	s := &stream{t: b.w.t, status: res.StatusCode, events: make(chan event, 100)}
	go func() {
		defer close(s.events)
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		var e event
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data += value + "\n"
			case "":
				if e.data != "" {
					s.events <- e
				}
				e = event{}
			}
		}
	}()
	b.w.t.Cleanup(func() { _ = res.Body.Close() })
	return s
}

// next is the next event that is no sign of life.
func (s *stream) next() event {
	s.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case e, open := <-s.events:
			if !open {
				s.t.Fatal("the stream ended")
			}
			if e.name == "" {
				return e
			}
		case <-deadline:
			s.t.Fatal("no event within 20 s")
		}
	}
}

// ends fails the test unless the stream ends by itself.
func (s *stream) ends() {
	s.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case _, open := <-s.events:
			if !open {
				return
			}
		case <-deadline:
			s.t.Fatal("the stream goes on")
		}
	}
}

func (e event) shows(t testing.TB, all ...string) {
	t.Helper()
	for _, words := range all {
		if !strings.Contains(e.data, words) {
			t.Fatalf("event %s does not show %q: %s", e.id, words, e.data)
		}
	}
}

func TestALivePageShowsEachChange(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Reread = time.Hour })
	b := w.signedIn(w.ewa)
	id := w.newJob(w.ewa, "k")
	s := b.follow("/jobs/" + id)
	first := s.next()
	first.shows(t, `id="job"`, `data-state="queued"`)
	if first.id != "1" {
		t.Errorf("the event's id is %q, want the revision", first.id)
	}
	a := w.claim(w.ewa, id)
	s.next().shows(t, `data-state="running"`)
	w.answer(a, `{"summary":"the\r\nresult"}`)
	last := s.next()
	last.shows(t, `data-state="succeeded"`, "the")
	if strings.Contains(last.data, "\r") {
		t.Error("a carriage return would end a line of the stream")
	}
	b.follow("/jobs/"+id).next().shows(t, `data-state="succeeded"`) // whole at each connection
}

func TestALivePageCatchesUpOnWhatNobodyTold(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Reread = 20 * time.Millisecond })
	b := w.signedIn(w.ewa)
	id := w.newJob(w.ewa, "k")
	s := b.follow("/jobs/" + id)
	s.next()
	w.told.Store(false)
	w.claim(w.ewa, id)
	s.next().shows(t, `data-state="running"`)
}

func TestManyLivePagesOfOneJob(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	id := w.newJob(w.ewa, "k")
	streams := make([]*stream, 50)
	for i := range streams {
		streams[i] = b.follow("/jobs/" + id)
		streams[i].next()
	}
	w.claim(w.ewa, id)
	for _, s := range streams {
		s.next().shows(t, `data-state="running"`)
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Recheck = 20 * time.Millisecond })
	b := w.signedIn(w.ewa)
	s := b.follow("/jobs/" + w.newJob(w.ewa, "k"))
	s.next()
	b.post("/sign-out", nil).leads()
	s.ends()
}

func TestAStreamEndsWithTheRole(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Recheck = 20 * time.Millisecond })
	sam := w.sam()
	s := w.signedIn(sam).follow("/jobs/" + w.newJob(w.ewa, "k"))
	s.next().shows(t, "Reason")
	if err := w.accounts.SetRole(t.Context(), sam.ID, "user"); err != nil {
		t.Fatal(err)
	}
	s.ends()
}

func TestStreamsEndWithTheServer(t *testing.T) {
	w := newWorld(t)
	s := w.signedIn(w.ewa).follow("/jobs/" + w.newJob(w.ewa, "k"))
	s.next()
	w.server.Drain()
	s.ends()
}

// The limit for reading a request must not end what comes after it.
func TestAStreamOutlivesTheReadTimeout(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Heartbeat = 50 * time.Millisecond })
	b := w.signedIn(w.ewa)
	s := b.follow("/jobs/" + w.newJob(w.ewa, "k"))
	for beats := 0; beats < 8; {
		e, open := <-s.events
		if !open {
			t.Fatalf("the stream ended after %d signs of life", beats)
		}
		if e.name == "beat" {
			beats++
		}
	}
}

func TestWhoMayFollow(t *testing.T) {
	w := newWorld(t)
	id := w.newJob(w.ewa, "k")
	for name, c := range map[string]struct {
		b      *browser
		path   string
		status int
	}{
		"nobody":       {w.browser(), "/jobs/" + id, http.StatusUnauthorized},
		"another":      {w.signedIn(w.person("ola@example.com", "user")), "/jobs/" + id, http.StatusNotFound},
		"no such job":  {w.signedIn(w.ewa), "/jobs/" + uuid.NewString(), http.StatusNotFound},
		"no id at all": {w.signedIn(w.ewa), "/jobs/x", http.StatusNotFound},
	} {
		if s := c.b.follow(c.path); s.status != c.status {
			t.Errorf("%s: status %d, want %d", name, s.status, c.status)
		}
	}
}

// To tell of a change never waits for those who are told.
func TestTellingDoesNotBlock(t *testing.T) {
	w := newWorld(t)
	id := w.newJob(w.ewa, "k")
	w.signedIn(w.ewa).follow("/jobs/" + id).next()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10_000 {
				w.server.JobChanged(w.ewa.ID, uuid.MustParse(id))
			}
		})
	}
	all.Wait()
}
