package web

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"kwit/account"
	"kwit/contract"
	"kwit/ledger"
	"kwit/views"
)

// What somebody typed is never lost: the answers to a form that made no job.

// typedForm is the form as it was sent, under a key. The fields are today's;
// where the job type is gone, one for each text that was typed.
func (s *Server) typedForm(posted sent, key string) views.JobForm {
	f := views.JobForm{JobType: posted.jobType, Title: posted.jobType, Key: key, Draft: posted.draft, Values: typedInput(posted.form)}
	if t, ok := s.types[posted.jobType]; ok {
		f.Title, f.Note, f.Fields = t.Title, t.Description, t.Contract.Fields()
		return f
	}
	for _, name := range slices.Sorted(maps.Keys(f.Values)) {
		label := strings.TrimPrefix(name, "input.")
		f.Fields = append(f.Fields, contract.Field{Name: name, Pointer: "/" + label, Label: label, Kind: contract.LongText})
	}
	return f
}

// underNewKey is the typed form as a new one.
func (s *Server) underNewKey(r *http.Request, posted sent) (views.JobForm, error) {
	f := s.typedForm(posted, newKey())
	var err error
	f.Draft, err = s.o.Accounts.DraftMAC(r.Context(), userOf(r).ID, f.Key)
	return f, err
}

// onForm is a page that answers a sent form: it stands where the form stood, not
// at the list to which forms are sent.
func onForm(p views.Page) views.Page {
	p.Path = "/jobs/new"
	return p
}

// askAgain shows the form with what was typed and what is wrong with it.
func (s *Server) askAgain(w http.ResponseWriter, r *http.Request, status int, posted sent, faults []contract.Fault, problem string) error {
	form := s.typedForm(posted, posted.key)
	form.Faults = faults
	page := onForm(s.newPage(r, form.Title))
	page.Problem = problem
	return render(w, r, status, views.NewJob(page, form, nil))
}

// askWithKey answers a form whose key is missing or no key (C02): 400, and the
// same text under a key that can be used.
func (s *Server) askWithKey(w http.ResponseWriter, r *http.Request, posted sent) error {
	if _, ok := s.types[posted.jobType]; !ok {
		return refuse("malformed-request", "It came without its key and without what it is for, so nothing was started. Open it anew.")
	}
	form, err := s.underNewKey(r, posted)
	if err != nil {
		return err
	}
	page := onForm(s.newPage(r, form.Title))
	page.Problem = "The form came without its key, so nothing was started. What you typed is kept: look at it and send it again."
	return render(w, r, http.StatusBadRequest, views.NewJob(page, form, nil))
}

// conflictPage shows both texts: the job's and the one that came now (C06).
func (s *Server) conflictPage(w http.ResponseWriter, r *http.Request, posted sent, existing *ledger.Job) error {
	form, err := s.underNewKey(r, posted)
	if err != nil {
		return err
	}
	typed, _ := contract.Decode(form.Fields, posted.form) // what can be read of it
	return render(w, r, http.StatusConflict, views.Conflict(onForm(s.newPage(r, "Already sent")), existing, typed, form))
}

// keepDraft answers a form whose session is dead: the text is kept for the
// person whose form it was, and comes back after signing in.
func (s *Server) keepDraft(w http.ResponseWriter, r *http.Request, posted sent) error {
	err := s.o.Accounts.KeepDraft(r.Context(), posted.draft, posted.key, posted.jobType, posted.form)
	if err != nil && !errors.Is(err, account.ErrBadDraft) {
		return s.keepText(w, r, posted, err)
	}
	next := "/jobs/new"
	switch {
	case err == nil && isName(posted.jobType):
		next = formPath(posted.jobType, posted.key)
	case isName(posted.jobType):
		next = formPath(posted.jobType, "")
	}
	path := signInPath(next)
	if err == nil {
		path += "&kept=yes"
	}
	s.redirect(w, r, path)
	return nil
}

// foreignForm answers a form that was drawn for somebody else, whose session
// died before this person signed in: it is not sent in this person's name. Its
// text is kept for whose it is, and this person gets an empty form.
func (s *Server) foreignForm(w http.ResponseWriter, r *http.Request, posted sent) error {
	err := s.o.Accounts.KeepDraft(r.Context(), posted.draft, posted.key, posted.jobType, posted.form)
	if err != nil && !errors.Is(err, account.ErrBadDraft) {
		return err
	}
	if !isName(posted.jobType) {
		s.redirect(w, r, "/jobs/new")
		return nil
	}
	s.redirect(w, r, formPath(posted.jobType, ""))
	return nil
}

// keepText answers where the database did not: the same text under the same
// key, sent again by itself after a while. Other failures are answered as ever.
func (s *Server) keepText(w http.ResponseWriter, r *http.Request, posted sent, err error) error {
	f := failureOf(err)
	if f.status != http.StatusServiceUnavailable || !ledger.ValidKey(posted.key) {
		return err
	}
	s.note(r, f)
	w.Header().Set("Retry-After", seconds(resendAfter))
	r = r.WithContext(context.WithoutCancel(r.Context()))
	form := s.typedForm(posted, posted.key)
	return render(w, r, f.status, views.OutcomeUnknown(onForm(s.plainPage(r, form.Title)), form, resendAfter))
}

// sessionFailed answers where the session could not be read or kept.
func (s *Server) sessionFailed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Method == http.MethodPost && r.URL.Path == "/jobs" {
		posted, bad := s.readSent(w, r)
		if bad != nil {
			s.fail(w, r, bad)
			return
		}
		err = s.keepText(w, r, posted, err)
	}
	if err != nil {
		s.fail(w, r, err)
	}
}
