package provider_test

import (
	"net/http"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/httpjson"
	"kwit/provider/simulator"
)

// TestReportReplay: only what speaks about the first request settles it
// (2-ledger, "Enquiries").
func TestReportReplay(t *testing.T) {
	t.Parallel()
	replayed := http.Header{provider.HeaderReplayed: {"true"}}
	tests := map[string]struct {
		answer  provider.Answer
		told    provider.Told
		outcome outcome.Outcome
	}{
		"a result":                      {provider.Answer{Status: 200, Body: []byte(`{}`), Whole: true}, provider.ToldSucceeded, outcome.Succeeded},
		"a result, said to be stored":   {provider.Answer{Status: 201, Body: []byte(`{}`), Whole: true, Header: replayed}, provider.ToldSucceeded, outcome.Succeeded},
		"a result that cannot be used":  {provider.Answer{Status: 200, Body: []byte(`{"a":1,"a":2}`), Whole: true}, provider.ToldFailed, outcome.Contract},
		"half a result":                 {provider.Answer{Status: 200, Body: []byte(`{}`)}, provider.ToldNoAnswer, ""},
		"no JSON":                       {provider.Answer{Status: 200, Body: []byte(`<html>`), Whole: true}, provider.ToldNoAnswer, ""},
		"accepted":                      {provider.Answer{Status: 202, Whole: true}, provider.ToldRunning, ""},
		"a stored refusal":              {provider.Answer{Status: 422, Body: []byte(`{}`), Whole: true, Header: replayed}, provider.ToldFailed, outcome.ProviderError},
		"a stored error":                {provider.Answer{Status: 500, Whole: true, Header: replayed}, provider.ToldFailed, outcome.ProviderError},
		"a stored error, cut":           {provider.Answer{Status: 500, Header: replayed}, provider.ToldNoAnswer, ""},
		"a refusal":                     {provider.Answer{Status: 422, Whole: true}, provider.ToldNoAnswer, ""},
		"a marked answer that is busy":  {provider.Answer{Status: 429, Whole: true, Header: replayed}, provider.ToldNoAnswer, ""},
		"a marked one by configuration": {provider.Answer{Status: 503, Whole: true, Header: replayed}, provider.ToldNoAnswer, ""},
		"in progress":                   {provider.Answer{Status: 409, Whole: true, Header: replayed}, provider.ToldNoAnswer, ""},
		"not found":                     {provider.Answer{Status: 404, Whole: true}, provider.ToldNoAnswer, ""},
		"an error":                      {provider.Answer{Status: 500, Whole: true}, provider.ToldNoAnswer, ""},
		"a redirect":                    {provider.Answer{Status: 302, Whole: true, Header: replayed}, provider.ToldNoAnswer, ""},
	}
	p, err := httpjson.New(httpjson.Options{URL: "http://127.0.0.1:1", HonoursKey: true, NotProcessedStatuses: []int{503}})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := provider.ReportReplay(p, provider.End{Answer: &test.answer, BytesWritten: 7})
			if r.Told != test.told || r.End.Outcome != test.outcome || r.Status != test.answer.Status || r.Detail == "" {
				t.Errorf("got %s, %q, %d (%s)", r.Told, r.End.Outcome, r.Status, r.Detail)
			}
			if r.End.BytesWritten != 0 || r.Settles() && r.End.Answer == nil {
				t.Errorf("the end is %+v", r.End)
			}
		})
	}
	unanswered := provider.ReportReplay(p, provider.End{Outcome: outcome.NotSent, Detail: "Nothing was sent."})
	if unanswered.Told != provider.ToldNoAnswer || unanswered.Settles() {
		t.Errorf("a replay that was not sent: %+v", unanswered)
	}
}

func TestAsEnquiryLeavesTheRequest(t *testing.T) {
	t.Parallel()
	first := provider.Request{AttemptID: "a", Header: http.Header{"Traceparent": {"x"}}}
	again := first.AsEnquiry()
	if again.Header.Get(provider.HeaderEnquiry) != "1" || again.Header.Get("traceparent") != "x" || again.AttemptID != "a" {
		t.Errorf("the enquiry is %+v", again)
	}
	if len(first.Header) != 1 || (provider.Request{}).AsEnquiry().Header.Get(provider.HeaderEnquiry) != "1" {
		t.Errorf("the request is now %+v", first)
	}
}

// TestAbilities: a provider that is not configured for it does not look as if
// it could be asked.
func TestAbilities(t *testing.T) {
	t.Parallel()
	type abilities struct{ enquire, cancel, replay bool }
	tests := []struct {
		options httpjson.Options
		want    abilities
	}{
		{httpjson.Options{}, abilities{}},
		{httpjson.Options{StatusURL: "http://127.0.0.1:1/{attempt_id}"}, abilities{enquire: true}},
		{httpjson.Options{CancelURL: "http://127.0.0.1:1/{attempt_id}"}, abilities{cancel: true}},
		{httpjson.Options{HonoursKey: true}, abilities{replay: true}},
	}
	for _, test := range tests {
		test.options.URL = "http://127.0.0.1:1"
		p, err := httpjson.New(test.options)
		if err != nil {
			t.Fatal(err)
		}
		if got := of(p); got != test.want {
			t.Errorf("%+v: got %+v, want %+v", test.options, got, test.want)
		}
	}
	if got := of(simulator.New(simulator.Options{})); got != (abilities{enquire: true}) {
		t.Errorf("the simulator: %+v", got)
	}
}

func of(p provider.Provider) (found struct{ enquire, cancel, replay bool }) {
	_, found.enquire = provider.EnquirerOf(p)
	_, found.cancel = provider.CancellerOf(p)
	_, found.replay = provider.ReplayerOf(p)
	return found
}
