// Package farm is a real HTTP provider for the demo and for the tests: a shop
// whose orders cost money, and a render farm that takes its time. It honours
// idempotency keys, misbehaves on request (package behaviour), and logs every
// request that reached it, which makes it the witness of how often kwit sent.
package farm

import (
	"cmp"
	"context"
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

	// CallbackSecret signs callbacks (whsec_…); without one there are none.
	CallbackSecret string
	// CallAgain is the wait before a callback that was not taken is sent again,
	// doubled each time; 1 s by default.
	CallAgain time.Duration
}

// Farm is the provider, an [http.Handler].
type Farm struct {
	// Seen is the log of the submitting requests that reached the farm, those
	// sent again as enquiries included.
	Seen *seen.Log
	// Asked is the log of the requests to status addresses, and for cancelling.
	Asked *seen.Log

	o      Options
	mux    *http.ServeMux
	client *http.Client // calls back

	quit       context.Context // ends with Close
	stop       context.CancelFunc
	background sync.WaitGroup // accepted work, and callbacks

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
	o.CallAgain = cmp.Or(o.CallAgain, time.Second)
	f := &Farm{
		Seen:   seen.NewLog(o.Keep),
		Asked:  seen.NewLog(o.Keep),
		o:      o,
		mux:    http.NewServeMux(),
		client: &http.Client{Timeout: 10 * time.Second},
		stored: map[string]*entry{},
		held:   map[string]chan *Reply{},
		hold:   o.Hold,
	}
	f.quit, f.stop = context.WithCancel(context.Background())
	f.mux.HandleFunc("POST /orders", f.handle(o.Orders, order))
	f.mux.HandleFunc("POST /renders", f.handle(o.Renders, render))
	for _, kind := range []string{"/orders", "/renders"} {
		f.mux.HandleFunc("GET "+kind+"/{id}", f.asked(kind, f.showStatus))
		f.mux.HandleFunc("DELETE "+kind+"/{id}", f.asked(kind, f.cancel))
	}
	f.mux.HandleFunc("GET /seen", f.showSeen)
	return f
}

// Close gives up accepted work and callbacks. It does not know of connections.
func (f *Farm) Close() {
	f.mu.Lock()
	f.stop()
	f.mu.Unlock()
	f.background.Wait()
}

// ServeHTTP answers POST /orders and /renders, GET and DELETE of one of them by
// its attempt's id, and GET /seen.
func (f *Farm) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.mux.ServeHTTP(w, r) }

// showSeen answers the logs: {"total": …, "requests": [ … ], "asked": [ … ]},
// oldest first.
func (f *Farm) showSeen(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, struct {
		Total    int            `json:"total"`
		Requests []seen.Request `json:"requests"`
		Asked    []seen.Request `json:"asked"`
	}{f.Seen.Total(), f.Seen.All(), f.Asked.All()})
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
		if err == nil && p.wish.Behaviour != behaviour.Forget {
			known = f.begin(p.key, entry{path: r.URL.Path, body: body, callback: r.Header.Get("X-Kwit-Callback")})
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
