package exactjson_test

import (
	"testing"

	"kwit/exactjson"
)

func TestUnfenceTakesOneFenceRoundTheWhole(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, inner string
		fenced      bool
	}{
		{"```json\n{\"a\":1}\n```", "{\"a\":1}\n", true},
		{" \n``` json \r\n[1,\n2]\r\n  ```\n\n", "[1,\n2]\r\n", true},
		{"```\n{\"a\":\"```\"}\n```", "{\"a\":\"```\"}\n", true},
		{"```\n```json\n{}\n```\n```", "```json\n{}\n```\n", true}, // a second fence stays, and is no JSON
		{"```\n{}\n```\n```\n{}\n```", "{}\n```\n```\n{}\n", true},
		{"{\"a\":1}", "", false},
		{"", "", false},
		{"Here it is:\n```\n{}\n```", "", false},
		{"```\n{}\n```\nDone.", "", false},
		{"```json {} ```", "", false},
		{"```\n{}", "", false},
		{"```", "", false},
	}
	for _, test := range tests {
		inner, fenced := exactjson.Unfence([]byte(test.text))
		if string(inner) != test.inner || fenced != test.fenced {
			t.Errorf("%q: got %q, %v", test.text, inner, fenced)
		}
	}
}
