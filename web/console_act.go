package web

import (
	"errors"
	"fmt"
	"net/http"

	"kwit/ledger"
	"kwit/views"
)

// operate is POST /console/attempts/{id}/cancel, /release, /resolve and
// /enquire: an operator's act on an attempt, meant for the state that the form was drawn for.
func (s *Server) operate(name string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		act, typed, err := s.readActForm(w, r, name)
		if err != nil {
			return err
		}
		if err := s.actAs(r, name, act, typed); err != nil {
			return s.refusedAct(w, r, act, typed, err)
		}
		told := "acted"
		if name == "enquire" {
			told = "asked" // it changes no state that could tell
		}
		s.redirect(w, r, "/console?"+told+"="+act.Attempt.String())
		return nil
	}
}

func (s *Server) readActForm(w http.ResponseWriter, r *http.Request, name string) (act ledger.AttemptAct, typed views.ActForm, err error) {
	if act.Attempt, err = pathID(r); err != nil {
		return act, typed, err
	}
	if act.Owner, err = s.o.Ledger.OwnerOfAttempt(r.Context(), act.Attempt); err != nil {
		return act, typed, err
	}
	form, err := s.readForm(w, r)
	if err != nil {
		return act, typed, err
	}
	typed = views.ActForm{Attempt: act.Attempt, Act: name}
	var seen string
	err = fields(form, map[string]*string{"reason": &typed.Reason, "status": &typed.Status, "result": &typed.Result, "state": &seen})
	act.Seen, act.Reason, act.Actor = ledger.AttemptState(seen), typed.Reason, actorOf(r)
	return act, typed, err
}

// actAs does what the form says.
func (s *Server) actAs(r *http.Request, name string, act ledger.AttemptAct, typed views.ActForm) error {
	if act.Seen != "" {
		if _, err := seenState(string(act.Seen)); err != nil {
			return err
		}
	}
	if err := checkReason(act.Reason); err != nil {
		return err
	}
	var err error
	switch name {
	case "cancel":
		_, err = s.o.Ledger.Cancel(r.Context(), act)
	case "enquire":
		_, err = s.enquire(r, act)
	case "release":
		_, err = s.o.Ledger.Release(r.Context(), act)
	case "resolve":
		resolution := ledger.Resolution{AttemptAct: act}
		if typed.Status == "succeeded" && typed.Result != "" {
			resolution.Result = []byte(typed.Result)
		}
		_, err = s.resolve(r, resolution, typed.Status)
	}
	return err
}

// refusedAct shows the job with what stood in the way, and keeps what was typed:
// in its form, or in words where the attempt has no form any more.
func (s *Server) refusedAct(w http.ResponseWriter, r *http.Request, act ledger.AttemptAct, typed views.ActForm, err error) error {
	f := failureOf(err)
	if f.status >= http.StatusInternalServerError || f.status == http.StatusNotFound {
		return err
	}
	s.note(r, f)
	attempt, err2 := s.o.Ledger.Attempt(r.Context(), act.Owner, act.Attempt)
	if err2 != nil {
		return err2
	}
	problem := f.title + ". " + f.detail
	var changed *ledger.AttemptChangedError
	if errors.As(err, &changed) {
		problem = views.SomebodyWasFirst(changed, s.o.Now())
	}
	typed.Problem, typed.Faults = problem, f.faults
	above := problem
	if typed.Reason != "" && (attempt.State.Ended() || typed.Act == "release" && attempt.State == ledger.Released) {
		above += fmt.Sprintf(" You had typed: “%s”.", typed.Reason)
		if typed.Result != "" {
			above += fmt.Sprintf(" And as the result: %s", typed.Result)
		}
	}
	return s.consoleJob(w, r, f.status, ledger.JobRef{Owner: act.Owner, Job: attempt.JobID}, &typed, above)
}

func ticketTitle(job *ledger.Job) string { return fmt.Sprintf("Ticket %d", job.Number) }
