package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var laterJobTypeKeys = []string{"checks", "wait_at_most", "conformance", "quarantine"}

func (r *reader) jobTypes(n *yaml.Node, providers []Provider) []JobType {
	var types []JobType
	r.members(n, `"job_types"`, func(key, value *yaml.Node) {
		r.name(key)
		types = append(types, r.jobType(key, value, providers))
	})
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.mistake(n, "no job type is configured")
	}
	return types
}

func (r *reader) jobType(key, n *yaml.Node, providers []Provider) JobType {
	t := JobType{Name: key.Value, Title: titleFrom(key.Value), OnUnknown: Hold, Timeout: time.Minute,
		Linger: 10 * time.Minute, Attempts: 3, places: newPlaces(r.file, key)}
	seen := r.object(n, "the job type "+key.Value, laterJobTypeKeys, r.jobTypeKeys(&t, providers))
	for name, at := range seen {
		if name != "input" && name != "output" { // noted with all that is in them
			t.places.note("/"+name, at)
		}
	}
	if n.Kind != yaml.MappingNode {
		return t
	}
	for _, name := range []string{"input", "output", "route"} {
		if seen[name] == nil {
			r.mistake(key, "the job type %s needs %q", key.Value, name)
		}
	}
	r.checkRelease(t, seen)
	r.checkPrompt(t, providers, seen)
	t.definition = t.define()
	return t
}

func (r *reader) jobTypeKeys(t *JobType, providers []Provider) map[string]func(*yaml.Node) {
	return map[string]func(*yaml.Node){
		"title":         func(n *yaml.Node) { t.Title = r.line(n, "title", 100) },
		"description":   func(n *yaml.Node) { t.Description = r.text(n, "description") },
		"input":         func(n *yaml.Node) { t.Input = r.json(n, "input", t.places, "/input") },
		"output":        func(n *yaml.Node) { t.Output = r.json(n, "output", t.places, "/output") },
		"route":         func(n *yaml.Node) { t.Route = r.route(n, providers) },
		"timeout":       func(n *yaml.Node) { t.Timeout = r.duration(n, "timeout", time.Millisecond) },
		"linger":        func(n *yaml.Node) { t.Linger = r.duration(n, "linger", 0) },
		"attempts":      func(n *yaml.Node) { t.Attempts = r.int(n, "attempts", 1, 100) },
		"repeatable":    func(n *yaml.Node) { t.Repeatable = r.bool(n, "repeatable") },
		"on_unknown":    func(n *yaml.Node) { t.OnUnknown = r.onUnknown(n) },
		"release_after": func(n *yaml.Node) { t.ReleaseAfter = r.duration(n, "release_after", time.Millisecond) },
		"prompt":        func(n *yaml.Node) { t.Prompt = r.prompt(n, t.places) },
		"parameters":    func(n *yaml.Node) { t.Parameters = r.parameters(n) },
		"unwrap_fence":  func(n *yaml.Node) { t.UnwrapFence = r.bool(n, "unwrap_fence") },
	}
}

// checkRelease keeps the rule for automatic release (2-ledger, "Who starts the
// next attempt"): only work that may run twice, and before the timeout.
func (r *reader) checkRelease(t JobType, seen map[string]*yaml.Node) {
	at, after := seen["on_unknown"], seen["release_after"]
	if t.OnUnknown != Release {
		if after != nil {
			r.mistake(after, `release_after needs "on_unknown: release"`)
		}
		return
	}
	if !t.Repeatable {
		r.mistake(at, `"on_unknown: release" needs "repeatable: true": it may run the work twice`)
	}
	if after == nil {
		r.mistake(at, `"on_unknown: release" needs release_after, such as "release_after: 10s"`)
		return
	}
	if t.Timeout > 0 && t.ReleaseAfter >= t.Timeout {
		r.mistake(after, "release_after must be shorter than the timeout (%s)", t.Timeout)
	}
}

func (r *reader) onUnknown(n *yaml.Node) OnUnknown {
	value := OnUnknown(r.text(n, "on_unknown"))
	if value != Hold && value != Release && value != "" {
		r.mistake(n, "on_unknown must be hold or release")
	}
	return value
}

func (r *reader) route(n *yaml.Node, providers []Provider) []string {
	var route []string
	r.list(n, "route", func(item *yaml.Node) {
		name := r.text(item, "a provider in the route")
		known := func(p Provider) bool { return p.Name == name }
		switch {
		case name == "":
			return
		case !slices.ContainsFunc(providers, known):
			r.mistake(item, "the provider %q of the route is not configured%s", name, suggestion(name, names(providers)))
		case slices.Contains(route, name):
			r.mistake(item, "the provider %q stands twice in the route", name)
		}
		route = append(route, name)
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.mistake(n, "the route must name at least one provider")
	}
	return route
}

func names(providers []Provider) []string {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.Name
	}
	return names
}

// line reads a short text without a line break.
func (r *reader) line(n *yaml.Node, what string, most int) string {
	text := r.text(n, what)
	if utf8.RuneCountInString(text) > most || strings.ContainsAny(text, "\r\n") {
		r.mistake(n, "%s must be one line of at most %d characters", what, most)
	}
	return text
}

// titleFrom makes a title from a name: pdf_render is "Pdf render".
func titleFrom(name string) string {
	words := strings.NewReplacer("_", " ", "-", " ").Replace(name)
	if words == "" {
		return name
	}
	return fmt.Sprintf("%s%s", strings.ToUpper(words[:1]), words[1:])
}
