package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kwit/config"
)

// environment looks variables up in a map.
func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

var noEnvironment = environment(nil)

func load(t *testing.T, yaml string, vars map[string]string) *config.Config {
	t.Helper()
	c, mistakes := config.Parse("kwit.yaml", []byte(yaml), environment(vars))
	if len(mistakes) > 0 {
		t.Fatalf("mistakes: %v", mistakes)
	}
	return c
}

const smallest = `
providers:
  p: {kind: simulator}
job_types:
  j_1: {input: {type: object}, output: {}, route: [p]}
`

func TestDefaults(t *testing.T) {
	t.Parallel()
	c := load(t, smallest, nil)
	p, ok := c.Provider("p")
	if !ok || p.Kind != config.Simulator || p.MaxConcurrent != 64 || p.Latency != (config.Range{}) {
		t.Errorf("provider: got %v, max_concurrent %d, latency %v", p, p.MaxConcurrent, p.Latency)
	}
	j, ok := c.JobType("j_1")
	if !ok || j.Title != "J 1" || j.Timeout != time.Minute || j.Linger != 10*time.Minute || j.Attempts != 3 ||
		j.Repeatable || j.OnUnknown != config.Hold || j.ReleaseAfter != 0 {
		t.Errorf("job type: got %+v", j)
	}
	if c.Limits.Body != 1<<20 {
		t.Errorf("body: got %d", c.Limits.Body)
	}
	if _, ok := c.Provider("q"); ok {
		t.Error("found a provider that is not there")
	}
	if _, ok := c.JobType("q"); ok {
		t.Error("found a job type that is not there")
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	c := load(t, `
job_types:
  second:
    title: Two
    description: |
      More words.
    input: {type: object}
    output: {}
    route: [sim, farm]
    timeout: 1h30m
    linger: 0s
    attempts: 7
    repeatable: true
    on_unknown: release
    release_after: 500ms
  first: {input: {type: object}, output: {}, route: [farm]}
providers:
  farm:
    kind: http
    url: https://farm.example.com/${FARM_PATH}?a=b
    headers: {Authorization: "Bearer ${TOKEN}", X-Plain: plain}
    proxy: ${PROXY}
    not_processed_statuses: [503, 429]
    max_concurrent: 8
  sim: {kind: simulator, latency: 5ms, slow: [1s, 2s], late_after: 3s}
limits: {body: 512KiB}
`, map[string]string{"FARM_PATH": "renders", "TOKEN": "secret-token", "PROXY": ""})
	farm, _ := c.Provider("farm")
	if farm.URL != "https://farm.example.com/renders?a=b" || farm.Proxy != "" || farm.MaxConcurrent != 8 ||
		!reflect.DeepEqual(farm.NotProcessedStatuses, []int{503, 429}) ||
		!reflect.DeepEqual(farm.Headers, map[string]string{"Authorization": "Bearer secret-token", "X-Plain": "plain"}) {
		t.Errorf("farm: got %q %q %d %v %v", farm.URL, farm.Proxy, farm.MaxConcurrent, farm.NotProcessedStatuses, farm.Headers)
	}
	sim, _ := c.Provider("sim")
	if sim.Latency != (config.Range{Min: 5 * time.Millisecond, Max: 5 * time.Millisecond}) ||
		sim.Slow != (config.Range{Min: time.Second, Max: 2 * time.Second}) || sim.LateAfter != 3*time.Second {
		t.Errorf("sim: got %v %v %v", sim.Latency, sim.Slow, sim.LateAfter)
	}
	if c.Providers[0].Name != "farm" || c.JobTypes[0].Name != "second" || c.JobTypes[1].Name != "first" {
		t.Error("the order of the file is lost")
	}
	j := c.JobTypes[0]
	if j.Title != "Two" || j.Description != "More words.\n" || !reflect.DeepEqual(j.Route, []string{"sim", "farm"}) ||
		j.Timeout != 90*time.Minute || j.Linger != 0 || j.Attempts != 7 || !j.Repeatable || j.OnUnknown != config.Release ||
		j.ReleaseAfter != 500*time.Millisecond {
		t.Errorf("job type: got %+v", j)
	}
	if c.Limits.Body != 512<<10 {
		t.Errorf("body: got %d", c.Limits.Body)
	}
}

func TestLoadReadsAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kwit.yaml")
	if err := os.WriteFile(path, []byte(smallest), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, mistakes := config.Load(path, noEnvironment); c == nil {
		t.Errorf("mistakes: %v", mistakes)
	}
}

func TestLoadSaysThatAFileCannotBeRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(folder, "none.yaml"): ":1:1: cannot be read: no such file or directory",
		folder:                             ":1:1: cannot be read: is a directory",
	} {
		c, mistakes := config.Load(path, noEnvironment)
		if c != nil || len(mistakes) != 1 || mistakes[0].String() != path+want {
			t.Errorf("got %v, want %s%s", mistakes, path, want)
		}
	}
}

func TestSchemasKeepOrderAndDigits(t *testing.T) {
	t.Parallel()
	c := load(t, `
providers: {p: {kind: simulator}}
job_types:
  j:
    input:
      type: object
      properties:
        z: {maximum: 9007199254740993.0, multipleOf: 1e-3, minimum: -12345678901234567890123}
        a: {enum: [1e400, "1", no, ~, null, true, False, 2026-11-30, 12:30, "1e3", !!str 7, '', .inf text]}
        "b/c~": {default: {}}
        text:
          description: |-
            two
            lines
    output: {}
    route: [p]
`[1:], nil)
	j, _ := c.JobType("j")
	want := `{"type":"object","properties":{"z":{"maximum":9007199254740993.0,"multipleOf":1e-3,"minimum":-12345678901234567890123},` +
		`"a":{"enum":[1e400,"1","no",null,null,true,false,"2026-11-30","12:30","1e3","7","",".inf text"]},"b/c~":{"default":{}},` +
		`"text":{"description":"two\nlines"}}}`
	if got := string(j.Input.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMistakeAtFindsThePlace(t *testing.T) {
	t.Parallel()
	c := load(t, `providers:
  p: {kind: http, url: "http://localhost/", headers: {X-A.b: c}}
job_types:
  j:
    input:
      type: object
      properties:
        "b/c": {enum: [1,
          2]}
    output: {x: 1}
    timeout: 5s
    route: [p]
`, nil)
	j, _ := c.JobType("j")
	for pointer, want := range map[string]string{
		"/input/properties/b~1c":           "8:9",
		"/input/properties/b~1c/enum/1":    "9:11",
		"/input/properties/b~1c/enum/7/x":  "8:17",
		"/input/properties/gone/maxLength": "7:7",
		"/input":                           "6:7",
		"/output/x":                        "10:14",
		"/timeout":                         "11:5",
		"":                                 "4:3",
		"/gone":                            "4:3",
	} {
		if got, want := j.MistakeAt(pointer, "wrong").String(), "kwit.yaml:"+want+": wrong"; got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
	}
	p, _ := c.Provider("p")
	if got := p.MistakeAt("url", "wrong").String(); got != "kwit.yaml:2:19: wrong" {
		t.Errorf("url: got %s", got)
	}
	if got := p.MistakeAt("headers.X-A.b", "wrong").String(); got != "kwit.yaml:2:55: wrong" {
		t.Errorf("header: got %s", got)
	}
	if got := p.MistakeAt("proxy", "wrong").String(); got != "kwit.yaml:2:3: wrong" {
		t.Errorf("proxy: got %s", got)
	}
}

// Bad files are mistakes, never panics.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		smallest, "", "---\n", "# only words\n", "a: &a [*a]", "a: *b", "<<: {a: 1}", "? [1]\n: 2", "providers: 7\njob_types: []",
		"providers: {p: }\njob_types: {j: {input: [], output: 1e9999, route: {}}}", "\x00\xff", "a: !!binary x", "{", "- -\n\t- a",
		"providers: &x {p: {kind: *x}}", "limits: {body: 99999999MiB}", "%YAML 9.9\n---\na: b", "a: b\n---\nc: d", strings.Repeat("[", 500),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, mistakes := config.Parse("f", data, noEnvironment)
		if (c == nil) == (len(mistakes) == 0) {
			t.Fatalf("%q: %v, %v", data, c, mistakes)
		}
		for _, m := range mistakes {
			if m.Line < 1 || m.Column < 1 || m.Text == "" {
				t.Fatalf("%q: %#v", data, m)
			}
		}
	})
}
