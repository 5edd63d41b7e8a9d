package farm

import (
	"context"
	"maps"
	"slices"
)

// The controls hold requests at the farm, so that a test decides when, in
// which order, and how each is answered. A request is held from before it is
// logged: whoever has waited for it in Seen can release it.

// Hold keeps every request that comes from now on until it is released.
func (f *Farm) Hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold = true
}

// Release answers the held request of an attempt with reply, or, where reply
// is nil, lets it go on as its behaviour says. It tells whether there was one.
func (f *Farm) Release(attemptID string, reply *Reply) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	release, held := f.held[attemptID]
	if held {
		delete(f.held, attemptID)
		release <- reply
	}
	return held
}

// ReleaseAll lets every held request go on as its behaviour says, and holds no
// further one.
func (f *Farm) ReleaseAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold = false
	for attempt, release := range f.held {
		delete(f.held, attempt)
		release <- nil
	}
}

// Held lists the attempts whose requests wait to be released, ordered by id.
func (f *Farm) Held() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.held))
}

// catch registers a request as held, where requests are held; else it is nil.
func (f *Farm) catch(attemptID string) chan *Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.hold {
		return nil
	}
	release := make(chan *Reply, 1)
	f.held[attemptID] = release
	return release
}

// await waits for the release of a request that was caught. It answers false
// when the client has gone before.
func (f *Farm) await(ctx context.Context, attemptID string, release chan *Reply) (*Reply, bool) {
	if release == nil {
		return nil, true
	}
	select {
	case reply := <-release:
		return reply, true
	case <-ctx.Done():
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.held[attemptID] == release {
			delete(f.held, attemptID)
		}
		return nil, false
	}
}

// Finish ends work that was taken on and is not over, as an accepted one or one
// that takes its time, with reply. It tells whether there was such work. An
// accepted one is then called back, where that was wished for.
func (f *Farm) Finish(attemptID string, reply Reply) bool {
	_, first := f.finish(attemptID, reply)
	return first
}
