package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
	"kwit/exactjson"
)

// Intent is what somebody wants, apart from the key it is asked for under.
type Intent struct {
	JobType string
	Input   exactjson.Value
	Route   []string // as requested; nil where it was left out
}

// Submission is an intent that is fit to be stored.
type Submission struct {
	Owner uuid.UUID
	Key   string
	Intent
	Raw          []byte   // the input as it was sent
	RouteInForce []string // the requested route, or the job type's
	Digest       string   // of the job type's version, under which the job lives and is judged
	Definition   []byte   // of that version
	Repeatable   bool     // of that version
	Actor        Actor
}

// Receipt is what a submission is answered with: the same job every time.
type Receipt struct {
	Job     Job
	Created bool // false: the key had its job already
}

// ValidKey tells whether a text may be an idempotency key: 1 to 255 visible
// ASCII characters (3-interfaces, "Reading a request").
func ValidKey(key string) bool {
	return len(key) >= 1 && len(key) <= 255 &&
		!slices.ContainsFunc([]byte(key), func(c byte) bool { return c < 0x21 || c > 0x7e })
}

// FindByKey returns the job that the owner has under the key, or nil where
// there is none. It is a *ConflictError if that job stands for another intent.
// It only spares work: Submit decides (C04).
func (l *Ledger) FindByKey(ctx context.Context, owner uuid.UUID, key string, in Intent) (*Job, error) {
	job, err := l.JobByKey(ctx, owner, key)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return job, sameIntent(job, in)
}

// Submit stores the job with its first attempt, or finds the job that the key
// has already (C02 to C07). The unique constraint decides which. A
// *ConflictError names the existing job; ErrOutcomeUnknown means that it may be
// stored or not, and that sending the same again is safe.
func (l *Ledger) Submit(ctx context.Context, s Submission) (Receipt, error) {
	id := newID()
	var receipt Receipt
	err := l.transact(ctx, "submit", func(tx pgx.Tx, _ bool) error {
		created, err := l.insertJob(ctx, tx, id, s)
		if err == nil {
			receipt = Receipt{Job: created, Created: true}
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		// Where the row under the key is our own, an earlier run's COMMIT got no
		// answer and had happened.
		existing, err := l.jobByKey(ctx, tx, s.Owner, s.Key)
		if err != nil {
			return err
		}
		receipt = Receipt{Job: *existing, Created: existing.ID == id}
		if err := sameIntent(existing, s.Intent); err != nil {
			return err
		}
		return errNothingToCommit
	})
	if err != nil {
		return Receipt{}, err
	}
	if receipt.Created {
		l.changed(s.Owner, receipt.Job.ID)
	}
	return receipt, nil
}

// insertJob writes job, first attempt, event and wake-up. It is pgx.ErrNoRows
// where the key is taken.
func (l *Ledger) insertJob(ctx context.Context, tx pgx.Tx, id uuid.UUID, s Submission) (Job, error) {
	err := l.q.InsertJobTypeVersion(ctx, tx, db.InsertJobTypeVersionParams{
		Digest: s.Digest, JobType: s.JobType, Definition: s.Definition, Repeatable: s.Repeatable})
	if err != nil {
		return Job{}, fmt.Errorf("submit: keep the job type's version: %w", err)
	}
	row, err := l.q.InsertJobIfKeyFree(ctx, tx, db.InsertJobIfKeyFreeParams{
		OwnerID: s.Owner, ID: id, IdempotencyKey: s.Key, JobType: s.JobType, JobTypeDigest: s.Digest, Input: s.Raw,
		Fingerprint: exactjson.Fingerprint(s.JobType, s.Input), Route: s.RouteInForce})
	if err != nil {
		return Job{}, err
	}
	step := &step{ctx: ctx, l: l, tx: tx, name: "submit", job: jobOf(row), actor: s.Actor, nextEvent: newID()}
	if err := step.event(event{action: ActionSubmitted}); err != nil {
		return Job{}, err
	}
	first, err := step.newAttempt(nil, s.RouteInForce[0], true, "")
	if err != nil {
		return Job{}, err
	}
	job := step.job
	job.Attempts = []Attempt{first}
	return job, nil
}

// sameIntent compares an intent with the job that has its key (C06). A route
// that was left out is no difference.
func sameIntent(job *Job, in Intent) error {
	same, err := exactjson.MatchesFingerprint(job.Fingerprint, in.JobType, in.Input)
	if err != nil {
		return err
	}
	if !same || in.Route != nil && !slices.Equal(in.Route, job.Route) {
		return &ConflictError{Existing: *job}
	}
	return nil
}
