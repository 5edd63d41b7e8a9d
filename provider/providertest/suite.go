// Package providertest is the conformance suite that every adapter passes, and
// a raw server that misbehaves below HTTP.
package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/behaviour"
	"kwit/provider/seen"
)

// patience bounds every wait of a test; it is never what a test waits for.
const patience = 20 * time.Second

// Subject is an adapter under test, and the provider at its far end, which
// understands package behaviour, answers quickly and logs what it saw.
type Subject struct {
	Provider provider.Provider
	Seen     *seen.Log
	Model    bool // it is asked by a prompt
	// Ends differ from the usual ones where the adapter knows its protocol.
	Ends map[behaviour.Behaviour]outcome.Outcome
}

// usual is what each behaviour means to an adapter that knows nothing better.
func usual() map[behaviour.Behaviour]outcome.Outcome {
	return map[behaviour.Behaviour]outcome.Outcome{
		behaviour.Normal:  outcome.Succeeded,
		behaviour.Slow:    outcome.Succeeded,
		behaviour.Late:    outcome.Succeeded, // lateness is the dispatcher's affair
		behaviour.Broken:  outcome.Succeeded, // so is the job type's output contract
		behaviour.Lost:    outcome.AnswerLost,
		behaviour.Reset:   outcome.ConnectionLost,
		behaviour.Refuse:  outcome.NotProcessed,
		behaviour.Fail:    outcome.ServerError,
		behaviour.Gateway: outcome.ServerError,
		behaviour.Reject:  outcome.Rejected,
	}
}

// Run holds an adapter against what [provider.Provider] promises. start makes
// a subject of its own for each test.
func Run(t *testing.T, start func(testing.TB) Subject) {
	tests := map[string]func(*testing.T, Subject){
		"every ending is one sending": endings,
		"the answer is kept first":    keptFirst,
		"ctx ends a silent call":      silence,
		"sealed before, never seen":   sealedBefore,
		"allow refuses, never seen":   refused,
		"given up before":             givenUpBefore,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t))
		})
	}
}

// Body asks the far end for a behaviour.
func Body(b behaviour.Behaviour) []byte {
	return fmt.Appendf(nil, `{"behaviour":%q,"text":"One sentence here. Another one there, which is longer.","quantity":2}`, b)
}

// Ask makes the request of an attempt; body is the input.
func Ask(attemptID string, body []byte) provider.Request {
	return provider.Request{AttemptID: attemptID, JobID: "job-of-" + attemptID, Body: body}
}

// AskModel is Ask for a language model, which is asked by a prompt; its text is
// body.
func AskModel(attemptID string, body []byte) provider.Request {
	temperature, tokens := 0.2, int64(800)
	r := Ask(attemptID, body)
	r.Prompt = &provider.Prompt{
		System:     "Answer with JSON alone.",
		User:       string(body),
		Parameters: provider.Parameters{Temperature: &temperature, MaxTokens: &tokens},
	}
	return r
}

// ask asks the subject as its kind is asked.
func (s Subject) ask(attemptID string, body []byte) provider.Request {
	if s.Model {
		return AskModel(attemptID, body)
	}
	return Ask(attemptID, body)
}

// Patience is a context that ends only where a test hangs.
func Patience(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func endings(t *testing.T, s Subject) {
	want := usual()
	maps.Copy(want, s.Ends)
	for b, word := range want {
		t.Run(string(b), func(t *testing.T) {
			t.Parallel()
			attempt := "attempt-" + string(b)
			var sent atomic.Int64
			gate := provider.NewGate(func() error { return nil }, func(time.Time) { sent.Add(1) })
			end := s.Provider.Send(Patience(t), gate, s.ask(attempt, Body(b)), nil)
			if end.Outcome != word {
				t.Errorf("outcome: got %q, want %q (%s)", end.Outcome, word, end.Detail)
			}
			if end.Detail == "" {
				t.Error("the end has no words for a person")
			}
			checkSending(t, s, attempt, end, sent.Load())
			checkResult(t, end)
		})
	}
}

// checkSending: what was not sent was not seen, and what was sent was seen once.
func checkSending(t *testing.T, s Subject, attempt string, end provider.End, sent int64) {
	t.Helper()
	times := 1
	if end.Outcome == outcome.NotSent {
		times = 0
	}
	if got := s.Seen.Count(attempt); got != times {
		t.Errorf("the provider saw %d requests, want %d", got, times)
	}
	if sent != int64(times) {
		t.Errorf("sent was called %d times, want %d", sent, times)
	}
	if (end.BytesWritten > 0) != (times == 1) {
		t.Errorf("%d bytes written, outcome %q", end.BytesWritten, end.Outcome)
	}
}

func checkResult(t *testing.T, end provider.End) {
	t.Helper()
	if (end.Outcome == outcome.Succeeded) != (end.Result != nil) {
		t.Errorf("outcome %q with result %q", end.Outcome, end.Result)
	}
	if end.Result != nil && !json.Valid(end.Result) {
		t.Errorf("the result is no JSON: %q", end.Result)
	}
	if end.Outcome == outcome.NotProcessed && end.RetryAfter <= 0 {
		t.Errorf("the provider asked to wait, and the end says %v", end.RetryAfter)
	}
	if end.Answer != nil && end.ProviderRequestID == "" && end.Answer.Header.Get("X-Request-Id") != "" {
		t.Error("the provider's request id was not kept")
	}
}

func keptFirst(t *testing.T, s Subject) {
	var kept []provider.Answer
	refusal := errors.New("the database is away")
	end := s.Provider.Send(Patience(t), provider.NewGate(nil, nil), s.ask("kept", Body(behaviour.Normal)), func(a provider.Answer) error {
		kept = append(kept, a)
		return refusal
	})
	if len(kept) != 1 {
		t.Fatalf("keep was called %d times, want once", len(kept))
	}
	if end.Outcome != outcome.Succeeded || !errors.Is(end.KeepError, refusal) {
		t.Errorf("got %q and %v, want the verdict and the error of keep", end.Outcome, end.KeepError)
	}
	later := s.Provider.Judge(kept[0])
	if later.Outcome != end.Outcome || string(later.Result) != string(end.Result) {
		t.Errorf("judged later: %q %q, at once: %q %q", later.Outcome, later.Result, end.Outcome, end.Result)
	}
}

func silence(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(Patience(t))
	defer cancel()
	go func() {
		if s.Seen.WaitFor(ctx, "silent") == nil {
			cancel()
		}
	}()
	end := s.Provider.Send(ctx, provider.NewGate(nil, nil), s.ask("silent", Body(behaviour.Silent)), nil)
	if end.Outcome != outcome.Timeout {
		t.Errorf("outcome: got %q, want timeout (%s)", end.Outcome, end.Detail)
	}
	if s.Seen.Count("silent") != 1 || end.BytesWritten == 0 {
		t.Errorf("seen %d, written %d", s.Seen.Count("silent"), end.BytesWritten)
	}
}

func sealedBefore(t *testing.T, s Subject) {
	gate := provider.NewGate(nil, func(time.Time) { t.Error("sent was called") })
	if !gate.SealUnsent() {
		t.Fatal("a fresh gate could not be sealed")
	}
	checkUnseen(Patience(t), t, s, gate)
}

func refused(t *testing.T, s Subject) {
	asked := 0
	gate := provider.NewGate(func() error { asked++; return errors.New("the claim is too old") }, nil)
	end := checkUnseen(Patience(t), t, s, gate)
	if asked != 1 || gate.Refusal() == nil || !end.Sealed {
		t.Errorf("asked %d times, refusal %v, sealed %v", asked, gate.Refusal(), end.Sealed)
	}
}

func givenUpBefore(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(Patience(t))
	cancel()
	checkUnseen(ctx, t, s, provider.NewGate(nil, nil))
}

func checkUnseen(ctx context.Context, t *testing.T, s Subject, gate *provider.Gate) provider.End {
	t.Helper()
	end := s.Provider.Send(ctx, gate, s.ask("unsent", Body(behaviour.Normal)), nil)
	if end.Outcome != outcome.NotSent || end.BytesWritten != 0 {
		t.Errorf("got %q with %d bytes, want not_sent (%s)", end.Outcome, end.BytesWritten, end.Detail)
	}
	if n := s.Seen.Count("unsent"); n != 0 {
		t.Errorf("the provider saw %d requests", n)
	}
	return end
}
