package farm

import (
	"bytes"
	"net/http"
)

// entry is what is stored under an idempotency key.
type entry struct {
	path     string // of the kind of work
	body     []byte
	callback string // where to call back; empty for nowhere
	done     bool
	reply    Reply
	over     chan struct{} // closed with done
}

// found is an entry as a request meets it.
type found struct {
	entry
	before bool // it was there before this request
	same   bool // the request is the one that made it
}

// begin claims the key for a request, or finds the one before it.
func (f *Farm) begin(key string, e entry) found {
	if key == "" {
		return found{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if old, ok := f.stored[key]; ok {
		return found{entry: *old, before: true, same: bytes.Equal(old.body, e.body)}
	}
	e.over = make(chan struct{})
	f.stored[key] = &e
	return found{entry: e}
}

// look finds what is stored under a key.
func (f *Farm) look(key string) (entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.stored[key]
	if !ok {
		return entry{}, false
	}
	return *e, true
}

// finish stores the answer under the key: the work is over, whether or not its
// answer arrives. It answers the one that holds, and whether it is this one: of
// two, such as a result and a cancellation, the first.
func (f *Farm) finish(key string, reply Reply) (Reply, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.stored[key]
	switch {
	case !ok:
		return reply, false
	case e.done:
		return e.reply, false
	}
	e.done, e.reply = true, reply
	close(e.over)
	return reply, true
}

// forget gives the key free: nothing was done under it, or so it says.
func (f *Farm) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.stored, key)
}

// replay answers a request whose key was seen before.
func replay(w http.ResponseWriter, k found) {
	switch {
	case !k.same:
		writeProblem(w, http.StatusUnprocessableEntity, "this idempotency key belongs to another request")
	case !k.done:
		writeProblem(w, http.StatusConflict, "a request with this idempotency key is in progress")
	default:
		w.Header().Set("Idempotent-Replayed", "true")
		k.reply.write(w)
	}
}
