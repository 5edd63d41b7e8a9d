// Package seen is a provider's own log of the requests that reached it. It is
// the witness beside the ledger: a provider sees at most one submitting
// request per attempt (invariant I3).
package seen

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Request is one request as the provider saw it.
type Request struct {
	AttemptID string    `json:"attempt_id"`
	JobID     string    `json:"job_id"`
	Key       string    `json:"idempotency_key"`
	Method    string    `json:"method,omitempty"` // empty for a submitting request
	Path      string    `json:"path,omitempty"`
	Behaviour string    `json:"behaviour,omitempty"`
	At        time.Time `json:"at"`
	Count     int       `json:"count"`   // the how manieth of its attempt, from 1
	Replay    bool      `json:"replay"`  // answered from what was stored under its key
	Enquiry   bool      `json:"enquiry"` // kwit marked it as an enquiry by replay
}

// Log is such a log. The zero value keeps everything.
type Log struct {
	keep int

	mu       sync.Mutex
	requests []Request
	total    int
	counts   map[string]int
	changed  chan struct{}
}

// NewLog makes a log that forgets the oldest beyond keep requests; 0 keeps all.
func NewLog(keep int) *Log { return &Log{keep: keep} }

// Add notes a request, and answers it with Count filled in.
func (l *Log) Add(r Request) Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	l.counts[r.AttemptID]++
	r.Count = l.counts[r.AttemptID]
	l.requests = append(l.requests, r)
	l.total++
	if l.keep > 0 && len(l.requests) > l.keep {
		delete(l.counts, l.requests[0].AttemptID)
		l.requests = l.requests[1:]
	}
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	return r
}

// Count is how many requests of an attempt were seen.
func (l *Log) Count(attemptID string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts[attemptID]
}

// Submissions is how many requests of an attempt were seen that kwit did not
// mark as enquiries.
func (l *Log) Submissions(attemptID string) int {
	n := 0
	for _, r := range l.All() {
		if r.AttemptID == attemptID && !r.Enquiry {
			n++
		}
	}
	return n
}

// Total is how many requests were seen.
func (l *Log) Total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// All copies the log, oldest first.
func (l *Log) All() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

// Repeated lists the attempts that were submitted more than once, enquiries not
// counted: each is a broken promise (C11), whether or not the provider answered
// it from what it had stored.
func (l *Log) Repeated() []string {
	submitted := map[string]int{}
	var repeated []string
	for _, r := range l.All() {
		if r.Enquiry {
			continue
		}
		if submitted[r.AttemptID]++; submitted[r.AttemptID] == 2 {
			repeated = append(repeated, r.AttemptID)
		}
	}
	return repeated
}

// Wait returns once at least n requests were seen, or with ctx's error.
func (l *Log) Wait(ctx context.Context, n int) error {
	return l.until(ctx, func() bool { return l.total >= n })
}

// WaitFor returns once a request of the attempt was seen, or with ctx's error.
func (l *Log) WaitFor(ctx context.Context, attemptID string) error {
	return l.until(ctx, func() bool { return l.counts[attemptID] > 0 })
}

func (l *Log) until(ctx context.Context, reached func() bool) error {
	for {
		l.mu.Lock()
		if reached() {
			l.mu.Unlock()
			return nil
		}
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
