package dispatch

import (
	"sync"
	"time"
)

const (
	// The least time after which an attempt that found no free slot looks again.
	untilASlotIsFree = time.Second
	// One of those that wait for a provider looks after the other, so many apart:
	// what waits costs the same however much it is.
	betweenLooks = 10 * time.Millisecond
	// And the most, so that nobody waits long for a slot that became free.
	mostUntilASlot = 15 * time.Second
)

// turns spread the looks for a free slot of each provider.
type turns struct {
	mu   sync.Mutex
	last map[string]time.Time // the last one that was given out
}

// take returns how long to wait before looking again.
func (t *turns) take(provider string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = make(map[string]time.Time)
	}
	next := t.last[provider].Add(betweenLooks)
	if soonest := now.Add(untilASlotIsFree); next.Before(soonest) {
		next = soonest
	}
	if latest := now.Add(mostUntilASlot); next.After(latest) {
		next = latest
	}
	t.last[provider] = next
	return next.Sub(now)
}
