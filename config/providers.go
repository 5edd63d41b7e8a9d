package config

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"
)

var (
	laterProviderKeys = []string{"base_url", "api_key", "model", "status_url", "cancel_url", "honours_idempotency_key",
		"callback_secret", "idempotency_key_lifetime", "price"}
	laterKinds    = []string{"openai", "anthropic"}
	httpKeys      = []string{"url", "headers", "proxy", "not_processed_statuses"}
	simulatorKeys = []string{"latency", "slow", "late_after"}
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
	seen := r.object(n, "the provider "+key.Value, laterProviderKeys, map[string]func(*yaml.Node){
		"kind":                   func(n *yaml.Node) { kind, p.Kind = n, Kind(r.text(n, "kind")) },
		"max_concurrent":         func(n *yaml.Node) { p.MaxConcurrent = r.int(n, "max_concurrent", 1, 10_000) },
		"url":                    func(n *yaml.Node) { p.URL = r.url(n, "url", false) },
		"headers":                func(n *yaml.Node) { p.Headers = r.headers(n, p.places) },
		"proxy":                  func(n *yaml.Node) { p.Proxy = r.url(n, "proxy", true) },
		"not_processed_statuses": func(n *yaml.Node) { p.NotProcessedStatuses = r.statuses(n) },
		"latency":                func(n *yaml.Node) { p.Latency = r.timeRange(n, "latency") },
		"slow":                   func(n *yaml.Node) { p.Slow = r.timeRange(n, "slow") },
		"late_after":             func(n *yaml.Node) { p.LateAfter = r.duration(n, "late_after", time.Millisecond) },
	})
	for name, at := range seen {
		p.places.note("/"+name, at)
	}
	if n.Kind == yaml.MappingNode {
		r.checkKind(p, kind, seen)
	}
	return p
}

// checkKind refuses the keys of other kinds, and says what this one misses.
func (r *reader) checkKind(p Provider, kind *yaml.Node, seen map[string]*yaml.Node) {
	var foreign []string
	switch {
	case seen["kind"] == nil:
		r.mistake(kind, "the provider %s needs a kind: http or simulator", p.Name)
	case p.Kind == HTTP:
		foreign = simulatorKeys
		if seen["url"] == nil {
			r.mistake(kind, "a provider of kind http needs a url")
		}
	case p.Kind == Simulator:
		foreign = httpKeys
	case slices.Contains(laterKinds, string(p.Kind)):
		r.mistake(kind, "kind %s is not supported yet by this version; it knows http and simulator", p.Kind)
	case p.Kind != "":
		r.mistake(kind, "unknown kind %q%s", p.Kind, suggestion(string(p.Kind), []string{"http", "simulator"}))
	}
	for _, name := range foreign {
		if at := seen[name]; at != nil {
			r.mistake(at, "%q does not belong to a provider of kind %s", name, p.Kind)
		}
	}
}

// url reads an address of http or https. What it says never shows the address:
// it may hold secrets.
func (r *reader) url(n *yaml.Node, what string, mayBeEmpty bool) string {
	text, ok := r.expanded(n, what, mayBeEmpty)
	if !ok || text == "" {
		return text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		r.mistake(n, "%s must be a whole address that begins with http:// or https://", what)
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		r.mistake(n, "%s must not have a fragment (#…)", what)
	case u.User != nil && !mayBeEmpty:
		r.mistake(n, "%s must not hold a user: send credentials by headers", what)
	}
	return text
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
