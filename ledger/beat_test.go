package ledger_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
)

func TestBeatNotesTheFirstByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	held := ledger.Held{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Timeout: 45 * time.Second}
	beat := func() ledger.Attempt {
		t.Helper()
		beaten, lost, err := w.Beat(t.Context(), []ledger.Held{held})
		if err != nil || len(lost) > 0 || len(beaten) != 1 {
			t.Fatal(beaten, lost, err)
		}
		return w.attempt(a)
	}
	unsent := beat()
	if unsent.SentAt != nil || !unsent.Deadline.Equal(*a.Deadline) || !unsent.HeartbeatAt.After(*a.HeartbeatAt) {
		t.Errorf("before the first byte: %+v", unsent)
	}
	held.Sent, held.SentAgo = true, 3*time.Second
	sent := beat()
	if ago := sent.HeartbeatAt.Sub(*sent.SentAt); ago < 2900*time.Millisecond || ago > 3100*time.Millisecond {
		t.Errorf("sent %v before the beat", ago)
	}
	if left := sent.Deadline.Sub(*sent.SentAt); left < 44900*time.Millisecond || left > 45100*time.Millisecond {
		t.Errorf("the deadline is %v after the first byte", left)
	}
	held.SentAgo, held.Timeout = 10*time.Second, time.Hour
	if again := beat(); !again.SentAt.Equal(*sent.SentAt) || !again.Deadline.Equal(*sent.Deadline) {
		t.Errorf("the first byte was noted twice: %+v", again)
	}
}

// A transition that ends the attempt notes the first byte, if no beat has.
func TestTransitionNotesTheFirstByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	_, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Outcome: "timeout",
		Call: ledger.Call{Sent: true, SentAgo: 60 * time.Second, Timeout: 60 * time.Second, ProviderRequestID: "p"}})
	if err != nil {
		t.Fatal(err)
	}
	got := w.attempt(a)
	if ago := got.StateAt.Sub(*got.SentAt); ago < 59*time.Second || ago > 61*time.Second || got.Deadline.After(got.StateAt.Add(time.Second)) {
		t.Errorf("sent %v before the doubt, deadline %v", ago, got.Deadline)
	}
}

func TestBeatReportsWhatIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, alive := w.running("alive")
	_, cancelled := w.running("cancelled")
	w.cancel(cancelled)
	_, doubted := w.running("doubted")
	w.doubt(doubted)
	_, other := w.running("other")
	held := []ledger.Held{}
	for _, a := range []ledger.Attempt{alive, cancelled, doubted, other} {
		held = append(held, ledger.Held{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp})
	}
	held[3].Stamp = uuid.New()
	beaten, lost, err := w.Beat(t.Context(), held)
	if err != nil || !slices.Equal(lost, []uuid.UUID{cancelled.ID, doubted.ID, other.ID}) || !slices.Equal(beaten, []uuid.UUID{alive.ID}) {
		t.Errorf("beaten %v, lost %v, %v", beaten, lost, err)
	}
	if beaten, lost, err := w.Beat(t.Context(), nil); beaten != nil || lost != nil || err != nil {
		t.Errorf("nothing held: %v, %v, %v", beaten, lost, err)
	}
}

// A row that a transition holds just then is skipped: neither presumed lost nor
// confirmed, since nothing is committed for it. The beat does not wait for it.
func TestBeatSkipsALockedRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	_, ended := w.running("ended")
	w.cancel(ended)
	tx, err := w.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), `SELECT 1 FROM attempts WHERE id = $1 FOR UPDATE`, a.ID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), giveUp)
	defer cancel()
	beaten, lost, err := w.Beat(ctx, []ledger.Held{{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp},
		{Owner: ended.OwnerID, Attempt: ended.ID, Stamp: *ended.ClaimStamp}})
	if err != nil || !slices.Equal(lost, []uuid.UUID{ended.ID}) || len(beaten) != 0 {
		t.Errorf("beaten %v, lost %v, %v", beaten, lost, err)
	}
}
