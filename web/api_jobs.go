package web

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"kwit/exactjson"
	"kwit/ledger"
)

// apiSubmit is POST /api/v1/jobs: the same key always answers with the same job
// (C02 to C07).
func (s *Server) apiSubmit(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	in, err := s.readIntent(w, r)
	if err != nil {
		return err
	}
	receipt, err := s.submit(r.Context(), key, in, actorOf(r))
	if err != nil {
		return err
	}
	if !receipt.Created {
		w.Header().Set("Idempotent-Replayed", "true")
		return s.writeJob(w, http.StatusOK, &receipt.Job)
	}
	w.Header().Set("Location", s.prefix+"/api/v1/jobs/"+receipt.Job.ID.String())
	return s.writeJob(w, http.StatusCreated, &receipt.Job)
}

func (s *Server) readIntent(w http.ResponseWriter, r *http.Request) (ledger.Intent, error) {
	b, err := s.readBody(w, r, "job_type", "input", "route")
	if err != nil {
		return ledger.Intent{}, err
	}
	jobType, err := b.need("job_type", exactjson.String)
	if err != nil {
		return ledger.Intent{}, err
	}
	input, err := b.need("input", exactjson.Object)
	if err != nil {
		return ledger.Intent{}, err
	}
	route, err := b.names("route")
	return ledger.Intent{JobType: jobType.Text(), Input: input, Route: route}, err
}

func (s *Server) writeJob(w http.ResponseWriter, status int, job *ledger.Job) error {
	w.Header().Set("ETag", etag(job))
	return writeJSON(w, status, s.jobJSONOf(job))
}

// etag is the job's change counter.
func etag(job *ledger.Job) string { return `"` + strconv.FormatInt(job.Revision, 10) + `"` }

// apiShowJob is GET /api/v1/jobs/{id}.
func (s *Server) apiShowJob(w http.ResponseWriter, r *http.Request) error {
	owner, id, err := s.pathJob(r)
	if err != nil {
		return err
	}
	job, err := s.o.Ledger.Job(r.Context(), owner, id)
	if err != nil {
		return err
	}
	if r.Header.Get("If-None-Match") == etag(job) {
		w.Header().Set("ETag", etag(job))
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return s.writeJob(w, http.StatusOK, job)
}

// apiListJobs is GET /api/v1/jobs: newest first, without input, result and
// attempts.
func (s *Server) apiListJobs(w http.ResponseWriter, r *http.Request) error {
	owner, err := s.listedOwner(r)
	if err != nil {
		return err
	}
	filter, list, err := s.jobFilter(r, owner, defaultPage)
	if err != nil {
		return err
	}
	jobs, err := s.o.Ledger.Jobs(r.Context(), filter)
	if err != nil {
		return err
	}
	open, err := s.o.Ledger.OpenAttempts(r.Context(), owner, idsOf(jobs))
	if err != nil {
		return err
	}
	heads := make([]jobHead, len(jobs))
	for i := range jobs {
		heads[i] = jobHeadOf(&jobs[i])
		if blocking, there := open[jobs[i].ID]; there {
			heads[i].Blocking = &blocking
		}
	}
	return writeList(w, heads, filter.Limit-1, func(last jobHead) (string, error) {
		return s.cursor(r.Context(), list, strconv.FormatInt(last.Number, 10))
	})
}

func idsOf(jobs []ledger.Job) []uuid.UUID {
	ids := make([]uuid.UUID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// listedOwner is whose jobs are listed: one's own, or for support those of
// `owner`, an id or an e-mail address.
func (s *Server) listedOwner(r *http.Request) (uuid.UUID, error) {
	user := userOf(r)
	named, err := parameter(r, "owner")
	if err != nil || named == "" || named == user.ID.String() || named == user.Email {
		return user.ID, err
	}
	if !isOperator(user) {
		return uuid.Nil, refuse("forbidden", "You may list your own jobs. Those of others take the role support.")
	}
	if id, err := parseID(named); err == nil {
		owner, err := s.o.Accounts.ByID(r.Context(), id)
		return owner.ID, unknownOwner(err)
	}
	owner, err := s.o.Accounts.ByEmail(r.Context(), named)
	return owner.ID, unknownOwner(err)
}
