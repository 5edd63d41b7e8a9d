package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

// rule is the state table of 2-ledger: where an attempt may go from each state,
// and by which of the ledger's operations. Whatever is not in it is refused or
// changes nothing. Where the job is over, the answer that would win is discarded.
var rule = map[ledger.AttemptState]map[string]ledger.AttemptState{
	ledger.Pending: {"claim": ledger.Running, "claim under the same stamp": ledger.Running,
		"cancel": ledger.Cancelled, "cancel job": ledger.Cancelled, "forgotten send": ledger.Unknown},
	ledger.Running: {"complete": ledger.Succeeded, "fail not_sent": ledger.Failed, "fail by answer": ledger.Failed,
		"doubt": ledger.Unknown, "cancel": ledger.Cancelled, "release": ledger.Released},
	ledger.Unknown: {"complete": ledger.Succeeded, "fail by answer": ledger.Failed, "cancel": ledger.Cancelled,
		"release": ledger.Released, "resolve succeeded": ledger.Succeeded, "resolve failed": ledger.Failed},
	ledger.Released: {"complete": ledger.Succeeded, "fail by answer": ledger.Failed, "cancel": ledger.Cancelled,
		"resolve succeeded": ledger.Succeeded, "resolve failed": ledger.Failed},
	ledger.Succeeded: {}, ledger.Failed: {}, ledger.Discarded: {}, ledger.Cancelled: {},
}

// situation brings the first attempt of a job into a state.
type situation struct {
	name  string
	state ledger.AttemptState
	over  bool // the job has a result or is cancelled
	reach func(w *world, key string) (ledger.Job, ledger.Attempt)
}

// then continues a situation.
func then(w *world, key string, from func(*world, string) (ledger.Job, ledger.Attempt), do ...func(*world, ledger.Job, ledger.Attempt)) (ledger.Job, ledger.Attempt) {
	w.t.Helper()
	job, a := from(w, key)
	for _, d := range do {
		d(w, job, w.attempt(a))
	}
	return job, w.attempt(a)
}

var situations = func() []situation {
	type step = func(*world, ledger.Job, ledger.Attempt)
	var (
		submitted = func(w *world, key string) (ledger.Job, ledger.Attempt) { j := w.submit(key); return j, j.Attempts[0] }
		claimed   = func(w *world, _ ledger.Job, a ledger.Attempt) { w.claim(a) }
		doubted   = func(w *world, _ ledger.Job, a ledger.Attempt) { w.doubt(a) }
		released  = func(w *world, _ ledger.Job, a ledger.Attempt) { w.release(a) }
		answered  = func(w *world, _ ledger.Job, a ledger.Attempt) { w.complete(a, `{"by":"walker"}`) }
		failed    = func(w *world, _ ledger.Job, a ledger.Attempt) { w.fail(a, outcome.Rejected) }
		cancelled = func(w *world, _ ledger.Job, a ledger.Attempt) { w.cancel(a) }
		accepted  = func(w *world, _ ledger.Job, a ledger.Attempt) { w.accept(a) }
		forgotten = func(w *world, _ ledger.Job, a ledger.Attempt) { w.forgottenSend(a) }
		jobOver   = func(w *world, j ledger.Job, _ ledger.Attempt) { w.cancelJob(j) }
		sibling   = func(w *world, j ledger.Job, _ ledger.Attempt) { w.complete(w.claim(w.again(j)), `{"by":"sibling"}`) }
	)
	reached := func(state ledger.AttemptState, over bool, name string, steps ...step) situation {
		return situation{name: name, state: state, over: over, reach: func(w *world, key string) (ledger.Job, ledger.Attempt) {
			return then(w, key, submitted, steps...)
		}}
	}
	return []situation{
		reached(ledger.Pending, false, "pending"),
		reached(ledger.Running, false, "running", claimed),
		reached(ledger.Running, false, "accepted by its provider", claimed, accepted),
		reached(ledger.Unknown, false, "unknown", claimed, doubted),
		reached(ledger.Unknown, false, "unknown after it was accepted", claimed, accepted, doubted),
		reached(ledger.Unknown, false, "unknown by a forgotten send", forgotten),
		reached(ledger.Released, false, "released", claimed, doubted, released),
		reached(ledger.Released, false, "released while running", claimed, released),
		reached(ledger.Failed, false, "failed", claimed, failed),
		reached(ledger.Failed, false, "failed out of doubt", claimed, doubted, failed),
		reached(ledger.Cancelled, false, "cancelled", claimed, cancelled),
		reached(ledger.Cancelled, false, "cancelled before it ran", cancelled),
		reached(ledger.Succeeded, true, "succeeded", claimed, answered),
		reached(ledger.Cancelled, true, "cancelled with the job", jobOver),
		reached(ledger.Running, true, "running in a cancelled job", claimed, jobOver),
		reached(ledger.Unknown, true, "unknown in a cancelled job", claimed, doubted, jobOver),
		reached(ledger.Released, true, "released in a cancelled job", claimed, doubted, released, jobOver),
		reached(ledger.Discarded, true, "discarded in a cancelled job", claimed, jobOver, answered),
		reached(ledger.Failed, true, "failed in a cancelled job", claimed, jobOver, failed),
		reached(ledger.Released, true, "released, beaten by a sibling", claimed, doubted, released, sibling),
		reached(ledger.Discarded, true, "discarded, beaten by a sibling", claimed, doubted, released, sibling, answered),
		reached(ledger.Failed, true, "failed, then a sibling won", claimed, failed, sibling),
		reached(ledger.Cancelled, true, "cancelled, then a sibling won", claimed, cancelled, sibling),
	}
}()

// operation is one of the ledger's, done to an attempt or its job.
type operation struct {
	name string // as in the rule
	do   func(w *world, j ledger.Job, a ledger.Attempt) error
	// besides are the tables that may change although the attempt's state does
	// not, by what the operation may do to the job.
	besides []string
}

var errNothing = errors.New("reported that nothing was done")

func nothing(done bool, err error) error {
	if err == nil && !done {
		return errNothing
	}
	return err
}

var operations = func() []operation {
	all := []operation{
		{name: "claim", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			_, _, err := w.Claim(w.t.Context(), w.claimOf(a))
			return err
		}},
		{name: "complete", besides: []string{"events", "jobs", "late_results"}, do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			v, err := w.Complete(w.t.Context(), w.completion(a, `{"by":"operation"}`))
			if err == nil && v.State != w.attempt(a).State {
				err = fmt.Errorf("the verdict says %s", v.State)
			}
			return err
		}},
		{name: "doubt", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			d := ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: outcome.Timeout}
			return nothing(w.Doubt(w.t.Context(), d))
		}},
		{name: "doubt under another claim", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			d := ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: uuid.New(), Outcome: outcome.WorkerLost}
			return nothing(w.Doubt(w.t.Context(), d))
		}},
		{name: "fail not_sent under another claim", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			f := w.failure(a, outcome.NotSent)
			f.Stamp = uuid.New()
			_, err := w.Fail(w.t.Context(), f)
			return err
		}},
		{name: "claim under the same stamp", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			c := w.claimOf(a)
			c.Stamp = stampOf(a)
			_, _, err := w.Claim(w.t.Context(), c)
			return err
		}},
		{name: "cancel", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			_, err := w.Cancel(w.t.Context(), w.act(a))
			return err
		}},
		{name: "release", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			_, err := w.Release(w.t.Context(), w.act(a))
			return err
		}},
		{name: "resolve succeeded", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			_, err := w.Resolve(w.t.Context(), ledger.Resolution{AttemptAct: w.act(a), Succeeded: true, Result: []byte(`{"by":"hand"}`)})
			return err
		}},
		{name: "resolve failed", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			_, err := w.Resolve(w.t.Context(), ledger.Resolution{AttemptAct: w.act(a)})
			return err
		}},
		{name: "cancel job", besides: []string{"attempts", "events", "jobs"}, do: func(w *world, j ledger.Job, _ ledger.Attempt) error {
			_, err := w.CancelJob(w.t.Context(), w.jobAct(j))
			return err
		}},
		{name: "try again", besides: []string{"attempts", "events", "jobs"}, do: func(w *world, j ledger.Job, _ ledger.Attempt) error {
			now := w.job(j)
			_, _, err := w.TryAgain(w.t.Context(), ledger.NewAttempt{JobAct: w.jobAct(j), Ordinal: now.NextOrdinal()})
			return err
		}},
		{name: "accept", besides: []string{"attempts", "events", "jobs"}, do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			return nothing(w.Accept(w.t.Context(), a.OwnerID, a.ID, ledger.Call{}))
		}},
		{name: "forgotten send", do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			return nothing(w.ForgottenSend(w.t.Context(), a.OwnerID, a.ID))
		}},
		{name: "enquire now", besides: []string{"attempts", "events", "jobs"}, do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			_, err := w.EnquireNow(w.t.Context(), ledger.AttemptAct{Owner: a.OwnerID, Attempt: a.ID, Actor: w.operator})
			return err
		}},
		{name: "replay", besides: []string{"events", "jobs"}, do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			return nothing(w.Replay(w.t.Context(), a.OwnerID, a.ID, time.Hour))
		}},
		{name: "record an enquiry", besides: []string{"enquiries", "jobs"}, do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			return w.RecordEnquiry(w.t.Context(), a.OwnerID, ledger.Enquiry{Attempt: a.ID, Kind: "status", Told: "succeeded", Status: 200})
		}},
		{name: "note a cancel call", besides: []string{"attempts", "jobs"}, do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			return w.NoteCancelCall(w.t.Context(), a.OwnerID, a.ID, "too late (409)")
		}},
		{name: "start due", do: func(w *world, j ledger.Job, _ ledger.Attempt) error {
			return nothing(w.StartDue(w.t.Context(), j.OwnerID, j.ID))
		}},
	}
	for _, o := range []outcome.Outcome{outcome.NotSent, outcome.NotProcessed, outcome.Rejected, outcome.ProviderError, outcome.Contract} {
		name := "fail by answer"
		if o == outcome.NotSent {
			name = "fail not_sent"
		}
		all = append(all, operation{name: name, do: func(w *world, _ ledger.Job, a ledger.Attempt) error {
			state, err := w.Fail(w.t.Context(), w.failure(a, o))
			if err == nil && state != w.attempt(a).State {
				err = fmt.Errorf("it says %s", state)
			}
			return err
		}})
	}
	return all
}()

// want is the state that the rule gives.
func (s situation) want(op string) ledger.AttemptState {
	to, ok := rule[s.state][op]
	switch {
	case !ok || op == "cancel job" && s.over:
		return s.state
	case to == ledger.Succeeded && s.over:
		return ledger.Discarded
	}
	return to
}

func TestStateTable(t *testing.T) {
	t.Parallel()
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i, op := range operations {
				job, a := s.reach(w, fmt.Sprintf("k%d", i))
				if a.State != s.state {
					t.Fatalf("the situation is %s, want %s", a.State, s.state)
				}
				before := w.rows(job)
				err := op.do(w, job, a)
				now := w.attempt(a)
				if now.State != s.want(op.name) {
					t.Errorf("%s: %s → %s (%v), want %s", op.name, a.State, now.State, err, s.want(op.name))
				}
				changed := before.changed(w.rows(job))
				if now.State != a.State {
					if err != nil || !slices.Contains(changed, "events") {
						t.Errorf("%s: %s → %s with the error %v, changing %v", op.name, a.State, now.State, err, changed)
					}
					continue
				}
				allowed := op.besides
				if err != nil {
					allowed = nil // refused: nothing at all
				}
				for _, table := range changed {
					if !slices.Contains(allowed, table) {
						t.Errorf("%s: stayed %s (%v), yet %s changed", op.name, a.State, err, table)
					}
				}
			}
		})
	}
}

// TestPictureOfStates reads the rule in the package's documentation: it and the
// table that the test above walks say the same.
func TestPictureOfStates(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^//\t([a-z, ]+?) +→ ([a-z, ]+?)(  |$)`).FindAllStringSubmatch(string(text), -1) {
		for from := range strings.SplitSeq(line[1], ", ") {
			for to := range strings.SplitSeq(line[2], ", ") {
				drawn[from+" → "+to] = true
			}
		}
	}
	walked := map[string]bool{}
	for from, by := range rule {
		for _, to := range by {
			walked[string(from)+" → "+string(to)] = true
			if to == ledger.Succeeded {
				walked[string(from)+" → "+string(ledger.Discarded)] = true
			}
		}
	}
	for pair := range walked {
		if !drawn[pair] {
			t.Errorf("doc.go does not tell of %s", pair)
		}
	}
	for pair := range drawn {
		if !walked[pair] {
			t.Errorf("doc.go tells of %s, which nothing does", pair)
		}
	}
	for _, state := range ledger.AttemptStates {
		if _, ok := rule[state]; !ok {
			t.Errorf("the rule does not know %s", state)
		}
		if !strings.Contains(string(text), string(state)) {
			t.Errorf("the picture does not show %s", state)
		}
	}
}
