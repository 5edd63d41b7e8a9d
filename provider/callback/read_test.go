package callback_test

import (
	"errors"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/callback"
)

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body    string
		attempt string
		told    provider.Told
		outcome outcome.Outcome
		result  string
		usage   string
	}{
		{`{"status":"succeeded","result":{"n": 9007199254740993}}`, "", provider.ToldSucceeded, outcome.Succeeded, `{"n": 9007199254740993}`, ""},
		{`{"attempt_id":"a","status":"succeeded","result":null,"error":null}`, "a", provider.ToldSucceeded, outcome.Succeeded, `null`, ""},
		{`{"status":"failed","error":"no ink","usage":{"pages":0}}`, "", provider.ToldFailed, outcome.ProviderError, "", `{"pages":0}`},
		{`{"status":"failed","result":null}`, "", provider.ToldFailed, outcome.ProviderError, "", ""},
	}
	for _, test := range tests {
		c, err := callback.Read([]byte(test.body))
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		r := c.Report
		if c.AttemptID != test.attempt || r.Told != test.told || r.End.Outcome != test.outcome ||
			string(r.End.Result) != test.result || string(r.End.Usage) != test.usage {
			t.Errorf("%s: got %+v", test.body, c)
		}
		if a := r.End.Answer; a == nil || string(a.Body) != test.body || !a.Whole || a.MediaType != "application/json" {
			t.Errorf("%s: the answer is %+v", test.body, a)
		}
	}
}

func TestReadRefusesNonsense(t *testing.T) {
	t.Parallel()
	for body, pointer := range map[string]string{
		``:            "",
		`"succeeded"`: "",
		`{"status":"succeeded","result":{"a":1,"a":2}}`:  "",
		`{"status":"running"}`:                           "/status",
		`{"status":"cancelled"}`:                         "/status",
		`{"status":"succeeded"}`:                         "/result",
		`{"status":"succeeded","result":1,"error":"oh"}`: "/error",
		`{"status":"failed","result":{}}`:                "/result",
		`{"status":"failed","Result":{}}`:                "/Result",
		`{"status":"failed","a/b~":1}`:                   "/a~1b~0",
		`{"status":"failed","attempt_id":["a"]}`:         "/attempt_id",
	} {
		_, err := callback.Read([]byte(body))
		var refused *provider.WordError
		if !errors.As(err, &refused) || refused.Pointer != pointer {
			t.Errorf("%s: got %v, want a fault at %q", body, err, pointer)
		}
	}
}

// FuzzRead: whatever is signed, reading it ends in a report that settles or in
// words.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"status":"failed"}`, `{"status":"succeeded","result":[1,{"a":"\ud800"}]}`, `{"a":`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := callback.Read(body)
		var refused *provider.WordError
		if err != nil && !errors.As(err, &refused) || err == nil && !c.Report.Settles() {
			t.Errorf("got %+v, %v", c, err)
		}
	})
}
