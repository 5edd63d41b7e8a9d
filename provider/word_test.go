package provider_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
)

// TestReadWord: what a provider says is understood, or refused with the place
// of the fault, and never half understood.
func TestReadWord(t *testing.T) {
	t.Parallel()
	for body, pointer := range map[string]string{
		``:                                       "",
		`done`:                                   "",
		`[]`:                                     "",
		`null`:                                   "",
		`{"status":"failed"} {}`:                 "",
		`{"status":"failed","status":"running"}`: "",
		`{"status":"failed","error":{"a":1,"a":2}}`:  "",
		"{\"status\":\"failed\",\"error\":\"\xff\"}": "",
		`{}`:                                    "/status",
		`{"status":"done"}`:                     "/status",
		`{"status":"not_known"}`:                "/status",
		`{"status":"Succeeded"}`:                "/status",
		`{"status":7}`:                          "/status",
		`{"status":null}`:                       "/status",
		`{"status":"failed","attempt_id":1}`:    "/attempt_id",
		`{"status":"failed","attempt_id":""}`:   "/attempt_id",
		`{"status":"failed","attempt_id":null}`: "/attempt_id",
	} {
		_, err := provider.ReadWord([]byte(body))
		var refused *provider.WordError
		if !errors.As(err, &refused) || refused.Pointer != pointer || refused.Error() == "" {
			t.Errorf("%s: got %v, want a fault at %q", body, err, pointer)
		}
	}
	w, err := provider.ReadWord([]byte(
		`{"z":1,"status":"succeeded","attempt_id":"a","result": {"n": 9007199254740993} ,"error":null,"usage":{"t":1.0},"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if w.AttemptID != "a" || w.Status != provider.ToldSucceeded || string(w.Result) != `{"n": 9007199254740993}` ||
		w.Error != nil || string(w.Usage) != `{"t":1.0}` || !slices.Equal(w.Others, []string{"b", "z"}) {
		t.Errorf("got %+v", w)
	}
}

func TestWordReports(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ż", 1000)
	tests := []struct {
		body    string
		told    provider.Told
		outcome outcome.Outcome
		detail  string // a part of it
	}{
		{`{"status":"running"}`, provider.ToldRunning, "", "at work"},
		{`{"status":"succeeded","result":null}`, provider.ToldSucceeded, outcome.Succeeded, "done"},
		{`{"status":"succeeded"}`, provider.ToldNoAnswer, "", "no result"},
		{`{"status":"failed"}`, provider.ToldFailed, outcome.ProviderError, "the work failed. It may have been charged."},
		{`{"status":"failed","error":"no paper."}`, provider.ToldFailed, outcome.ProviderError, "failed: no paper. It"},
		{`{"status":"failed","error":{"message":"no ink","code":7}}`, provider.ToldFailed, outcome.ProviderError, "failed: no ink. It"},
		{`{"status":"failed","error":{"code":7}}`, provider.ToldFailed, outcome.ProviderError, `failed: {"code":7}. It`},
		{`{"status":"failed","error":"a\u0000b"}`, provider.ToldFailed, outcome.ProviderError, "failed: ab. It"},
		{`{"status":"failed","error":"` + long + `"}`, provider.ToldFailed, outcome.ProviderError, "żż…. It"},
	}
	for _, test := range tests {
		w, err := provider.ReadWord([]byte(test.body))
		if err != nil {
			t.Fatal(err)
		}
		r := w.Report(provider.End{Answer: &provider.Answer{Status: 200}})
		if r.Told != test.told || r.End.Outcome != test.outcome || r.Status != 200 || !strings.Contains(r.Detail, test.detail) || strings.Contains(r.Detail, "\x00") {
			t.Errorf("%.60s: got %s, %q, %d, %s", test.body, r.Told, r.End.Outcome, r.Status, r.Detail)
		}
		if r.Settles() != (test.outcome != "") {
			t.Errorf("%.60s settles: %v", test.body, r.Settles())
		}
	}
}
