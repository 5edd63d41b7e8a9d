package ledger_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

func TestOperatorsActsNeedAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.doubt(a)
	before := w.rows(job)
	for _, reason := range []string{"", "  \n\u00a0"} {
		act := w.act(a)
		act.Reason = reason
		_, err := w.Cancel(t.Context(), act)
		wantIs(t, err, ledger.ErrReasonRequired)
		_, err = w.Release(t.Context(), act)
		wantIs(t, err, ledger.ErrReasonRequired)
		_, err = w.Resolve(t.Context(), ledger.Resolution{AttemptAct: act})
		wantIs(t, err, ledger.ErrReasonRequired)
		foreign := ledger.JobAct{Owner: job.OwnerID, Job: job.ID, Reason: reason, Actor: w.operator}
		_, err = w.CancelJob(t.Context(), foreign)
		wantIs(t, err, ledger.ErrReasonRequired)
		_, _, err = w.TryAgain(t.Context(), ledger.NewAttempt{JobAct: foreign, Ordinal: 2})
		wantIs(t, err, ledger.ErrReasonRequired)
	}
	if changed := before.changed(w.rows(job)); len(changed) > 0 {
		t.Errorf("acts without a reason changed %v", changed)
	}
}

func TestReleaseIsForRepeatableWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.submission("k", `{}`)
	s.Repeatable, s.Digest = false, "pays once"
	r, err := w.Submit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	a := w.claim(r.Job.Attempts[0])
	w.doubt(a)
	_, err = w.Release(t.Context(), w.act(a))
	wantIs(t, err, ledger.ErrNotRepeatable)
	w.wantStates(r.Job, ledger.JobUnknown, ledger.Unknown)
}

func TestTheSecondPersonIsToldWhoWasFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	late := func(a ledger.Attempt) { w.complete(a, `"late"`) }
	cases := []struct {
		name  string
		first func(a ledger.Attempt)
		state ledger.AttemptState
		by    string
	}{
		{"a colleague cancelled it", w.cancel, ledger.Cancelled, "sam@example.com"},
		{"a colleague cancelled it, and a late answer came", func(a ledger.Attempt) { w.cancel(a); late(a) },
			ledger.Cancelled, "sam@example.com"},
		{"its provider answered", late, ledger.Succeeded, "provider"},
		{"its provider failed it, and another attempt was planned", func(a ledger.Attempt) {
			f := w.failure(a, outcome.NotProcessed)
			f.Retry.Attempts = 3
			if _, err := w.Fail(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}, ledger.Failed, "provider"},
		{"a colleague released it", w.release, ledger.Released, "sam@example.com"},
	}
	for _, c := range cases {
		_, a := w.running(fmt.Sprint("k", len(c.name)))
		w.doubt(a)
		c.first(a)
		second := w.act(a)
		second.Seen = ledger.Unknown
		_, err := w.Release(t.Context(), second)
		got := wantError[*ledger.AttemptChangedError](t, err)
		if got.State != c.state || got.By != c.by || !got.At.Equal(w.movedAt(a)) {
			t.Errorf("%s: told %+v, want %s by %s", c.name, got, c.state, c.by)
		}
	}
}

// A state that is seen right may still not allow the act.
func TestAnActThatTheStateDoesNotAllow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	act := w.act(a)
	act.Seen = ledger.Running
	_, err := w.Resolve(t.Context(), ledger.Resolution{AttemptAct: act})
	got := wantError[*ledger.AttemptChangedError](t, err)
	if got.State != ledger.Running || got.By != "system" {
		t.Errorf("told %+v", got)
	}
}

// What an act returns is the attempt as the act left it.
func TestActsReturnWhatTheyMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	act := w.act(a)
	released, err := w.Release(t.Context(), act)
	if err != nil || released.State != ledger.Released || released.ID != a.ID {
		t.Errorf("released: %+v, %v", released, err)
	}
	failed, err := w.Resolve(t.Context(), ledger.Resolution{AttemptAct: act})
	if err != nil || failed.State != ledger.Failed || failed.Detail != act.Reason || failed.EndedAt == nil {
		t.Errorf("resolved: %+v, %v", failed, err)
	}
	job, b := w.running("k2")
	w.doubt(b)
	w.cancelJob(job)
	discarded, err := w.Resolve(t.Context(), ledger.Resolution{AttemptAct: w.act(b), Succeeded: true, Result: []byte(`"pasted"`)})
	if err != nil || discarded.State != ledger.Discarded || discarded.Outcome != outcome.Succeeded {
		t.Errorf("resolved in a cancelled job: %+v, %v", discarded, err)
	}
	w.wantNowhere("pasted")
}

// As failed, the attempt keeps the word of its doubt.
func TestResolveAsFailedKeepsTheWord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	w.doubt(a)
	keepAnswer(w, a, `"half"`)
	got, err := w.Resolve(t.Context(), ledger.Resolution{AttemptAct: w.act(a)})
	if err != nil || got.Outcome != outcome.Timeout || got.Detail != "asked the shop" {
		t.Errorf("resolved: %+v, %v", got, err)
	}
	w.wantNowhere("half")
}

// Operators press different buttons at one moment: one acts, each other is told
// who did.
func TestDifferentButtonsAtOneMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := []ledger.Actor{w.operator, w.user("ola@example.com"), w.user("max@example.com"), w.user("eva@example.com")}
	for round := range 15 {
		_, a := w.running(fmt.Sprint("k", round))
		w.doubt(a)
		var mu sync.Mutex
		var acted []string
		told := map[string]int{}
		together(t, len(people), func(ctx context.Context, i int) error {
			act := ledger.AttemptAct{Owner: a.OwnerID, Attempt: a.ID, Seen: ledger.Unknown, Reason: "r", Actor: people[i]}
			err := w.button(ctx, i, act)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				acted = append(acted, w.mailOf(people[i].ID))
				return nil
			}
			told[wantError[*ledger.AttemptChangedError](t, err).By]++
			return nil
		})
		if len(acted) != 1 || told[acted[0]] != len(people)-1 {
			t.Errorf("round %d: %v acted, and the others were told of %v", round, acted, told)
		}
	}
}

// button is a different act for each of four people.
func (w *world) button(ctx context.Context, i int, act ledger.AttemptAct) (err error) {
	switch i {
	case 0:
		_, err = w.Cancel(ctx, act)
	case 1:
		_, err = w.Release(ctx, act)
	case 2:
		_, err = w.Resolve(ctx, ledger.Resolution{AttemptAct: act, Succeeded: true, Result: []byte(`1`)})
	default:
		_, err = w.Resolve(ctx, ledger.Resolution{AttemptAct: act})
	}
	return err
}

func (w *world) mailOf(id uuid.UUID) (mail string) {
	w.t.Helper()
	if err := w.pool.QueryRow(w.t.Context(), `SELECT email FROM users WHERE id = $1`, id).Scan(&mail); err != nil {
		w.t.Fatal(err)
	}
	return mail
}

func TestCancelJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	got, err := w.CancelJob(t.Context(), w.jobAct(job))
	if err != nil || got.State != ledger.JobCancelled || got.Version != job.Version+1 || got.CancelledAt == nil ||
		len(got.Attempts) != 1 || got.Attempts[0].State != ledger.Cancelled {
		t.Errorf("cancelled: %+v, %v", got, err)
	}
	before := w.rows(job)
	got, err = w.CancelJob(t.Context(), w.jobAct(job))
	if err != nil || got.State != ledger.JobCancelled || len(got.Attempts) != 1 || len(before.changed(w.rows(job))) > 0 {
		t.Errorf("cancelled again: %+v, %v", got, err)
	}
	done, a := w.running("k2")
	w.complete(a, `1`)
	_, err = w.CancelJob(t.Context(), w.jobAct(done))
	wantIs(t, err, ledger.ErrJobCompleted)
	_, err = w.CancelJob(t.Context(), ledger.JobAct{Owner: w.owner, Job: uuid.New(), Actor: w.person})
	wantIs(t, err, ledger.ErrNotFound)
}

// Each act is written down: who, what, from where to where, why, and under
// which request (I7).
func TestActsAreWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job, a := w.running("k")
	w.doubt(a)
	w.release(a)
	b := w.claim(w.again(job))
	w.complete(b, `1`)
	w.complete(a, `2`)
	events, err := w.EventsOfJob(t.Context(), job.OwnerID, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%s %s %s→%s %s", e.ActorKind, e.Action, e.From, e.To, e.ActorMail))
	}
	want := []string{
		"user submitted → ewa@example.com", "user attempt_added →pending ewa@example.com",
		"system claimed pending→running ", "system doubted running→unknown ",
		"user released unknown→released sam@example.com", "user attempt_added →pending ewa@example.com",
		"system claimed pending→running ", "provider completed running→succeeded ",
		"provider discarded released→discarded ", "provider late_result → ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events:\n%q\nwant:\n%q", got, want)
	}
}
