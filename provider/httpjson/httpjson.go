// Package httpjson is the provider of kind http: any server that takes a POST
// of JSON and answers with JSON (3-interfaces).
package httpjson

import (
	"context"
	"crypto/tls"
	"net/http"
	"slices"

	"kwit/provider"
)

// Options are what the configuration says of one provider.
type Options struct {
	URL     string            // http or https, without a user in it
	Headers map[string]string // sent with each request; cannot replace kwit's own
	Proxy   string            // empty: none; never the environment's
	// NotProcessedStatuses are documented by the provider as "not acted on".
	NotProcessedStatuses []int
	// MaxAnswerBytes bounds an answer; 0 is provider.DefaultAnswerBytes.
	MaxAnswerBytes int64
	// TLS is for a private certificate authority; nil trusts the system's.
	TLS *tls.Config
}

// HTTP is one provider of kind http.
type HTTP struct {
	url          string
	header       http.Header
	secrets      []string
	notProcessed []int
	answerBytes  int64
	wire         *provider.Wire
}

var _ provider.Provider = (*HTTP)(nil)

// New makes the provider. Its error is a [Mistakes].
func New(o Options) (*HTTP, error) {
	var m Mistakes
	header, secrets := headers(&m, o.Headers)
	wire := m.Wire(o.Proxy, o.TLS)
	m.Add("url", provider.CheckURL(o.URL))
	m.CheckStatuses("not_processed_statuses", o.NotProcessedStatuses)
	if len(m) > 0 {
		return nil, m
	}
	return &HTTP{
		url:          o.URL,
		header:       header,
		secrets:      secrets,
		notProcessed: slices.Clone(o.NotProcessedStatuses),
		answerBytes:  o.MaxAnswerBytes,
		wire:         wire,
	}, nil
}

// Send posts the attempt's input and waits for the answer; see
// [provider.Provider].
func (p *HTTP) Send(ctx context.Context, gate *provider.Gate, r provider.Request, keep func(provider.Answer) error) provider.End {
	return p.wire.Do(ctx, gate, provider.Exchange{
		Method:      http.MethodPost,
		URL:         p.url,
		Header:      p.requestHeader(r),
		Body:        r.Body,
		AnswerBytes: p.answerBytes,
		Mask:        func(h http.Header) http.Header { return provider.MaskHeader(h, p.secrets) },
		Judge:       p.Judge,
	}, keep)
}

// Judge says what an answer means: by [provider.JudgeJSON], with the statuses
// that this provider documents as "not acted on".
func (p *HTTP) Judge(a provider.Answer) provider.End {
	return provider.JudgeJSON(a, p.notProcessed)
}

// requestHeader puts kwit's own headers over the request's, and those over the
// configured ones, so that no line of configuration breaks the identity that
// every layer sees (C18).
func (p *HTTP) requestHeader(r provider.Request) http.Header {
	h := p.header.Clone()
	for name, values := range r.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("Idempotency-Key", r.AttemptID)
	h.Set("X-Kwit-Attempt", r.AttemptID)
	h.Set("X-Kwit-Job", r.JobID)
	return h
}
