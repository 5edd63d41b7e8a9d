package dispatch

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/provider"
)

// The first byte leaves no later than this after the worker began the last
// claim or heartbeat that is known to be committed: well before the 30 s after
// which others call the worker dead.
const freshFor = 15 * time.Second

var (
	errTooOld     = errors.New("the claim is too old to send by: no heartbeat reached the database for 15 s")
	errNotRunning = errors.New("the attempt is not running any more")
)

// call is an attempt that this worker has claimed.
type call struct {
	job     ledger.Job
	attempt ledger.Attempt
	timing  Timing
	gate    *provider.Gate
	ctx     context.Context
	hangUp  context.CancelFunc

	sent chan time.Time // the instant of the first byte, once

	mu        sync.Mutex
	confirmed time.Time // began the last claim or heartbeat known to be committed
	firstByte time.Time // zero before
	lost      bool      // not running any more, by the ledger's word
}

func newCall(alive context.Context, job ledger.Job, a ledger.Attempt, t Timing, claimBegan time.Time) *call {
	c := &call{job: job, attempt: a, timing: t, confirmed: claimBegan, sent: make(chan time.Time, 1)}
	c.ctx, c.hangUp = context.WithCancel(alive)
	c.gate = provider.NewGate(c.mayBegin, c.began)
	return c
}

// mayBegin is asked by the gate right before the first byte.
func (c *call) mayBegin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.lost:
		return errNotRunning
	case age(c.confirmed) > freshFor:
		return errTooOld
	}
	return nil
}

// age is the time since an instant by whichever clock went further: the
// monotonic one stands still while a laptop sleeps, the other one may be set.
func age(t time.Time) time.Duration {
	return max(time.Since(t), time.Now().Round(0).Sub(t.Round(0)))
}

// began is told by the gate right after the first byte.
func (c *call) began(at time.Time) {
	c.mu.Lock()
	c.firstByte = at
	c.mu.Unlock()
	c.sent <- at
}

// confirm notes that the claim stood when a heartbeat began.
func (c *call) confirm(began time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.confirmed = began
}

// lose notes that the attempt is not running any more. A connection that has
// written nothing is sealed, and the call ends; one that has is listened to,
// since its answer is a late result at least.
func (c *call) lose() {
	c.mu.Lock()
	c.lost = true
	c.mu.Unlock()
	if c.gate.SealUnsent() {
		c.hangUp()
	}
}

// held is what a heartbeat says of the call.
func (c *call) held() ledger.Held {
	k := c.known()
	return ledger.Held{Owner: c.attempt.OwnerID, Attempt: c.attempt.ID, Stamp: *c.attempt.ClaimStamp,
		Sent: k.Sent, SentAgo: k.SentAgo, Timeout: c.timing.Timeout}
}

// known is what the worker knows of the call's first byte.
func (c *call) known() ledger.Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := ledger.Call{Sent: !c.firstByte.IsZero(), Timeout: c.timing.Timeout}
	if k.Sent {
		k.SentAgo = time.Since(c.firstByte)
	}
	return k
}

// calls are those that this worker beats for.
type calls struct {
	mu sync.Mutex
	by map[uuid.UUID]*call // by attempt
}

func (cs *calls) add(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.by == nil {
		cs.by = make(map[uuid.UUID]*call)
	}
	cs.by[c.attempt.ID] = c
}

func (cs *calls) remove(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.by, c.attempt.ID)
}

func (cs *calls) all() map[uuid.UUID]*call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	all := make(map[uuid.UUID]*call, len(cs.by))
	for id, c := range cs.by {
		all[id] = c
	}
	return all
}
