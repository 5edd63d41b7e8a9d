package contract_test

import (
	"strings"
	"testing"

	"kwit/contract"
)

func TestMistakesInPrompts(t *testing.T) {
	t.Parallel()
	const available = `is not available in prompts; there are and, or, not, eq, ne, lt, le, gt, ge, index, json, len`
	tests := []struct{ name, template, want string }{
		{"unclosed", "a\n{{.input.x", "/prompt/user/2 not a template: unclosed action"},
		{"no end", "{{if .input.x}}\n\nx", "/prompt/user/3 not a template: unexpected EOF"},
		{"unknown function", "\n\n{{upper .input.x}}", `/prompt/user/3 not a template: function "upper" not defined`},
		{"unknown variable", "{{$x}}", `/prompt/user/1 not a template: undefined variable "$x"`},
		{"functions of the library", "{{printf \"%d\" .input.n}}\n{{if (call .input.f)}}{{end}}",
			`/prompt/user/1 the function "printf" ` + available + ` | /prompt/user/2 the function "call" ` + available},
		{"functions of the guard", "{{show 0 .input.n}}{{range each 0 .input.n}}{{end}}",
			`/prompt/user/1 the function "show" ` + available + ` | /prompt/user/1 the function "each" ` + available},
		{"parts", `{{define "x"}}{{end}}{{template "x"}}`,
			"/prompt/user/1 define and block are not supported: a prompt is one text | /prompt/user/1 template and block are not supported: a prompt is one text"},
		{"another root", "{{.inptu.x}}\n{{with .input}}{{.any}}{{$.job}}{{else}}{{.other}}{{end}}",
			"/prompt/user/1 there is no .inptu.x: a prompt knows .input | /prompt/user/2 there is no $.job: a prompt knows .input | /prompt/user/2 there is no .other: a prompt knows .input"},
		{"fields", "{{.input.text}}{{(.input.txt).x}}\n{{range .input.tags}}{{.x}}{{$.input.y}}{{end}}",
			`/prompt/user/1 the input has no field "txt"; it has text, tags | /prompt/user/2 the input has no field "y"; it has text, tags`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := withPrompt(t, "", test.template)
			if test.name == "fields" {
				j.Input = parse(t, `{"type":"object","additionalProperties":false,"properties":{"text":{},"tags":{}}}`)
			}
			c, mistakes := contract.CompileType(j)
			var got []string
			for _, m := range mistakes {
				got = append(got, m.Pointer+" "+m.Text)
			}
			if text := strings.Join(got, " | "); text != test.want || c != nil {
				t.Errorf("got\n%s\nwant\n%s", text, test.want)
			}
		})
	}
}

// Where the schema leaves open what an input may hold, a prompt may use what it
// does not name.
func TestPromptsMayUseWhatAnOpenSchemaAllows(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"type":"object"}`,
		`{"type":"object","additionalProperties":true,"properties":{"a":{}}}`,
		`{"type":"object","additionalProperties":{"type":"string"},"properties":{"a":{}}}`,
		`{"type":"object","additionalProperties":false,"patternProperties":{"^t":{}}}`,
	} {
		j := withPrompt(t, "", "{{.input.text}}")
		j.Input = parse(t, schema)
		if _, mistakes := contract.CompileType(j); len(mistakes) > 0 {
			t.Errorf("%s: %v", schema, mistakes)
		}
	}
}

func TestMistakesInPromptsHaveTheirLines(t *testing.T) {
	t.Parallel()
	_, mistakes := contract.CompileAll(load(t, `providers: {p: {kind: simulator}}
job_types:
  j:
    input: {type: object}
    output: {}
    route: [p]
    prompt:
      system: "one\nline {{.input.x"
      user: |
        First.

        Then {{upper .input.x}}.
  k:
    input: {type: object}
    output: {}
    route: [p]
    prompt:
      user: |- # a note
          {{.input.a}}
            {{printf .input.b}}
          {{.c}}
`))
	var got []string
	for _, m := range mistakes {
		got = append(got, m.String())
	}
	want := []string{
		"kwit.yaml:8:15: not a template: unclosed action",
		`kwit.yaml:12:1: not a template: function "upper" not defined`,
		`kwit.yaml:20:1: the function "printf" is not available in prompts; there are and, or, not, eq, ne, lt, le, gt, ge, index, json, len`,
		"kwit.yaml:21:1: there is no .c: a prompt knows .input",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
