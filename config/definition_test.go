package config_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"kwit/config"
)

const versioned = `
providers: {p: {kind: simulator}, q: {kind: simulator}}
job_types:
  j:
    title: Title
    input: {type: object, properties: {z: {type: string}, a: {maximum: 9007199254740993}}}
    output: {type: object}
    route: [p, q]
    repeatable: true
    on_unknown: release
    release_after: 10s
    timeout: 1m
`

func jobType(t *testing.T, yaml string) config.JobType {
	t.Helper()
	j, ok := load(t, yaml, nil).JobType("j")
	if !ok {
		t.Fatal("no job type j")
	}
	return j
}

func TestDefinitionGivesTheVersionBack(t *testing.T) {
	t.Parallel()
	j := jobType(t, versioned)
	old, err := config.ParseDefinition(j.Definition())
	if err != nil {
		t.Fatal(err)
	}
	if old.Name != "j" || old.Title != "Title" || !reflect.DeepEqual(old.Route, []string{"p", "q"}) || !old.Repeatable ||
		old.OnUnknown != config.Release || old.ReleaseAfter != 10*time.Second || old.Timeout != 0 {
		t.Errorf("got %+v", old)
	}
	if got, want := string(old.Input.Bytes()), string(j.Input.Bytes()); got != want {
		t.Errorf("input: got %s, want %s", got, want)
	}
	if old.Digest() != j.Digest() || len(j.Digest()) != 64 {
		t.Errorf("digest: got %s, want %s", old.Digest(), j.Digest())
	}
	if got := old.MistakeAt("/input", "x"); got.Line != 0 {
		t.Errorf("a stored version has no place in a file: %v", got)
	}
}

func TestDigestFollowsWhatShapesAJob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		change, to string
		same       bool
	}{
		{"timeout: 1m", "timeout: 2m", true},
		{"timeout: 1m", "timeout: 1m\n    linger: 1h\n    attempts: 9", true},
		{"title: Title", "title:   'Title' # as before", true},
		{"{kind: simulator}, q", "{kind: simulator, max_concurrent: 3}, q", true},
		{"title: Title", "title: Another", false},
		{"9007199254740993", "9007199254740992", false},
		{"output: {type: object}", "output: {}", false},
		{"route: [p, q]", "route: [q, p]", false},
		{"release_after: 10s", "release_after: 11s", false},
		{"on_unknown: release\n    release_after: 10s", "on_unknown: hold", false},
		{"{z: {type: string}, a: {maximum: 9007199254740993}}", "{a: {maximum: 9007199254740993}, z: {type: string}}", false},
	}
	before := jobType(t, versioned).Digest()
	for _, test := range tests {
		after := jobType(t, strings.Replace(versioned, test.change, test.to, 1)).Digest()
		if (after == before) != test.same {
			t.Errorf("%q to %q: got the same version %v, want %v", test.change, test.to, after == before, test.same)
		}
	}
	twin := load(t, strings.Replace(versioned, "  j:", "  k:", 1), nil)
	if twin.JobTypes[0].Digest() == before {
		t.Error("two job types share a version")
	}
}

func TestParseDefinitionRefuses(t *testing.T) {
	t.Parallel()
	whole := string(jobType(t, versioned).Definition())
	tests := []struct{ definition, want string }{
		{"", "the stored job type cannot be read: there is no JSON value (byte 0)"},
		{"[]", `the stored job type "" is not whole`},
		{`{"job_type":"j"}`, `the stored job type "j" is not whole`},
		{strings.Replace(whole, `"title"`, `"checks"`, 1), `the stored job type j has "checks", which this version does not know: run the version that stored it`},
		{strings.Replace(whole, `"title":"Title"`, `"prompt":{"user":"x","examples":[]}`, 1), `the stored job type j has "prompt/examples", which this version does not know: run the version that stored it`},
		{strings.Replace(whole, `"title":"Title"`, `"parameters":{"top_p":1}`, 1), `the stored job type j has "parameters/top_p", which this version does not know: run the version that stored it`},
		{strings.Replace(whole, `"title":"Title"`, `"parameters":{"temperature":"warm"}`, 1), `the stored job type j cannot be read: strconv.ParseFloat: parsing "warm": invalid syntax`},
		{strings.Replace(whole, `"title":"Title"`, `"parameters":{"max_tokens":1.5}`, 1), `the stored job type j cannot be read: strconv.ParseInt: parsing "1.5": invalid syntax`},
		{strings.Replace(whole, "10s", "soon", 1), `the stored job type j cannot be read: time: invalid duration "soon"`},
	}
	for _, test := range tests {
		if _, err := config.ParseDefinition([]byte(test.definition)); err == nil || err.Error() != test.want {
			t.Errorf("%.60s: got %v, want %s", test.definition, err, test.want)
		}
	}
}
