package web

import (
	"net/http"
	"unicode/utf8"

	"kwit/contract"
	"kwit/ledger"
)

// longestReason is in characters.
const longestReason = 2000

// apiTryAgain is POST /api/v1/jobs/{id}/attempts (3-interfaces, "Attempts by
// hand").
func (s *Server) apiTryAgain(w http.ResponseWriter, r *http.Request) error {
	owner, job, err := s.pathJob(r)
	if err != nil {
		return err
	}
	wish := ledger.NewAttempt{JobAct: ledger.JobAct{Owner: owner, Job: job, Actor: actorOf(r)}}
	b, err := s.readBody(w, r, "ordinal", "provider", "reason")
	if err != nil {
		return err
	}
	if wish.Ordinal, err = b.ordinal(); err != nil {
		return err
	}
	if wish.Provider, err = b.text("provider"); err != nil {
		return err
	}
	if wish.Reason, err = b.reason(); err != nil {
		return err
	}
	attempt, created, err := s.o.Ledger.TryAgain(r.Context(), wish)
	if err != nil {
		return err
	}
	if !created {
		return writeJSON(w, http.StatusOK, s.attemptJSONOf(attempt))
	}
	w.Header().Set("Location", s.prefix+"/api/v1/jobs/"+job.String())
	return writeJSON(w, http.StatusCreated, s.attemptJSONOf(attempt))
}

// apiCancelJob is POST /api/v1/jobs/{id}/cancel.
func (s *Server) apiCancelJob(w http.ResponseWriter, r *http.Request) error {
	owner, id, err := s.pathJob(r)
	if err != nil {
		return err
	}
	b, err := s.readBody(w, r, "reason")
	if err != nil {
		return err
	}
	reason, err := b.reason()
	if err != nil {
		return err
	}
	job, err := s.o.Ledger.CancelJob(r.Context(), ledger.JobAct{Owner: owner, Job: id, Reason: reason, Actor: actorOf(r)})
	if err != nil {
		return err
	}
	return s.writeJob(w, http.StatusOK, job)
}

// reason is why somebody acts; empty where it is absent.
func (b body) reason() (string, error) {
	reason, err := b.text("reason")
	if err != nil {
		return "", err
	}
	return reason, checkReason(reason)
}

func checkReason(reason string) error {
	if utf8.RuneCountInString(reason) > longestReason {
		return refuse("unprocessable", "Say it in at most %d characters.", longestReason).
			at(contract.Fault{Pointer: "/reason", Detail: "is too long"})
	}
	return nil
}
