// Package farm is a real HTTP provider for the demo and for the tests: a shop
// whose orders cost money, and a render farm that takes its time. It honours
// idempotency keys, misbehaves on request (package behaviour), and logs every
// request that reached it, which makes it the witness of how often kwit sent.
package farm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"kwit/provider/behaviour"
	"kwit/provider/seen"
)

// maxBody bounds a request.
const maxBody = 4 << 20

// Options of a farm. The zero value suits the demo.
type Options struct {
	Orders     time.Duration // how long an order takes; 300 ms by default, negative for none
	Renders    time.Duration // how long a render takes; 6 s by default, negative for none
	Slow       time.Duration // what a slow one takes; 12 s by default, negative for none
	LateAfter  time.Duration // of a late one, where the input does not say; 75 s by default
	RetryAfter time.Duration // that it asks for when it refuses, whole seconds; 2 s by default
	Hold       bool          // keep every request until it is released
	Keep       int           // requests in the log; 0 keeps all
}

// Farm is the provider, an [http.Handler].
type Farm struct {
	// Seen is the log of the submitting requests that reached the farm.
	Seen *seen.Log

	o   Options
	mux *http.ServeMux

	mu     sync.Mutex
	stored map[string]*entry
	held   map[string]chan *Reply
	hold   bool
}

// New makes a farm.
func New(o Options) *Farm {
	o.Orders = cmp.Or(o.Orders, 300*time.Millisecond)
	o.Renders = cmp.Or(o.Renders, 6*time.Second)
	o.Slow = cmp.Or(o.Slow, 12*time.Second)
	o.LateAfter = cmp.Or(o.LateAfter, 75*time.Second)
	o.RetryAfter = cmp.Or(o.RetryAfter, 2*time.Second)
	f := &Farm{
		Seen:   seen.NewLog(o.Keep),
		o:      o,
		mux:    http.NewServeMux(),
		stored: map[string]*entry{},
		held:   map[string]chan *Reply{},
		hold:   o.Hold,
	}
	f.mux.HandleFunc("POST /orders", f.handle(o.Orders, order))
	f.mux.HandleFunc("POST /renders", f.handle(o.Renders, render))
	f.mux.HandleFunc("GET /seen", f.showSeen)
	return f
}

// ServeHTTP answers POST /orders, POST /renders and GET /seen.
func (f *Farm) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.mux.ServeHTTP(w, r) }

// showSeen answers the log: {"total": …, "requests": [ … ]}, oldest first.
func (f *Farm) showSeen(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, struct {
		Total    int            `json:"total"`
		Requests []seen.Request `json:"requests"`
	}{f.Seen.Total(), f.Seen.All()})
}

// handle makes the handler of one kind of work, which takes some time.
func (f *Farm) handle(takes time.Duration, work func(key string, body []byte) Reply) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		p := part{
			key:   r.Header.Get("Idempotency-Key"),
			body:  body,
			wish:  behaviour.Of(body),
			takes: takes,
			work:  work,
		}
		p.attempt = cmp.Or(r.Header.Get("X-Kwit-Attempt"), p.key)
		var known found
		if err == nil {
			known = f.begin(p.key, body)
		}
		if err == nil && !known.before {
			p.release = f.catch(p.attempt)
		}
		f.Seen.Add(seen.Request{
			AttemptID: p.attempt,
			JobID:     r.Header.Get("X-Kwit-Job"),
			Key:       p.key,
			Path:      r.URL.Path,
			Behaviour: string(p.wish.Behaviour),
			At:        time.Now(),
			Replay:    known.before,
			Enquiry:   r.Header.Get("X-Kwit-Enquiry") != "",
		})
		w.Header().Set("X-Request-Id", "farm-"+cmp.Or(p.attempt, "without-a-key"))
		switch {
		case err != nil:
			writeProblem(w, http.StatusBadRequest, "the request could not be read to its end")
		case known.before:
			replay(w, known)
		default:
			f.play(w, r, p)
		}
	}
}

// entry is what is stored under an idempotency key.
type entry struct {
	body  []byte
	done  bool
	reply Reply
}

// found is an entry as a request meets it.
type found struct {
	entry
	before bool // it was there before this request
	same   bool // the request is the one that made it
}

// begin claims the key for a request, or finds the one before it.
func (f *Farm) begin(key string, body []byte) found {
	if key == "" {
		return found{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.stored[key]; ok {
		return found{entry: *e, before: true, same: bytes.Equal(e.body, body)}
	}
	f.stored[key] = &entry{body: body}
	return found{}
}

// finish stores the answer under the key: the work is done, whether or not
// its answer arrives.
func (f *Farm) finish(key string, reply Reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.stored[key]; ok {
		e.done, e.reply = true, reply
	}
}

// forget gives the key free: nothing was done under it.
func (f *Farm) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.stored, key)
}

// replay answers a request whose key was seen before.
func replay(w http.ResponseWriter, k found) {
	switch {
	case !k.same:
		writeProblem(w, http.StatusUnprocessableEntity, "this idempotency key belongs to another request")
	case !k.done:
		writeProblem(w, http.StatusConflict, "a request with this idempotency key is in progress")
	default:
		w.Header().Set("Idempotent-Replayed", "true")
		k.reply.write(w)
	}
}

func writeProblem(w http.ResponseWriter, status int, detail string) {
	writeJSON(w, status, map[string]string{"error": detail})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	Reply{Status: status, Body: text}.write(w)
}
