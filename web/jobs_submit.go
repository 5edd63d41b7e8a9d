package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"kwit/account"
	"kwit/contract"
	"kwit/exactjson"
	"kwit/ledger"
)

// resendAfter is when the page that keeps a form sends it again by itself.
const resendAfter = 3 * time.Second

// sent is a job's form as it was posted.
type sent struct {
	form    url.Values
	key     string
	jobType string
	draft   string
}

// submitForm is POST /jobs: 303 to the job, or a page that keeps the text.
func (s *Server) submitForm(w http.ResponseWriter, r *http.Request) error {
	posted, err := s.readSent(w, r)
	if err != nil {
		return err
	}
	user, err := s.sessions.Current(r.Context())
	if errors.Is(err, account.ErrSignedOut) {
		return s.keepDraft(w, r, posted)
	}
	if err != nil {
		return s.keepText(w, r, posted, err)
	}
	r = withUser(r, user)
	if err := s.submitSent(w, r, posted); err != nil {
		return s.keepText(w, r, posted, err)
	}
	return nil
}

func (s *Server) readSent(w http.ResponseWriter, r *http.Request) (sent, error) {
	form, err := s.readForm(w, r)
	if err != nil {
		return sent{}, err
	}
	posted := sent{form: form}
	err = fields(form, map[string]*string{"idempotency_key": &posted.key, "job_type": &posted.jobType, "draft": &posted.draft})
	return posted, err
}

func (s *Server) submitSent(w http.ResponseWriter, r *http.Request, posted sent) error {
	user := userOf(r)
	if !ledger.ValidKey(posted.key) {
		return s.askWithKey(w, r, posted)
	}
	if owner, err := s.o.Accounts.DraftOwner(r.Context(), posted.draft, posted.key); err == nil && owner != user.ID {
		return s.foreignForm(w, r, posted)
	}
	job, err := s.jobOfForm(r, posted)
	var conflict *ledger.ConflictError
	var refused *failure
	switch {
	case errors.As(err, &conflict):
		return s.conflictPage(w, r, posted, &conflict.Existing)
	case errors.As(err, &refused) && refused.code == "input-invalid":
		return s.askAgain(w, r, http.StatusUnprocessableEntity, posted, refused.faults, "")
	case errors.As(err, &refused) && refused.status == http.StatusUnprocessableEntity:
		return s.askAgain(w, r, refused.status, posted, nil, refused.detail+" What you typed is kept below.")
	case err != nil:
		return err
	}
	// The form was sent after all. A draft that stays is gone in an hour.
	_ = s.o.Accounts.DropDraft(r.Context(), user.ID, posted.key)
	s.redirect(w, r, "/jobs/"+job.ID.String())
	return nil
}

// jobOfForm finds or makes the job that a form stands for. A form whose key has
// a job already is read by the version under which that job was submitted,
// whatever the job type looks like today.
func (s *Server) jobOfForm(r *http.Request, posted sent) (*ledger.Job, error) {
	t, known := s.types[posted.jobType]
	var refusal error = refuse("unprocessable", "This kind of job takes no new jobs any more. Nothing was started.")
	if known {
		in, faults := intentOf(t.Contract, posted)
		if len(faults) == 0 {
			receipt, err := s.submit(r.Context(), posted.key, in, actorOf(r))
			if err == nil {
				return &receipt.Job, nil
			}
			refusal = err
		} else {
			refusal = refuse("input-invalid", "").at(faults...)
		}
	}
	existing, err := s.o.Ledger.JobByKey(r.Context(), userOf(r).ID, posted.key)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, refusal
	}
	if err != nil {
		return nil, err
	}
	return s.sameAs(r.Context(), existing, posted)
}

// sameAs answers with the job if the form means the same, and else with a
// conflict.
func (s *Server) sameAs(ctx context.Context, existing *ledger.Job, posted sent) (*ledger.Job, error) {
	conflict := &ledger.ConflictError{Existing: *existing}
	if existing.JobType != posted.jobType {
		return nil, conflict
	}
	agreed, err := s.contractOf(ctx, existing)
	if err != nil {
		return nil, err
	}
	in, faults := intentOf(agreed, posted)
	if len(faults) > 0 {
		return nil, conflict
	}
	same, err := exactjson.MatchesFingerprint(existing.Fingerprint, in.JobType, in.Input)
	if err != nil {
		return nil, &internalError{err}
	}
	if !same {
		return nil, conflict
	}
	return existing, nil
}

// intentOf reads what a form wants. With faults there is none.
func intentOf(agreed *contract.Contract, posted sent) (ledger.Intent, []contract.Fault) {
	raw, faults := agreed.CheckForm(posted.form)
	if len(faults) > 0 {
		return ledger.Intent{}, faults
	}
	input, err := exactjson.Parse(raw, exactjson.Limits{})
	if err != nil {
		return ledger.Intent{}, []contract.Fault{{Detail: err.Error()}}
	}
	return ledger.Intent{JobType: posted.jobType, Input: input}, nil
}
