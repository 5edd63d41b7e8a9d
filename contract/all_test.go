package contract_test

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"kwit/config"
	"kwit/contract"
)

func load(t *testing.T, yaml string) *config.Config {
	t.Helper()
	env := func(name string) (string, bool) {
		return base64.StdEncoding.EncodeToString([]byte("secret of " + name)), true
	}
	c, mistakes := config.Parse("kwit.yaml", []byte(yaml), env)
	for _, m := range mistakes {
		t.Error(m)
	}
	if c == nil {
		t.FailNow()
	}
	return c
}

// The example in the documentation is a file that works.
func TestDocumentedExampleCompiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/configuration.md has no example")
	}
	c := load(t, example)
	contracts, mistakes := contract.CompileAll(c)
	for _, m := range mistakes {
		t.Error(m)
	}
	if len(contracts) != 3 {
		t.Fatalf("got %d contracts, want 3", len(contracts))
	}
	p, err := contracts["translation"].Render([]byte(`{"text":"say \"hi\"","language":"Polish"}`))
	if err != nil || p.User != "Translate into Polish.\n\n\n\"say \\\"hi\\\"\"\n" {
		t.Errorf("got %v, %v", p, err)
	}
	kinds := map[string]contract.FieldKind{}
	for _, f := range contracts["render"].Fields() {
		kinds[f.Name] = f.Kind
	}
	for name, want := range map[string]contract.FieldKind{
		"input.scene": contract.Text, "input.frames": contract.Integer, "input.quality": contract.Choice,
		"input.notes": contract.LongText, "input.denoise": contract.YesNo,
	} {
		if kinds[name] != want {
			t.Errorf("%s: got %s, want %s", name, kinds[name], want)
		}
	}
}

const brokenSchemas = `providers: {p: {kind: simulator}}
job_types:
  a:
    input:
      type: object
      properties:
        text: {type: strng, maxLength: -1}
    output: {$ref: "#/$defs/gone"}
    route: [p]
  b:
    input: {type: object, properties: {x: {pattern: "("}}}
    output:
      type: object
    route: [p]
`

func TestCompileAllNamesPlacesInTheFile(t *testing.T) {
	t.Parallel()
	_, mistakes := contract.CompileAll(load(t, brokenSchemas))
	var got []string
	for _, m := range mistakes {
		got = append(got, m.String())
	}
	want := []string{
		"kwit.yaml:7:16: not a valid JSON Schema: must be one of array, boolean, integer, null, number, object, string",
		"kwit.yaml:7:29: not a valid JSON Schema: must be at least 0, is -1",
		`kwit.yaml:8:14: refers to "#/$defs/gone", and nothing is there`,
		"kwit.yaml:11:44: not a valid JSON Schema: must be a regular expression (Go's syntax, without look-ahead and back references)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestOfVersionJudgesAsBefore(t *testing.T) {
	t.Parallel()
	c := load(t, strings.NewReplacer("strng", "string", ", maxLength: -1", "", `{$ref: "#/$defs/gone"}`, "{required: [n]}",
		`"("`, "x").Replace(brokenSchemas))
	a, _ := c.JobType("a")
	old, err := contract.OfVersion(a.Definition())
	if err != nil {
		t.Fatal(err)
	}
	if faults := old.CheckOutput([]byte(`{}`)); len(faults) != 1 || faults[0].String() != "/n is required" {
		t.Errorf("got %v", faults)
	}
	if _, err := contract.OfVersion([]byte(`{"job_type":"a"}`)); err == nil {
		t.Error("a version that is not whole was accepted")
	}
}
