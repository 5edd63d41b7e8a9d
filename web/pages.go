package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"kwit/account"
	"kwit/ledger"
	"kwit/views"
)

func (s *Server) pageRoutes(get, post func(string, http.Handler)) {
	get("/", s.withSession(s.start))
	get("/sign-in", s.withSession(s.showSignIn))
	post("/sign-in", s.withSession(s.signIn))
	post("/sign-out", s.withSession(s.signOut))

	get("/jobs", s.page(account.RoleUser, s.listJobs))
	get("/jobs/new", s.page(account.RoleUser, s.chooseType))
	get("/jobs/new/:type", s.page(account.RoleUser, s.showForm))
	post("/jobs", s.withSession(s.submitForm)) // it keeps what was typed where the session is dead
	get("/jobs/:id", s.page(account.RoleUser, s.showJob))
	get("/jobs/:id/events", s.stream(s.streamJob))
	post("/jobs/:id/attempts", s.page(account.RoleUser, s.tryAgain))
	post("/jobs/:id/cancel", s.page(account.RoleUser, s.cancelJob))

	get("/console", s.page(account.RoleSupport, s.showConsole))
	get("/console/jobs/:id", s.page(account.RoleSupport, s.showConsoleJob))
	for _, act := range []string{"cancel", "release", "resolve", "enquire"} {
		post("/console/attempts/:id/"+act, s.page(account.RoleSupport, s.operate(act)))
	}
	get("/admin/late-results", s.page(account.RoleAdmin, s.listLateResults))
	get("/admin/providers", s.page(account.RoleAdmin, s.showProviders))
	post("/admin/providers/:name/pause", s.page(account.RoleAdmin, s.pauseProvider))
	post("/admin/providers/:name/resume", s.page(account.RoleAdmin, s.resumeProvider))
	get("/admin/events", s.page(account.RoleAdmin, s.listEvents))

	get("/account", s.page(account.RoleUser, s.showAccount))
	post("/account/tokens", s.page(account.RoleUser, s.createToken))
	post("/account/tokens/:id/revoke", s.page(account.RoleUser, s.revokeToken))
	post("/account/password", s.page(account.RoleUser, s.changePassword))
}

// withSession serves what looks at the session itself.
func (s *Server) withSession(h handler) http.Handler {
	return s.limited(s.sessions.Middleware(s.answered(h)))
}

// page serves whoever is signed in with that role.
func (s *Server) page(least account.Role, h handler) http.Handler {
	return s.withSession(func(w http.ResponseWriter, r *http.Request) error {
		user, err := s.sessions.Current(r.Context())
		if errors.Is(err, account.ErrSignedOut) {
			s.redirect(w, r, signInPath(pageBehind(r)))
			return nil
		}
		if err != nil {
			return err
		}
		r = withUser(r, user)
		if !user.Role.AtLeast(least) {
			s.fail(w, r, refuse("forbidden", "This page is for the role %s; you have %s.", least, user.Role))
			return nil
		}
		if err := h(w, r); err != nil {
			s.fail(w, r, err) // here the page knows whose it is
		}
		return nil
	})
}

// stream serves a stream to whoever is signed in. It has no limit of time, and
// is not led to the sign-in page, which is no stream.
func (s *Server) stream(h handler) http.Handler {
	return s.sessions.Middleware(s.answered(func(w http.ResponseWriter, r *http.Request) error {
		user, err := s.sessions.Current(r.Context())
		if err != nil {
			return err
		}
		return h(w, withUser(r, user))
	}))
}

// start is GET /: one's jobs, or the way in.
func (s *Server) start(w http.ResponseWriter, r *http.Request) error {
	_, err := s.sessions.Current(r.Context())
	switch {
	case err == nil:
		s.redirect(w, r, "/jobs")
	case errors.Is(err, account.ErrSignedOut):
		s.redirect(w, r, "/sign-in")
	default:
		return err
	}
	return nil
}

// redirect leads to a page of this site by 303. htmx is told to load it as a
// page of its own.
func (s *Server) redirect(w http.ResponseWriter, r *http.Request, path string) {
	w.Header().Add("Vary", "HX-Request")
	if r.Header.Get("HX-Request") == "true" {
		w.Header().Set("HX-Redirect", s.prefix+path)
		w.WriteHeader(http.StatusOK)
		return
	}
	w.Header().Set("Location", s.prefix+path)
	w.WriteHeader(http.StatusSeeOther)
}

// pageBehind is the page that somebody comes back to after signing in: the one
// that was asked for, or the one that a form stood on.
func pageBehind(r *http.Request) string {
	if r.Method == http.MethodGet {
		return r.URL.RequestURI()
	}
	parts := strings.Split(r.URL.Path, "/")
	if len(parts) > 2 && parts[1] == "jobs" {
		return strings.Join(parts[:3], "/")
	}
	return "/" + parts[1]
}

func signInPath(next string) string {
	return "/sign-in?" + url.Values{"next": {next}}.Encode()
}

func (s *Server) site() views.Site { return views.Site{Prefix: s.prefix, Now: s.o.Now()} }

// newPage is the frame of a page for whoever asked for it. The count of doubts
// beside the console's link is an extra: a page without it is whole.
func (s *Server) newPage(r *http.Request, title string) views.Page {
	p := s.plainPage(r, title)
	if p.Viewer != nil && p.Viewer.Support {
		if count, oldest, err := s.o.Ledger.Doubts(r.Context()); err == nil && oldest != nil {
			p.Doubts = views.Doubts{Count: count, Oldest: *oldest}
		}
	}
	return p
}

// plainPage is newPage without a look into the database.
func (s *Server) plainPage(r *http.Request, title string) views.Page {
	p := views.Page{Site: s.site(), Title: title, Path: r.URL.Path}
	if user := userOf(r); user != nil {
		p.Viewer = &views.Viewer{ID: user.ID, Name: user.Name, Email: user.Email, RoleName: string(user.Role),
			Support: isOperator(user), Admin: user.Role.AtLeast(account.RoleAdmin)}
	}
	return p
}

// render answers with a page. It is drawn before the first byte leaves, so that
// an error in its middle is no broken 200.
func render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var html bytes.Buffer
	if err := page.Render(r.Context(), &html); err != nil {
		return &internalError{err}
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "HX-Request")
	w.WriteHeader(status)
	// An error here means that the client is gone.
	_, _ = w.Write(html.Bytes())
	return nil
}

// failurePage tells a person what is wrong.
func (s *Server) failurePage(w http.ResponseWriter, r *http.Request, f *failure) {
	title, text := f.title, f.detail
	switch f.code {
	case "outcome-unknown":
		title, text = views.OutcomeUnknownWords()
	case "malformed-request":
		title = "This form cannot be read"
	case "forbidden", "not-found", "body-too-large", "too-many-requests", "internal-error", "overloaded":
		title, text = views.ErrorWords(f.status)
	}
	// Where the request's own time is up, its page is drawn all the same.
	r = r.WithContext(context.WithoutCancel(r.Context()))
	page := s.plainPage(r, title)
	if err := render(w, r, f.status, views.Error(page, f.status, title, text, "", requestID(r))); err != nil {
		http.Error(w, title+"\n\n"+text+"\n\nRequest "+requestID(r), f.status)
	}
}

// typeTitle is what a job type is called, or its name where it is gone.
func (s *Server) typeTitle(name string) string {
	if t, ok := s.types[name]; ok {
		return t.Title
	}
	return name
}

// jobWithHistory reads all that a job's page shows.
func (s *Server) jobWithHistory(ctx context.Context, ref ledger.JobRef) (*ledger.Job, views.History, error) {
	job, err := s.o.Ledger.Job(ctx, ref.Owner, ref.Job)
	if err != nil {
		return nil, views.History{}, err
	}
	var h views.History
	if h.Events, err = s.o.Ledger.EventsOfJob(ctx, ref.Owner, ref.Job); err != nil {
		return nil, h, err
	}
	if h.Late, err = s.o.Ledger.LateResultsOfJob(ctx, ref.Owner, ref.Job); err != nil {
		return nil, h, err
	}
	return job, h, s.addProviders(ctx, job, &h)
}

// addProviders reads what is known of a job's providers: what they answered when
// they were asked, and for a job that waits for one whether it is paused.
func (s *Server) addProviders(ctx context.Context, job *ledger.Job, h *views.History) (err error) {
	waits, asked := job.State == ledger.JobWaiting, false
	h.Asking = make(map[uuid.UUID]views.Asking, len(job.Attempts))
	for i := range job.Attempts {
		a := &job.Attempts[i]
		waits, asked = waits || a.State == ledger.Pending, asked || a.EnquiryCount > 0
		h.Asking[a.ID] = s.asking(a)
	}
	if h.Providers = s.configured(); waits {
		if h.Providers, err = s.providersNow(ctx); err != nil {
			return err
		}
	}
	if asked {
		h.Enquiries, err = s.o.Ledger.EnquiriesOfJob(ctx, job.OwnerID, job.ID)
	}
	return err
}
