package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kwit/e2e/kwittest"
)

// Mistakes that three packages find: the reader of the file, the contracts and
// the adapters of providers.
const unreadable = `providers:
  shop: {kind: http}
  sim: {kind: simulator, latency: soon}
job_types:
  order:
    conformance: {runs: 3}
    route: [nobody]
`

const readableAndWrong = `providers:
  shop:
    kind: http
    url: http://127.0.0.1:9/orders
    headers: {Idempotency-Key: mine}
job_types:
  order:
    input: {type: object, properties: {item: {type: strange}}}
    output: {type: object}
    route: [shop]
`

func TestConfigCheckSaysEveryMistake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file   string
		places []string
	}{
		"the file":              {unreadable, []string{"kwit.yaml:2:", "kwit.yaml:3:", "kwit.yaml:5:", "kwit.yaml:6:", "kwit.yaml:7:"}},
		"contract and provider": {readableAndWrong, []string{"kwit.yaml:5:", "kwit.yaml:8:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folderWith(t, "kwit.yaml", c.file)
			got := asks(t, 1, kwittest.Options{Args: []string{"config", "check"}, Dir: dir})
			if got.Stderr != "" {
				t.Errorf("mistakes belong on stdout, and stderr has:\n%s", got.Stderr)
			}
			for _, place := range c.places {
				holds(t, "\n"+got.Stdout, "\n"+place)
			}
			for line := range strings.Lines(got.Stdout) {
				if strings.Count(line, ":") < 3 {
					t.Errorf("not FILE:LINE:COLUMN: text: %s", line)
				}
			}
		})
	}
}

func TestConfigCheckTakesFlagOverVariableOverDefault(t *testing.T) {
	t.Parallel()
	dir := folderWith(t, "kwit.yaml", unreadable)
	right := filepath.Join(folderWith(t, "right.yaml", kwittest.Config("http://127.0.0.1:9", time.Minute)), "right.yaml")
	asks(t, 1, kwittest.Options{Args: []string{"config", "check"}, Dir: dir})
	asks(t, 0, kwittest.Options{Args: []string{"config", "check"}, Dir: dir, Env: []string{"KWIT_CONFIG=" + right}})
	asks(t, 1, kwittest.Options{Args: []string{"config", "check", "--config", "kwit.yaml"}, Dir: dir, Env: []string{"KWIT_CONFIG=" + right}})
	got := asks(t, 1, kwittest.Options{Args: []string{"config", "check", "--config", "away.yaml"}, Dir: dir})
	holds(t, got.Stdout, "away.yaml:1:1: cannot be read")
}

// The demo's configuration is an example that a person may copy.
func TestDemoConfigurationIsAnExample(t *testing.T) {
	t.Parallel()
	got := asks(t, 0, kwittest.Options{
		Args: []string{"config", "check", "--config", absolute(t, "../../demo/kwit.yaml")},
		Env: []string{"KWIT_DEMO_FARM=http://127.0.0.1:9", "KWIT_DEMO_RESERVE=http://127.0.0.1:9",
			"KWIT_DEMO_SECRET=whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"},
	})
	holds(t, got.Stdout, "is right")
}

// A secret of the environment stands in no mistake.
func TestConfigCheckShowsNoSecret(t *testing.T) {
	t.Parallel()
	dir := folderWith(t, "kwit.yaml", strings.Replace(readableAndWrong, "mine", `"${TOKEN}"`, 1))
	got := asks(t, 1, kwittest.Options{Args: []string{"config", "check"}, Dir: dir, Env: []string{"TOKEN=hush-hush"}})
	if strings.Contains(got.Stdout+got.Stderr, "hush-hush") {
		t.Errorf("the secret is printed:\n%s", got.Stdout)
	}
}

// serve on a broken file says the same and does not begin.
func TestServeRefusesABrokenConfiguration(t *testing.T) {
	t.Parallel()
	site := kwittest.NewSite(t, unreadable)
	got := site.LaunchServe(kwittest.Options{}).Wait()
	if got.Code != 1 {
		t.Errorf("exit code %d, want 1", got.Code)
	}
	holds(t, got.Stderr, site.Config+":2:")
	holds(t, got.Stderr, "correct what stands above")
}

func folderWith(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}
