package config

import (
	"log/slog"
	"strings"
	"time"
)

// Kind says how a provider is spoken to.
type Kind string

// The kinds.
const (
	OpenAI    Kind = "openai"    // chat completions of any OpenAI-compatible server
	Anthropic Kind = "anthropic" // the Messages API
	HTTP      Kind = "http"      // anything that takes a POST of JSON
	Simulator Kind = "simulator" // part of kwit
)

// Model tells whether a provider of this kind is a language model, which is
// asked by a prompt.
func (k Kind) Model() bool { return k == OpenAI || k == Anthropic }

// Provider is one provider of the file.
type Provider struct {
	Name          string
	Kind          Kind
	MaxConcurrent int    // running attempts at once, over all nodes; 64 by default
	MaxRate       Rate   // requests by one process; zero: no bound
	Price         *Price // nil: not known

	// All kinds but simulator.
	Proxy                string // empty: none, whatever the environment says
	NotProcessedStatuses []int  // documented by the provider as "not acted on"

	// Kinds openai and anthropic.
	BaseURL             string // ends before /chat/completions or /v1/messages
	APIKey              string // empty for an openai server that asks for none
	Model               string
	MaxCompletionTokens bool   // openai: send the limit under this newer name
	APIVersion          string // anthropic: empty is the adapter's default

	// Kind http.
	URL     string
	Headers map[string]string
	// StatusURL and CancelURL hold {attempt_id}, {job_id} and {provider_id}
	// where those go; empty: there is none.
	StatusURL             string
	CancelURL             string
	HonoursIdempotencyKey bool // enquiry by replay is allowed (2-ledger, "Enquiries")
	// IdempotencyKeyLifetime counts from the first send; 23 h by default, and
	// zero exactly where keys are not honoured.
	IdempotencyKeyLifetime time.Duration
	CallbackSecret         string // base64, perhaps behind whsec_ (Standard Webhooks); empty: no callbacks
	ResultPath             string // JSON Pointers (RFC 6901) into an answer; empty: the whole answer
	IDPath                 string // empty: answers hold no id
	UsagePath              string // empty: answers hold no usage

	// Kind simulator; zero is the simulator's own default.
	Latency   Range         // until an ordinary answer
	Slow      Range         // until a slow answer
	LateAfter time.Duration // until a late answer

	places places
}

// Range is a time between two bounds, both included.
type Range struct{ Min, Max time.Duration }

// Rate is a number of requests in a span of time. The zero Rate is no bound.
type Rate struct {
	Requests int
	Per      time.Duration
}

// Interval is the time from one request to the next, evenly spread; 0 without a
// bound.
func (r Rate) Interval() time.Duration {
	if r.Requests == 0 {
		return 0
	}
	return r.Per / time.Duration(r.Requests)
}

// String names the provider and nothing that may be secret.
func (p Provider) String() string { return p.Name + " (" + string(p.Kind) + ")" }

// GoString is String: %#v must not print secrets either.
func (p Provider) GoString() string { return p.String() }

// LogValue is String, for slog.
func (p Provider) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MistakeAt is a mistake at one of the provider's fields, found by an adapter
// that understands its value better than this package: "url", or
// "headers.NAME" for one header.
func (p Provider) MistakeAt(field, text string) Mistake {
	return p.places.mistake("/"+strings.Replace(field, ".", "/", 1), text)
}
