package config

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"
)

// plain reads one line into which the environment puts nothing. It would be
// sent as it stands, so a ${NAME} in it is a mistake.
func (r *reader) plain(n *yaml.Node, what string) string {
	text := r.line(n, what, 200)
	if strings.Contains(text, "${") {
		r.mistake(n, "%s takes no value from the environment: write it out", what)
	}
	return text
}

// apiKey reads a key that goes into a header.
func (r *reader) apiKey(n *yaml.Node) string {
	key, ok := r.expanded(n, "api_key", false)
	if !ok {
		return ""
	}
	r.secret(key)
	if !httpguts.ValidHeaderFieldValue(key) {
		r.mistake(n, "api_key holds a character that a header may not hold")
	}
	return key
}

const (
	secretPrefix = "whsec_"
	// shortestSecret is 128 bits. Standard Webhooks advises 24 to 64 bytes.
	shortestSecret = 16
)

// callbackSecret reads the secret that signs callbacks: base64, perhaps behind
// whsec_, as Standard Webhooks has it. An empty or short one would let anybody
// sign (7-facts, "Libraries").
func (r *reader) callbackSecret(n *yaml.Node) string {
	text, ok := r.expanded(n, "callback_secret", false)
	if !ok {
		return ""
	}
	encoded := strings.TrimPrefix(text, secretPrefix)
	r.secret(text)
	r.secret(encoded)
	secret, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case err != nil:
		r.mistake(n, "callback_secret must be base64, perhaps behind whsec_, as Standard Webhooks has it")
	case len(secret) < shortestSecret:
		r.mistake(n, "callback_secret must hold at least %d bytes in base64, holds %d", shortestSecret, len(secret))
	}
	return text
}

var pointerSyntax = regexp.MustCompile(`^(/([^~]|~[01])*)+$`)

// pointer reads a JSON Pointer (RFC 6901) to a part of an answer.
func (r *reader) pointer(n *yaml.Node, what string) string {
	text := r.text(n, what)
	if text != "" && !pointerSyntax.MatchString(text) {
		r.mistake(n, "%s must be a JSON Pointer, such as /output/text", what)
	}
	return text
}

var (
	rateSyntax = regexp.MustCompile(`^([1-9]\d{0,6})/(s|m|h)$`)
	rateUnits  = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}
)

// rate reads a number of requests in a second, a minute or an hour.
func (r *reader) rate(n *yaml.Node) Rate {
	if !r.is(n, yaml.ScalarNode, "max_rate") {
		return Rate{}
	}
	parts := rateSyntax.FindStringSubmatch(n.Value)
	if parts == nil {
		r.mistake(n, "max_rate must be a number of requests in a second, minute or hour, such as 5/s, 300/m or 100/h")
		return Rate{}
	}
	requests, _ := strconv.Atoi(parts[1]) // seven digits at most
	return Rate{Requests: requests, Per: rateUnits[parts[2]]}
}
