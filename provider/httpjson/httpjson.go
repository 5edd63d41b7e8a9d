// Package httpjson is the provider of kind http: any server that takes a POST
// of JSON and answers with JSON (3-interfaces).
package httpjson

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"kwit/provider"
)

// DefaultKeyLifetime is how long a provider that honours keys is taken to keep
// one where the configuration does not say: an hour less than the day that most
// document, for clocks and queues.
const DefaultKeyLifetime = 23 * time.Hour

// Options are what the configuration says of one provider.
type Options struct {
	URL     string            // http or https, without a user in it
	Headers map[string]string // sent with each request; cannot replace kwit's own
	Proxy   string            // empty: none; never the environment's
	// NotProcessedStatuses are documented by the provider as "not acted on".
	NotProcessedStatuses []int

	// StatusURL and CancelURL are asked with GET and DELETE; empty: there is
	// none. {attempt_id}, {job_id} and {provider_id} in path and query stand for
	// the attempt's names, escaped.
	StatusURL, CancelURL string
	// HonoursKey: the provider documents that a request with a key that it has
	// seen is answered with what became of the first one.
	HonoursKey bool
	// KeyLifetime is how long after the first send it does; 0 is
	// DefaultKeyLifetime.
	KeyLifetime time.Duration

	// Where the answers hold what counts, as JSON Pointers (RFC 6901) into the
	// whole body; empty: the whole body is the result, and there is no id or
	// usage in it.
	ResultPath, IDPath, UsagePath string

	// MaxAnswerBytes bounds an answer; 0 is provider.DefaultAnswerBytes.
	MaxAnswerBytes int64
	// TLS is for a private certificate authority; nil trusts the system's.
	TLS *tls.Config
}

// HTTP is one provider of kind http.
type HTTP struct {
	url                           string
	statusURL, cancelURL          string
	resultPath, idPath, usagePath string
	keyLifetime                   time.Duration
	header                        http.Header
	secrets                       []string
	notProcessed                  []int
	answerBytes                   int64
	wire                          *provider.Wire
}

var (
	_ provider.Provider  = (*HTTP)(nil)
	_ provider.Enquirer  = (*HTTP)(nil)
	_ provider.Canceller = (*HTTP)(nil)
	_ provider.Replayer  = (*HTTP)(nil)
)

// New makes the provider. Its error is a [Mistakes].
func New(o Options) (*HTTP, error) {
	var m Mistakes
	header, secrets := headers(&m, o.Headers)
	wire := m.Wire(o.Proxy, o.TLS)
	check(&m, o)
	if len(m) > 0 {
		return nil, m
	}
	p := &HTTP{
		url:          o.URL,
		statusURL:    o.StatusURL,
		cancelURL:    o.CancelURL,
		resultPath:   o.ResultPath,
		idPath:       o.IDPath,
		usagePath:    o.UsagePath,
		header:       header,
		secrets:      secrets,
		notProcessed: slices.Clone(o.NotProcessedStatuses),
		answerBytes:  o.MaxAnswerBytes,
		wire:         wire,
	}
	if o.HonoursKey {
		p.keyLifetime = cmp.Or(o.KeyLifetime, DefaultKeyLifetime)
	}
	return p, nil
}

// body is what is posted: the input as it is, or the rendered prompt as
// {"system", "user", "parameters"} where the job type has one.
func body(r provider.Request) []byte {
	if r.Prompt == nil {
		return r.Body
	}
	text, err := json.Marshal(r.Prompt)
	if err != nil {
		return r.Body // two texts and two numbers can always be written
	}
	return text
}

// Send posts the attempt's input and waits for the answer; see
// [provider.Provider].
func (p *HTTP) Send(ctx context.Context, gate *provider.Gate, r provider.Request, keep func(provider.Answer) error) provider.End {
	h := p.identify(r)
	h.Set("Content-Type", "application/json")
	h.Set("Idempotency-Key", r.AttemptID)
	return p.wire.Do(ctx, gate, provider.Exchange{
		Method:      http.MethodPost,
		URL:         p.url,
		Header:      h,
		Body:        body(r),
		AnswerBytes: p.answerBytes,
		Secrets:     p.secrets,
		Judge:       p.Judge,
	}, keep)
}

// identify puts kwit's own headers over the request's, and those over the
// configured ones, so that no line of configuration breaks the identity that
// every layer sees (C18).
func (p *HTTP) identify(r provider.Request) http.Header {
	h := p.header.Clone()
	for name, values := range r.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	h.Del("Idempotency-Key")
	h.Set("Accept", "application/json")
	h.Set("X-Kwit-Attempt", r.AttemptID)
	h.Set("X-Kwit-Job", r.JobID)
	return h
}
