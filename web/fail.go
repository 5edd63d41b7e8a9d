package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"
)

// fail answers a request with what is wrong: a problem document (RFC 9457) to
// the API's callers, a page to people.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := failureOf(err)
	s.note(r, f)
	h := w.Header()
	for name, values := range f.header {
		h[name] = values
	}
	if f.retryAfter > 0 {
		h.Set("Retry-After", seconds(f.retryAfter))
	}
	if f.status == http.StatusRequestEntityTooLarge {
		h.Set("Connection", "close") // the rest of the body is not waited for
	}
	if s.isAPI(r) {
		s.writeProblem(w, r, f)
		return
	}
	s.failurePage(w, r, f)
}

// note writes the log line of a failure. What the sender can put right is no
// news, nor that nobody waited for the answer; what is ours is.
func (s *Server) note(r *http.Request, f *failure) {
	level := slog.LevelDebug
	attrs := []slog.Attr{
		slog.String("request_id", requestID(r)), slog.String("method", r.Method), slog.String("path", r.URL.Path),
		slog.Int("status", f.status), slog.String("code", f.code),
	}
	if f.status >= http.StatusInternalServerError && !errors.Is(f.cause, context.Canceled) {
		level = slog.LevelError
		attrs = append(attrs, slog.Any("error", f.cause))
	}
	s.log.LogAttrs(r.Context(), level, "request refused", attrs...)
}

// writeProblem answers with a problem document.
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, f *failure) {
	document := map[string]any{
		"type":       s.o.BaseURL.JoinPath("problems", f.code).String(),
		"title":      f.title,
		"status":     f.status,
		"detail":     f.detail,
		"request_id": requestID(r),
	}
	for name, value := range f.members {
		document[name] = value
	}
	if f.faults != nil {
		document["errors"] = f.faults
	}
	if f.status == http.StatusUnauthorized && f.header == nil {
		w.Header().Set("WWW-Authenticate", `Bearer realm="kwit"`)
	}
	body, err := json.Marshal(document)
	if err != nil {
		panic("web: a problem document that is no JSON: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(f.status)
	// An error here means that the client is gone.
	_, _ = w.Write(append(body, '\n'))
}

// seconds is a length of time for Retry-After, rounded up.
func seconds(d time.Duration) string {
	return strconv.Itoa(max(int(math.Ceil(d.Seconds())), 1))
}

// stamp writes a moment for the API: RFC 3339, in UTC.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
