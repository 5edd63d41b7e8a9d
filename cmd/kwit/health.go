package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db"
)

// health answers /healthz and /readyz, and says of everything else that it is
// not here: for a process that is still starting, and for one without the role
// web (3-interfaces, "Processes").
type health struct {
	ready    func(context.Context) error
	other    http.HandlerFunc // answers all other addresses
	draining atomic.Bool
}

func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	text := "alive\n"
	switch {
	case r.URL.Path != "/healthz" && r.URL.Path != "/readyz":
		h.other(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		text = "only GET and HEAD\n"
	case r.URL.Path == "/readyz":
		text = "ready\n"
		if h.draining.Load() || h.ready(r.Context()) != nil {
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "not ready\n"
		}
	}
	// An error here means that the client is gone.
	_, _ = io.WriteString(w, text)
}

// noPages is what a worker says of pages and API: they are never here.
func noPages(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, "this process has no pages\n")
}

var errStarting = errors.New("kwit is starting")

// starting answers while the database is waited for. A process that will have
// pages says that they come: 404 would tell an application that its job does
// not exist.
func starting(r roles) http.Handler {
	h := &health{ready: func(context.Context) error { return errStarting }, other: noPages}
	if r.web {
		h.other = notYet
	}
	return h
}

// notYet asks for patience: by a problem document (RFC 9457) where an
// application may have asked, and by a line for people.
func notYet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "2")
	text := "kwit is starting. Nothing was stored. Send the same again in a few seconds.\n"
	if strings.Contains(r.URL.Path, "/api/") {
		w.Header().Set("Content-Type", "application/problem+json")
		text = `{"type":"/problems/overloaded","title":"kwit is starting","status":503,` +
			`"detail":"Nothing was stored. Send the same request again, under the same key, in a few seconds."}` + "\n"
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	// An error here means that the client is gone.
	_, _ = io.WriteString(w, text)
}

// Anybody may ask whether a process is ready, so the database is asked once in
// readyFor at most.
const (
	readyFor    = time.Second
	readyWithin = 3 * time.Second
)

// readiness tells whether the database answers and its schema is right.
type readiness struct {
	pool *pgxpool.Pool

	mu   sync.Mutex
	last error
	at   time.Time
}

func (r *readiness) check(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) < readyFor {
		return r.last
	}
	// Not the request's context: the answer is for others too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWithin)
	defer cancel()
	r.last = db.CheckSchema(ctx, r.pool)
	r.at = time.Now()
	return r.last
}
