package config

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"
)

var (
	// ofKind lists the keys that each kind has and not all have.
	ofKind = map[Kind][]string{
		OpenAI:    {"base_url", "api_key", "model", "max_completion_tokens", "proxy", "not_processed_statuses"},
		Anthropic: {"base_url", "api_key", "model", "api_version", "proxy", "not_processed_statuses"},
		HTTP: {"url", "headers", "status_url", "cancel_url", "honours_idempotency_key", "idempotency_key_lifetime",
			"callback_secret", "result_path", "id_path", "usage_path", "proxy", "not_processed_statuses"},
		Simulator: {"latency", "slow", "late_after"},
	}
	// neededBy lists what each kind cannot do without.
	neededBy = map[Kind][]string{
		OpenAI:    {"base_url", "model"},
		Anthropic: {"base_url", "api_key", "model"},
		HTTP:      {"url"},
	}
	kinds = []string{string(Anthropic), string(HTTP), string(OpenAI), string(Simulator)}
)

func (r *reader) providers(n *yaml.Node) []Provider {
	var providers []Provider
	r.members(n, `"providers"`, func(key, value *yaml.Node) {
		r.name(key)
		providers = append(providers, r.provider(key, value))
	})
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.mistake(n, "no provider is configured")
	}
	return providers
}

func (r *reader) provider(key, n *yaml.Node) Provider {
	p := Provider{Name: key.Value, MaxConcurrent: 64, places: newPlaces(r.file, key)}
	kind := key
	known := r.providerKeys(&p)
	known["kind"] = func(n *yaml.Node) { kind, p.Kind = n, Kind(r.text(n, "kind")) }
	seen := r.object(n, "the provider "+key.Value, nil, known)
	for name, at := range seen {
		p.places.note("/"+name, at)
	}
	if n.Kind == yaml.MappingNode {
		r.checkKind(p, kind, seen)
		r.checkReplay(&p, seen)
	}
	return p
}

func (r *reader) providerKeys(p *Provider) map[string]func(*yaml.Node) {
	return map[string]func(*yaml.Node){
		"max_concurrent": func(n *yaml.Node) { p.MaxConcurrent = r.int(n, "max_concurrent", 1, 10_000) },
		"max_rate":       func(n *yaml.Node) { p.MaxRate = r.rate(n) },
		"price":          func(n *yaml.Node) { p.Price = r.price(n) },

		"proxy":                  func(n *yaml.Node) { p.Proxy = r.url(n, "proxy", true) },
		"not_processed_statuses": func(n *yaml.Node) { p.NotProcessedStatuses = r.statuses(n) },

		"base_url":              func(n *yaml.Node) { p.BaseURL = r.url(n, "base_url", false) },
		"api_key":               func(n *yaml.Node) { p.APIKey = r.apiKey(n) },
		"model":                 func(n *yaml.Node) { p.Model = r.plain(n, "model") },
		"max_completion_tokens": func(n *yaml.Node) { p.MaxCompletionTokens = r.bool(n, "max_completion_tokens") },
		"api_version":           func(n *yaml.Node) { p.APIVersion = r.plain(n, "api_version") },

		"url":                      func(n *yaml.Node) { p.URL = r.url(n, "url", false) },
		"headers":                  func(n *yaml.Node) { p.Headers = r.headers(n, p.places) },
		"status_url":               func(n *yaml.Node) { p.StatusURL = r.urlOfAttempt(n, "status_url") },
		"cancel_url":               func(n *yaml.Node) { p.CancelURL = r.urlOfAttempt(n, "cancel_url") },
		"honours_idempotency_key":  func(n *yaml.Node) { p.HonoursIdempotencyKey = r.bool(n, "honours_idempotency_key") },
		"idempotency_key_lifetime": func(n *yaml.Node) { p.IdempotencyKeyLifetime = r.duration(n, "idempotency_key_lifetime", time.Minute) },
		"callback_secret":          func(n *yaml.Node) { p.CallbackSecret = r.callbackSecret(n) },
		"result_path":              func(n *yaml.Node) { p.ResultPath = r.pointer(n, "result_path") },
		"id_path":                  func(n *yaml.Node) { p.IDPath = r.pointer(n, "id_path") },
		"usage_path":               func(n *yaml.Node) { p.UsagePath = r.pointer(n, "usage_path") },

		"latency":    func(n *yaml.Node) { p.Latency = r.timeRange(n, "latency") },
		"slow":       func(n *yaml.Node) { p.Slow = r.timeRange(n, "slow") },
		"late_after": func(n *yaml.Node) { p.LateAfter = r.duration(n, "late_after", time.Millisecond) },
	}
}

// checkKind refuses the keys of other kinds, and says what this one misses.
func (r *reader) checkKind(p Provider, kind *yaml.Node, seen map[string]*yaml.Node) {
	own, known := ofKind[p.Kind]
	switch {
	case seen["kind"] == nil:
		r.mistake(kind, "the provider %s needs a kind: %s", p.Name, strings.Join(kinds, ", "))
	case !known && p.Kind != "":
		r.mistake(kind, "unknown kind %q%s", p.Kind, suggestion(string(p.Kind), kinds))
	}
	if !known {
		return
	}
	for name, at := range seen {
		ofAnother := slices.ContainsFunc(slices.Collect(maps.Values(ofKind)), func(keys []string) bool { return slices.Contains(keys, name) })
		if ofAnother && !slices.Contains(own, name) {
			r.mistake(at, "%q does not belong to a provider of kind %s", name, p.Kind)
		}
	}
	for _, name := range neededBy[p.Kind] {
		if seen[name] == nil {
			r.mistake(kind, "a provider of kind %s needs %q", p.Kind, name)
		}
	}
}

// defaultKeyLifetime is how long a key is taken to be honoured where the file
// does not say: what is widely promised is a day (2-ledger, "Enquiries").
const defaultKeyLifetime = 23 * time.Hour

// checkReplay keeps a lifetime from standing where no key is honoured.
func (r *reader) checkReplay(p *Provider, seen map[string]*yaml.Node) {
	lifetime := seen["idempotency_key_lifetime"]
	switch {
	case p.HonoursIdempotencyKey && lifetime == nil:
		p.IdempotencyKeyLifetime = defaultKeyLifetime
	case !p.HonoursIdempotencyKey && lifetime != nil:
		r.mistake(lifetime, `idempotency_key_lifetime needs "honours_idempotency_key: true"`)
	}
}

// credentials matches the names of headers whose values are secret even when
// they stand in the file itself.
var credentials = regexp.MustCompile(`(?i)auth|cookie|key|token|secret`)

func (r *reader) headers(n *yaml.Node, at places) map[string]string {
	headers := map[string]string{}
	names := map[string]bool{}
	r.members(n, "headers", func(key, value *yaml.Node) {
		at.note("/headers/"+key.Value, key)
		text, ok := r.expanded(value, "the header "+key.Value, false)
		if ok && credentials.MatchString(key.Value) {
			r.secret(text)
		}
		canonical := http.CanonicalHeaderKey(key.Value)
		switch {
		case !httpguts.ValidHeaderFieldName(key.Value):
			r.mistake(key, "%q is no name of a header", key.Value)
		case names[canonical]:
			r.mistake(key, "the header %s stands twice", canonical)
		case ok && !httpguts.ValidHeaderFieldValue(text):
			r.mistake(value, "the header %s holds a character that a header may not hold", key.Value)
		}
		names[canonical] = true
		headers[key.Value] = text
	})
	return headers
}

func (r *reader) statuses(n *yaml.Node) []int {
	var statuses []int
	r.list(n, "not_processed_statuses", func(item *yaml.Node) {
		status := r.int(item, "a status", 400, 599)
		if slices.Contains(statuses, status) {
			r.mistake(item, "the status %d stands twice", status)
		}
		statuses = append(statuses, status)
	})
	return statuses
}

// timeRange reads one time, or the two bounds of a range as a list.
func (r *reader) timeRange(n *yaml.Node, what string) Range {
	if n.Kind != yaml.SequenceNode {
		d := r.duration(n, what, time.Millisecond)
		return Range{Min: d, Max: d}
	}
	var bounds []time.Duration
	r.list(n, what, func(item *yaml.Node) { bounds = append(bounds, r.duration(item, what, time.Millisecond)) })
	if len(bounds) != 2 || bounds[0] > bounds[1] {
		r.mistake(n, "%s must be one time, or two with the smaller first: [1s, 2s]", what)
		return Range{}
	}
	return Range{Min: bounds[0], Max: bounds[1]}
}
