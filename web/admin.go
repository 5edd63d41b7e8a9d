package web

import (
	"net/http"
	"strconv"

	"kwit/ledger"
	"kwit/views"
)

// listLateResults is GET /admin/late-results: what came too late, newest first.
func (s *Server) listLateResults(w http.ResponseWriter, r *http.Request) error {
	const list = "late-results"
	limit, before, err := s.recordPage(r, list)
	if err != nil {
		return err
	}
	rows, err := s.o.Ledger.LateResults(r.Context(), before, limit+1)
	if err != nil {
		return err
	}
	rows, older, err := pageOf(rows, limit, func(last ledger.LateResult) (string, error) {
		return s.cursor(r.Context(), list, strconv.FormatInt(last.Seq, 10))
	})
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, views.LateResults(s.newPage(r, "Late results"), rows, older))
}

// listEvents is GET /admin/events: the audit log, newest first.
func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) error {
	const list = "events"
	limit, before, err := s.recordPage(r, list)
	if err != nil {
		return err
	}
	rows, err := s.o.Ledger.Events(r.Context(), before, limit+1)
	if err != nil {
		return err
	}
	rows, older, err := pageOf(rows, limit, func(last ledger.Event) (string, error) {
		return s.cursor(r.Context(), list, strconv.FormatInt(last.Seq, 10))
	})
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, views.Events(s.newPage(r, "Events"), rows, older))
}
