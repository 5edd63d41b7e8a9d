package contract_test

import (
	"errors"
	"strings"
	"testing"

	"kwit/config"
	"kwit/contract"
)

// withPrompt makes a job type whose prompt has these templates, over an input
// that may hold anything.
func withPrompt(t testing.TB, system, user string) config.JobType {
	t.Helper()
	return config.JobType{Name: "j", Input: parse(t, `{"type":"object"}`), Output: parse(t, `{}`),
		Prompt: &config.Prompt{System: system, User: user}}
}

func compilePrompt(t testing.TB, system, user string) *contract.Contract {
	t.Helper()
	c, mistakes := contract.CompileType(withPrompt(t, system, user))
	if len(mistakes) > 0 {
		t.Fatalf("mistakes: %v", mistakes)
	}
	return c
}

func TestRender(t *testing.T) {
	t.Parallel()
	const input = `{"text":"a <b> & {{.input.n}} ${X}","n":9007199254740993,"exact":[1.0,1e3,-0,0.10,12345678901234567890123],
		"yes":true,"no":false,"zero":0,"none":null,"tags":["x","y z"],"in":{"b":1.50,"a":{"c":null},"t":"żółw"},"empty":[]}`
	tests := []struct{ template, want string }{
		{"plain } text {", "plain } text {"},
		{"{{.input.text}}", "a <b> & {{.input.n}} ${X}"},
		{"{{.input.n}}", "9007199254740993"},
		{"{{range .input.exact}}{{.}} {{end}}", "1.0 1e3 -0 0.10 12345678901234567890123 "},
		{"{{.input.yes}} {{.input.no}} {{.input.zero}}", "true false 0"},
		{"{{.input.in.b}}{{$.input.in.t}}", "1.50żółw"},
		{"{{json .input.in}}", `{"a":{"c":null},"b":1.50,"t":"żółw"}`},
		{"{{json .input.text}} {{.input.tags | json}} {{json .input.none}} {{json .input.exact}}",
			`"a <b> & {{.input.n}} ${X}" ["x","y z"] null [1.0,1e3,-0,0.10,12345678901234567890123]`},
		{"{{range $i, $tag := .input.tags}}{{$i}}:{{$tag}},{{else}}none{{end}}", "0:x,1:y z,"},
		{"{{range .input.empty}}{{.}}{{else}}none{{end}}", "none"},
		{"{{range $k, $v := .input.in}}{{$k}} {{end}}", "a b t "},
		{"{{if .input.gone}}there{{else}}gone{{end}} {{if .input.gone.deeper}}there{{end}}", "gone "},
		{"{{if .input.none}}there{{else}}null{{end}} {{if .input.zero}}there{{else}}zero{{end}}", "null zero"},
		{"{{with .input.in}}{{.t}}{{end}} {{with .input.gone}}{{.}}{{else}}{{.input.n}}{{end}}", "żółw 9007199254740993"},
		{"{{index .input.tags 1}} {{index .input.in \"a\" \"c\" | json}} {{if index .input.tags 9}}there{{end}}", "y z null "},
		{"{{len .input.in.t}} {{len .input.tags}} {{len .input.in}}", "4 2 3"},
		{"{{eq .input.n 9007199254740993}} {{eq .input.n 9007199254740992}} {{ne .input.n 1}}", "true false true"},
		{"{{eq .input.in.b 1.5}} {{eq .input.zero 0.0}} {{eq .input.in.t \"x\" \"żółw\"}} {{eq .input.yes true}} {{eq .input.yes 1}}", "true true true true false"},
		{"{{eq .input.none nil}} {{eq .input.gone nil}} {{eq .input.n nil}}", "true true false"},
		{"{{lt .input.in.b 1.51}} {{le .input.n 9007199254740993}} {{gt .input.n 9007199254740992}} {{ge 1 2}} {{lt \"a\" \"b\"}}", "true true true false true"},
		{"{{if and .input.yes (not .input.no) (or .input.gone .input.n)}}all{{end}}", "all"},
		{"{{$x := .input.n}}{{$x}}{{$x = 7}}{{$x}}", "90071992547409937"},
		{"a {{- /* no word */ -}} b {{\"{{\"}}", "ab {{"},
	}
	for _, test := range tests {
		p, err := compilePrompt(t, "", test.template).Render([]byte(input))
		if err != nil {
			t.Errorf("%s: %v", test.template, err)
		} else if p.User != test.want || p.System != "" {
			t.Errorf("%s: got %q, want %q", test.template, p.User, test.want)
		}
	}
}

func TestRenderSaysWhy(t *testing.T) {
	t.Parallel()
	const input = `{"n":5,"text":"x","none":null,"in":{},"tags":["a"],"yes":true}`
	tests := []struct{ template, want string }{
		{"a\nb {{.input.gone}}", "user, line 2: .input.gone is missing where text is needed: if tells whether it is there"},
		{"{{.input.in.gone}}", "user, line 1: .input.in.gone is missing where text is needed: if tells whether it is there"},
		{"{{.input.none}}", "user, line 1: .input.none is null where text is needed: json writes it as JSON"},
		{"{{.input.tags}}", "user, line 1: .input.tags is a list where text is needed: json writes it as JSON"},
		{"{{.}}", "user, line 1: . is an object where text is needed: json writes it as JSON"},
		{"{{range .input.gone}}{{end}}", "user, line 1: .input.gone is missing where range needs a list or an object"},
		{"{{range .input.n}}{{end}}", "user, line 1: .input.n is a number where range needs a list or an object"},
		{"{{range $i := 1000000000}}{{end}}", "user, line 1: 1000000000 is a number where range needs a list or an object"},
		{"{{range .input.text}}{{end}}", "user, line 1: .input.text is text where range needs a list or an object"},
		{"{{range .input.yes}}{{end}}", "user, line 1: .input.yes is true or false where range needs a list or an object"},
		{"\n{{json .input.gone}}", `user, line 2: executing "user" at <json .input.gone>: error calling json: the value is missing`},
		{"{{len .input.n}}", `user, line 1: executing "user" at <len .input.n>: error calling len: what is a number has no length`},
		{"{{lt .input.n \"7\"}}", `user, line 1: executing "user" at <lt .input.n "7">: error calling lt: what is a number has no order with what is text`},
		{"{{eq .input.tags .input.tags}}", `user, line 1: executing "user" at <eq .input.tags .input.tags>: error calling eq: lists and objects cannot be compared`},
		{"{{eq .input.n}}", `user, line 1: executing "user" at <eq .input.n>: error calling eq: eq needs two values`},
		{"{{index .input.n 1}}", `user, line 1: executing "user" at <index .input.n 1>: error calling index: nothing can be taken out of what is a number`},
		{"{{index .input.tags \"a\"}}", `user, line 1: executing "user" at <index .input.tags "a">: error calling index: an item of a list is named by its place, from 0`},
		{"{{index .input.in 0}}", `user, line 1: executing "user" at <index .input.in 0>: error calling index: a member of an object is named by its name, such as "size"`},
		{"{{.input.text.Len}}", `user, line 1: executing "user" at <.input.text.Len>: can't evaluate field Len in type interface {}`},
		{"{{.input.n.String}}", `user, line 1: executing "user" at <.input.n.String>: can't evaluate field String in type interface {}`},
		{"{{if .input.gone}}x{{end}} \n", "user: nothing comes of it with this input"},
	}
	for _, test := range tests {
		p, err := compilePrompt(t, "", test.template).Render([]byte(input))
		var why *contract.RenderError
		if !errors.As(err, &why) || p != nil || err.Error() != "the prompt cannot be rendered: "+test.want {
			t.Errorf("%s: got %v, %v", test.template, p, err)
		}
	}
	if _, err := compilePrompt(t, "{{.input.gone}}", "x").Render([]byte(input)); err == nil || !strings.Contains(err.Error(), "system, line 1: .input.gone") {
		t.Errorf("got %v", err)
	}
	if _, err := compilePrompt(t, "", "x").Render([]byte("{")); err == nil || !strings.Contains(err.Error(), "the input cannot be read") {
		t.Errorf("got %v", err)
	}
}

func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	c := compilePrompt(t, "", "{{range .input.l}}{{range $.input.l}}{{$.input.text}}{{end}}{{end}}")
	input := `{"l":[` + strings.Repeat("1,", 200) + `1],"text":"` + strings.Repeat("x", 1000) + `"}`
	if _, err := c.Render([]byte(input)); err == nil || err.Error() != "the prompt cannot be rendered: user: it grows beyond 4 MiB" {
		t.Errorf("got %v", err)
	}
}

// A job is asked by the version under which it was submitted, with all that
// shapes the answer.
func TestVersionsRenderTheirOwnPrompt(t *testing.T) {
	t.Parallel()
	const file = `
providers: {m: {kind: openai, base_url: "http://localhost/v1", model: x}}
job_types:
  j:
    input: {type: object}
    output: {}
    route: [m]
    prompt: {system: "Be brief.", user: "Say {{.input.text}}"}
    parameters: {temperature: 0.2, max_tokens: 800}
    unwrap_fence: true
  without: {input: {type: object}, output: {}, route: [m], prompt: {user: x}}
`
	c := load(t, file)
	old, err := contract.OfVersion(c.JobTypes[0].Definition())
	if err != nil {
		t.Fatal(err)
	}
	p, err := old.Render([]byte(`{"text":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.System != "Be brief." || p.User != "Say hello" || *p.Parameters.Temperature != 0.2 || *p.Parameters.MaxTokens != 800 || !old.UnwrapFence() {
		t.Errorf("got %+v, %v", p, old.UnwrapFence())
	}
	plain := compile(t, `{"type":"object"}`, `{}`)
	if p, err := plain.Render([]byte(`{}`)); p != nil || err != nil || plain.UnwrapFence() {
		t.Errorf("without a prompt: got %v, %v", p, err)
	}
}

// Whatever is typed stays text, and whatever is written as a template either
// compiles or is a mistake.
func FuzzRender(f *testing.F) {
	f.Add("{{.input.text}} {{range .input.list}}{{.}}{{end}}", `{"text":"{{x}}","list":[1,"a"]}`)
	f.Add("{{with $x := .input}}{{json $x}}{{else}}{{end}}{{eq 1 1.0}}", `{"a":{"b":null}}`)
	f.Add(`{{define "x"}}{{end}}{{template "x"}}{{printf "%v" .}}{{call .input}}{{break}}`, `{}`)
	f.Add("{{if lt (len .input.a) 3}}{{index .input.a 0 \"b\"}}{{end}}", `{"a":[{"b":1e400}]}`)
	f.Fuzz(func(t *testing.T, template, input string) {
		c, mistakes := contract.CompileType(withPrompt(t, template, template))
		if (c == nil) != (len(mistakes) > 0) {
			t.Fatalf("%q: %v, %v", template, c, mistakes)
		}
		if c == nil {
			return
		}
		p, err := c.Render([]byte(input))
		if (p == nil) != (err != nil) {
			t.Fatalf("%q: %v, %v", template, p, err)
		}
		if p != nil && (strings.Contains(p.User, "<no value>") && !strings.Contains(template+input, "no value")) {
			t.Fatalf("%q: %q", template, p.User)
		}
	})
}
