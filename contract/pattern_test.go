package contract

import "testing"

func TestPatternsInWords(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`^[a-z0-9-]+$`:      "may hold only small letters a to z, digits and hyphens",
		`^[A-Za-z_ .-]*$`:   "may hold only small letters a to z, capital letters A to Z, spaces, hyphens, full stops and underscores",
		`^\d+$`:             "may hold only digits",
		`^[A-Z]{3}$`:        "must have exactly 3 characters, only capital letters A to Z",
		`^[0-9]$`:           "must have exactly 1 character, only digits",
		`^[0-9 ]{2,8}$`:     "must have 2 to 8 characters, only digits and spaces",
		`^[0-9]{4,}$`:       "must have at least 4 characters, only digits",
		`^[a-f]+$`:          "must match the pattern ^[a-f]+$",
		`^\p{L}+$`:          `must match the pattern ^\p{L}+$`,
		`[a-z]+`:            "must match the pattern [a-z]+",
		`^(?i)[a-z]+$`:      "must match the pattern ^(?i)[a-z]+$",
		`^[a-z]+-[0-9]+$`:   "must match the pattern ^[a-z]+-[0-9]+$",
		`^(left|right|up)$`: "must match the pattern ^(left|right|up)$",
		`^(`:                "must match the pattern ^(",
	} {
		if got := patternDetail(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
