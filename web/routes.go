package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"kwit/account"
)

// writeWithin is how long a client may take to receive the answer.
const writeWithin = time.Minute

// handler answers a request, or says what is wrong with it; then nothing has
// been written yet.
type handler func(http.ResponseWriter, *http.Request) error

// routes is the site map. Echo does no more than find the handler: everything
// behind it is net/http, and a path's parts are r.PathValue.
func (s *Server) routes() http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) { s.fail(c.Response(), c.Request(), routingFailure(err, c)) }
	add := func(method, path string, h http.Handler) { e.Add(method, path, fromEcho(h)) }
	get := func(path string, h http.Handler) {
		add(http.MethodGet, path, h)
		add(http.MethodHead, path, h) // it comes here as GET (headAsGet); Allow names it
	}
	post := func(path string, h http.Handler) { add(http.MethodPost, path, h) }

	get("/healthz", s.open(s.healthz))
	get("/readyz", s.open(s.readyz))
	get("/static/*", s.open(s.asset))
	get("/problems/:code", s.open(s.explainProblem))
	s.apiRoutes(get, post)
	s.pageRoutes(get, post)
	return e
}

func (s *Server) apiRoutes(get, post func(string, http.Handler)) {
	const base = "/api/v1"
	post(base+"/jobs", s.api(account.RoleUser, s.apiSubmit))
	get(base+"/jobs", s.api(account.RoleUser, s.apiListJobs))
	get(base+"/jobs/:id", s.api(account.RoleUser, s.apiShowJob))
	post(base+"/jobs/:id/attempts", s.api(account.RoleUser, s.apiTryAgain))
	post(base+"/jobs/:id/cancel", s.api(account.RoleUser, s.apiCancelJob))
	get(base+"/attempts", s.api(account.RoleSupport, s.apiListAttempts))
	post(base+"/attempts/:id/cancel", s.api(account.RoleSupport, s.apiCancelAttempt))
	post(base+"/attempts/:id/release", s.api(account.RoleSupport, s.apiReleaseAttempt))
	post(base+"/attempts/:id/resolve", s.api(account.RoleSupport, s.apiResolveAttempt))
	post(base+"/attempts/:id/enquire", s.api(account.RoleSupport, s.apiEnquire))
	post(base+"/callbacks/:id", s.open(s.apiCallback)) // signed, whoever sends it
	get(base+"/late-results", s.api(account.RoleAdmin, s.apiListLateResults))
	get(base+"/events", s.api(account.RoleAdmin, s.apiListEvents))
}

// fromEcho makes a handler of net/http one of echo's.
func fromEcho(h http.Handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		for i, name := range c.ParamNames() {
			r.SetPathValue(name, c.ParamValues()[i])
		}
		h.ServeHTTP(c.Response(), r)
		return nil
	}
}

// routingFailure is why echo found no handler.
func routingFailure(err error, c echo.Context) error {
	if !errors.Is(err, echo.ErrMethodNotAllowed) {
		return errNoPage
	}
	allowed, _ := c.Get(echo.ContextKeyHeaderAllow).(string)
	f := refuse("method-not-allowed", "")
	f.header = http.Header{"Allow": {allowed}}
	f.detail = "It takes: " + allowed + "."
	return f
}

// open serves what needs no sign-in.
func (s *Server) open(h handler) http.Handler { return s.limited(s.answered(h)) }

// answered tells the sender what a handler could not do.
func (s *Server) answered(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// limited bounds the work of a request, and how long its client may take to
// receive the answer. That a browser went away, or has closed its side, is no
// reason to abort what it asked for: half a transition helps nobody, and net/http
// would tell the latter 200.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A connection without deadlines, as in a test's recorder, has nothing to bound.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeWithin))
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.o.Timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// isAPI tells whether a request is one of the API's, before or after the prefix
// of the address is off.
func (s *Server) isAPI(r *http.Request) bool {
	return strings.HasPrefix(strings.TrimPrefix(r.URL.Path, s.prefix), "/api/")
}
