package provider_test

import (
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
)

// TestC17_ModelText: only text that is one JSON value becomes a result; a fence
// is refused, unless the job type has it taken off.
func TestC17_ModelText(t *testing.T) {
	t.Parallel()
	const j = "{\"a\":1}"
	tests := []struct {
		name, text string
		want       outcome.Outcome
		fenced     string // what Unwrap gives
	}{
		{"object", j, outcome.Succeeded, ""},
		{"space around", " \n" + j + "\n", outcome.Succeeded, ""},
		{"a string", `"yes"`, outcome.Succeeded, ""},
		{"number beyond a double", `9007199254740993`, outcome.Succeeded, ""},
		{"nothing", "", outcome.Contract, ""},
		{"only space", "\n", outcome.Contract, ""},
		{"prose", "Here you are: " + j, outcome.Contract, ""},
		{"prose behind", j + "\nHope this helps!", outcome.Contract, ""},
		{"two values", j + j, outcome.Contract, ""},
		{"doubled member", `{"a":1,"a":1}`, outcome.Contract, ""},
		{"cut", `{"a":`, outcome.Contract, ""},
		{"a raw NUL", "{\"a\":\"\x00\"}", outcome.Contract, ""},
		{"too deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), outcome.Contract, ""},
		{"a fence", "```json\n" + j + "\n```", outcome.Contract, j + "\n"},
		{"a fence without a word", "```\n" + j + "\n```\n", outcome.Contract, j + "\n"},
		{"a fence with CRLF", "```json\r\n" + j + "\r\n```\r\n", outcome.Contract, j + "\r\n"},
		{"a fence with space around", "\n  ```JSON \n" + j + "\n  ```  ", outcome.Contract, j + "\n"},
		{"a fence round a backtick", "```json\n\"```\"\n```", outcome.Contract, "\"```\"\n"},
		{"words before the fence", "Sure!\n```json\n" + j + "\n```", outcome.Contract, ""},
		{"words behind the fence", "```json\n" + j + "\n```\nDone.", outcome.Contract, ""},
		{"two fences", "```json\n" + j + "\n```\n```json\n" + j + "\n```", outcome.Contract, ""},
		{"a fence in a fence", "```\n```json\n" + j + "\n```\n```", outcome.Contract, ""},
		{"a fence round prose", "```\nhello\n```", outcome.Contract, ""},
		{"a fence round a doubled member", "```\n{\"a\":1,\"a\":2}\n```", outcome.Contract, ""},
		{"an open fence", "```json\n" + j, outcome.Contract, ""},
		{"a fence on one line", "```" + j + "```", outcome.Contract, ""},
		{"an empty fence", "```json\n```", outcome.Contract, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			end := provider.JudgeText(provider.End{ProviderRequestID: "r"}, test.text)
			if end.Outcome != test.want || end.Detail == "" || end.ProviderRequestID != "r" {
				t.Fatalf("got %+v", end)
			}
			if (end.Result != nil) != (test.want == outcome.Succeeded) || end.Result != nil && string(end.Result) != test.text {
				t.Errorf("the result is %q", end.Result)
			}
			checkUnwrap(t, end, test.fenced)
		})
	}
}

func checkUnwrap(t *testing.T, end provider.End, want string) {
	t.Helper()
	open := end.Unwrap()
	if want == "" {
		if open.Outcome != end.Outcome || open.Unwrapped {
			t.Errorf("unwrapped to %+v", open)
		}
		return
	}
	if open.Outcome != outcome.Succeeded || string(open.Result) != want || !open.Unwrapped || open.Detail == end.Detail {
		t.Errorf("unwrapped to %+v", open)
	}
}
