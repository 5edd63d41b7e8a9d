package dispatch

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/provider"
)

func newTestCall(t *testing.T, claimBegan time.Time) *call {
	t.Helper()
	stamp := uuid.New()
	return newCall(t.Context(), ledger.Job{}, ledger.Attempt{ClaimStamp: &stamp}, Timing{Timeout: time.Minute}, claimBegan)
}

// write is a connection's first write, through the gate.
func write(c *call) (wrote bool, err error) {
	_, err = c.gate.Pass([]byte("POST"), func(p []byte) (int, error) { wrote = true; return len(p), nil })
	return wrote, err
}

func TestC11_FirstByteNeedsAFreshClaim(t *testing.T) {
	t.Parallel()
	now := time.Now()
	// Without a monotonic reading, as if that clock had stood still since.
	beforeSleep := now.Round(0).Add(-freshFor - time.Second)
	for _, c := range []struct {
		name    string
		prepare func(*call)
		began   time.Time
		refusal error
	}{
		{"fresh claim", func(*call) {}, now, nil},
		{"claim just within its time", func(*call) {}, now.Add(-freshFor + time.Second), nil},
		{"claim too old", func(*call) {}, now.Add(-freshFor - time.Second), errTooOld},
		{"old claim, fresh heartbeat", func(c *call) { c.confirm(now) }, now.Add(-time.Minute), nil},
		{"not running any more", func(c *call) { c.lose() }, now, errNotRunning},
		{"clock went on while the process slept", func(c *call) { c.confirm(beforeSleep) }, now, errTooOld},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := newTestCall(t, c.began)
			c.prepare(call)
			wrote, err := write(call)
			if wrote != (c.refusal == nil) || !errors.Is(call.gate.Refusal(), c.refusal) && c.refusal != errNotRunning {
				t.Errorf("wrote %v, %v (refusal %v), want %v", wrote, err, call.gate.Refusal(), c.refusal)
			}
			if known := call.known(); known.Sent != wrote {
				t.Errorf("sent %v, want %v", known.Sent, wrote)
			}
		})
	}
}

// A replay counts from before its commit, as a claim does.
func TestC11_ReplayNeedsAFreshCommit(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, c := range map[string]struct {
		began   time.Time
		refusal error
	}{
		"just committed":               {now, nil},
		"just within its time":         {now.Add(-freshFor + time.Second), nil},
		"too old":                      {now.Add(-freshFor - time.Second), errTooOld},
		"slept between commit and now": {now.Round(0).Add(-freshFor - time.Second), errTooOld},
	} {
		gate := provider.NewGate(fresh(c.began), nil)
		wrote := false
		_, _ = gate.Pass([]byte("POST"), func(p []byte) (int, error) { wrote = true; return len(p), nil })
		if wrote != (c.refusal == nil) || !errors.Is(gate.Refusal(), c.refusal) {
			t.Errorf("%s: wrote %v, refusal %v", name, wrote, gate.Refusal())
		}
	}
}

// A heartbeat that finds the attempt not running ends a call that has written
// nothing, and leaves one that has: its answer is a late result at least.
func TestLostAttemptIsSealedOnlyUnsent(t *testing.T) {
	t.Parallel()
	unsent := newTestCall(t, time.Now())
	unsent.lose()
	if !unsent.gate.Sealed() || unsent.ctx.Err() == nil {
		t.Error("a call that has written nothing goes on although its attempt is over")
	}
	sent := newTestCall(t, time.Now())
	if _, err := write(sent); err != nil {
		t.Fatal(err)
	}
	sent.lose()
	if sent.gate.Sealed() || sent.ctx.Err() != nil {
		t.Error("a call whose request is out is not listened to any more")
	}
}

// A claim whose COMMIT got no answer is repeated through the time in which the
// database cannot be reached: it may hold. Whatever the ledger says ends it.
func TestC11_UnheardClaimIsRepeated(t *testing.T) {
	t.Parallel()
	away := errors.New("connection refused")
	for _, c := range []struct {
		err            error
		unheard, again bool
	}{
		{ledger.ErrOutcomeUnknown, true, true},
		{away, true, true},
		{away, false, false},
		{ledger.ErrNotClaimable, true, false},
		{ledger.ErrWait, true, false},
		{ledger.ErrNotFound, true, false},
	} {
		if got := claimAgain(c.err, c.unheard); got != c.again {
			t.Errorf("%v, unheard %v: again %v, want %v", c.err, c.unheard, got, c.again)
		}
	}
}
