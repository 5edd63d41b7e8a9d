package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/contract"
	"kwit/ledger"
	"kwit/views"
)

// chooseType is GET /jobs/new.
func (s *Server) chooseType(w http.ResponseWriter, r *http.Request) error {
	choices := make([]views.TypeChoice, len(s.o.JobTypes))
	for i, t := range s.o.JobTypes {
		choices[i] = views.TypeChoice{Name: t.Name, Title: t.Title, Note: t.Description}
	}
	return render(w, r, http.StatusOK, views.ChooseType(s.newPage(r, "New job"), choices))
}

// showForm is GET /jobs/new/{job_type}. The key stands in the address, so that
// Back, reload and a restored tab show the same form under the same key
// (3-interfaces, "Forms and Back").
func (s *Server) showForm(w http.ResponseWriter, r *http.Request) error {
	t, ok := s.types[r.PathValue("type")]
	if !ok {
		return refuse("not-found", "There is no such job type.")
	}
	key, err := parameter(r, "form")
	if err != nil {
		return err
	}
	if !ledger.ValidKey(key) {
		s.redirect(w, r, formPath(t.Name, newKey()))
		return nil
	}
	form, err := s.jobForm(r.Context(), userOf(r), t, key)
	if err != nil {
		return err
	}
	sent, err := s.o.Ledger.JobByKey(r.Context(), userOf(r).ID, key)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return err
	}
	switch {
	case sent != nil && sent.JobType == t.Name && sent.Input != nil:
		form.Values = contract.Encode(form.Fields, sent.Input)
	case sent == nil:
		if err := s.bringBack(r.Context(), userOf(r).ID, &form); err != nil {
			return err
		}
	}
	return render(w, r, http.StatusOK, views.NewJob(s.newPage(r, t.Title), form, sent))
}

// bringBack fills the form with what was typed when the session had died.
func (s *Server) bringBack(ctx context.Context, owner uuid.UUID, form *views.JobForm) error {
	draft, err := s.o.Accounts.Draft(ctx, owner, form.Key)
	if errors.Is(err, account.ErrNoDraft) {
		return nil
	}
	if err != nil {
		return err
	}
	if draft.JobType == form.JobType {
		form.Values = typedInput(draft.Form)
	}
	return nil
}

// jobForm is a job type's form under a key, with the schema's defaults in it.
func (s *Server) jobForm(ctx context.Context, user *account.User, t jobType, key string) (views.JobForm, error) {
	mac, err := s.o.Accounts.DraftMAC(ctx, user.ID, key)
	list := t.Contract.Fields()
	return views.JobForm{JobType: t.Name, Title: t.Title, Note: t.Description, Key: key, Draft: mac, Fields: list, Values: contract.Defaults(list)}, err
}

// newKey is the key of a newly opened form (C02).
func newKey() string { return uuid.NewString() }

func formPath(jobType, key string) string {
	path := "/jobs/new/" + url.PathEscape(jobType)
	if key == "" {
		return path
	}
	return path + "?" + url.Values{"form": {key}}.Encode()
}

// isName tells whether a text can be the name of a job type (3-interfaces,
// "Route"), so that it may stand in an address.
func isName(text string) bool {
	return text != "" && len(text) <= 40 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
