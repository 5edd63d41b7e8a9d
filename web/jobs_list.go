package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/views"
)

// jobsOnPage is how many jobs the list shows at once.
const jobsOnPage = 30

// listJobs is GET /jobs: one's own, newest first.
func (s *Server) listJobs(w http.ResponseWriter, r *http.Request) error {
	user := userOf(r)
	query, err := parameter(r, "q")
	if err != nil {
		return err
	}
	if query = strings.TrimSpace(query); query != "" {
		return s.findJob(w, r, query)
	}
	filter, list, err := s.jobFilter(r, user.ID, jobsOnPage)
	if err != nil {
		return err
	}
	jobs, err := s.o.Ledger.Jobs(r.Context(), filter)
	if err != nil {
		return err
	}
	jobs, older, err := pageOf(jobs, filter.Limit-1, func(last ledger.Job) (string, error) {
		return s.cursor(r.Context(), list, strconv.FormatInt(last.Number, 10))
	})
	if err != nil {
		return err
	}
	shown := views.JobsFilter{State: filter.State, JobType: filter.JobType}
	return render(w, r, http.StatusOK, views.Jobs(s.newPage(r, "Jobs"), shown, jobs, s.typeTitle, older))
}

// findJob leads to the job with this ticket number, id or key.
func (s *Server) findJob(w http.ResponseWriter, r *http.Request, query string) error {
	id, err := s.searchJob(r, userOf(r).ID, query)
	if errors.Is(err, ledger.ErrNotFound) {
		return render(w, r, http.StatusOK, views.Jobs(s.newPage(r, "Jobs"), views.JobsFilter{Query: query}, nil, s.typeTitle, ""))
	}
	if err != nil {
		return err
	}
	s.redirect(w, r, "/jobs/"+id.String())
	return nil
}

func (s *Server) searchJob(r *http.Request, owner uuid.UUID, query string) (uuid.UUID, error) {
	if number, err := strconv.ParseInt(query, 10, 64); err == nil {
		id, err := s.o.Ledger.JobIDByNumber(r.Context(), owner, number)
		if !errors.Is(err, ledger.ErrNotFound) {
			return id, err
		}
	}
	if id, err := parseID(strings.ToLower(query)); err == nil {
		job, err := s.o.Ledger.Job(r.Context(), owner, id)
		if err == nil {
			return job.ID, nil
		}
		if !errors.Is(err, ledger.ErrNotFound) {
			return uuid.Nil, err
		}
	}
	job, err := s.o.Ledger.JobByKey(r.Context(), owner, query)
	if err != nil {
		return uuid.Nil, err
	}
	return job.ID, nil
}

// pageOf cuts the rows to a page; a row beyond it makes a cursor.
func pageOf[T any](rows []T, limit int, cursor func(last T) (string, error)) (page []T, next string, err error) {
	if len(rows) <= limit {
		return rows, "", nil
	}
	next, err = cursor(rows[limit-1])
	return rows[:limit], next, err
}
