package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"kwit/contract"
)

// outline writes fields as "NAME kind", an object's in brackets.
func outline(fields []contract.Field) string {
	var parts []string
	for _, f := range fields {
		text := strings.TrimPrefix(f.Name, "input.") + " " + string(f.Kind)
		if f.Required {
			text += "*"
		}
		if f.Kind == contract.Object {
			text += " [" + outline(f.Fields) + "]"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func TestFieldsFollowTheSchema(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want string }{
		{"kinds, in the schema's order", `{"properties":{
			"z":{"type":"string"},"y":{"type":"number"},"x":{"type":"integer"},"w":{"type":"boolean"},"v":{"enum":["a","b"]}}}`,
			"z text, y number, x integer, w yes/no, v choice"},
		{"required", `{"required":["b"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, "a text, b text*"},
		{"long text by length", `{"properties":{"a":{"type":"string","maxLength":200},"b":{"type":"string","maxLength":201}}}`, "a text, b long text"},
		{"long text by format", `{"properties":{"a":{"type":"string","format":"textarea"}}}`, "a long text"},
		{"nested", `{"properties":{"a":{"type":"object","required":["c"],"properties":{"b":{"type":"string"},"c":{"type":"object","properties":{"d":{"type":"integer"}}}}}}}`,
			"a object [a.b text, a.c object* [a.c.d integer]]"},
		{"what a form cannot express", `{"properties":{"list":{"type":"array"},"free":{"type":"object"},"any":{},
			"two":{"type":["string","number"]},"alt":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`,
			"list json, free json, any json, two json, alt json"},
		{"null beside a type", `{"properties":{"a":{"type":["string","null"]},"b":{"type":["null","integer"]}}}`, "a text, b integer"},
		{"choices with titles", `{"properties":{"a":{"oneOf":[{"const":"x","title":"X!"},{"const":"y"}]}}}`, "a choice"},
		{"choices nobody can tell apart", `{"properties":{"a":{"enum":[1,"1"]},"b":{"enum":[[1],[2]]},"c":{"enum":["",2]}}}`, "a json, b json, c json"},
		{"references", `{"properties":{"a":{"$ref":"#/$defs/t","title":"Mine"}},"$defs":{"t":{"$ref":"#/$defs/u"},"u":{"type":"string"}}}`, "a text"},
		{"a schema inside of itself", `{"properties":{"a":{"$ref":"#"},"b":{"type":"string"}}}`,
			"a object [a.a object [a.a.a json, a.a.b text], a.b text], b text"},
		{"a reference to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, "a json"},
		{"no properties at all", `{}`, "input json*"},
		{"a required member without a schema", `{"required":["b"],"properties":{"a":{"type":"string"}}}`, "input json*"},
		{"nothing to fill in", `{"properties":{}}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			schema := strings.Replace(test.schema, "{", `{"type":"object",`, 1)
			c := compile(t, strings.Replace(schema, ",}", "}", 1), `{}`)
			if got := outline(c.Fields()); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestFieldCarriesWhatTheFormShows(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object","properties":{
		"max_words":{"type":"integer","minimum":1,"exclusiveMaximum":9007199254740993,"multipleOf":1,"default":100,"examples":[50]},
		"mail":{"type":"string","title":"Your address","description":"For the answer.","format":"email","minLength":3,"maxLength":90,"pattern":"@"},
		"speed":{"oneOf":[{"const":"fast","title":"Fast, dear"},{"const":3}],"default":"fast"},
		"free":{"default":{"a":[1]},"examples":["x"]}}}`, `{}`)
	number := func(p *int) string {
		if p == nil {
			return "-"
		}
		return fmt.Sprint(*p)
	}
	var got []string
	for _, f := range c.Fields() {
		line := fmt.Sprintf("%s %s %q %q default=%s example=%s", f.Name, f.Pointer, f.Label, f.Help, f.Default, f.Placeholder)
		line += fmt.Sprintf(" length=%s..%s min=%s,%s max=%s,%s step=%s pattern=%s format=%s", number(f.MinLength), number(f.MaxLength),
			f.Minimum, f.ExclusiveMinimum, f.Maximum, f.ExclusiveMaximum, f.MultipleOf, f.Pattern, f.Format)
		for _, o := range f.Choices {
			line += " " + o.Value + "=" + o.Label
		}
		got = append(got, line)
	}
	want := []string{
		`input.max_words /max_words "Max words" "" default=100 example=50 length=-..- min=1, max=,9007199254740993 step=1 pattern= format=`,
		`input.mail /mail "Your address" "For the answer." default= example= length=3..90 min=, max=, step= pattern=@ format=email`,
		`input.speed /speed "Speed" "" default=fast example= length=-..- min=, max=, step= pattern= format= fast=Fast, dear 3=3`,
		`input.free /free "Free" "" default={"a":[1]} example="x" length=-..- min=, max=, step= pattern= format=`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := contract.Defaults(c.Fields()).Encode(), "input.free=%7B%22a%22%3A%5B1%5D%7D&input.max_words=100&input.speed=fast"; got != want {
		t.Errorf("Defaults: got %s, want %s", got, want)
	}
}
