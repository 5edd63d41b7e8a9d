package config_test

import (
	"reflect"
	"strings"
	"testing"

	"kwit/config"
)

const withPrompt = `
providers: {m: {kind: openai, base_url: "http://localhost/v1", model: x}}
job_types:
  j:
    input: {type: object}
    output: {}
    route: [m]
    prompt:
      system: You are brief.
      user: |

        Summarise:
        {{.input.text}}
    parameters: {temperature: 0.20, max_tokens: 800}
    unwrap_fence: true
`

func TestPromptAndParametersAreRead(t *testing.T) {
	t.Parallel()
	j := jobType(t, withPrompt)
	if want := (config.Prompt{System: "You are brief.", User: "\nSummarise:\n{{.input.text}}\n"}); *j.Prompt != want {
		t.Errorf("got %q", *j.Prompt)
	}
	if *j.Parameters.Temperature != 0.2 || *j.Parameters.MaxTokens != 800 || !j.UnwrapFence {
		t.Errorf("got %v %v %v", *j.Parameters.Temperature, *j.Parameters.MaxTokens, j.UnwrapFence)
	}
	for pointer, want := range map[string]string{
		"/prompt": "8:5", "/prompt/system": "9:15", "/prompt/system/1": "9:15",
		"/prompt/user": "10:13", "/prompt/user/1": "11:1", "/prompt/user/3": "13:1", "/prompt/user/99": "10:13",
	} {
		if got, want := j.MistakeAt(pointer, "wrong").String(), "kwit.yaml:"+want+": wrong"; got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
	}
}

func TestDefinitionGivesThePromptBack(t *testing.T) {
	t.Parallel()
	j := jobType(t, withPrompt)
	old, err := config.ParseDefinition(j.Definition())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(old.Prompt, j.Prompt) || !reflect.DeepEqual(old.Parameters, j.Parameters) || !old.UnwrapFence {
		t.Errorf("got %+v", old)
	}
	const want = `"prompt":{"system":"You are brief.","user":"\nSummarise:\n{{.input.text}}\n"},` +
		`"parameters":{"temperature":0.2,"max_tokens":800},"unwrap_fence":true}`
	if got := string(j.Definition()); !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
}

// A version that was stored before there were prompts is read as ever, and a
// job type that has none keeps its digest.
func TestOldDefinitionsStayWhatTheyWere(t *testing.T) {
	t.Parallel()
	const stored = `{"job_type":"j","title":"Title","description":"","input":{"type":"object"},"output":{},` +
		`"route":["p"],"repeatable":false,"on_unknown":"hold"}`
	old, err := config.ParseDefinition([]byte(stored))
	if err != nil {
		t.Fatal(err)
	}
	if old.Prompt != nil || old.Parameters != (config.Parameters{}) || old.UnwrapFence {
		t.Errorf("got %+v", old)
	}
	today := jobType(t, "providers: {p: {kind: simulator}}\njob_types: {j: {title: Title, "+wanted+"}}")
	if got := string(today.Definition()); got != stored {
		t.Errorf("got %s, want %s", got, stored)
	}
}

func TestDigestFollowsThePrompt(t *testing.T) {
	t.Parallel()
	before := jobType(t, withPrompt).Digest()
	tests := []struct {
		change, to string
		same       bool
	}{
		{"0.20", "0.2", true},
		{"model: x", "model: y", true},
		{"You are brief.", "You are long.", false},
		{"Summarise:", "Translate:", false},
		{"0.20", "0.3", false},
		{"temperature: 0.20, ", "", false},
		{"800", "801", false},
		{"    unwrap_fence: true\n", "", false},
	}
	for _, test := range tests {
		after := jobType(t, strings.Replace(withPrompt, test.change, test.to, 1)).Digest()
		if (after == before) != test.same {
			t.Errorf("%q to %q: got the same version %v, want %v", test.change, test.to, after == before, test.same)
		}
	}
}

func TestMistakesOfPrompts(t *testing.T) {
	t.Parallel()
	const models = "providers: {m: {kind: openai, base_url: 'http://a/', model: x}, a: {kind: anthropic, base_url: 'http://a/', api_key: kkkk, model: x}}\njob_types:\n  j: "
	tests := []struct{ name, file, want string }{
		{"models without a prompt", models + "{input: {}, output: {}, route: [m, a]}",
			`3:30: the provider "a" is of kind anthropic and needs a prompt: add "prompt: {user: …}"
3:30: the provider "m" is of kind openai and needs a prompt: add "prompt: {user: …}"`},
		{"anthropic without a limit", models + "{input: {}, output: {}, route: [m, a], prompt: {user: x}, parameters: {temperature: 0}}",
			`3:30: the provider "a" is of kind anthropic and needs a limit: add "parameters: {max_tokens: …}"`},
		{"parameters alone", "JOB {" + wanted + ", parameters: {max_tokens: 1}}", "3:54: parameters are a model's, and need a prompt"},
		{"no user", "JOB {" + wanted + ", prompt: {system: x}}", `3:62: prompt needs "user"`},
		{"empty texts", "JOB {" + wanted + ", prompt: {system: '', user: ' '}}", "3:71: system must not be empty\n3:81: user must not be empty"},
		{"a prompt as text", "JOB {" + wanted + ", prompt: Do it}", `3:62: prompt must be a mapping ("key: value" lines), is a single value`},
		{"unknown keys", "JOB {" + wanted + ", prompt: {user: x, assistant: y}, parameters: {top_p: 1}}",
			`3:72: unknown key "assistant" in prompt; known are: system, user
3:100: unknown key "top_p" in parameters; known are: max_tokens, temperature`},
		{"a prompt too long", "JOB {" + wanted + ", prompt: {user: " + strings.Repeat("x", 1<<20+1) + "}}", "3:69: user must be at most 1 MiB"},
		{"parameters out of bounds", "JOB {" + wanted + ", prompt: {user: x}, parameters: {temperature: 2.1, max_tokens: 0}}",
			"3:99: temperature must be a number from 0 to 2, such as 0.2\n3:116: max_tokens must be a whole number from 1 to 10000000"},
		{"temperatures of other kinds", "JOB {" + wanted + ", prompt: {user: x}, parameters: {temperature: NaN}}", "3:99: temperature must be a number from 0 to 2, such as 0.2"},
		{"a temperature as a list", "JOB {" + wanted + ", prompt: {user: x}, parameters: {temperature: [1]}}", "3:99: temperature must be a single value, is a list"},
		{"unwrap_fence", "JOB {" + wanted + ", unwrap_fence: 1}", "3:68: unwrap_fence must be true or false"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := mistakesOf(test.file); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
