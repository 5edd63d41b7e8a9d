package web

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/views"
)

// showJob is GET /jobs/{id}. Support sees everybody's.
func (s *Server) showJob(w http.ResponseWriter, r *http.Request) error {
	owner, id, err := s.pathJob(r)
	if err != nil {
		return err
	}
	return s.jobPage(w, r, http.StatusOK, ledger.JobRef{Owner: owner, Job: id}, "")
}

// jobPage shows a job, with what could not be done above it.
func (s *Server) jobPage(w http.ResponseWriter, r *http.Request, status int, ref ledger.JobRef, problem string) error {
	job, history, err := s.jobWithHistory(r.Context(), ref)
	if err != nil {
		return err
	}
	agreed, err := s.contractOf(r.Context(), job)
	if err != nil {
		return err
	}
	title := s.typeTitle(job.JobType)
	page := s.newPage(r, fmt.Sprintf("Ticket %d · %s", job.Number, title))
	page.Problem = problem
	mine := ref.Owner == userOf(r).ID
	return render(w, r, status, views.Job(page, job, title, agreed.Fields(), history, mine))
}

// tryAgain is POST /jobs/{id}/attempts. The form carries the ordinal that it
// would make, so that a double click makes one attempt.
func (s *Server) tryAgain(w http.ResponseWriter, r *http.Request) error {
	return s.actOnJob(w, r, func(act ledger.JobAct, typed map[string]string) error {
		ordinal, ok := parseOrdinal(typed["ordinal"])
		if !ok {
			return refuse("malformed-request", "The form does not say which attempt it would make. Open the job's page anew.")
		}
		_, _, err := s.o.Ledger.TryAgain(r.Context(), ledger.NewAttempt{JobAct: act, Ordinal: ordinal, Provider: typed["provider"]})
		return err
	})
}

// cancelJob is POST /jobs/{id}/cancel.
func (s *Server) cancelJob(w http.ResponseWriter, r *http.Request) error {
	return s.actOnJob(w, r, func(act ledger.JobAct, _ map[string]string) error {
		_, err := s.o.Ledger.CancelJob(r.Context(), act)
		return err
	})
}

// actOnJob reads a form that acts on a job, acts, and shows the job again. What
// the ledger refuses stands above the job's page.
func (s *Server) actOnJob(w http.ResponseWriter, r *http.Request, do func(ledger.JobAct, map[string]string) error) error {
	owner, id, err := s.pathJob(r)
	if err != nil {
		return err
	}
	form, err := s.readForm(w, r)
	if err != nil {
		return err
	}
	typed := map[string]string{}
	for _, name := range []string{"ordinal", "provider", "reason"} {
		if typed[name], err = field(form, name); err != nil {
			return err
		}
	}
	if err := checkReason(typed["reason"]); err != nil {
		return err
	}
	err = do(ledger.JobAct{Owner: owner, Job: id, Reason: typed["reason"], Actor: actorOf(r)}, typed)
	if f := failureOfLedger(err); f != nil && f.status < http.StatusInternalServerError && f.status != http.StatusNotFound {
		s.note(r, f)
		return s.jobPage(w, r, f.status, ledger.JobRef{Owner: owner, Job: id}, f.title+". "+f.detail)
	}
	if err != nil {
		return err
	}
	s.redirect(w, r, s.jobPath(r, owner, id))
	return nil
}

// jobPath is where a person looks at a job: support at somebody else's in the
// console.
func (s *Server) jobPath(r *http.Request, owner, job uuid.UUID) string {
	if owner == userOf(r).ID {
		return "/jobs/" + job.String()
	}
	return "/console/jobs/" + job.String()
}
