package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"kwit/ledger"
	"kwit/provider"
	"kwit/views"
)

// showProviders is GET /admin/providers: how each provider does.
func (s *Server) showProviders(w http.ResponseWriter, r *http.Request) error {
	return s.providersPage(w, r, http.StatusOK, nil)
}

// providersPage shows the providers, with the form that could not be accepted.
func (s *Server) providersPage(w http.ResponseWriter, r *http.Request, status int, refused *views.ProviderForm) error {
	known, err := s.providersNow(r.Context())
	if err != nil {
		return err
	}
	loads, err := s.o.Ledger.Loads(r.Context())
	if err != nil {
		return err
	}
	page := s.newPage(r, "Providers")
	if refused != nil {
		page.Problem = refused.Problem
	}
	return render(w, r, status, views.ProviderList(page, s.inOrder(known, loads), loads, refused))
}

// inOrder are the providers as the file lists them, then those that are not in
// it any more but still have something to settle.
func (s *Server) inOrder(known views.Providers, loads []ledger.Load) []views.Provider {
	var names, gone []string
	for _, p := range s.o.Providers {
		names = append(names, p.Name)
	}
	for name := range known {
		gone = append(gone, name)
	}
	for _, l := range loads {
		gone = append(gone, l.Provider)
	}
	gone = slices.DeleteFunc(gone, func(name string) bool { return s.providers[name].Name != "" })
	slices.Sort(gone)
	var list []views.Provider
	for _, name := range append(names, slices.Compact(gone)...) {
		list = append(list, known.Of(name))
	}
	return list
}

// providersNow is what is known of the providers: today's configuration, and who
// paused them.
func (s *Server) providersNow(ctx context.Context) (views.Providers, error) {
	known := s.configured()
	pauses, err := s.o.Ledger.Pauses(ctx)
	for _, pause := range pauses {
		p := known.Of(pause.Provider)
		p.Pause = &pause
		known[pause.Provider] = p
	}
	return known, err
}

// configured is what today's configuration says of the providers.
func (s *Server) configured() views.Providers {
	known := make(views.Providers, len(s.o.Providers))
	for _, p := range s.o.Providers {
		shown := views.Provider{Name: p.Name, Kind: string(p.Kind), Limit: p.MaxConcurrent, Price: p.Price,
			CallsBack: p.CallbackSecret != ""}
		if _, ok := provider.EnquirerOf(p.Adapter); ok {
			shown.Asking = views.AskStatus
		} else if _, ok := provider.ReplayerOf(p.Adapter); ok {
			shown.Asking = views.AskReplay
		}
		known[p.Name] = shown
	}
	return known
}

// pauseProvider is POST /admin/providers/{name}/pause. Whoever finds it paused
// already has changed nothing, and is told by whom.
func (s *Server) pauseProvider(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	if _, ok := s.providers[name]; !ok {
		return refuse("not-found", "There is no such provider.")
	}
	reason, _, err := s.readProviderForm(w, r)
	if err != nil {
		return err
	}
	if err := checkReason(reason); err != nil {
		return s.refusedPause(w, r, name, reason, err)
	}
	paused, err := s.o.Ledger.PauseProvider(r.Context(), name, reason, userOf(r).ID)
	if err == nil && !paused {
		err = s.providerChanged(r.Context(), name)
	}
	if err != nil {
		return s.refusedPause(w, r, name, reason, err)
	}
	s.redirect(w, r, "/admin/providers")
	return nil
}

// resumeProvider is POST /admin/providers/{name}/resume. It lifts the pause that
// the form was drawn for and no other one; it may be one of a provider that is
// not configured any more.
func (s *Server) resumeProvider(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	_, since, err := s.readProviderForm(w, r)
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, since)
	if err != nil {
		return refuse("malformed-request", "The form does not say which pause it would lift. Open the page anew.")
	}
	resumed, err := s.o.Ledger.ResumeProvider(r.Context(), name, at, "", userOf(r).ID)
	if err == nil && !resumed {
		err = s.providerChanged(r.Context(), name)
	}
	if err != nil {
		return s.refusedPause(w, r, name, "", err)
	}
	s.redirect(w, r, "/admin/providers")
	return nil
}

func (s *Server) readProviderForm(w http.ResponseWriter, r *http.Request) (reason, since string, err error) {
	form, err := s.readForm(w, r)
	if err != nil {
		return "", "", err
	}
	err = fields(form, map[string]*string{"reason": &reason, "since": &since})
	return reason, since, err
}

// providerChanged refuses an act that was meant for another state.
func (s *Server) providerChanged(ctx context.Context, name string) error {
	known, err := s.providersNow(ctx)
	if err != nil {
		return err
	}
	return refuse("provider-changed", "%s", views.ProviderNow(known.Of(name), s.o.Now()))
}

// refusedPause shows the providers with what stood in the way, and keeps the
// reason that was typed.
func (s *Server) refusedPause(w http.ResponseWriter, r *http.Request, name, reason string, err error) error {
	f := failureOf(err)
	if f.status >= http.StatusInternalServerError {
		return err
	}
	s.note(r, f)
	return s.providersPage(w, r, f.status, &views.ProviderForm{Provider: name, Reason: reason, Problem: f.title + ". " + f.detail})
}
