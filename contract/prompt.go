package contract

import (
	"regexp"
	"text/template"

	"kwit/config"
	"kwit/exactjson"
)

// prompt is a job type's compiled prompt. system is nil where there is none.
type prompt struct{ system, user *part }

// part is one compiled template. It is never changed once compiled, so many
// goroutines may render it.
type part struct {
	name     string // system or user
	compiled *template.Template
	uses     []use
}

// use is a place of a template where a value is written or gone through.
type use struct {
	line   int // from 1
	source string
}

// compilePrompt compiles both templates of a job type, and gives nil where it
// has none.
func compilePrompt(t config.JobType) (*prompt, []Mistake) {
	if t.Prompt == nil {
		return nil, nil
	}
	var p prompt
	var mistakes, more []Mistake
	if t.Prompt.System != "" {
		p.system, mistakes = compilePart("system", t.Prompt.System, t.Input)
	}
	p.user, more = compilePart("user", t.Prompt.User, t.Input)
	return &p, append(mistakes, more...)
}

// templateError is how text/template says where a template is wrong. It tells
// the line in the error's text only.
var templateError = regexp.MustCompile(`^template: [^:]*:(\d+):(?:\d+:)? (.*)$`)

func compilePart(name, text string, input exactjson.Value) (*part, []Mistake) {
	p := &part{name: name}
	compiled, err := parseTemplate(p, text)
	if err != nil {
		found := templateError.FindStringSubmatch(err.Error())
		if found == nil {
			return nil, []Mistake{{"/prompt/" + name, "not a template: " + err.Error()}}
		}
		return nil, []Mistake{{"/prompt/" + name + "/" + found[1], "not a template: " + found[2]}}
	}
	g := guard{part: p, text: text, input: input}
	if len(compiled.Templates()) > 1 {
		g.mistake(0, "define and block are not supported: a prompt is one text")
	}
	if compiled.Tree != nil {
		g.list(compiled.Root, true)
	}
	p.compiled = compiled
	return p, g.mistakes
}

// parseTemplate runs the parser. Its limits on depth are the library's own.
func parseTemplate(p *part, text string) (*template.Template, error) {
	return template.New(p.name).Funcs(p.functions()).Parse(text)
}

// fieldsNamed lists the members that an input may have at its top, and reports
// false where the schema leaves that open.
func fieldsNamed(schema exactjson.Value) (names []string, closed bool) {
	for _, keyword := range []string{"patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if"} {
		if _, open := schema.Get(keyword); open {
			return nil, false
		}
	}
	additional, says := schema.Get("additionalProperties")
	if !says || additional.Kind() != exactjson.Bool || additional.Bool() {
		return nil, false
	}
	properties, _ := schema.Get("properties")
	for _, m := range properties.Members() {
		names = append(names, m.Name)
	}
	return names, true
}
