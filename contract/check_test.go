package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"kwit/contract"
	"kwit/exactjson"
)

func parse(t testing.TB, text string) exactjson.Value {
	t.Helper()
	v, err := exactjson.Parse([]byte(text), exactjson.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func compile(t testing.TB, input, output string) *contract.Contract {
	t.Helper()
	c, mistakes := contract.Compile(parse(t, input), parse(t, output))
	if len(mistakes) > 0 {
		t.Fatalf("mistakes in the schemas: %v", mistakes)
	}
	return c
}

func lines(faults []contract.Fault) string {
	var text []string
	for _, f := range faults {
		text = append(text, f.String())
	}
	return strings.Join(text, " | ")
}

const order = `{
	"type": "object",
	"additionalProperties": false,
	"required": ["item", "count"],
	"properties": {
		"item": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
		"count": {"type": "integer", "minimum": 1, "maximum": 9007199254740993},
		"price": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.01},
		"colour": {"enum": ["red", "green", "", 7]},
		"fixed": {"const": "yes"},
		"mail": {"type": "string", "format": "email"},
		"tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2, "uniqueItems": true},
		"id": {"anyOf": [{"type": "string"}, {"type": "null"}]},
		"when": {"oneOf": [{"type": "null"}, {"type": "object", "required": ["day"]}]},
		"box": {"type": "object", "properties": {"w": {"type": "number"}}, "minProperties": 1, "maxProperties": 1},
		"names": {"type": "object", "properties": {"in": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}}},
		"not": {"not": {"type": "string"}}
	}
}`

func TestCheckInputSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := compile(t, order, `{}`)
	tests := []struct{ input, want string }{
		{`{"item":"ab","count":1}`, ""},
		{`{"item":"ab","count":1.0,"price":12.34,"colour":7.0}`, ""},
		{`{}`, "/count is required | /item is required"},
		{`[]`, "must be an object, is a list"},
		{`{"item":"ab","count":1,"x/y~":1}`, "/x~1y~0 is not expected here"},
		{`{"item":"a","count":0}`, "/count must be at least 1, is 0 | /item must have at least 2 characters, has 1"},
		{`{"item":"żółwie","count":1}`, "/item may hold only small letters a to z | /item must have at most 5 characters, has 6"},
		{`{"item":7,"count":"1"}`, "/count must be a whole number, is text | /item must be text, is a number"},
		{`{"item":"ab","count":1.5}`, "/count must be a whole number"},
		{`{"item":"ab","count":9007199254740993}`, ""},
		{`{"item":"ab","count":9007199254740994}`, "/count must be at most 9007199254740993, is 9007199254740994"},
		{`{"item":"ab","count":1,"price":0}`, "/price must be more than 0, is 0"},
		{`{"item":"ab","count":1,"price":0.015}`, "/price must be a multiple of 0.01, is 0.015"},
		{`{"item":"ab","count":1,"price":1e1000}`, ""},
		{`{"item":"ab","count":1,"colour":"blue"}`, "/colour must be one of red, green, empty, 7"},
		{`{"item":"ab","count":1,"fixed":"no"}`, "/fixed must be yes"},
		{`{"item":"ab","count":1,"mail":"no"}`, "/mail must be an e-mail address, such as ewa@example.com"},
		{`{"item":"ab","count":1,"tags":[]}`, "/tags must have at least 1 item, has 0"},
		{`{"item":"ab","count":1,"tags":["a","a",1]}`,
			"/tags must have at most 2 items, has 3 | /tags must not repeat an item: items 1 and 2 are equal | /tags/2 must be text, is a number"},
		{`{"item":"ab","count":1,"id":5}`, "/id must be text or null"},
		{`{"item":"ab","count":1,"when":{}}`, "/when/day is required"},
		{`{"item":"ab","count":1,"box":{}}`, "/box must have at least 1 member, has 0"},
		{`{"item":"ab","count":1,"box":{"w":true}}`, "/box/w must be a number, is true or false"},
		{`{"item":"ab","count":1,"not":"x"}`, "/not is a value that is not allowed"},
		{`{"item":null,"count":1}`, "/item must be text, is null"},
		{`{"item":"ab","count":1,"names":{"in":{"ab":1,"AB":2}},"tags":["x"],"box":{"w":1}}`, "/names/in/AB has a name that is not allowed"},
	}
	for _, test := range tests {
		if got := lines(c.CheckInput(parse(t, test.input))); got != test.want {
			t.Errorf("%s: got %q, want %q", test.input, got, test.want)
		}
	}
}

func TestCheckInputShortensLongValues(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object","properties":{"n":{"maximum":1}}}`, `{}`)
	got := lines(c.CheckInput(parse(t, `{"n":1`+strings.Repeat("0", 500)+`}`)))
	if want := "/n must be at most 1, is 1e+500"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = lines(c.CheckInput(parse(t, `{"n":1`+strings.Repeat("3", 500)+`}`)))
	if len(got) > 120 {
		t.Errorf("the fault has %d bytes: %s", len(got), got)
	}
}

const summary = `{"type":"object","required":["summary"],"properties":{"summary":{"type":"string"},"more":{"type":"object"}}}`

func TestC17_AnswerThatBreaksTheContractIsAFault(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object"}`, summary)
	tests := []struct{ name, answer, want string }{
		{"fits", `{"summary":"x"}`, ""},
		{"inner members are the schema's to allow", `{"summary":"x","more":{"any":1}}`, ""},
		{"NUL is legal JSON", `{"summary":"a\u0000"}`, ""},
		{"missing", `{}`, "/summary is required"},
		{"surplus top-level key", `{"summary":"x","note":"y"}`, "/note is not expected here"},
		{"surplus and wrong", `{"summary":1,"note":"y"}`, "/note is not expected here | /summary must be text, is a number"},
		{"surplus with NUL in its name", `{"summary":"x","a\u0000":1}`, "/a␀ is not expected here"},
		{"fenced", "```json\n{\"summary\":\"x\"}\n```", "stands in a code fence (```): the answer must be the JSON alone"},
		{"no JSON", `Sure! Here it is: {}`, "not JSON: invalid character 'S' at start of value"},
		{"empty", ``, "there is no JSON value"},
		{"doubled member", `{"summary":"x","summary":"x"}`, `/summary the member "summary" stands twice`},
		{"trailing data", `{"summary":"x"} bye`, "something follows the JSON value"},
		{"no object", `"x"`, "must be an object, is text"},
		{"invalid UTF-8", "{\"summary\":\"\xff\"}", "/summary the text is not valid UTF-8"},
		{"too deep", strings.Repeat("[", 5000), strings.Repeat("/0", 512) + " nested more than 512 deep"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := lines(c.CheckOutput([]byte(test.answer))); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestC17_SurplusMembersUnlessTheSchemaSaysOtherwise(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, answer, want string }{
		{"nothing said", `{}`, `{"a":1}`, "/a is not expected here"},
		{"true", `{"additionalProperties":true}`, `{"a":1}`, ""},
		{"a schema", `{"additionalProperties":{"type":"string"}}`, `{"a":1}`, "/a must be text, is a number"},
		{"false", `{"additionalProperties":false}`, `{"a":1}`, "/a is not expected here"},
		{"unevaluated true", `{"unevaluatedProperties":true}`, `{"a":1}`, ""},
		{"pattern", `{"patternProperties":{"^a":{}}}`, `{"a":1,"b":1}`, "/b is not expected here"},
		{"behind a reference", `{"$ref":"#/$defs/r","$defs":{"r":{"properties":{"a":{}}}}}`, `{"a":1,"b":1}`, "/b is not expected here"},
		{"behind allOf", `{"allOf":[{"properties":{"a":{}}}],"properties":{"b":{}}}`, `{"a":1,"b":1}`, ""},
		{"a failing branch is no surplus", `{"allOf":[{"properties":{"a":{"type":"string"},"b":{}}}]}`, `{"a":1,"b":1}`,
			"/a must be text, is a number"},
		{"a list", `{"type":"array","items":{"type":"integer"}}`, `[1,2.5]`, "/1 must be a whole number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := compile(t, `{"type":"object"}`, test.schema)
			if got := lines(c.CheckOutput([]byte(test.answer))); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A schema that refers to itself without end is one refused value.
func TestCheckEndsForEndlessSchemas(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object"}`, `{"$ref":"#"}`)
	if faults := c.CheckOutput([]byte(`{"a":1}`)); len(faults) == 0 {
		t.Error("accepted")
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ input, output, want string }{
		{`[]`, `{}`, "/input must be a JSON Schema, written as an object"},
		{`{}`, `true`, `/input the input must be an object: say "type: object" | /output must be a JSON Schema, written as an object`},
		{`{"type":"array"}`, `{}`, `/input/type the input must be an object: say "type: object"`},
		{`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`, `{}`,
			"/input/$schema only JSON Schema 2020-12 is supported: leave $schema out, or say https://json-schema.org/draft/2020-12/schema"},
		{`{"type":"object"}`, `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
			`/output/properties/a/$ref refers to "file:///etc/passwd", but only references within the schema are allowed, such as #/$defs/name`},
		{`{"type":"object"}`, `{"$ref":"other.json"}`,
			`/output/$ref refers to "other.json", but only references within the schema are allowed, such as #/$defs/name`},
		{`{"type":"object"}`, `{"items":{"$ref":"#/$defs/a%2"}}`, `/output/items/$ref refers to "#/$defs/a%2", and nothing is there`},
		{`{"type":"object"}`, `{"items":{"$ref":"#name"}}`, "/output/items/$ref refers to an anchor that is not there"},
		{`{"type":"object"}`, `{"$id":"https://example.com/"}`,
			"/output/$id $id is not supported: references lead to a place in the same schema, such as #/$defs/name"},
		{`{"type":"object"}`, `{"patternProperties":{"(":{}}}`,
			"/output/patternProperties/( not a valid JSON Schema: has a name that is not allowed"},
		{`{"type":"object","required":"a","properties":{"x":{"minLength":"1"}}}`, `{}`,
			"/input/properties/x/minLength not a valid JSON Schema: must be a whole number, is text | /input/required not a valid JSON Schema: must be a list, is text"},
		{`{"type":"object","properties":{"a.b":{"type":"string"},"a":{"type":"object","properties":{"b":{}}}}}`, `{}`,
			"/input/properties/a/properties/b its field in the form would be named input.a.b, as that of /input/properties/a.b"},
	}
	for _, test := range tests {
		c, mistakes := contract.Compile(parse(t, test.input), parse(t, test.output))
		var got []string
		for _, m := range mistakes {
			got = append(got, m.Pointer+" "+m.Text)
		}
		if strings.Join(got, " | ") != test.want || c != nil {
			t.Errorf("%s, %s: got %q, want %q", test.input, test.output, strings.Join(got, " | "), test.want)
		}
	}
}

// Names that look like keywords are names.
func TestCompileAcceptsKeywordsAsNames(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","properties":{
		"default":{"$ref":"#/$defs/enum"},"$ref":{"type":"string"},"x":{"default":{"$ref":"elsewhere"}}},
		"$defs":{"enum":{"type":"integer"}}}`, `{}`)
	if got := lines(c.CheckInput(parse(t, `{"default":"x","$ref":1}`))); got !=
		"/$ref must be text, is a number | /default must be a whole number, is text" {
		t.Errorf("got %q", got)
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"anyOf":[{"$ref":"#"},{"pattern":"a+"}]}}}`, `{"a":{}}`)
	f.Add(order, `{"item":"ab","count":1}`)
	f.Add(`{"type":"object","$dynamicRef":"#x","$dynamicAnchor":"x","unevaluatedProperties":false}`, `{"":1}`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := exactjson.Parse([]byte(schema), exactjson.Limits{MaxMembers: 200})
		if err != nil {
			return
		}
		c, mistakes := contract.Compile(s, s)
		if (c == nil) != (len(mistakes) > 0) {
			t.Fatalf("%s: %v, %v", schema, c, mistakes)
		}
		if c == nil {
			return
		}
		c.CheckOutput([]byte(value))
		if v, err := exactjson.Parse([]byte(value), exactjson.Limits{MaxMembers: 200}); err == nil {
			first, second := c.CheckInput(v), c.CheckInput(v)
			if fmt.Sprint(first) != fmt.Sprint(second) {
				t.Fatalf("%s: two verdicts: %v, %v", value, first, second)
			}
			contract.Decode(c.Fields(), contract.Encode(c.Fields(), v.Bytes()))
		}
	})
}
