// Package provider is the one interface through which kwit calls other
// people's servers, and the meaning of how such a call ends.
//
// The line runs between surely not acted on and perhaps acted on (2-ledger,
// "What a provider call's end means"). Everything here serves that line: one
// fresh connection an attempt, a [Gate] that counts the bytes which left and
// can be sealed, no layer that sends a second time, and a verdict drawn from
// what was sent, then from the status, then from the completeness of the body,
// never from an error's text.
//
// The package knows neither the ledger nor the database: an attempt and its
// job are opaque ids that travel in headers (C18).
package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"kwit/outcome"
)

// Request is what one attempt sends.
type Request struct {
	AttemptID string      // the provider's Idempotency-Key (C18)
	JobID     string      // opaque here, for the provider's own log
	Body      []byte      // the rendered input, JSON: what kinds http and simulator send
	Prompt    *Prompt     // the rendered prompt: what the kinds of language models send; else nil
	Header    http.Header // further headers (traceparent, X-Kwit-Callback); nil is fine
}

// Prompt is what a language model is asked: text that is already rendered, and
// how the model is to answer. Each adapter puts it into its own protocol.
type Prompt struct {
	System     string     `json:"system,omitempty"` // may be empty
	User       string     `json:"user"`
	Parameters Parameters `json:"parameters"`
}

// Parameters shape a model's answer; nil leaves one to the provider.
type Parameters struct {
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   *int64   `json:"max_tokens,omitempty"` // of the answer
}

// Answer is what arrived, before anybody judged it. It holds all that
// [Provider.Judge] needs, so that an answer whose worker died before the
// verdict is judged alike by another node.
type Answer struct {
	Status     int         `json:"status"`
	MediaType  string      `json:"media_type,omitempty"` // as it stood in Content-Type
	Header     http.Header `json:"header,omitempty"`     // secrets masked, fit to be stored and shown
	Body       []byte      `json:"body,omitempty"`       // as it arrived, up to the adapter's limit
	Whole      bool        `json:"whole"`                // the body surely arrived to its last byte
	ReceivedAt time.Time   `json:"received_at"`          // when the last byte of it arrived
}

// End is what became of a call.
type End struct {
	// Outcome is None only beside Accepted.
	Outcome outcome.Outcome
	// Accepted: the provider took the work and will say more later (202).
	Accepted bool
	// Detail says in plain words what happened, for a person.
	Detail string
	// Result is the answer's JSON exactly as it arrived, for Succeeded only.
	// It has not been held against the job type's output contract.
	Result []byte
	// Fenced is the JSON inside a model's text that is exactly one fenced code
	// block; the outcome is then Contract. See [End.Unwrap].
	Fenced []byte
	// Unwrapped: Result stood in a fence, which was taken off.
	Unwrapped bool
	// Answer is the raw answer, nil where no whole header arrived.
	Answer *Answer
	// ProviderRequestID is the provider's own name for the call, if it gave one.
	ProviderRequestID string
	// Usage is what the provider says it counted or billed, if it does.
	Usage json.RawMessage
	// RetryAfter is how long the provider asks to wait, at most an hour; 0
	// where it says nothing readable.
	RetryAfter time.Duration
	// BytesWritten counts the bytes of the request that left.
	BytesWritten int64
	// Sealed: the gate was sealed before the request was through it, by an
	// operator of the gate, by its own allow, or because ctx ended.
	Sealed bool
	// KeepError is what keep answered; the verdict stands all the same.
	KeepError error
}

// Provider is one configured provider.
type Provider interface {
	// Send makes at most one request for the attempt and returns when it has
	// ended or ctx is done, whichever comes first. It never sends twice (C11).
	// Connecting takes 10 s at most; otherwise it knows no timeout: who calls
	// watches the deadline from the gate's first byte on, and goes on listening
	// by leaving ctx alone.
	//
	// Every ending goes through gate. With ctx done and nothing written the
	// outcome is not_sent, with anything written it is timeout.
	//
	// keep, which may be nil, is given each raw answer before it is judged.
	Send(ctx context.Context, gate *Gate, r Request, keep func(Answer) error) End

	// Judge says what a raw answer means: the verdict that Send gives at once,
	// and the one for an answer that was stored by a worker that died.
	Judge(Answer) End
}
