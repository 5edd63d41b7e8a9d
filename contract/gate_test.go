package contract_test

import (
	"testing"

	"kwit/contract"
)

func TestC17_GateTakesOffOneFenceWhereTheJobTypeSaysSo(t *testing.T) {
	t.Parallel()
	const (
		fits   = `{"summary":"x"}`
		fenced = "```json\n" + fits + "\n```"
		asIs   = "stands in a code fence (```): the answer must be the JSON alone"
	)
	tests := []struct {
		name, answer string
		unwrap       bool
		result       string
		unwrapped    bool
		fault        string
	}{
		{"fits", " " + fits, false, " " + fits, false, ""},
		{"fits, and nothing to take off", fits, true, fits, false, ""},
		{"fenced", fenced, true, fits + "\n", true, ""},
		{"fenced, and not to be taken off", fenced, false, "", false, asIs},
		{"fenced twice", "```\n" + fenced + "\n```", true, "", true, asIs},
		{"two fences", fenced + "\n" + fenced, true, "", true, "something follows the JSON value"},
		{"words before it", "Here:\n" + fenced, true, "", false, "not JSON: invalid character 'H' at start of value"},
		{"words behind it", fenced + "\nDone.", true, "", false, asIs},
		{"fenced, and breaks the schema", "```\n{\"summary\":1}\n```", true, "", true, "/summary must be text, is a number"},
		{"fenced, and no JSON", "```\nhello\n```", true, "", true, "not JSON: invalid character 'h' at start of value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := withPrompt(t, "", "x")
			j.Output, j.UnwrapFence = parse(t, summary), test.unwrap
			c, mistakes := contract.CompileType(j)
			if len(mistakes) > 0 {
				t.Fatal(mistakes)
			}
			result, unwrapped, faults := c.Gate([]byte(test.answer))
			if string(result) != test.result || unwrapped != test.unwrapped || lines(faults) != test.fault {
				t.Errorf("got %q, %v, %s", result, unwrapped, lines(faults))
			}
		})
	}
}
