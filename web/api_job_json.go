package web

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

// jobHead is what lists show of a job (3-interfaces, "A job").
type jobHead struct {
	ID             uuid.UUID  `json:"id"`
	Number         int64      `json:"number"`
	JobType        string     `json:"job_type"`
	Route          []string   `json:"route"`
	State          string     `json:"state"`
	Version        int32      `json:"version"`
	Revision       int64      `json:"revision"`
	IdempotencyKey string     `json:"idempotency_key"`
	CompletedBy    *uuid.UUID `json:"completed_by"`
	Blocking       *uuid.UUID `json:"blocking_attempt"`
	NextAttemptAt  *time.Time `json:"next_attempt_at"`
	CreatedAt      time.Time  `json:"created_at"`
	CompletedAt    *time.Time `json:"completed_at"`
}

// jobJSON is a job as the API shows it, with its attempts.
type jobJSON struct {
	jobHead
	Input    json.RawMessage `json:"input"`  // null once purged
	Result   json.RawMessage `json:"result"` // null before completion and once purged
	Attempts []attemptJSON   `json:"attempts"`
}

// attemptJSON is an attempt as the API shows it.
type attemptJSON struct {
	ID        uuid.UUID  `json:"id"`
	JobID     uuid.UUID  `json:"job_id"`
	Ordinal   int32      `json:"ordinal"`
	Provider  string     `json:"provider"`
	State     string     `json:"state"`
	Outcome   *string    `json:"outcome"` // null while nothing is known
	Detail    string     `json:"detail"`
	CreatedAt time.Time  `json:"created_at"`
	StartedAt *time.Time `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	// Beyond the minimum of 3-interfaces.
	NextEnquiryAt *time.Time      `json:"next_enquiry_at"` // null where nobody is asked
	Usage         json.RawMessage `json:"usage"`           // as the provider told it, or null
	Cost          *moneyJSON      `json:"cost"`            // null where it is not known
}

// moneyJSON is an exact amount.
type moneyJSON struct {
	Amount   string `json:"amount"`   // decimal
	Currency string `json:"currency"` // ISO 4217
}

func jobHeadOf(j *ledger.Job) jobHead {
	return jobHead{
		ID: j.ID, Number: j.Number, JobType: j.JobType, Route: j.Route, State: string(j.State), Version: j.Version,
		Revision: j.Revision, IdempotencyKey: j.IdempotencyKey, CompletedBy: j.CompletedBy,
		NextAttemptAt: utc(j.NextAttemptAt), CreatedAt: j.CreatedAt.UTC(), CompletedAt: utc(j.CompletedAt),
	}
}

func (s *Server) jobJSONOf(j *ledger.Job) jobJSON {
	shown := jobJSON{jobHead: jobHeadOf(j), Input: j.Input, Result: j.Result, Attempts: make([]attemptJSON, len(j.Attempts))}
	if open := j.OpenAttempt(); open != nil {
		shown.Blocking = &open.ID
	}
	for i := range j.Attempts {
		shown.Attempts[i] = s.attemptJSONOf(&j.Attempts[i])
	}
	return shown
}

func (s *Server) attemptJSONOf(a *ledger.Attempt) attemptJSON {
	return attemptJSON{
		ID: a.ID, JobID: a.JobID, Ordinal: a.Ordinal, Provider: a.Provider, State: string(a.State),
		Outcome: orNull(string(a.Outcome)), Detail: a.Detail,
		CreatedAt: a.CreatedAt.UTC(), StartedAt: utc(a.StartedAt), EndedAt: utc(a.EndedAt),
		NextEnquiryAt: utc(a.NextEnquiryAt), Usage: rawOrNull(a.Usage), Cost: s.costOf(a),
	}
}

// costOf is what the provider charges for an attempt by today's price, where it
// is known that it did the work, or how much of it. What an attempt in doubt may
// have cost is no cost.
func (s *Server) costOf(a *ledger.Attempt) *moneyJSON {
	cost, known := s.providers[a.Provider].Price.Cost(a.Usage)
	if !known || a.Outcome != outcome.Succeeded && len(a.Usage) == 0 {
		return nil
	}
	return &moneyJSON{Amount: cost.Amount, Currency: cost.Currency}
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	moved := t.UTC()
	return &moved
}

// orNull is null for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
