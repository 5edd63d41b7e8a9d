package ledger

import (
	"context"
	"math"
	"time"

	"github.com/google/uuid"

	"kwit/db"
)

// Job returns a job with its attempts. Another owner's job is ErrNotFound.
func (l *Ledger) Job(ctx context.Context, owner, id uuid.UUID) (*Job, error) {
	row, err := l.q.JobByID(ctx, l.pool, db.JobByIDParams{OwnerID: owner, ID: id})
	if err != nil {
		return nil, notFound(err)
	}
	return l.withAttempts(ctx, l.pool, row)
}

// JobByKey returns the job that the owner has under the key, or ErrNotFound.
func (l *Ledger) JobByKey(ctx context.Context, owner uuid.UUID, key string) (*Job, error) {
	return l.jobByKey(ctx, l.pool, owner, key)
}

func (l *Ledger) jobByKey(ctx context.Context, on db.DBTX, owner uuid.UUID, key string) (*Job, error) {
	row, err := l.q.JobByKey(ctx, on, db.JobByKeyParams{OwnerID: owner, IdempotencyKey: key})
	if err != nil {
		return nil, notFound(err)
	}
	return l.withAttempts(ctx, on, row)
}

func (l *Ledger) withAttempts(ctx context.Context, on db.DBTX, row db.Job) (*Job, error) {
	job := jobOf(row)
	attempts, err := l.q.AttemptsOfJob(ctx, on, db.AttemptsOfJobParams{OwnerID: row.OwnerID, JobID: row.ID})
	if err != nil {
		return nil, err
	}
	job.Attempts = attemptsOf(attempts)
	return &job, nil
}

// JobFilter chooses jobs of one owner, newest first.
type JobFilter struct {
	Owner   uuid.UUID
	State   JobState // "": every state
	JobType string   // "": every type
	Before  int64    // a ticket number; 0: from the newest on
	Limit   int
}

// Jobs lists jobs without input, result and attempts. There is a query for each
// filter, since one for all of them would get the plan of none.
func (l *Ledger) Jobs(ctx context.Context, f JobFilter) ([]Job, error) {
	before, limit := before(f.Before), int32(f.Limit)
	state := string(f.State)
	switch {
	case f.State != "" && f.JobType != "":
		rows, err := l.q.JobsOfOwnerOfTypeInState(ctx, l.pool, db.JobsOfOwnerOfTypeInStateParams{
			OwnerID: f.Owner, JobType: f.JobType, State: state, Number: before, Limit: limit})
		return mapped(rows, err, func(r db.JobsOfOwnerOfTypeInStateRow) Job { return jobListed(db.JobsOfOwnerRow(r)) })
	case f.State != "":
		rows, err := l.q.JobsOfOwnerInState(ctx, l.pool, db.JobsOfOwnerInStateParams{
			OwnerID: f.Owner, State: state, Number: before, Limit: limit})
		return mapped(rows, err, func(r db.JobsOfOwnerInStateRow) Job { return jobListed(db.JobsOfOwnerRow(r)) })
	case f.JobType != "":
		rows, err := l.q.JobsOfOwnerOfType(ctx, l.pool, db.JobsOfOwnerOfTypeParams{
			OwnerID: f.Owner, JobType: f.JobType, Number: before, Limit: limit})
		return mapped(rows, err, func(r db.JobsOfOwnerOfTypeRow) Job { return jobListed(db.JobsOfOwnerRow(r)) })
	}
	rows, err := l.q.JobsOfOwner(ctx, l.pool, db.JobsOfOwnerParams{OwnerID: f.Owner, Number: before, Limit: limit})
	return mapped(rows, err, jobListed)
}

// OpenAttempts finds the attempt that blocks any further one of each of these
// jobs, where there is one.
func (l *Ledger) OpenAttempts(ctx context.Context, owner uuid.UUID, jobs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	rows, err := l.q.OpenAttemptsOfJobs(ctx, l.pool, db.OpenAttemptsOfJobsParams{OwnerID: owner, JobIds: jobs})
	open := make(map[uuid.UUID]uuid.UUID, len(rows))
	for _, r := range rows {
		open[r.JobID] = r.ID
	}
	return open, err
}

// JobIDByNumber finds an owner's job by its ticket, or ErrNotFound.
func (l *Ledger) JobIDByNumber(ctx context.Context, owner uuid.UUID, number int64) (uuid.UUID, error) {
	id, err := l.q.JobOfOwnerByNumber(ctx, l.pool, db.JobOfOwnerByNumberParams{OwnerID: owner, Number: number})
	return id, notFound(err)
}

// OwnerOfJob finds whose job it is, for operators. ErrNotFound.
func (l *Ledger) OwnerOfJob(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	owner, err := l.q.OwnerOfJob(ctx, l.pool, id)
	return owner, notFound(err)
}

// OwnerOfAttempt finds whose attempt it is, for operators. ErrNotFound.
func (l *Ledger) OwnerOfAttempt(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	owner, err := l.q.OwnerOfAttempt(ctx, l.pool, id)
	return owner, notFound(err)
}

// Attempt returns one attempt, or ErrNotFound.
func (l *Ledger) Attempt(ctx context.Context, owner, id uuid.UUID) (*Attempt, error) {
	row, err := l.q.AttemptByID(ctx, l.pool, db.AttemptByIDParams{OwnerID: owner, ID: id})
	if err != nil {
		return nil, notFound(err)
	}
	a := attemptOf(row)
	return &a, nil
}

// CaseCursor is the place of an open case in the operators' list. The zero
// cursor is its beginning.
type CaseCursor struct {
	At time.Time
	ID uuid.UUID
}

// OpenCases lists the attempts in a state that has not ended, over all owners,
// longest there first.
func (l *Ledger) OpenCases(ctx context.Context, state AttemptState, after CaseCursor, limit int) ([]OpenCase, error) {
	rows, err := l.q.AttemptsInState(ctx, l.pool, db.AttemptsInStateParams{
		State: string(state), AfterAt: after.At, AfterID: after.ID, Most: int32(limit)})
	return mapped(rows, err, openCaseOf)
}

// Doubts counts the unknown attempts, to a thousand at most, and says since
// when the oldest is in doubt.
func (l *Ledger) Doubts(ctx context.Context) (int, *time.Time, error) {
	row, err := l.q.CountAttemptsInDoubt(ctx, l.pool)
	if err != nil || row.Count == 0 {
		return 0, nil, err
	}
	return int(row.Count), &row.Oldest, nil
}

// LateResults lists what came too late, newest first, from before a Seq on;
// 0 is the newest.
func (l *Ledger) LateResults(ctx context.Context, beforeSeq int64, limit int) ([]LateResult, error) {
	rows, err := l.q.LateResults(ctx, l.pool, db.LateResultsParams{Before: before(beforeSeq), Most: int32(limit)})
	return mapped(rows, err, lateResultOf)
}

// LateResultsOfJob lists what came too late for one job, in the order it came.
func (l *Ledger) LateResultsOfJob(ctx context.Context, owner, job uuid.UUID) ([]LateResult, error) {
	rows, err := l.q.LateResultsOfJob(ctx, l.pool, db.LateResultsOfJobParams{OwnerID: owner, JobID: job})
	return mapped(rows, err, func(r db.LateResultsOfJobRow) LateResult {
		return lateResultOf(db.LateResultsRow(r))
	})
}

// Events lists the audit log, newest first, from before a Seq on; 0 is the newest.
func (l *Ledger) Events(ctx context.Context, beforeSeq int64, limit int) ([]Event, error) {
	rows, err := l.q.Events(ctx, l.pool, db.EventsParams{Before: before(beforeSeq), Most: int32(limit)})
	return mapped(rows, err, eventOf)
}

// EventsOfJob lists everything that happened to a job, in order.
func (l *Ledger) EventsOfJob(ctx context.Context, owner, job uuid.UUID) ([]Event, error) {
	rows, err := l.q.EventsOfJob(ctx, l.pool, db.EventsOfJobParams{OwnerID: owner, JobID: &job})
	return mapped(rows, err, func(r db.EventsOfJobRow) Event { return eventOf(db.EventsRow(r)) })
}

// JobRef names a job.
type JobRef struct{ Owner, Job uuid.UUID }

// Revisions reads the change counters of the jobs that somebody watches.
func (l *Ledger) Revisions(ctx context.Context, refs []JobRef) (map[JobRef]int64, error) {
	p := db.RevisionsParams{}
	for _, r := range refs {
		p.OwnerIds, p.Ids = append(p.OwnerIds, r.Owner), append(p.Ids, r.Job)
	}
	rows, err := l.q.Revisions(ctx, l.pool, p)
	if err != nil {
		return nil, err
	}
	found := make(map[JobRef]int64, len(rows))
	for _, r := range rows {
		found[JobRef{r.OwnerID, r.ID}] = r.Revision
	}
	return found, nil
}

// JobTypeVersion is a job type as it was when jobs were submitted under it.
type JobTypeVersion struct {
	Digest     string
	JobType    string
	Definition []byte
	Repeatable bool
}

// JobTypeVersion returns the version with this digest, or ErrNotFound.
func (l *Ledger) JobTypeVersion(ctx context.Context, digest string) (JobTypeVersion, error) {
	r, err := l.q.JobTypeVersion(ctx, l.pool, digest)
	if err != nil {
		return JobTypeVersion{}, notFound(err)
	}
	return JobTypeVersion{Digest: r.Digest, JobType: r.JobType, Definition: r.Definition, Repeatable: r.Repeatable}, nil
}

// before maps the absent cursor to "from the newest on".
func before(n int64) int64 {
	if n <= 0 {
		return math.MaxInt64
	}
	return n
}

func mapped[R, T any](rows []R, err error, f func(R) T) ([]T, error) {
	if err != nil {
		return nil, err
	}
	all := make([]T, len(rows))
	for i, r := range rows {
		all[i] = f(r)
	}
	return all, nil
}
