// Package httpjson is the provider of kind http: any server that takes a POST
// of JSON and answers with JSON (3-interfaces).
package httpjson

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

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

// FieldError names the option that is wrong.
type FieldError struct {
	Field string // as the configuration file calls it, "headers.NAME" for one header
	Err   error
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap gives the mistake itself.
func (e *FieldError) Unwrap() error { return e.Err }

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

// New makes the provider. Its error joins a [FieldError] for each mistake.
func New(o Options) (*HTTP, error) {
	header, secrets, err := headers(o.Headers)
	proxy, proxyErr := parseProxy(o.Proxy)
	wire, wireErr := provider.NewWire(proxy, o.TLS)
	err = errors.Join(err, checkURL(o.URL), field("proxy", errors.Join(proxyErr, wireErr)), checkStatuses(o.NotProcessedStatuses))
	if err != nil {
		return nil, err
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

// headers checks the configured ones and lists their values as secrets.
func headers(configured map[string]string) (http.Header, []string, error) {
	h := http.Header{"User-Agent": {"kwit"}}
	var secrets []string
	var mistakes error
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		value := configured[name]
		if err := checkHeader(name, value); err != nil {
			mistakes = errors.Join(mistakes, field("headers."+name, err))
			continue
		}
		h.Set(name, value)
		secrets = append(secrets, value)
		if _, token, found := strings.Cut(value, " "); found {
			secrets = append(secrets, token) // an echo may leave out the scheme
		}
	}
	return h, secrets, mistakes
}

// reserved headers are kwit's own, or belong to the connection.
var reserved = []string{
	"Idempotency-Key", "Content-Type", "Accept", "Traceparent", "Tracestate",
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Te", "Trailer",
	"Expect", "Accept-Encoding", "Proxy-Authorization", "Proxy-Connection",
}

func checkHeader(name, value string) error {
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("this is no name of a header")
	case !httpguts.ValidHeaderFieldValue(value):
		return errors.New("the value holds a character that no header may hold")
	case slices.Contains(reserved, canonical) || strings.HasPrefix(canonical, "X-Kwit-"):
		return errors.New("kwit sets this header itself; take the line out")
	}
	return nil
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return field("url", err)
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return field("url", fmt.Errorf("%q is no address; write it as https://HOST/PATH", text))
	case u.User != nil:
		return field("url", errors.New("it holds a user; write an Authorization header instead"))
	}
	return nil
}

func parseProxy(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	return url.Parse(text)
}

func checkStatuses(statuses []int) error {
	for _, s := range statuses {
		if s < 400 || s > 599 {
			return field("not_processed_statuses", fmt.Errorf("%d is no status of an error; name some of 400 to 599", s))
		}
	}
	return nil
}

func field(name string, err error) error {
	if err == nil {
		return nil
	}
	return &FieldError{Field: name, Err: err}
}
