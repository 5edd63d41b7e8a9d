package config

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Prompt is what a language model is asked: two templates in the language of
// Go's text/template, in which .input is the job's input. Package contract
// compiles and renders them.
type Prompt struct {
	System string // empty: none
	User   string
}

// Parameters shape a model's answer. What is nil is left to the provider.
type Parameters struct {
	Temperature *float64 // 0 to 2
	MaxTokens   *int64   // of the answer
}

// longestPrompt bounds a template. The rendered text has a bound of its own.
const longestPrompt = 1 << 20 // bytes

func (r *reader) prompt(n *yaml.Node, at places) *Prompt {
	p := &Prompt{}
	seen := r.object(n, "prompt", nil, map[string]func(*yaml.Node){
		"system": func(n *yaml.Node) { p.System = r.template(n, "system", at) },
		"user":   func(n *yaml.Node) { p.User = r.template(n, "user", at) },
	})
	if n.Kind == yaml.MappingNode && seen["user"] == nil {
		r.mistake(n, `prompt needs "user"`)
	}
	return p
}

// template reads a template and notes where it stands: at /prompt/NAME, and
// where YAML keeps its lines (the style "|") each of them at /prompt/NAME/LINE,
// counted from 1.
func (r *reader) template(n *yaml.Node, name string, at places) string {
	text := r.text(n, name)
	if len(text) > longestPrompt {
		r.mistake(n, "%s must be at most %d MiB", name, longestPrompt>>20)
	}
	pointer := "/prompt/" + name
	at.note(pointer, n)
	if n.Style&yaml.LiteralStyle != 0 {
		for line := 1; line <= strings.Count(text, "\n")+1; line++ {
			at.note(pointer+"/"+strconv.Itoa(line), &yaml.Node{Line: n.Line + line, Column: 1})
		}
	}
	return text
}

func (r *reader) parameters(n *yaml.Node) Parameters {
	var p Parameters
	r.object(n, "parameters", nil, map[string]func(*yaml.Node){
		"temperature": func(n *yaml.Node) { p.Temperature = r.temperature(n) },
		"max_tokens": func(n *yaml.Node) {
			most := int64(r.int(n, "max_tokens", 1, 10_000_000))
			p.MaxTokens = &most
		},
	})
	return p
}

func (r *reader) temperature(n *yaml.Node) *float64 {
	if !r.is(n, yaml.ScalarNode, "temperature") {
		return nil
	}
	t, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || !amountSyntax.MatchString(n.Value) || t > 2 {
		r.mistake(n, "temperature must be a number from 0 to 2, such as 0.2")
	}
	return &t
}

// checkPrompt keeps what belongs together together.
func (r *reader) checkPrompt(t JobType, providers []Provider, seen map[string]*yaml.Node) {
	prompt, parameters := seen["prompt"], seen["parameters"]
	if parameters != nil && prompt == nil {
		r.mistake(parameters, "parameters are a model's, and need a prompt")
	}
	for _, p := range providers {
		if !slices.Contains(t.Route, p.Name) {
			continue
		}
		if p.Kind.Model() && prompt == nil {
			r.mistake(seen["route"], `the provider %q is of kind %s and needs a prompt: add "prompt: {user: …}"`, p.Name, p.Kind)
		}
		if p.Kind == Anthropic && prompt != nil && t.Parameters.MaxTokens == nil {
			r.mistake(seen["route"], `the provider %q is of kind %s and needs a limit: add "parameters: {max_tokens: …}"`, p.Name, p.Kind)
		}
	}
}
