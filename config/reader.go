package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader walks the node tree and collects mistakes instead of stopping at the
// first.
type reader struct {
	file     string
	env      func(string) (string, bool)
	mistakes []Mistake
	secrets  []string
}

func (r *reader) mistake(at *yaml.Node, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{File: r.file, Line: at.Line, Column: at.Column, Text: fmt.Sprintf(format, args...)})
}

// object reads a mapping with known keys, in the file's order. A key in later
// belongs to a feature that this version does not have. It gives the key nodes
// that it saw.
func (r *reader) object(n *yaml.Node, what string, later []string, known map[string]func(*yaml.Node)) map[string]*yaml.Node {
	seen := map[string]*yaml.Node{}
	r.members(n, what, func(key, value *yaml.Node) {
		seen[key.Value] = key
		read, ok := known[key.Value]
		switch {
		case ok:
			read(value)
		case slices.Contains(later, key.Value):
			r.mistake(key, "%q is not supported yet by this version", key.Value)
		default:
			r.mistake(key, "unknown key %q in %s%s", key.Value, what, suggestion(key.Value, slices.Sorted(maps.Keys(known))))
		}
	})
	return seen
}

// members visits the members of a mapping whose keys are text, each key once.
func (r *reader) members(n *yaml.Node, what string, visit func(key, value *yaml.Node)) {
	if !r.is(n, yaml.MappingNode, what) {
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
			r.mistake(key, "merge keys (<<) are not supported: write the members out")
		case key.Kind != yaml.ScalarNode || key.Tag == "!!null" || strings.Contains(key.Value, "\x00"):
			r.mistake(key, "a key must be text")
		case lines[key.Value] > 0:
			r.mistake(key, "the key %q stands in line %d already", key.Value, lines[key.Value])
		default:
			lines[key.Value] = key.Line
			visit(key, value)
		}
	}
}

// is tells whether a node has a kind, and is a mistake otherwise.
func (r *reader) is(n *yaml.Node, kind yaml.Kind, what string) bool {
	if n.Kind == yaml.AliasNode {
		r.mistake(n, "aliases (*%s) are not supported: write the value out", n.Value)
		return false
	}
	if n.Kind != kind {
		r.mistake(n, "%s must be %s, is %s", what, kindName(kind), nodeName(n))
		return false
	}
	if !plainTags[n.Tag] {
		r.mistake(n, "the tag %s is not supported", n.Tag)
		return false
	}
	return true
}

var plainTags = map[string]bool{
	"!!map": true, "!!seq": true, "!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true,
	"!!timestamp": true, // read as the text that it is
}

func kindName(kind yaml.Kind) string {
	switch kind {
	case yaml.MappingNode:
		return `a mapping ("key: value" lines)`
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

// nodeName says what stands there, without its value, which may be secret.
func nodeName(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		if n.Tag == "!!null" {
			return "empty"
		}
		return "a single value"
	}
	return map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}[n.Kind]
}

var nameSyntax = regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`)

// name checks the name of a provider or job type.
func (r *reader) name(key *yaml.Node) {
	if len(key.Value) > 40 || !nameSyntax.MatchString(key.Value) {
		r.mistake(key, "the name %q must be lower-case letters and digits, with single - or _ between them, at most 40 characters", key.Value)
	}
}

// suggestion names the known word that was probably meant.
func suggestion(word string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	best, distance := "", 3
	for _, k := range known {
		if d := editDistance(word, k); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; known are: " + strings.Join(known, ", ")
}

// editDistance counts the letters to insert, delete or replace between two
// words. Words far longer than any key count as infinitely far.
func editDistance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
