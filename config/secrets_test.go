package config_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"kwit/config"
)

const withSecrets = `
providers:
  farm:
    kind: http
    url: http://localhost/${URL_PART}
    headers:
      Authorization: Bearer ${TOKEN}
      X-Api-Key: written-in-the-file
      X-Plain: not-secret
      X-Short: ${SHORT}
job_types:
  j: {title: "${TOKEN}", input: {type: object, title: "${TOKEN}"}, output: {}, route: [farm]}
`

var secrets = map[string]string{"URL_PART": "hidden-path", "TOKEN": "hidden-path-and-more", "SHORT": "a"}

func TestMaskHidesEverySecret(t *testing.T) {
	t.Parallel()
	c := load(t, withSecrets, secrets)
	got := c.Mask("a hidden-path, hidden-path-and-more, written-in-the-file, not-secret")
	if want := "a •••, •••, •••, not-secret"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A provider that is printed by accident shows its name.
func TestProviderPrintsNoSecret(t *testing.T) {
	t.Parallel()
	c := load(t, withSecrets, secrets)
	p := c.Providers[0]
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "provider", p, "pointer", &p)
	for _, text := range []string{
		fmt.Sprint(p), fmt.Sprintf("%+v", p), fmt.Sprintf("%#v", p), fmt.Sprint(&p), fmt.Sprintf("%v", c.Providers), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", *c), log.String(),
	} {
		if strings.Contains(text, "hidden") || strings.Contains(text, "written-in") || strings.Contains(text, "localhost") {
			t.Errorf("shown: %s", text)
		}
	}
}

// Only what goes to a provider is filled in from the environment.
func TestVariablesAreFilledInForProvidersOnly(t *testing.T) {
	t.Parallel()
	c := load(t, withSecrets, secrets)
	j, _ := c.JobType("j")
	if j.Title != "${TOKEN}" || !strings.Contains(string(j.Definition()), `"title":"${TOKEN}"`) {
		t.Errorf("got %s", j.Definition())
	}
}

func TestMistakesShowNoSecret(t *testing.T) {
	t.Parallel()
	env := environment(map[string]string{"URL_PART": "hid%zz den", "TOKEN": "hid\nden", "SHORT": "hid\x00den"})
	_, mistakes := config.Parse("F", []byte(withSecrets), env)
	if len(mistakes) == 0 {
		t.Fatal("no mistakes")
	}
	for _, m := range mistakes {
		if strings.Contains(m.String(), "hid") {
			t.Errorf("shown: %s", m)
		}
	}
}
