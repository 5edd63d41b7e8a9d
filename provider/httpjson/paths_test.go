package httpjson_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/httpjson"
	"kwit/provider/providertest"
)

// paths are those of a provider that wraps its results.
var paths = httpjson.Options{URL: "http://127.0.0.1:1", ResultPath: "/data/0/output", IDPath: "/id", UsagePath: "/usage"}

// TestPaths: result, id and usage are taken out of the answer byte for byte. A
// result that is missing is done work with an unusable answer; id and usage are
// no part of the verdict.
func TestPaths(t *testing.T) {
	t.Parallel()
	p, err := httpjson.New(paths)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, body        string
		want              outcome.Outcome
		result, id, usage string
	}{
		{"all there", `{"id":"r-7","data":[{"output": {"n": 9007199254740993, "x":"\u003c"} }],"usage":{"gpu_s":1.50}}`,
			outcome.Succeeded, `{"n": 9007199254740993, "x":"\u003c"}`, "r-7", `{"gpu_s":1.50}`},
		{"null is a value", `{"id":12345678901234567890,"data":[{"output":null}],"usage":null}`, outcome.Succeeded, "null", "12345678901234567890", ""},
		{"no id, no usage", `{"data":[{"output":1}]}`, outcome.Succeeded, "1", "of-the-header", ""},
		{"an id that is none", `{"data":[{"output":1}],"id":{"a":1}}`, outcome.Succeeded, "1", "of-the-header", ""},
		{"no result", `{"id":"r-7","data":[],"usage":{"gpu_s":1}}`, outcome.Contract, "", "r-7", `{"gpu_s":1}`},
		{"another shape", `[1]`, outcome.Contract, "", "of-the-header", ""},
		{"a doubled member", `{"id":"r-7","data":[{"output":1,"output":2}]}`, outcome.Contract, "", "r-7", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			end := p.Judge(provider.Answer{Status: 200, Body: []byte(test.body), Whole: true, Header: map[string][]string{"X-Request-Id": {"of-the-header"}}})
			if end.Outcome != test.want || string(end.Result) != test.result || end.ProviderRequestID != test.id || string(end.Usage) != test.usage {
				t.Errorf("got %q %s, id %s, usage %s (%s)", end.Outcome, end.Result, end.ProviderRequestID, end.Usage, end.Detail)
			}
			if test.want == outcome.Contract && end.Result != nil {
				t.Error("an unusable answer has a result")
			}
		})
	}
}

// TestAcceptedNamesItsWork: a 202 may carry the id by which the work is asked
// for later.
func TestAcceptedNamesItsWork(t *testing.T) {
	t.Parallel()
	server := providertest.StartRaw(t, nil, says(whole(202, `{"id":"r-7"}`)))
	options := paths
	options.URL = "http://" + server.Addr
	end := send(t, providertest.Patience(t), options)
	if !end.Accepted || end.ProviderRequestID != "r-7" {
		t.Errorf("got %+v", end)
	}
}

// TestPathsInStatusAnswers: a provider's own shape is read by the paths, kwit's
// form by its members.
func TestPathsInStatusAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body              string
		told              provider.Told
		result, id, usage string
	}{
		"its own shape":    {`{"id":"r-7","status":"succeeded","data":[{"output": [ 1 ]}],"usage":{"gpu_s":2}}`, provider.ToldSucceeded, "[ 1 ]", "r-7", `{"gpu_s":2}`},
		"kwit's form":      {`{"status":"succeeded","result":{"a":1}}`, provider.ToldSucceeded, `{"a":1}`, "", ""},
		"without a result": {`{"id":"r-7","status":"succeeded","data":[]}`, provider.ToldNoAnswer, "", "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providertest.StartRaw(t, nil, says(whole(200, test.body)))
			r := enquire(t, providertest.Patience(t), paths, "http://"+server.Addr)
			if r.Told != test.told || string(r.End.Result) != test.result || r.End.ProviderRequestID != test.id || string(r.End.Usage) != test.usage {
				t.Errorf("got %s %s, id %s, usage %s (%s)", r.Told, r.End.Result, r.End.ProviderRequestID, r.End.Usage, r.Detail)
			}
		})
	}
}

func TestNewNamesMistakesInAddressesAndPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		field  string
		change func(*httpjson.Options, string)
		wrong  []string
		right  []string
	}{
		{"status_url", func(o *httpjson.Options, v string) { o.StatusURL = v },
			[]string{"/renders", "ftp://a/b", "http://a/{job}", "http://a/{}", "http://{attempt_id}/x", "http://{job_id}", "http://u:p@a/"},
			[]string{"", "http://a/", "https://a:1/{attempt_id}/{job_id}?p={provider_id}"}},
		{"cancel_url", func(o *httpjson.Options, v string) { o.CancelURL = v }, []string{"a", "http://a/{ attempt_id }"}, []string{"http://a"}},
		{"result_path", func(o *httpjson.Options, v string) { o.ResultPath = v }, []string{"data", "$.data", "/~"}, []string{"", "/data/0"}},
		{"id_path", func(o *httpjson.Options, v string) { o.IDPath = v }, []string{"id"}, []string{"/id"}},
		{"usage_path", func(o *httpjson.Options, v string) { o.UsagePath = v }, []string{"usage"}, []string{"/usage"}},
	}
	for _, test := range tests {
		for _, value := range slices.Concat(test.wrong, test.right) {
			o := httpjson.Options{URL: "http://127.0.0.1:1"}
			test.change(&o, value)
			_, err := httpjson.New(o)
			var mistakes httpjson.Mistakes
			named := errors.As(err, &mistakes) && len(mistakes) == 1 && mistakes[0].Field == test.field
			if wrong := slices.Contains(test.wrong, value); named != wrong || !wrong && err != nil {
				t.Errorf("%s: %q: %v", test.field, value, err)
			}
		}
	}
	if _, err := httpjson.New(httpjson.Options{URL: "http://a", HonoursKey: true, KeyLifetime: -1}); err == nil || !strings.Contains(err.Error(), "idempotency_key_lifetime") {
		t.Errorf("a lifetime below zero: %v", err)
	}
}

func TestKeyLifetime(t *testing.T) {
	t.Parallel()
	for _, o := range []httpjson.Options{{HonoursKey: true}, {KeyLifetime: 1}, {HonoursKey: true, KeyLifetime: 5}} {
		o.URL = "http://127.0.0.1:1"
		p, err := httpjson.New(o)
		if err != nil {
			t.Fatal(err)
		}
		want := o.KeyLifetime
		switch {
		case !o.HonoursKey:
			want = 0
		case want == 0:
			want = httpjson.DefaultKeyLifetime
		}
		if got := p.ReplayWithin(); got != want {
			t.Errorf("%+v: %v, want %v", o, got, want)
		}
	}
}
