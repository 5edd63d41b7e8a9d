package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
)

type contextKey int

const (
	requestIDKey contextKey = iota
	userKey
	wasHeadKey
)

// middleware is what every request passes, from the outside in.
func (s *Server) middleware(routes http.Handler) http.Handler {
	h := s.crossOrigin(routes)
	h = s.withoutPrefix(h)
	h = s.demoOnly(h)
	h = headAsGet(h)
	h = s.watched(h)
	h = secure(h)
	return identified(h)
}

var saneRequestID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// identified gives each request an id, which stands in its answer, its log lines
// and the events that it causes. A proxy's id is kept (C18).
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !saneRequestID.MatchString(id) {
			id = uuid.Must(uuid.NewV7()).String()
		}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey, id)))
	})
}

func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey).(string)
	return id
}

// watched writes a line for each request (those that may change something for
// everybody to see, the others for who looks closely), and turns a panic into
// one failed request.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &watchedWriter{ResponseWriter: w}
		began, method, level := time.Now(), r.Method, slog.LevelDebug
		if method == http.MethodPost {
			level = slog.LevelInfo
		}
		defer func() {
			s.log.LogAttrs(r.Context(), level, "request", slog.String("request_id", requestID(r)), slog.String("method", method),
				slog.String("path", r.URL.Path), slog.Int("status", answer.status), slog.Duration("took", time.Since(began)))
		}()
		defer func() {
			if p := recover(); p != nil {
				s.panicked(answer, r, p)
			}
		}()
		next.ServeHTTP(answer, r)
	})
}

// panicked answers a request whose handler panicked. Half an answer must not
// look like a whole one: then the connection is cut.
func (s *Server) panicked(answer *watchedWriter, r *http.Request, p any) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	s.log.ErrorContext(r.Context(), "panic", slog.String("request_id", requestID(r)),
		slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	if answer.status != 0 {
		panic(http.ErrAbortHandler)
	}
	s.fail(answer, r, &internalError{fmt.Errorf("panic: %v", p)})
}

// watchedWriter knows with which status an answer has begun; 0 before that.
type watchedWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (w *watchedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that the status is 200, unless another one was written.
func (w *watchedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// headAsGet answers HEAD as GET; net/http drops the body.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.WithContext(context.WithValue(r.Context(), wasHeadKey, true))
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

// wasHead tells whether only the head of the answer is wanted.
func wasHead(r *http.Request) bool { return r.Context().Value(wasHeadKey) != nil }

// demoOnly keeps a demo, whose passwords everybody can read, to this machine:
// also where a foreign name was made to resolve to it.
func (s *Server) demoOnly(next http.Handler) http.Handler {
	if s.o.Demo == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		switch strings.ToLower(strings.Trim(host, "[]")) {
		case "127.0.0.1", "localhost", "::1":
			next.ServeHTTP(w, r)
		default:
			s.fail(w, r, refuse("wrong-host", "This demo answers at 127.0.0.1, localhost and [::1] only."))
		}
	})
}

// withoutPrefix takes the path of the public address off. Health checks may
// leave it out.
func (s *Server) withoutPrefix(next http.Handler) http.Handler {
	if s.prefix == "" {
		return next
	}
	stripped := http.StripPrefix(s.prefix, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == s.prefix:
			http.Redirect(w, r, s.prefix+"/", http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, s.prefix+"/"):
			stripped.ServeHTTP(w, r)
		case r.URL.Path == "/healthz", r.URL.Path == "/readyz":
			next.ServeHTTP(w, r)
		default:
			s.fail(w, r, errNoPage)
		}
	})
}

// contentPolicy lets a page load what this server sends and nothing else, and
// nobody frame it.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		// Not "no-referrer", under which browsers send "Origin: null" with a form.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// crossOrigin refuses what another site makes a signed-in browser send. The API
// needs no such guard: it never reads the cookie.
func (s *Server) crossOrigin(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	origin := s.o.BaseURL.Scheme + "://" + s.o.BaseURL.Host
	if err := guard.AddTrustedOrigin(origin); err != nil {
		panic(fmt.Sprintf("web: the base URL %s has no origin: %v", s.o.BaseURL, err))
	}
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, refuse("cross-origin", "This form was sent from another site. Open kwit's own page and send it from there."))
	}))
	guarded := guard.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isAPI(r) {
			next.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}
