package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
	"kwit/outcome"
)

// step is one transition under way: a transaction that holds the lock of its
// job's row.
type step struct {
	ctx       context.Context
	l         *Ledger
	tx        pgx.Tx
	name      string
	job       Job
	actor     Actor
	planned   bool      // another attempt comes by itself
	nextEvent uuid.UUID // the first event's id was chosen before the first run
	wrote     bool
}

// attempt reads an attempt of the locked job. Heartbeats aside, nobody can
// change it until the step ends.
func (s *step) attempt(id uuid.UUID) (Attempt, error) {
	row, err := s.l.q.AttemptByID(s.ctx, s.tx, db.AttemptByIDParams{OwnerID: s.job.OwnerID, ID: id})
	if err != nil {
		return Attempt{}, notFound(err)
	}
	return attemptOf(row), nil
}

func (s *step) attempts() ([]Attempt, error) {
	rows, err := s.l.q.AttemptsOfJob(s.ctx, s.tx, db.AttemptsOfJobParams{OwnerID: s.job.OwnerID, JobID: s.job.ID})
	if err != nil {
		return nil, err
	}
	return attemptsOf(rows), nil
}

// Call is what a worker knows about an attempt's request, beside how it ended.
// The zero value knows nothing.
type Call struct {
	Sent              bool
	SentAgo           time.Duration // since the first byte, by the worker's monotonic clock
	Timeout           time.Duration // counts from the first byte
	ProviderRequestID string
	Usage             json.RawMessage
	Evidence          Evidence
	Body              []byte // of the answer, as it arrived: a late one's size and digest are logged
}

// move is what changes with an attempt's state.
type move struct {
	to      AttemptState
	outcome outcome.Outcome // none: the word that stands stays
	detail  string          // none: likewise
	call    Call
	action  string
	reason  string
	proof   proof
}

// proof is what allows a failure (I5).
type proof string

const (
	byAnswer proof = "answer"
	byNoByte proof = "no_byte_written"
	byPerson proof = "person"
)

// move changes the attempt's state and writes the event of it.
func (s *step) move(a Attempt, m move) error {
	evidence, err := json.Marshal(m.call.Evidence.clean())
	if err != nil {
		return err
	}
	p := db.MoveAttemptIfStateParams{
		OwnerID: a.OwnerID, ID: a.ID, FromState: string(a.State), ToState: string(m.to),
		Outcome: optional(string(m.outcome)), Detail: optional(m.detail), Usage: storable(m.call.Usage),
		ProviderRequestID: requestID(m.call.ProviderRequestID), Evidence: evidence,
		// With the job, its provider was told already: once is enough.
		CallOff: m.to == Cancelled && a.State != Pending && s.job.CancelledAt == nil,
	}
	if m.call.Sent {
		ago, timeout := m.call.SentAgo.Seconds(), m.call.Timeout.Seconds()
		p.SentAgoSeconds, p.TimeoutSeconds = &ago, &timeout
	}
	n, err := s.l.q.MoveAttemptIfState(s.ctx, s.tx, p)
	if err != nil {
		return fmt.Errorf("%s attempt %s: %w", s.name, a.ID, err)
	}
	if a.State == Running {
		if err := s.l.q.FreeSlot(s.ctx, s.tx, &a.ID); err != nil {
			return fmt.Errorf("%s attempt %s: free its slot: %w", s.name, a.ID, err)
		}
	}
	if n != 1 {
		return fmt.Errorf("%s attempt %s: it left %s although its job is locked", s.name, a.ID, a.State)
	}
	return s.event(event{action: m.action, attempt: &a.ID, from: string(a.State), to: string(m.to), reason: m.reason, proof: m.proof})
}

// event is one line of the audit log about the locked job.
type event struct {
	action   string
	attempt  *uuid.UUID
	from, to string
	reason   string
	proof    proof
	bySystem bool // a consequence, not what the actor asked for
}

func (s *step) event(e event) error {
	actor := s.actor
	if e.bySystem || actor.Kind == "" {
		actor = Actor{Kind: BySystem, RequestID: s.actor.RequestID}
	}
	p := db.InsertEventParams{
		OwnerID: s.job.OwnerID, ID: s.nextEvent, ActorKind: string(actor.Kind), Action: e.action, JobID: &s.job.ID,
		AttemptID: e.attempt, FromState: optional(e.from), ToState: optional(e.to), Reason: clean(e.reason),
		Proof: optional(string(e.proof)), RequestID: clean(actor.RequestID),
	}
	if actor.ID != uuid.Nil {
		p.ActorID = &actor.ID
	}
	if err := s.l.q.InsertEvent(s.ctx, s.tx, p); err != nil {
		return fmt.Errorf("%s: write the event: %w", s.name, err)
	}
	s.nextEvent = newID()
	s.wrote = true
	return nil
}

// newAttempt adds the job's next attempt and wakes the dispatcher for it.
func (s *step) newAttempt(existing []Attempt, provider string, automatic bool, reason string) (Attempt, error) {
	row, err := s.l.q.InsertAttempt(s.ctx, s.tx, db.InsertAttemptParams{
		OwnerID: s.job.OwnerID, ID: newID(), JobID: s.job.ID, Ordinal: int32(len(existing)) + 1, Provider: provider,
		Automatic: automatic, JobVersion: s.job.Version,
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("%s: add the attempt: %w", s.name, err)
	}
	if err := s.l.q.DropPlan(s.ctx, s.tx, db.DropPlanParams{OwnerID: s.job.OwnerID, ID: s.job.ID}); err != nil {
		return Attempt{}, fmt.Errorf("%s: drop the plan: %w", s.name, err)
	}
	s.planned = false
	if err := s.event(event{action: ActionAttemptAdded, attempt: &row.ID, to: row.State, reason: reason}); err != nil {
		return Attempt{}, err
	}
	return attemptOf(row), s.l.waker.WakeAttempt(s.ctx, s.tx, s.job.OwnerID, row.ID, provider)
}

// plan says that another attempt comes by itself.
func (s *step) plan(provider string, in time.Duration) error {
	err := s.l.q.PlanAttempt(s.ctx, s.tx, db.PlanAttemptParams{
		OwnerID: s.job.OwnerID, ID: s.job.ID, InSeconds: in.Seconds(), Provider: provider})
	if err != nil {
		return fmt.Errorf("%s: plan the next attempt: %w", s.name, err)
	}
	s.planned = true
	return nil
}

// settle stores the job's state, as it follows from its attempts now.
func (s *step) settle() error {
	all, err := s.attempts()
	if err != nil {
		return err
	}
	state := jobState(all, s.planned)
	err = s.l.q.SettleJob(s.ctx, s.tx, db.SettleJobParams{OwnerID: s.job.OwnerID, ID: s.job.ID, State: string(state)})
	if err != nil {
		return fmt.Errorf("%s: store the job's state: %w", s.name, err)
	}
	return nil
}

// jobState is the state of a job without a result that was not cancelled: the
// first that holds (2-ledger, "The job's state").
func jobState(attempts []Attempt, planned bool) JobState {
	for _, a := range attempts {
		switch a.State {
		case Pending:
			return JobQueued
		case Running:
			return JobRunning
		case Unknown:
			return JobUnknown
		}
	}
	switch {
	case slices.ContainsFunc(attempts, func(a Attempt) bool { return a.State == Released }):
		return JobUnknown
	case planned:
		return JobWaiting
	}
	return JobFailed
}
