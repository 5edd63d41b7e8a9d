package web

import (
	"context"
	"errors"
	"net/http"

	"kwit/account"
	"kwit/contract"
	"kwit/ledger"
	"kwit/views"
)

// casesOnPage is how many attempts the console shows at once.
const casesOnPage = 50

// showConsole is GET /console: the attempts of one state, those in doubt where
// none is named, oldest first.
func (s *Server) showConsole(w http.ResponseWriter, r *http.Request) error {
	cases, list, err := s.openCases(r, casesOnPage+1)
	if err != nil {
		return err
	}
	cases, more, err := pageOf(cases, casesOnPage, func(last ledger.OpenCase) (string, error) {
		return s.cursor(r.Context(), list, caseCursor(last.StateAt, last.ID))
	})
	if err != nil {
		return err
	}
	shown, err := s.openCasesShown(r, cases)
	if err != nil {
		return err
	}
	text, err := parameter(r, "state")
	if err != nil {
		return err
	}
	state := ledger.AttemptState(text)
	page := s.newPage(r, views.ConsoleTitle(state))
	if page.Notice, err = s.actedNotice(r); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, views.Console(page, state, shown, nil, more))
}

// openCasesShown adds what is known of the attempts' providers.
func (s *Server) openCasesShown(r *http.Request, cases []ledger.OpenCase) ([]views.Case, error) {
	refs := make([]ledger.AttemptRef, len(cases))
	for i, c := range cases {
		refs[i] = ledger.AttemptRef{Owner: c.OwnerID, Attempt: c.ID}
	}
	latest, err := s.o.Ledger.LatestEnquiries(r.Context(), refs)
	if err != nil {
		return nil, err
	}
	known, err := s.providersNow(r.Context())
	if err != nil {
		return nil, err
	}
	shown := make([]views.Case, len(cases))
	for i, c := range cases {
		shown[i] = views.Case{OpenCase: c, Provider: known.Of(c.Provider), Asking: s.asking(&c.Attempt)}
		if e, asked := latest[c.ID]; asked {
			shown[i].Enquiries = []ledger.Enquiry{e}
		}
	}
	return shown, nil
}

// actedNotice tells what became of the attempt that somebody has just acted on;
// the address names it.
func (s *Server) actedNotice(r *http.Request) (string, error) {
	tell := views.Acted
	text, err := parameter(r, "acted")
	if err == nil && text == "" {
		tell = views.Asked
		text, err = parameter(r, "asked")
	}
	if err != nil || text == "" {
		return "", err
	}
	attempt, job, err := s.caseOf(r, text)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return "", nil // the address was made up; the page is whole without a notice
	case err != nil:
		return "", err
	}
	return tell(job.Number, attempt), nil
}

// caseOf reads an attempt with its job, for operators.
func (s *Server) caseOf(r *http.Request, text string) (*ledger.Attempt, *ledger.Job, error) {
	id, err := parseID(text)
	if err != nil {
		return nil, nil, err
	}
	owner, err := s.o.Ledger.OwnerOfAttempt(r.Context(), id)
	if err != nil {
		return nil, nil, err
	}
	attempt, err := s.o.Ledger.Attempt(r.Context(), owner, id)
	if err != nil {
		return nil, nil, err
	}
	job, err := s.o.Ledger.Job(r.Context(), owner, attempt.JobID)
	return attempt, job, err
}

// showConsoleJob is GET /console/jobs/{id}: all that is known about a job.
func (s *Server) showConsoleJob(w http.ResponseWriter, r *http.Request) error {
	owner, id, err := s.pathJob(r)
	if err != nil {
		return err
	}
	return s.consoleJob(w, r, http.StatusOK, ledger.JobRef{Owner: owner, Job: id}, nil, "")
}

// fieldsOf are the fields under which a job was asked for. A version that this
// build cannot compile has none, and is no reason to keep support from the job.
func (s *Server) fieldsOf(ctx context.Context, job *ledger.Job) ([]contract.Field, error) {
	agreed, err := s.contractOf(ctx, job)
	var ours *internalError
	switch {
	case errors.As(err, &ours):
		s.log.WarnContext(ctx, "a job is shown without its fields' labels", "job", job.ID, "error", err)
		return nil, nil
	case err != nil:
		return nil, err
	}
	return agreed.Fields(), nil
}

// consoleJob shows a job to an operator, with the form that could not be
// accepted as it was and what stood in its way.
func (s *Server) consoleJob(w http.ResponseWriter, r *http.Request, status int, ref ledger.JobRef, refused *views.ActForm, problem string) error {
	job, history, err := s.jobWithHistory(r.Context(), ref)
	if err != nil {
		return err
	}
	version, err := s.o.Ledger.JobTypeVersion(r.Context(), job.JobTypeDigest)
	if err != nil {
		return err
	}
	fields, err := s.fieldsOf(r.Context(), job)
	if err != nil {
		return err
	}
	owner, err := s.o.Accounts.ByID(r.Context(), ref.Owner)
	if err != nil && !errors.Is(err, account.ErrUnknownPerson) {
		return err
	}
	page := s.newPage(r, ticketTitle(job))
	page.Problem = problem
	return render(w, r, status, views.ConsoleJob(page, job, s.typeTitle(job.JobType),
		views.Owner{Name: owner.Name, Email: owner.Email}, fields, history, version.Repeatable, refused))
}
