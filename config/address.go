package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// url reads an address of http or https.
func (r *reader) url(n *yaml.Node, what string, mayBeEmpty bool) string {
	text, ok := r.expanded(n, what, mayBeEmpty)
	if ok && text != "" {
		r.checkURL(n, what, text, mayBeEmpty)
	}
	return text
}

// checkURL says what is wrong with an address, and never shows it: it may hold
// secrets.
func (r *reader) checkURL(n *yaml.Node, what, text string, mayHoldUser bool) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		r.mistake(n, "%s must be a whole address that begins with http:// or https://", what)
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		r.mistake(n, "%s must not have a fragment (#…)", what)
	case u.User != nil && !mayHoldUser:
		r.mistake(n, "%s must not hold a user: send credentials by headers", what)
	}
}

var (
	placeholder = regexp.MustCompile(`\{([^{}]*)\}`)
	// placeholders are what an address of an attempt may hold.
	placeholders = []string{"attempt_id", "job_id", "provider_id"}
)

// urlOfAttempt reads an address in which {attempt_id} and the like stand for
// what they name. It must name the attempt: an answer about anything else would
// be taken for one about this attempt.
func (r *reader) urlOfAttempt(n *yaml.Node, what string) string {
	text, ok := r.expanded(n, what, false)
	if !ok {
		return ""
	}
	if !r.checkPlaceholders(n, what, text) {
		return text
	}
	// Any letters will do in their places, but for the host's name.
	filled := placeholder.ReplaceAllString(text, "x")
	r.checkURL(n, what, filled, false)
	before, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "https://"), "http://"), "/")
	if strings.Contains(before, "{") {
		r.mistake(n, "%s must hold its placeholders behind the host", what)
	}
	return text
}

// checkPlaceholders shows the names that stand in the file, and none that came
// from the environment.
func (r *reader) checkPlaceholders(n *yaml.Node, what, text string) bool {
	before := len(r.mistakes)
	for _, found := range placeholder.FindAllStringSubmatch(variable.ReplaceAllString(n.Value, ""), -1) {
		if !slices.Contains(placeholders, found[1]) {
			r.mistake(n, "%s holds the unknown placeholder {%s}%s", what, found[1], suggestion(found[1], placeholders))
		}
	}
	if before < len(r.mistakes) {
		return false
	}
	known := strings.NewReplacer("{attempt_id}", "", "{job_id}", "", "{provider_id}", "")
	if strings.ContainsAny(known.Replace(text), "{}") {
		r.mistake(n, "%s holds a { or } that belongs to no placeholder: write it as %%7B or %%7D", what)
	} else if !strings.Contains(text, "{attempt_id}") && !strings.Contains(text, "{provider_id}") {
		r.mistake(n, "%s must name the attempt: put {attempt_id} or {provider_id} into it", what)
	}
	return before == len(r.mistakes)
}
