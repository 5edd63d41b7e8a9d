package simulator

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"kwit/provider"
)

// remembered bounds how many requests a simulator knows of.
const remembered = 10_000

// task is work that a simulator has taken on.
type task struct {
	over   time.Time       // when it is done; zero for never
	answer provider.Answer // what it comes to, whether or not that arrives
}

// done tells whether the work is over.
func (t task) done(now time.Time) bool { return !t.over.IsZero() && !now.Before(t.over) }

// past is what a simulator knows of the requests that reached it.
type past struct {
	mu    sync.Mutex
	tasks map[string]task // by attempt
	order []string        // of the attempts, oldest first
}

func (p *past) add(attemptID string, t task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tasks == nil {
		p.tasks = map[string]task{}
	}
	if _, again := p.tasks[attemptID]; !again {
		p.order = append(p.order, attemptID)
	}
	p.tasks[attemptID] = t
	if len(p.order) > remembered {
		delete(p.tasks, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *past) look(attemptID string) (task, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, known := p.tasks[attemptID]
	return t, known
}

// CanEnquire is true: a simulator knows what it has done since kwit started.
func (s *Simulator) CanEnquire() bool { return true }

// Enquire says what became of a request; see [provider.Enquirer].
func (s *Simulator) Enquire(_ context.Context, r provider.Request, _ string) provider.Report {
	t, known := s.past.look(r.AttemptID)
	if !known {
		return provider.Report{Told: provider.ToldNotKnown, Status: http.StatusNotFound,
			Detail: "The simulator knows of no such request. That does not prove that nothing was done."}
	}
	word := provider.Word{Status: provider.ToldRunning}
	switch {
	case !t.done(time.Now()):
	case t.answer.Status == http.StatusOK:
		word.Status, word.Result = provider.ToldSucceeded, t.answer.Body
	default:
		var body struct{ Error json.RawMessage }
		// The body is the simulator's own.
		_ = json.Unmarshal(t.answer.Body, &body)
		word.Status, word.Error = provider.ToldFailed, body.Error
	}
	told := t.answer
	told.Status, told.ReceivedAt = http.StatusOK, time.Now()
	return word.Report(provider.End{Answer: &told, ProviderRequestID: told.Header.Get("X-Request-Id")})
}

// ReplayWithin is how long the simulator honours a key; 0 for not at all.
func (s *Simulator) ReplayWithin() time.Duration { return s.o.KeyLifetime }

// JudgeReplay says what the answer to a replay tells; see [provider.JudgeReplay].
func (s *Simulator) JudgeReplay(a provider.Answer) provider.Report {
	return provider.JudgeReplay(a, s.Judge)
}

// replayed is the answer to a request that was there before, where keys are
// honoured.
func (s *Simulator) replayed(r provider.Request) (provider.Answer, bool) {
	t, known := s.past.look(r.AttemptID)
	if !known || s.o.KeyLifetime <= 0 {
		return provider.Answer{}, false
	}
	a := t.answer
	a.Header = a.Header.Clone()
	if t.done(time.Now()) {
		a.Header.Set(provider.HeaderReplayed, "true")
	} else {
		a.Status, a.Body = http.StatusConflict, problem("a request with this idempotency key is in progress")
	}
	return a, true
}
