package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

func TestC12_ResultIsWrittenByCompareAndSwap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k1")
	w.wantStates(job, ledger.JobQueued, ledger.Pending)
	a := w.claim(job.Attempts[0])
	w.wantStates(job, ledger.JobRunning, ledger.Running)
	if v := w.complete(a, `{"summary":"s"}`); v.State != ledger.Succeeded || v.Late != "" {
		t.Fatalf("verdict %+v", v)
	}
	w.wantStates(job, ledger.JobSucceeded, ledger.Succeeded)
	got := w.job(job)
	if string(got.Result) != `{"summary":"s"}` || *got.CompletedBy != a.ID || got.Version != job.Version+1 {
		t.Errorf("job after completion: %+v", got)
	}
}

// The swap compares the version, not the attempt's state alone: an attempt that
// was made under another version cannot win.
func TestC12_AnotherVersionCannotWin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k1")
	w.exec(`UPDATE jobs SET version = version + 1 WHERE id = $1`, job.ID)
	if v := w.complete(a, `1`); v.State != ledger.Discarded || v.Late != ledger.LostRace {
		t.Fatalf("verdict %+v", v)
	}
	if got := w.job(job); got.Result != nil || got.CompletedBy != nil {
		t.Errorf("a result was written past the fence: %s", got.Result)
	}
}

// race brings two attempts of one job into flight: the first was released.
func (w *world) race(key string) (job ledger.Job, first, second ledger.Attempt) {
	w.t.Helper()
	job, first = w.running(key)
	w.doubt(first)
	w.release(first)
	return job, first, w.claim(w.again(job))
}

func TestC13_ReverseFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, first, second := w.race("k1")
	if v := w.complete(second, `2`); v.State != ledger.Succeeded {
		t.Fatalf("second: %+v", v)
	}
	if v := w.complete(first, `1`); v.State != ledger.Discarded || v.Late != ledger.LostRace {
		t.Fatalf("first: %+v", v)
	}
	w.wantStates(job, ledger.JobSucceeded, ledger.Discarded, ledger.Succeeded)
	if got := w.job(job); string(got.Result) != "2" {
		t.Errorf("result %s", got.Result)
	}
	late, err := w.LateResults(t.Context(), 0, 10)
	if err != nil || len(late) != 1 || late[0].Why != ledger.LostRace || *late[0].WinnerID != second.ID {
		t.Fatalf("late results %+v, %v", late, err)
	}
}

// Both finish at the same moment: one wins, the other is late, whoever it is.
func TestC13_SimultaneousFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 20 {
		job, first, second := w.race(fmt.Sprint("k", i))
		verdicts := make([]ledger.Verdict, 2)
		together(t, 2, func(ctx context.Context, n int) error {
			a := []ledger.Attempt{first, second}[n]
			v, err := w.Complete(ctx, w.completion(a, fmt.Sprint(n+1)))
			verdicts[n] = v
			return err
		})
		won := 0
		for n, v := range verdicts {
			if v.State == ledger.Succeeded {
				won++
				if got := w.job(job); string(got.Result) != fmt.Sprint(n+1) {
					t.Errorf("attempt %d won, and the result is %s", n+1, got.Result)
				}
			}
		}
		if won != 1 {
			t.Errorf("%d winners: %+v", won, verdicts)
		}
	}
}

// together runs n callers that begin at one moment, and fails the test by their
// errors.
func together(t testing.TB, n int, do func(ctx context.Context, i int) error) {
	t.Helper()
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			if err := do(t.Context(), i); err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		})
	}
	close(begin)
	all.Wait()
}

func TestC15_AResultNeverChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, first, second := w.race("k")
	w.complete(second, `"the result"`)
	digest := w.job(job).ResultSHA256
	attacks := map[string]func() error{
		"a late sibling":          func() error { _, err := w.Complete(t.Context(), w.completion(first, `"x"`)); return err },
		"its own second answer":   func() error { _, err := w.Complete(t.Context(), w.completion(second, `"y"`)); return err },
		"its own answer repeated": func() error { _, err := w.Complete(t.Context(), w.completion(second, `"the result"`)); return err },
		"a failure of the winner": func() error { _, err := w.Fail(t.Context(), w.failure(second, outcome.Contract)); return err },
		"a cancel of the winner":  func() error { _, err := w.Cancel(t.Context(), w.act(second)); return err },
		"a cancel of the job":     func() error { _, err := w.CancelJob(t.Context(), w.jobAct(job)); return err },
		"a resolve of the winner": func() error {
			_, err := w.Resolve(t.Context(), ledger.Resolution{AttemptAct: w.act(second), Succeeded: true, Result: []byte(`"z"`)})
			return err
		},
		"another attempt": func() error {
			_, _, err := w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: w.jobAct(job), Ordinal: 3})
			return err
		},
	}
	for name, attack := range attacks {
		err := attack()
		got := w.job(job)
		if string(got.Result) != `"the result"` || *got.CompletedBy != second.ID || !bytes.Equal(got.ResultSHA256, digest) ||
			got.State != ledger.JobSucceeded {
			t.Fatalf("%s (%v) changed the result: %+v", name, err, got)
		}
	}
}

// The winner's answer that is kept again, and judged again, is dropped.
func TestCompletedAgainDropsTheKeptAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.complete(a, `"once"`)
	before := w.rows(job)
	keepAnswer(w, a, `"once"`)
	if v := w.complete(a, `"once"`); v != (ledger.Verdict{State: ledger.Succeeded}) {
		t.Errorf("verdict %+v", v)
	}
	if changed := before.changed(w.rows(job)); len(changed) > 0 {
		t.Errorf("it left behind or changed %v", changed)
	}
}

// A purge for retention removes the bytes; the digest stays, and with it what
// the ledger can tell about an answer that comes again.
func TestC15_PurgedResultKeepsItsDigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.complete(a, `"the result"`)
	w.exec(`UPDATE jobs SET result = NULL, input = NULL, purged_at = clock_timestamp() WHERE id = $1`, job.ID)
	if v := w.complete(a, `"the result"`); v.State != ledger.Succeeded || v.Late != "" {
		t.Errorf("the same answer again: %+v", v)
	}
	if v := w.complete(a, `"another"`); v.Late != ledger.LostRace {
		t.Errorf("another answer: %+v", v)
	}
	if got := w.job(job); got.Result != nil || len(got.ResultSHA256) != 32 {
		t.Errorf("purged job: %+v", got)
	}
}

func TestCompletionOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	stranger := w.completion(a, `1`)
	stranger.Owner = uuid.New()
	if _, err := w.Complete(t.Context(), stranger); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("another owner's attempt: %v", err)
	}
	unknown := w.completion(a, `1`)
	unknown.Attempt = uuid.New()
	if _, err := w.Complete(t.Context(), unknown); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("no such attempt: %v", err)
	}
}
