package ledger_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"kwit/ledger"
	"kwit/outcome"
)

// model is one job as the design tells it, in a page: no versions, no locks, no
// rows. Whatever the ledger does in a random life must agree with it.
type model struct {
	attempts  []modelled
	winner    int // an index, or -1
	result    string
	cancelled bool
	planned   bool
	late      map[string]bool // attempt and result
}

type modelled struct {
	state     ledger.AttemptState
	automatic bool
}

// The policy of the model's job type.
var modelPolicy = ledger.Retry{Attempts: 3}

func (m *model) over() bool { return m.winner >= 0 || m.cancelled }

func (m *model) open() bool {
	return slices.ContainsFunc(m.attempts, func(a modelled) bool { return a.state.Open() })
}

func (m *model) endPending() {
	for i := range m.attempts {
		if m.attempts[i].state == ledger.Pending {
			m.attempts[i].state = ledger.Cancelled
		}
	}
}

func (m *model) state() ledger.JobState {
	switch {
	case m.winner >= 0:
		return ledger.JobSucceeded
	case m.cancelled:
		return ledger.JobCancelled
	}
	for _, a := range m.attempts {
		switch a.state {
		case ledger.Pending:
			return ledger.JobQueued
		case ledger.Running:
			return ledger.JobRunning
		case ledger.Unknown:
			return ledger.JobUnknown
		}
	}
	switch {
	case slices.ContainsFunc(m.attempts, func(a modelled) bool { return a.state == ledger.Released }):
		return ledger.JobUnknown
	case m.planned:
		return ledger.JobWaiting
	}
	return ledger.JobFailed
}

func (m *model) answer(i int, result string) {
	a := &m.attempts[i]
	switch {
	case i == m.winner && result == m.result:
		return
	case !slices.Contains([]ledger.AttemptState{ledger.Running, ledger.Unknown, ledger.Released}, a.state):
	case m.over():
		a.state = ledger.Discarded
	default:
		a.state, m.winner, m.result, m.planned = ledger.Succeeded, i, result, false
		m.endPending()
		return
	}
	m.late[fmt.Sprint(i, result)] = true
}

func (m *model) refuse(i int, o outcome.Outcome) {
	a := &m.attempts[i]
	from := a.state
	switch {
	case from == ledger.Running:
	case (from == ledger.Unknown || from == ledger.Released) && o != outcome.NotSent:
	default:
		return
	}
	a.state = ledger.Failed
	automatic := 0
	for _, a := range m.attempts {
		if a.automatic {
			automatic++
		}
	}
	again := o == outcome.NotSent || o == outcome.NotProcessed
	if again && from != ledger.Released && !m.over() && !m.open() && automatic < modelPolicy.Attempts {
		m.planned = true
	}
}

func (m *model) add(automatic bool) {
	m.attempts = append(m.attempts, modelled{ledger.Pending, automatic})
	m.planned = false
}

func (m *model) move(i int, to ledger.AttemptState, from ...ledger.AttemptState) bool {
	if !slices.Contains(from, m.attempts[i].state) {
		return false
	}
	m.attempts[i].state = to
	return true
}

// life is a job in the ledger beside its model.
type life struct {
	*world
	model
	stored ledger.Job
}

// deed does something to the i-th attempt in both. An error is one that the
// ledger does not answer with.
type deed struct {
	name string
	do   func(l *life, i int, a ledger.Attempt) error
}

var deeds = func() []deed {
	all := []deed{
		{"claim", func(l *life, i int, a ledger.Attempt) error {
			l.move(i, ledger.Running, ledger.Pending)
			_, _, err := l.Claim(l.t.Context(), l.claimOf(a))
			if errors.Is(err, ledger.ErrNotClaimable) {
				return nil
			}
			return err
		}},
		{"doubt", func(l *life, i int, a ledger.Attempt) error {
			l.move(i, ledger.Unknown, ledger.Running)
			_, err := l.Doubt(l.t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: outcome.Timeout})
			return err
		}},
		{"forgotten send", func(l *life, i int, a ledger.Attempt) error {
			l.move(i, ledger.Unknown, ledger.Pending)
			_, err := l.ForgottenSend(l.t.Context(), a.OwnerID, a.ID)
			return err
		}},
		{"replay", func(l *life, i int, a ledger.Attempt) error {
			may, err := l.Replay(l.t.Context(), a.OwnerID, a.ID, time.Hour)
			s := l.attempts[i].state
			if doubt := s == ledger.Unknown || s == ledger.Released; err == nil && may && (!doubt || l.over()) {
				err = fmt.Errorf("an attempt that is %s is replayed", s)
			}
			return err
		}},
		{"cancel", func(l *life, i int, a ledger.Attempt) error {
			l.move(i, ledger.Cancelled, ledger.Pending, ledger.Running, ledger.Unknown, ledger.Released)
			_, err := l.Cancel(l.t.Context(), l.act(a))
			return notRefused(err)
		}},
		{"release", func(l *life, i int, a ledger.Attempt) error {
			l.move(i, ledger.Released, ledger.Running, ledger.Unknown)
			_, err := l.Release(l.t.Context(), l.act(a))
			return notRefused(err)
		}},
		{"resolve as failed", func(l *life, i int, a ledger.Attempt) error {
			l.move(i, ledger.Failed, ledger.Unknown, ledger.Released)
			_, err := l.Resolve(l.t.Context(), ledger.Resolution{AttemptAct: l.act(a)})
			return notRefused(err)
		}},
		{"cancel the job", func(l *life, _ int, _ ledger.Attempt) error {
			if !l.over() {
				l.cancelled, l.planned = true, false
				l.endPending()
			}
			_, err := l.CancelJob(l.t.Context(), l.jobAct(l.stored))
			return notRefused(err)
		}},
		{"try again", func(l *life, _ int, _ ledger.Attempt) error {
			next := int32(len(l.attempts)) + 1
			if !l.over() && !l.open() {
				l.add(false)
			}
			_, _, err := l.TryAgain(l.t.Context(), ledger.NewAttempt{JobAct: l.jobAct(l.stored), Ordinal: next})
			return notRefused(err)
		}},
		{"time passes", func(l *life, _ int, _ ledger.Attempt) error {
			if l.planned {
				l.add(true)
			}
			l.exec(`UPDATE jobs SET next_attempt_at = clock_timestamp() WHERE id = $1 AND next_attempt_at IS NOT NULL`, l.stored.ID)
			_, err := l.StartDue(l.t.Context(), l.stored.OwnerID, l.stored.ID)
			return err
		}},
	}
	for _, result := range []string{`"a"`, `"b"`} {
		all = append(all, deed{"answer " + result, func(l *life, i int, a ledger.Attempt) error {
			l.answer(i, result)
			_, err := l.Complete(l.t.Context(), l.completion(a, result))
			return err
		}}, deed{"resolve as " + result, func(l *life, i int, a ledger.Attempt) error {
			if s := l.attempts[i].state; s == ledger.Unknown || s == ledger.Released {
				l.answer(i, result)
			}
			_, err := l.Resolve(l.t.Context(), ledger.Resolution{AttemptAct: l.act(a), Succeeded: true, Result: []byte(result)})
			return notRefused(err)
		}})
	}
	for _, o := range []outcome.Outcome{outcome.NotSent, outcome.NotProcessed, outcome.Rejected} {
		all = append(all, deed{"fail " + string(o), func(l *life, i int, a ledger.Attempt) error {
			l.refuse(i, o)
			f := l.failure(a, o)
			f.Retry = modelPolicy
			_, err := l.Fail(l.t.Context(), f)
			return err
		}})
	}
	return all
}()

// agree compares the ledger with the model.
func (l *life) agree(t *rapid.T) {
	t.Helper()
	job := l.job(l.stored)
	var states, want []ledger.AttemptState
	for _, a := range job.Attempts {
		states = append(states, a.State)
	}
	for _, a := range l.attempts {
		want = append(want, a.state)
	}
	if job.State != l.state() || !slices.Equal(states, want) || (job.NextAttemptAt != nil) != l.planned {
		t.Fatalf("the ledger: %s %v, planned %v; the model: %s %v, planned %v",
			job.State, states, job.NextAttemptAt, l.state(), want, l.planned)
	}
	if won := job.CompletedBy != nil; won != (l.winner >= 0) || won && (*job.CompletedBy != job.Attempts[l.winner].ID || string(job.Result) != l.result) {
		t.Fatalf("the ledger: %v with %s; the model: attempt %d with %s", job.CompletedBy, job.Result, l.winner+1, l.result)
	}
	if n := l.count(`SELECT count(*) FROM late_results WHERE job_id = $1`, job.ID); n != len(l.late) {
		t.Fatalf("the ledger: %d late results; the model: %v", n, l.late)
	}
	moves := 0
	if l.over() {
		moves = 1
	}
	if l.winner >= 0 && l.cancelled {
		t.Fatal("a cancelled job has a winner")
	}
	if int(job.Version-l.stored.Version) != moves {
		t.Fatalf("the fence moved %d times, want %d", job.Version-l.stored.Version, moves)
	}
}

func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(t *rapid.T) {
		job := w.submit("life-" + uuid.NewString())
		l := &life{world: w, stored: job, model: model{winner: -1, late: map[string]bool{},
			attempts: []modelled{{ledger.Pending, true}}}}
		for range rapid.IntRange(1, 25).Draw(t, "deeds") {
			d := rapid.SampledFrom(deeds).Draw(t, "deed")
			i := rapid.IntRange(0, len(l.attempts)-1).Draw(t, "attempt")
			t.Logf("%s on attempt %d", d.name, i+1)
			if err := d.do(l, i, l.job(l.stored).Attempts[i]); err != nil {
				t.Fatal(err)
			}
			l.agree(t)
		}
	})
}
