package dispatch

import (
	"sync"

	"github.com/google/uuid"

	"kwit/ledger"
)

// So many replays to one provider are under way at once in one process.
const replayMost = 20

// replays are those under way. An answer may take as long as the job type's
// timeout, so they have room of their own, and each provider its own part of it:
// one that hangs holds up nobody's polls.
type replays struct {
	mu sync.Mutex
	by map[uuid.UUID]string // attempt to provider
}

// begin reports false where the attempt's replay is under way already, or its
// provider has enough of them. The next turn comes by itself.
func (r *replays) begin(a *ledger.Attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, underWay := r.by[a.ID]; underWay {
		return false
	}
	n := 0
	for _, provider := range r.by {
		if provider == a.Provider {
			n++
		}
	}
	if n >= replayMost {
		return false
	}
	if r.by == nil {
		r.by = make(map[uuid.UUID]string)
	}
	r.by[a.ID] = a.Provider
	return true
}

func (r *replays) end(a *ledger.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.by, a.ID)
}
