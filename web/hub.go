package web

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"kwit/ledger"
)

// freshFor is how long a picture may be shown again to others, since the times
// in it are drawn.
const freshFor = time.Second

// rereadWithin bounds one look at all revisions.
const rereadWithin = 20 * time.Second

// hub tells live pages that their job changed. What it is told is a hint that
// may be lost; so it also reads the revisions of all watched jobs every so
// often, in one query.
type hub struct {
	ledger *ledger.Ledger
	every  time.Duration
	done   <-chan struct{}
	log    *slog.Logger

	mu        sync.Mutex
	topics    map[ledger.JobRef]*topic
	rereading bool
}

// topic is a job that somebody watches.
type topic struct {
	ref ledger.JobRef

	// Guarded by hub.mu.
	watchers   map[chan struct{}]struct{}
	generation int64 // up with every hint
	revision   int64 // of the newest picture

	drawing sync.Mutex
	shared  map[bool]picture // by "is the viewer's own"; guarded by drawing
}

// picture is the part of a job's page that changes, as HTML.
type picture struct {
	revision   int64
	html       []byte
	generation int64 // it shows what was hinted up to here
	at         time.Time
}

func newHub(l *ledger.Ledger, every time.Duration, done <-chan struct{}, log *slog.Logger) *hub {
	return &hub{ledger: l, every: every, done: done, log: log, topics: map[ledger.JobRef]*topic{}}
}

// watch adds a watcher of a job, who is woken by its changes until leave.
func (h *hub) watch(ref ledger.JobRef) (t *topic, wake <-chan struct{}, leave func()) {
	woken := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	t = h.topics[ref]
	if t == nil {
		t = &topic{ref: ref, watchers: map[chan struct{}]struct{}{}, shared: map[bool]picture{}}
		h.topics[ref] = t
	}
	t.watchers[woken] = struct{}{}
	if !h.rereading {
		h.rereading = true
		go h.reread()
	}
	return t, woken, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(t.watchers, woken)
		if len(t.watchers) == 0 {
			delete(h.topics, ref)
		}
	}
}

// changed wakes the watchers of a job. It does not block: who is awake already
// will look anyway.
func (h *hub) changed(ref ledger.JobRef) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[ref]
	if t == nil {
		return
	}
	t.generation++
	for woken := range t.watchers {
		select {
		case woken <- struct{}{}:
		default:
		}
	}
}

// picture returns the job as it is now, drawn once for all who watch it with
// the same eyes.
func (h *hub) picture(t *topic, mine bool, draw func() (revision int64, html []byte, err error)) (picture, error) {
	h.mu.Lock()
	generation, company := t.generation, len(t.watchers) > 1
	h.mu.Unlock()
	t.drawing.Lock()
	defer t.drawing.Unlock()
	if p, ok := t.shared[mine]; ok && p.generation >= generation && time.Since(p.at) < freshFor {
		return p, nil
	}
	p := picture{generation: generation, at: time.Now()}
	var err error
	if p.revision, p.html, err = draw(); err != nil {
		return picture{}, err
	}
	delete(t.shared, mine)
	if company {
		t.shared[mine] = p
	}
	h.mu.Lock()
	t.revision = max(t.revision, p.revision)
	h.mu.Unlock()
	return p, nil
}

// reread looks for changes that nobody told of, as long as anybody watches.
func (h *hub) reread() {
	ticker := time.NewTicker(h.every)
	defer ticker.Stop()
	for {
		select {
		case <-h.done:
			return
		case <-ticker.C:
		}
		seen := h.watched()
		if seen == nil {
			return
		}
		h.compare(seen)
	}
}

// watched returns the newest revision that was drawn of each watched job, or
// nil where nobody watches any more; then rereading has ended.
func (h *hub) watched() map[ledger.JobRef]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.topics) == 0 {
		h.rereading = false
		return nil
	}
	seen := make(map[ledger.JobRef]int64, len(h.topics))
	for ref, t := range h.topics {
		seen[ref] = t.revision
	}
	return seen
}

func (h *hub) compare(seen map[ledger.JobRef]int64) {
	refs := make([]ledger.JobRef, 0, len(seen))
	for ref := range seen {
		refs = append(refs, ref)
	}
	ctx, cancel := context.WithTimeout(context.Background(), rereadWithin)
	defer cancel()
	revisions, err := h.ledger.Revisions(ctx, refs)
	if err != nil {
		h.log.Warn("live pages wait for the database", slog.Any("error", err))
		return
	}
	for ref, revision := range revisions {
		if revision > seen[ref] {
			h.changed(ref)
		}
	}
}
