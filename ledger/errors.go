package ledger

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// ErrNotFound says that there is no such job or attempt for this owner.
var ErrNotFound = errors.New("there is no such job or attempt")

// ErrOutcomeUnknown says that a COMMIT got no answer and could not be settled
// on a fresh connection: the transition may have happened or not. Sending the
// same thing again is safe. It is never to be told as "not done".
var ErrOutcomeUnknown = errors.New("the database did not say whether it was stored")

// ErrJobCompleted refuses what a job with a result does not allow any more.
var ErrJobCompleted = errors.New("the job has its result")

// ErrJobCancelled refuses what a cancelled job does not allow any more.
var ErrJobCancelled = errors.New("the job is cancelled")

// ErrNotRepeatable refuses to release an attempt whose work must not run twice.
var ErrNotRepeatable = errors.New("the work of this job type must not run twice, so its attempts cannot be released")

// ErrReasonRequired refuses an act on somebody else's job that says no reason.
var ErrReasonRequired = errors.New("a reason is required")

// ConflictError refuses a submission: the key stands for another intent (C06).
type ConflictError struct{ Existing Job }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("the idempotency key stands for another intent: job %s", e.Existing.ID)
}

// OpenAttemptError refuses a further attempt while one is open (C08).
type OpenAttemptError struct {
	Blocking uuid.UUID
	Ordinal  int32
	State    AttemptState
}

func (e *OpenAttemptError) Error() string {
	return fmt.Sprintf("attempt %d (%s) is still %s", e.Ordinal, e.Blocking, e.State)
}

// AttemptDiffersError refuses an attempt whose ordinal is there already, at
// another provider.
type AttemptDiffersError struct{ Existing Attempt }

func (e *AttemptDiffersError) Error() string {
	return fmt.Sprintf("attempt %d is there already, at %s", e.Existing.Ordinal, e.Existing.Provider)
}

// OrdinalMismatchError refuses an attempt that would leave a gap.
type OrdinalMismatchError struct{ Next int32 }

func (e *OrdinalMismatchError) Error() string {
	return fmt.Sprintf("the next attempt has the ordinal %d", e.Next)
}

// NotCertifiedError refuses a provider that has not proved the contract for
// the job type: an operator with a reason may still name it.
type NotCertifiedError struct{ Provider string }

func (e *NotCertifiedError) Error() string {
	return fmt.Sprintf("provider %s is not certified for this job type", e.Provider)
}

// NotOnRouteError refuses a provider that the job's route does not name.
type NotOnRouteError struct {
	Provider string
	Route    []string
}

func (e *NotOnRouteError) Error() string {
	return fmt.Sprintf("provider %s is not on the job's route %v", e.Provider, e.Route)
}

// AttemptChangedError refuses an act that was meant for another state: somebody
// was first, or the state table does not allow it.
type AttemptChangedError struct {
	State AttemptState // the present one
	By    string       // who brought it there: a person's address, "system" or "provider"
	At    time.Time
}

func (e *AttemptChangedError) Error() string {
	return fmt.Sprintf("the attempt is %s now, by %s", e.State, e.By)
}
