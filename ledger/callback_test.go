package ledger_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

// An id counts once for each provider, for a day.
func TestWebhookIDsAreKeptForADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := func(provider, id string) *uuid.UUID {
		t.Helper()
		at, err := w.WebhookSeen(t.Context(), provider, id)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	note := func(provider, id string, attempt uuid.UUID) {
		t.Helper()
		if err := w.NoteWebhook(t.Context(), provider, id, attempt); err != nil {
			t.Fatal(err)
		}
	}
	first, second := uuid.New(), uuid.New()
	if seen("inkjet", "msg_1") != nil {
		t.Error("seen before it came")
	}
	note("inkjet", "msg_1", first)
	note("inkjet", "msg_1", second) // the first stands
	note("laser", "msg_1", second)
	if at := seen("inkjet", "msg_1"); at == nil || *at != first {
		t.Errorf("inkjet's stands at %v, want %s", at, first)
	}
	if at := seen("laser", "msg_1"); at == nil || *at != second {
		t.Errorf("laser's stands at %v, want %s", at, second)
	}
	note("inkjet", "msg_2", first)
	w.exec(`UPDATE webhook_ids SET received_at = clock_timestamp() - interval '24 hours 1 minute' WHERE webhook_id = 'msg_1'`)
	w.exec(`UPDATE webhook_ids SET received_at = clock_timestamp() - interval '23 hours 59 minutes' WHERE webhook_id = 'msg_2'`)
	if err := w.ForgetWebhooks(t.Context()); err != nil {
		t.Fatal(err)
	}
	if seen("inkjet", "msg_1") != nil || seen("inkjet", "msg_2") == nil {
		t.Error("the wrong ids are forgotten")
	}
}

func TestClockIsTheDatabases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now, err := w.Clock(t.Context())
	if err != nil || time.Since(now).Abs() > time.Minute {
		t.Errorf("%s, %v", now, err)
	}
}

// A callback about a pending attempt proves a send that the database forgot, as
// after a restore: it is never sent, and settled as usual.
func TestC11_ForgottenSendIsNeverSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		settle  func(w *world, j ledger.Job, a ledger.Attempt)
		job     ledger.JobState
		attempt ledger.AttemptState
	}{
		{"completed", func(w *world, _ ledger.Job, a ledger.Attempt) { w.complete(a, `{"by":"callback"}`) }, ledger.JobSucceeded, ledger.Succeeded},
		{"failed", func(w *world, _ ledger.Job, a ledger.Attempt) { w.fail(a, outcome.ProviderError) }, ledger.JobFailed, ledger.Failed},
		{"cancelled", func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a) }, ledger.JobFailed, ledger.Cancelled},
		{"resolved", func(w *world, _ ledger.Job, a ledger.Attempt) {
			if _, err := w.Resolve(w.t.Context(), ledger.Resolution{AttemptAct: w.act(a)}); err != nil {
				w.t.Error(err)
			}
		}, ledger.JobFailed, ledger.Failed},
		{"late", func(w *world, j ledger.Job, a ledger.Attempt) { w.cancelJob(j); w.complete(a, `1`) }, ledger.JobCancelled, ledger.Discarded},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submit("k")
			a := job.Attempts[0]
			w.forgottenSend(a)
			w.wantStates(job, ledger.JobUnknown, ledger.Unknown)
			w.wantDueIn(a, 15, "after the callback")
			_, _, err := w.Claim(t.Context(), w.claimOf(a))
			wantIs(t, err, ledger.ErrNotClaimable)
			if again, err := w.ForgottenSend(t.Context(), a.OwnerID, a.ID); again || err != nil {
				t.Errorf("forgotten twice: %v, %v", again, err)
			}
			c.settle(w, job, a)
			w.wantStates(job, c.job, c.attempt)
		})
	}
}

// The callback and a worker's claim meet: either it is sent and not forgotten,
// or the other way round.
func TestC11_ForgottenSendAgainstTheClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 10 {
		a := w.submit(string(rune('a' + i))).Attempts[0]
		var claimed, forgotten atomic.Int32
		together(t, 4, func(ctx context.Context, caller int) error {
			if caller%2 == 0 {
				ok, err := w.ForgottenSend(ctx, a.OwnerID, a.ID)
				if ok {
					forgotten.Add(1)
				}
				return err
			}
			if _, _, err := w.Claim(ctx, w.claimOf(a)); err == nil {
				claimed.Add(1)
			}
			return nil
		})
		if claimed.Load()+forgotten.Load() != 1 {
			t.Errorf("claimed %d times, forgotten %d times", claimed.Load(), forgotten.Load())
		}
	}
}
