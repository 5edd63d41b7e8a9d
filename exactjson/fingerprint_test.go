package exactjson_test

import (
	"errors"
	"testing"

	"kwit/exactjson"
)

func TestC06_FingerprintSaysSameIntent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a, b string
		same bool
	}{
		{"order and white space", `{"a":1,"b":[2]}`, "{ \"b\":[2] ,\n\"a\":1}", true},
		{"escapes", `{"a":"\u0041"}`, `{"\u0061":"A"}`, true},
		{"ways to write a number", `[1,100,-0]`, `[1.0,1e2,0]`, true},
		{"integers beyond 2^53", `{"n":9007199254740993}`, `{"n":9007199254740992}`, false},
		{"digits beyond a double", `0.10000000000000000001`, `0.1`, false},
		{"number and string", `1`, `"1"`, false},
		{"null and absent", `{"a":null}`, `{}`, false},
		{"order of items", `[1,2]`, `[2,1]`, false},
		{"trailing space in a string", `"a "`, `"a"`, false},
		{"no normalisation", `"\u00e9"`, `"e\u0301"`, false},
		{"nesting", `[[1],2]`, `[[1,2]]`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a, b := parse(t, test.a), parse(t, test.b)
			same, err := exactjson.MatchesFingerprint(exactjson.Fingerprint("summary", a), "summary", b)
			if err != nil || same != test.same {
				t.Errorf("%s and %s: got same %v, %v, want %v", test.a, test.b, same, err, test.same)
			}
		})
	}
}

func TestC06_FingerprintCoversTheJobType(t *testing.T) {
	t.Parallel()
	input := parse(t, `"x"`)
	if exactjson.Fingerprint("summary", input) == exactjson.Fingerprint("order", input) {
		t.Error("two job types, one fingerprint")
	}
	if exactjson.Fingerprint("a1", parse(t, `2`)) == exactjson.Fingerprint("a", parse(t, `12`)) {
		t.Error("the job type runs into the input")
	}
}

// The fingerprints of jobs that are stored must be found again by every later
// version, so this one stands here for good.
func TestFingerprintNeverChanges(t *testing.T) {
	t.Parallel()
	got := exactjson.Fingerprint("summary", parse(t, `{"text":"Zażółć gęślą jaźń","max":1e2}`))
	if want := "1:0a6ab801e0053b4dfd9c73bfae2e5b5c2118024713d3150713ffedadaf62ca52"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMatchesFingerprintOfAnUnknownAlgorithm(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{"", "2:abc", "10:abc", "abc"} {
		same, err := exactjson.MatchesFingerprint(stored, "summary", exactjson.Value{})
		var unknown *exactjson.UnknownAlgorithmError
		if same || !errors.As(err, &unknown) || unknown.Stored != stored {
			t.Errorf("%q: got %v, %v", stored, same, err)
		}
	}
}
