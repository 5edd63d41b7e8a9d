// Package simulator is the provider of kind simulator: part of kwit, in the
// same process, for the demo, the lab and for trying kwit without an account
// anywhere. What it does with a job is chosen by the job's input (package
// behaviour).
//
// Its calls pass through the gate as bytes on a wire do, so a call that was
// sealed in time was not seen here either.
package simulator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/behaviour"
	"kwit/provider/seen"
)

// Range is a time between two bounds, both included.
type Range struct{ Min, Max time.Duration }

// pick draws from the range.
func (r Range) pick() time.Duration {
	if r.Max <= r.Min {
		return r.Min
	}
	return r.Min + rand.N(r.Max-r.Min+1)
}

// Options of a simulator. The zero value is what the configuration's kind
// simulator means.
type Options struct {
	Latency    Range         // of an ordinary answer; 1 to 2 s by default
	Slow       Range         // of a slow one; 8 to 12 s by default
	LateAfter  time.Duration // of a late one, where the input does not say; 75 s by default
	RetryAfter time.Duration // that it asks for when it refuses, whole seconds; 2 s by default
	// KeyLifetime: it honours idempotency keys for that long; 0: not at all.
	KeyLifetime time.Duration
	Work        Work      // makes the result; Plausible by default
	Log         *seen.Log // notes each request; Seen() by default
}

// processLog is the witness of all simulators of this process.
var processLog = seen.NewLog(100_000)

// Seen is the log that all simulators share, but for those given their own.
func Seen() *seen.Log { return processLog }

// Simulator is one simulated provider.
type Simulator struct {
	o    Options
	past past
}

var (
	_ provider.Provider = (*Simulator)(nil)
	_ provider.Enquirer = (*Simulator)(nil)
	_ provider.Replayer = (*Simulator)(nil)
)

// New makes a simulator.
func New(o Options) *Simulator {
	o.Latency = cmp.Or(o.Latency, Range{time.Second, 2 * time.Second})
	o.Slow = cmp.Or(o.Slow, Range{8 * time.Second, 12 * time.Second})
	o.LateAfter = cmp.Or(o.LateAfter, 75*time.Second)
	o.RetryAfter = cmp.Or(o.RetryAfter, 2*time.Second)
	if o.Work == nil {
		o.Work = Plausible
	}
	if o.Log == nil {
		o.Log = processLog
	}
	return &Simulator{o: o}
}

// Send plays the behaviour that the request's body asks for; see
// [provider.Provider].
func (s *Simulator) Send(ctx context.Context, gate *provider.Gate, r provider.Request, keep func(provider.Answer) error) provider.End {
	wish := behaviour.Of(r.Body)
	if wish.Behaviour == behaviour.Unavailable {
		gate.Seal()
		return provider.End{Outcome: outcome.NotSent, Detail: "Nothing was sent: the simulator plays a provider that cannot be reached."}
	}
	if err := ctx.Err(); err != nil {
		return notSent(gate, err)
	}
	replayed, again := s.replayed(r)
	if err := s.receive(gate, r, wish, again); err != nil {
		return notSent(gate, err)
	}
	if again {
		return s.deliver(ctx, gate, replayed, keep)
	}
	answer, delay := s.take(r, wish)
	if !wait(ctx, delay) {
		return ended(gate, outcome.Timeout, "The request was sent, and no answer had come when we stopped listening.")
	}
	if wish.Behaviour == behaviour.Reset {
		return ended(gate, outcome.ConnectionLost, "The request was sent, then the connection was reset without an answer.")
	}
	return s.deliver(ctx, gate, answer, keep)
}

func (s *Simulator) deliver(ctx context.Context, gate *provider.Gate, a provider.Answer, keep func(provider.Answer) error) provider.End {
	a.ReceivedAt = time.Now()
	return provider.Conclude(ctx, gate, a, s.Judge, keep)
}

// take takes on what a request wants, and remembers it where it acts. It gives
// back what is answered, and the time until then; below zero it never comes.
func (s *Simulator) take(r provider.Request, wish behaviour.Wish) (provider.Answer, time.Duration) {
	delay := s.delay(wish)
	answer := s.answer(r, wish.Behaviour)
	t := task{answer: answer}
	if delay >= 0 {
		t.over = time.Now().Add(delay)
	}
	switch wish.Behaviour {
	case behaviour.Refuse, behaviour.Gateway, behaviour.Reject, behaviour.Forget:
		return answer, delay // nothing that it would know of later
	case behaviour.Lost:
		answer.Body, answer.Whole = answer.Body[:len(answer.Body)/2], false
	case behaviour.Accept, behaviour.Callback:
		answer.Status, answer.Body = http.StatusAccepted, []byte(`{"status":"running"}`)
		delay = 0
	}
	s.past.add(r.AttemptID, t)
	return answer, delay
}

// receive is the moment in which the simulated provider has the request.
func (s *Simulator) receive(gate *provider.Gate, r provider.Request, wish behaviour.Wish, again bool) error {
	arrived := false
	_, err := gate.Pass(r.Body, func(p []byte) (int, error) {
		if !arrived {
			arrived = true
			s.o.Log.Add(seen.Request{
				AttemptID: r.AttemptID,
				JobID:     r.JobID,
				Key:       r.AttemptID,
				Behaviour: string(wish.Behaviour),
				At:        time.Now(),
				Replay:    again,
				Enquiry:   r.Header.Get(provider.HeaderEnquiry) != "",
			})
		}
		return len(p), nil
	})
	return err
}

// delay is the time until the work is over; below zero it never is.
func (s *Simulator) delay(wish behaviour.Wish) time.Duration {
	switch wish.Behaviour {
	case behaviour.Silent, behaviour.Forget:
		return -1
	case behaviour.Slow:
		return s.o.Slow.pick()
	case behaviour.Late:
		return cmp.Or(wish.LateAfter, s.o.LateAfter)
	case behaviour.Accept, behaviour.Callback:
		return cmp.Or(wish.LateAfter, s.o.Latency.pick())
	}
	return s.o.Latency.pick()
}

// answer is what the simulated provider comes to say.
func (s *Simulator) answer(r provider.Request, b behaviour.Behaviour) provider.Answer {
	a := provider.Answer{
		MediaType: "application/json",
		Header:    http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"sim-" + r.AttemptID}},
		Whole:     true,
	}
	switch b {
	case behaviour.Refuse:
		a.Status, a.Body = http.StatusTooManyRequests, problem("busy; nothing was done")
		a.Header.Set("Retry-After", strconv.Itoa(int(s.o.RetryAfter/time.Second)))
	case behaviour.Fail:
		a.Status, a.Body = http.StatusInternalServerError, problem("the work failed half-way")
	case behaviour.Reject:
		a.Status, a.Body = http.StatusUnprocessableEntity, problem("this input is not accepted")
	case behaviour.Gateway:
		a.Status, a.MediaType, a.Body = http.StatusBadGateway, "text/html", []byte("<html><h1>502 Bad Gateway</h1></html>")
	default:
		s.work(&a, r.Body, b)
	}
	return a
}

// work carries the job out, and spoils the answer where that is wished for.
func (s *Simulator) work(a *provider.Answer, body []byte, b behaviour.Behaviour) {
	result, err := s.o.Work(body)
	if err != nil {
		a.Status, a.Body = http.StatusUnprocessableEntity, problem(err.Error())
		return
	}
	a.Status, a.Body = http.StatusOK, result
	if b == behaviour.Broken {
		a.Body = Broken(result)
	}
}

// Judge knows the simulator's protocol: JSON in a 2xx is the result, and an
// error object with 500 is its own word that it failed.
func (s *Simulator) Judge(a provider.Answer) provider.End {
	end := provider.JudgeJSON(a, nil)
	if a.Status == http.StatusInternalServerError && a.Whole {
		end.Outcome = outcome.ProviderError
		end.Detail = "The provider says that the work failed. It may have been charged."
	}
	return end
}

// problem is the simulator's error object.
func problem(detail string) []byte {
	text, err := json.Marshal(map[string]map[string]string{"error": {"message": detail}})
	if err != nil {
		panic(fmt.Sprintf("strings are always JSON: %v", err))
	}
	return text
}

// wait tells whether d passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	if d < 0 {
		<-ctx.Done()
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func notSent(gate *provider.Gate, why error) provider.End {
	return ended(gate, outcome.NotSent, fmt.Sprintf("Nothing was sent: %v.", why))
}

func ended(gate *provider.Gate, o outcome.Outcome, detail string) provider.End {
	written := gate.Seal()
	return provider.End{Outcome: o, Detail: detail, BytesWritten: written, Sealed: true}
}
