// Package modelapi is what the adapters of language models have in common: their
// options, and how a vendor's library and kwit share one call.
//
// The library writes the request, kwit sends it and reads the answer. A
// vendor's client would do all three, and must not:
//
//   - It sends again by itself, follows redirects, reads addresses, headers and
//     proxies from the environment, and takes a 3xx for success (7-facts). So
//     its client is given a [Pen] instead of a network: the request that it
//     wrote comes back unsent, and only its address, its body and the headers
//     of the protocol are taken over.
//   - The raw answer must be kept before anybody parses it, and be judged by
//     another node, long after, alike. So the verdict is drawn from the kept
//     bytes alone.
//   - Its types read leniently: a list in the place of a text becomes a text, a
//     number a string. What the result of a paid call is must not rest on that,
//     so answers are read by exactjson.
package modelapi

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"kwit/outcome"
	"kwit/provider"
)

// Options are what the configuration says of one provider.
type Options struct {
	BaseURL string // http or https, without a user or a query in it
	APIKey  string
	Model   string
	Proxy   string // empty: none; never the environment's
	// NotProcessedStatuses are documented by the provider as "not acted on".
	NotProcessedStatuses []int
	// MaxAnswerBytes bounds an answer; 0 is provider.DefaultAnswerBytes.
	MaxAnswerBytes int64
	// TLS is for a private certificate authority; nil trusts the system's.
	TLS *tls.Config
}

// API is how one model's API is reached.
type API struct {
	wire         *provider.Wire
	secrets      []string
	notProcessed []int
	answerBytes  int64
}

// New checks the options; its error is a [provider.Mistakes].
func New(o Options) (*API, error) {
	var m provider.Mistakes
	m.Add("base_url", checkBaseURL(o.BaseURL))
	if !httpguts.ValidHeaderFieldValue(o.APIKey) {
		m.Add("api_key", errors.New("it holds a character that no header may hold"))
	}
	if o.Model == "" {
		m.Add("model", errors.New("name the model"))
	}
	m.CheckStatuses("not_processed_statuses", o.NotProcessedStatuses)
	wire := m.Wire(o.Proxy, o.TLS)
	if len(m) > 0 {
		return nil, m
	}
	return &API{
		wire:         wire,
		secrets:      []string{o.APIKey},
		notProcessed: slices.Clone(o.NotProcessedStatuses),
		answerBytes:  o.MaxAnswerBytes,
	}, nil
}

func checkBaseURL(text string) error {
	if err := provider.CheckURL(text); err != nil {
		return err
	}
	if u, err := url.Parse(text); err != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("it holds more than host and path; take out what begins with ? or #")
	}
	return nil
}

// NotProcessed are the statuses that the provider documents as "not acted on".
func (a *API) NotProcessed() []int { return a.notProcessed }

// Mask hides the provider's secrets in a text that is to be stored.
func (a *API) Mask(text string) string { return provider.Mask(text, a.secrets) }

// protocol lists the headers of a written request that belong to the protocol.
// The rest speaks of the library and of this machine.
var protocol = []string{"Content-Type", "Accept", "Authorization", "X-Api-Key", "Anthropic-Version"}

// Exchange is the call that sends what was written, for the attempt of r.
func (a *API) Exchange(r provider.Request, written *Written, judge func(provider.Answer) provider.End) provider.Exchange {
	h := http.Header{"User-Agent": {"kwit"}}
	for name, values := range r.Header {
		// A model never calls back, and the address is a door.
		if name = http.CanonicalHeaderKey(name); name != "X-Kwit-Callback" {
			h[name] = values
		}
	}
	for _, name := range protocol {
		if values := written.Header.Values(name); len(values) > 0 {
			h[name] = values
		}
	}
	h.Set("Idempotency-Key", r.AttemptID)
	h.Set("X-Kwit-Attempt", r.AttemptID)
	h.Set("X-Kwit-Job", r.JobID)
	return provider.Exchange{
		Method:      http.MethodPost,
		URL:         written.URL,
		Header:      h,
		Body:        written.Body,
		AnswerBytes: a.answerBytes,
		Secrets:     a.secrets,
		Judge:       judge,
	}
}

// Wire is where the exchange takes place.
func (a *API) Wire() *provider.Wire { return a.wire }

// Unwritten ends an attempt whose request could not be written: nothing is sent
// (2-ledger, "rendering failed").
func Unwritten(gate *provider.Gate, err error) provider.End {
	gate.Seal()
	return provider.End{
		Outcome: outcome.NotSent,
		Sealed:  true,
		Detail:  fmt.Sprintf("Nothing was sent, because the request could not be written: %v.", err),
	}
}

// Quoted is a provider's own message, short enough to be shown.
func Quoted(message string) string {
	const most = 300
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "�")), " ")
	if runes := []rune(message); len(runes) > most {
		message = string(runes[:most]) + "…"
	}
	return message
}
