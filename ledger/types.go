package ledger

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"kwit/outcome"
)

// JobState is what a job looks like to its owner. It follows from the job's
// attempts (see jobState) and is stored with them.
type JobState string

// The states of a job.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobUnknown   JobState = "unknown"
	JobWaiting   JobState = "waiting" // another attempt comes by itself
	JobSucceeded JobState = "succeeded"
	JobFailed    JobState = "failed" // nothing comes by itself; a person may try again
	JobCancelled JobState = "cancelled"
)

// JobStates lists every state of a job, in the order in which pages name them.
var JobStates = []JobState{JobQueued, JobRunning, JobUnknown, JobWaiting, JobSucceeded, JobFailed, JobCancelled}

// AttemptState is where one try stands.
type AttemptState string

// The states of an attempt.
const (
	Pending   AttemptState = "pending"
	Running   AttemptState = "running"
	Unknown   AttemptState = "unknown"
	Released  AttemptState = "released" // nobody waits for it, yet it may still win
	Succeeded AttemptState = "succeeded"
	Failed    AttemptState = "failed"
	Discarded AttemptState = "discarded" // it answered, and another had won
	Cancelled AttemptState = "cancelled"
)

// AttemptStates lists every state of an attempt.
var AttemptStates = []AttemptState{Pending, Running, Unknown, Released, Succeeded, Failed, Discarded, Cancelled}

// Open tells whether an attempt in this state blocks any further attempt of
// its job (C08).
func (s AttemptState) Open() bool { return s == Pending || s == Running || s == Unknown }

// Ended tells whether nothing can change the attempt's state any more.
func (s AttemptState) Ended() bool {
	return s == Succeeded || s == Failed || s == Discarded || s == Cancelled
}

// Job is the durable intent: what somebody wants (C01).
type Job struct {
	OwnerID        uuid.UUID
	ID             uuid.UUID
	Number         int64 // the ticket
	IdempotencyKey string
	JobType        string
	JobTypeDigest  string
	Input          []byte // JSON as it was sent; nil in lists and once purged
	Fingerprint    string
	Route          []string // the providers that may do it, in order
	State          JobState
	Version        int32 // the fence
	Revision       int64 // the change counter
	CompletedBy    *uuid.UUID
	CompletedAt    *time.Time
	Result         []byte // JSON as the provider sent it; nil in lists, before completion and once purged
	ResultSHA256   []byte
	PurgedAt       *time.Time
	NextAttemptAt  *time.Time
	NextProvider   string
	CancelledAt    *time.Time
	CreatedAt      time.Time
	Attempts       []Attempt // by ordinal; nil in lists
}

// OpenAttempt returns the attempt that blocks any further one, or nil.
func (j *Job) OpenAttempt() *Attempt {
	for i := range j.Attempts {
		if j.Attempts[i].State.Open() {
			return &j.Attempts[i]
		}
	}
	return nil
}

// Winner returns the attempt whose result the job holds, or nil.
func (j *Job) Winner() *Attempt {
	for i := range j.Attempts {
		if j.CompletedBy != nil && j.Attempts[i].ID == *j.CompletedBy {
			return &j.Attempts[i]
		}
	}
	return nil
}

// NextOrdinal is the ordinal of the attempt that would be made next.
func (j *Job) NextOrdinal() int32 { return int32(len(j.Attempts)) + 1 }

// Attempt is one concrete try at one provider.
type Attempt struct {
	OwnerID           uuid.UUID
	ID                uuid.UUID
	JobID             uuid.UUID
	Ordinal           int32
	Provider          string
	Automatic         bool // made by the system, not by a person's hand
	State             AttemptState
	StateAt           time.Time // since when it is in this state
	JobVersion        int32
	ClaimStamp        *uuid.UUID
	ClaimedBy         *uuid.UUID // the node
	StartedAt         *time.Time // the claim
	HeartbeatAt       *time.Time
	SentAt            *time.Time // the first byte
	AcceptedAt        *time.Time // the provider's 202
	Deadline          *time.Time
	ProviderRequestID string
	Outcome           outcome.Outcome
	Detail            string
	Evidence          json.RawMessage // an object; see Evidence
	Usage             json.RawMessage // as the provider told it
	CreatedAt         time.Time
	EndedAt           *time.Time
	NextEnquiryAt     *time.Time // when its provider is asked what became of it
	EnquiryCount      int32
}

// Evidence is what was seen of a call, for the person who must decide. Fields
// that say nothing are left out.
type Evidence struct {
	BytesWritten *int64 `json:"bytes_written,omitempty"`
	Sealed       bool   `json:"sealed,omitempty"`
	Status       int    `json:"status,omitempty"`       // of the answer, as far as one arrived
	AnswerBytes  int64  `json:"answer_bytes,omitempty"` // of its body
	MediaType    string `json:"media_type,omitempty"`
	Late         string `json:"late,omitempty"`      // what came after the end, in words
	Cancel       string `json:"cancel,omitempty"`    // the provider's answer to our cancel call
	Unwrapped    bool   `json:"unwrapped,omitempty"` // a fence round the result was taken off, as the job type allows
}

// ActorKind is who did something.
type ActorKind string

// The kinds of actors.
const (
	ByUser     ActorKind = "user"
	BySystem   ActorKind = "system"
	ByProvider ActorKind = "provider"
)

// Actor is who asks for a transition, and under which request. The zero Actor is
// the system itself.
type Actor struct {
	Kind      ActorKind
	ID        uuid.UUID // of a user; nil UUID otherwise
	Operator  bool      // may act on the jobs of others, and name uncertified providers
	RequestID string
}

// System is kwit itself, where no person stands behind a transition.
var System = Actor{Kind: BySystem}

// Event is one line of the audit log: append-only, written in the transaction
// of the transition that it tells of (I7).
type Event struct {
	Seq       int64 // order and cursor
	OwnerID   uuid.UUID
	ID        uuid.UUID
	At        time.Time
	ActorKind ActorKind
	ActorID   *uuid.UUID
	ActorMail string // empty unless a person acted
	Action    string
	JobID     *uuid.UUID
	Number    int64 // of the job's ticket; 0 where no job is concerned
	AttemptID *uuid.UUID
	From, To  string
	Reason    string
	RequestID string
}

// LateResult is an answer that came too late: who sent it, why it lost and
// against whom. Its bytes are gone; size and digest stay (C14).
type LateResult struct {
	Seq            int64
	AttemptID      uuid.UUID
	JobID          uuid.UUID
	Number         int64
	JobType        string
	Provider       string
	Ordinal        int32
	Why            LateReason
	ReceivedAt     time.Time
	LateBy         time.Duration
	Bytes          int64
	SHA256         []byte
	MediaType      string
	SameAsWinner   bool
	WinnerID       *uuid.UUID
	WinnerProvider string
	WinnerOrdinal  int32
	Usage          json.RawMessage
}

// LateReason is why a late result lost.
type LateReason string

// The reasons.
const (
	LostRace     LateReason = "lost_race"     // another attempt had written the result
	Fenced       LateReason = "fenced"        // the attempt itself had been ended
	JobWasOver   LateReason = "job_cancelled" // the job had been cancelled
	AfterFailure LateReason = "after_failure" // the attempt had failed already
)

// OpenCase is an attempt on the operators' list.
type OpenCase struct {
	Attempt
	Number     int64
	JobType    string
	OwnerName  string
	OwnerMail  string
	Repeatable bool // running the work twice harms nobody: release is allowed
}
