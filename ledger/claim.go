package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"kwit/db"
)

// ErrWait says that an attempt stays pending for now: its provider is paused, or
// as many attempts as it takes are running. It is not lost; try again later.
var ErrWait = errors.New("the provider takes no further attempt for now")

// ErrNotClaimable says that an attempt is not (any longer) to be sent: another
// worker has it, it has ended, or its job is over.
var ErrNotClaimable = errors.New("the attempt is not to be sent")

// Claim is a worker's wish to send an attempt.
type Claim struct {
	Owner, Attempt uuid.UUID
	Node           uuid.UUID
	Stamp          uuid.UUID     // chosen by the worker; recognises the claim when its COMMIT got no answer
	Timeout        time.Duration // of the call, from the first byte on
	Slots          int           // running attempts that the provider takes, over all nodes; 0: no limit
}

// claimedUnder tells whether the attempt runs under this very claim.
func (a Attempt) claimedUnder(stamp uuid.UUID) bool {
	return a.State == Running && a.ClaimStamp != nil && *a.ClaimStamp == stamp
}

// Claim commits that this worker, and no other, may send the attempt, before
// its first byte leaves (C11). It returns the job and the attempt as claimed,
// or ErrNotClaimable, or ErrWait. After ErrOutcomeUnknown the same claim may be repeated:
// found under its own stamp, it holds. Until then nothing may be sent.
func (l *Ledger) Claim(ctx context.Context, c Claim) (*Job, *Attempt, error) {
	before, err := l.Attempt(ctx, c.Owner, c.Attempt)
	if err != nil {
		return nil, nil, err
	}
	if before.State != Pending && !before.claimedUnder(c.Stamp) {
		return nil, nil, ErrNotClaimable
	}
	var job Job
	var claimed Attempt
	err = l.transition(ctx, "claim", c.Owner, before.JobID, System, func(s *step) (err error) {
		if claimed, err = s.attempt(c.Attempt); err != nil {
			return err
		}
		job = s.job
		if claimed.claimedUnder(c.Stamp) {
			return nil
		}
		if claimed.State == Pending {
			if err := s.admit(claimed, c.Slots); err != nil {
				return err
			}
		}
		n, err := l.q.ClaimAttemptIfPending(ctx, s.tx, db.ClaimAttemptIfPendingParams{
			OwnerID: c.Owner, ID: c.Attempt, ClaimStamp: c.Stamp, ClaimedBy: c.Node,
			TimeoutSeconds: c.Timeout.Seconds(), JobVersion: s.job.Version})
		if err != nil {
			return fmt.Errorf("claim attempt %s: %w", c.Attempt, err)
		}
		if n == 0 || s.job.CompletedBy != nil {
			return ErrNotClaimable
		}
		if claimed, err = s.attempt(c.Attempt); err != nil {
			return err
		}
		err = s.event(event{action: ActionClaimed, attempt: &c.Attempt, from: string(Pending), to: string(Running)})
		if err != nil {
			return err
		}
		return s.settle()
	})
	if err != nil {
		return nil, nil, err
	}
	return &job, &claimed, nil
}

// Accept notes that the provider took the request over and will answer later
// (202): no worker holds the attempt from then on, and only its deadline makes
// it unknown. It reports false where the attempt is not running any more.
func (l *Ledger) Accept(ctx context.Context, owner, attempt uuid.UUID, call Call) (bool, error) {
	a, err := l.Attempt(ctx, owner, attempt)
	if err != nil {
		return false, err
	}
	accepted := false
	err = l.transition(ctx, "accept", owner, a.JobID, Actor{Kind: ByProvider}, func(s *step) error {
		p := db.AcceptAttemptIfRunningParams{OwnerID: owner, ID: attempt, ProviderRequestID: requestID(call.ProviderRequestID)}
		if call.Sent {
			ago, timeout := call.SentAgo.Seconds(), call.Timeout.Seconds()
			p.SentAgoSeconds, p.TimeoutSeconds = &ago, &timeout
		}
		n, err := l.q.AcceptAttemptIfRunning(ctx, s.tx, p)
		if err != nil || n == 0 {
			return err
		}
		accepted = true
		if err := s.event(event{action: ActionAccepted, attempt: &attempt, from: string(Running), to: string(Running)}); err != nil {
			return err
		}
		return s.settle()
	})
	return accepted, err
}

// Held is an attempt that a worker holds, and what it knows of the first byte.
type Held struct {
	Owner, Attempt, Stamp uuid.UUID
	Sent                  bool
	SentAgo               time.Duration
	Timeout               time.Duration
}

// Beat says that the worker of these attempts lives, and notes when their first
// bytes left. It returns those for which that is committed now, and those that
// are no longer running under their stamp: nothing more may be sent for them. A
// row that a transition held just then is neither. Heartbeats are no transitions.
func (l *Ledger) Beat(ctx context.Context, held []Held) (beaten, lost []uuid.UUID, err error) {
	if len(held) == 0 {
		return nil, nil, nil
	}
	var p db.BeatParams
	for _, h := range held {
		ago := -1.0
		if h.Sent {
			ago = h.SentAgo.Seconds()
		}
		p.OwnerIds, p.Ids = append(p.OwnerIds, h.Owner), append(p.Ids, h.Attempt)
		p.Stamps = append(p.Stamps, h.Stamp)
		p.SentAgoSeconds = append(p.SentAgoSeconds, ago)
		p.TimeoutSeconds = append(p.TimeoutSeconds, h.Timeout.Seconds())
	}
	beaten, err = l.q.Beat(ctx, l.pool, p)
	if err != nil || len(beaten) == len(held) {
		return beaten, nil, err
	}
	still, err := l.q.StillHeld(ctx, l.pool, db.StillHeldParams{OwnerIds: p.OwnerIds, Ids: p.Ids, Stamps: p.Stamps})
	if err != nil {
		return nil, nil, err
	}
	for _, h := range held {
		if !slices.Contains(still, h.Attempt) && !slices.Contains(beaten, h.Attempt) {
			lost = append(lost, h.Attempt)
		}
	}
	return beaten, lost, nil
}
