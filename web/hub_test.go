package web

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
)

// drawer draws pictures with a revision of its own, and counts them.
type drawer struct {
	revision int64
	drawn    int
	err      error
}

func (d *drawer) draw() (int64, []byte, error) {
	d.drawn++
	return d.revision, []byte("picture"), d.err
}

// A hub of these tests never rereads: that has its tests with a real ledger.
func newTestHub() *hub { return newHub(nil, time.Hour, make(chan struct{}), slog.Default()) }

func TestOnePictureServesAllWithTheSameEyes(t *testing.T) {
	t.Parallel()
	h, d := newTestHub(), &drawer{revision: 1}
	ref := ledger.JobRef{Owner: uuid.New(), Job: uuid.New()}
	topic, _, leave := h.watch(ref)
	defer leave()
	_, _, leaveToo := h.watch(ref)
	defer leaveToo()
	look := func(mine bool, drawn int) {
		t.Helper()
		p, err := h.picture(topic, mine, d.draw)
		if err != nil || p.revision != d.revision || d.drawn != drawn {
			t.Fatalf("revision %d after %d drawings, want %d and %d; %v", p.revision, d.drawn, d.revision, drawn, err)
		}
	}
	look(true, 1)
	look(true, 1)
	look(false, 2)
	d.revision = 2
	h.changed(ref)
	look(true, 3) // nobody is shown what was before the change
	look(true, 3)
	look(false, 4)
}

func TestAPictureThatFailedIsDrawnAgain(t *testing.T) {
	t.Parallel()
	h, d := newTestHub(), &drawer{revision: 5, err: errors.New("the database is away")}
	topic, _, leave := h.watch(ledger.JobRef{Job: uuid.New()})
	defer leave()
	if _, err := h.picture(topic, true, d.draw); err == nil {
		t.Fatal("no error")
	}
	if topic.revision != 0 {
		t.Error("rereading would not wake us again")
	}
	d.err = nil
	if p, err := h.picture(topic, true, d.draw); err != nil || p.revision != 5 {
		t.Errorf("%v, %v", p, err)
	}
}

func TestAHubForgetsWhatNobodyWatches(t *testing.T) {
	t.Parallel()
	h := newTestHub()
	ref := ledger.JobRef{Job: uuid.New()}
	_, wake, leave := h.watch(ref)
	_, _, leaveToo := h.watch(ref)
	h.changed(ref)
	h.changed(ref) // one hint is enough for whoever has not looked yet
	<-wake
	select {
	case <-wake:
		t.Error("woken twice")
	default:
	}
	leave()
	if len(h.topics) != 1 {
		t.Error("a job that is watched was forgotten")
	}
	leaveToo()
	h.changed(ref)
	if len(h.topics) != 0 || h.watched() != nil || h.rereading {
		t.Error("the hub goes on rereading")
	}
}
