package config

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// text reads a string that is not empty. Numbers and the like are read as they
// are written.
func (r *reader) text(n *yaml.Node, what string) string {
	if !r.is(n, yaml.ScalarNode, what) {
		return ""
	}
	switch {
	case n.Tag == "!!null" || strings.TrimSpace(n.Value) == "":
		r.mistake(n, "%s must not be empty", what)
	case strings.Contains(n.Value, "\x00"):
		r.mistake(n, "%s holds the character NUL", what)
	}
	return n.Value
}

func (r *reader) bool(n *yaml.Node, what string) bool {
	if !r.is(n, yaml.ScalarNode, what) {
		return false
	}
	if n.Tag != "!!bool" {
		r.mistake(n, "%s must be true or false", what)
	}
	return strings.EqualFold(n.Value, "true")
}

func (r *reader) int(n *yaml.Node, what string, least, most int) int {
	if !r.is(n, yaml.ScalarNode, what) {
		return 0
	}
	i, err := strconv.Atoi(n.Value)
	if err != nil || strconv.Itoa(i) != n.Value || n.Tag != "!!int" || i < least || i > most {
		r.mistake(n, "%s must be a whole number from %d to %d", what, least, most)
	}
	return i
}

// longest bounds every duration: beyond it a file says something else than it
// means.
const longest = 30 * 24 * time.Hour

func (r *reader) duration(n *yaml.Node, what string, least time.Duration) time.Duration {
	if !r.is(n, yaml.ScalarNode, what) {
		return 0
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil {
		r.mistake(n, "%s must be a time with its unit, such as 10s, 5m or 24h", what)
		return 0
	}
	if d < least {
		r.mistake(n, "%s must be at least %s", what, least)
	}
	if d > longest {
		r.mistake(n, "%s must be at most %dh", what, longest/time.Hour)
	}
	return d
}

var sizeSyntax = regexp.MustCompile(`^(\d{1,9})(B|KiB|MiB)?$`)

// size reads a count of bytes: 65536, 512KiB, 1MiB.
func (r *reader) size(n *yaml.Node, least, most int64) int64 {
	if !r.is(n, yaml.ScalarNode, "a size") {
		return 0
	}
	parts := sizeSyntax.FindStringSubmatch(n.Value)
	if parts == nil {
		r.mistake(n, "a size is written as 65536, 512KiB or 1MiB")
		return 0
	}
	size, _ := strconv.ParseInt(parts[1], 10, 64) // nine digits at most
	size <<= map[string]int{"KiB": 10, "MiB": 20}[parts[2]]
	if size < least || size > most {
		r.mistake(n, "the size must be from %d KiB to %d MiB", least>>10, most>>20)
	}
	return size
}

// list reads a list, item by item.
func (r *reader) list(n *yaml.Node, what string, item func(*yaml.Node)) {
	if !r.is(n, yaml.SequenceNode, what) {
		return
	}
	for _, c := range n.Content {
		item(c)
	}
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expanded reads a string and puts the environment's values in the place of
// ${NAME}. The result may be secret: it stands in no mistake. It reports false
// after a mistake.
func (r *reader) expanded(n *yaml.Node, what string, mayBeEmpty bool) (string, bool) {
	if !r.is(n, yaml.ScalarNode, what) {
		return "", false
	}
	before := len(r.mistakes)
	text := variable.ReplaceAllStringFunc(n.Value, func(match string) string {
		name := match[2 : len(match)-1]
		value, set := r.env(name)
		switch {
		case !set:
			r.mistake(n, "%s needs the environment variable %s, which is not set", what, name)
		case value == "" && !mayBeEmpty:
			r.mistake(n, "%s needs the environment variable %s, which is empty", what, name)
		}
		r.secret(value)
		return value
	})
	if rest := variable.ReplaceAllString(n.Value, ""); strings.Contains(rest, "${") {
		r.mistake(n, "%s has a ${ that begins no variable: write ${NAME}, with letters, digits and _", what)
	}
	if before == len(r.mistakes) && text == "" && !mayBeEmpty {
		r.mistake(n, "%s must not be empty", what)
	}
	return text, before == len(r.mistakes)
}

// secret remembers a value that must not be shown. What is shorter than four
// characters is no secret, and masking it would garble every text.
func (r *reader) secret(value string) {
	if len(value) >= 4 {
		r.secrets = append(r.secrets, value)
	}
}
