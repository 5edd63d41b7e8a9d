package contract_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kwit/contract"
	"kwit/exactjson"
)

const formSchema = `{"type":"object","additionalProperties":false,"required":["text"],"properties":{
	"text":{"type":"string","maxLength":6000},
	"note":{"type":"string"},
	"n":{"type":"number"},
	"i":{"type":"integer"},
	"ok":{"type":"boolean"},
	"lang":{"enum":["pl","en",3]},
	"list":{"type":"array","items":{"type":"integer"}},
	"size":{"type":"object","required":["w"],"properties":{"w":{"type":"number"},"round":{"type":"boolean"}}},
	"maybe":{"type":["string","null"]}
}}`

// form reads "name=value&name=value", unescaped, for tables that people read.
func form(text string) url.Values {
	values := url.Values{}
	for _, pair := range strings.Split(text, "&") {
		name, value, _ := strings.Cut(pair, "=")
		values.Add(name, value)
	}
	return values
}

func TestDecodeReadsAForm(t *testing.T) {
	t.Parallel()
	c := compile(t, formSchema, `{}`)
	tests := []struct{ form, input, faults string }{
		{"input.text=x&idempotency_key=k&draft=d", `{"text":"x","ok":false}`, ""},
		{"input.text= x \r\n\r\ny\rz&input.note=", `{"text":" x \n\ny\rz","ok":false}`, ""},
		{"input.text=x&input.n=9007199254740993", `{"text":"x","n":9007199254740993,"ok":false}`, ""},
		{"input.text=x&input.n= 1.50 &input.i=007", `{"text":"x","n":1.50,"i":7,"ok":false}`, ""},
		{"input.text=x&input.n=-.5&input.i=-00", `{"text":"x","n":-0.5,"i":-0,"ok":false}`, ""},
		{"input.text=x&input.n=1e400&input.i=0e5", `{"text":"x","n":1e400,"i":0e5,"ok":false}`, ""},
		{"input.text=x&input.n=1,5&input.i=-", `{"text":"x","ok":false}`, "/i must be a whole number, such as 12 | /n must be a number, such as 12 or 12.5"},
		{"input.text=x&input.n=1e9999&input.i=.", `{"text":"x","ok":false}`, "/i must be a whole number, such as 12 | /n must be a number, such as 12 or 12.5"},
		{"input.text=x&input.ok=on", `{"text":"x","ok":true}`, ""},
		{"input.text=x&input.ok=false", `{"text":"x","ok":false}`, ""},
		{"input.text=x&input.ok=perhaps", `{"text":"x"}`, "/ok must be true or false"},
		{"input.text=x&input.lang=pl", `{"text":"x","ok":false,"lang":"pl"}`, ""},
		{"input.text=x&input.lang=3", `{"text":"x","ok":false,"lang":3}`, ""},
		{"input.text=x&input.lang=de", `{"text":"x","ok":false}`, "/lang is not one of the choices"},
		{"input.text=x&input.list=[1, 2]", `{"text":"x","ok":false,"list":[1,2]}`, ""},
		{"input.text=x&input.list=[1,", `{"text":"x","ok":false}`, "/list cannot be read as JSON: the JSON text ends too early (byte 3)"},
		{"input.text=x&input.size.w=1&input.size.round=on", `{"text":"x","ok":false,"size":{"w":1,"round":true}}`, ""},
		{"input.text=x&input.size.w=", `{"text":"x","ok":false}`, ""},
		{"input.text=x&input.size.round=on", `{"text":"x","ok":false,"size":{"round":true}}`, "/size/w is required"},
		{"input.text=x&input.surplus=1", `{"text":"x","ok":false}`, "/surplus is not a field of this form"},
		{"input.text=x&input.size=1&input.size.h=2", `{"text":"x","ok":false}`, "/size is not a field of this form | /size/h is not a field of this form"},
		{"input.text=x&input.text=y", `{"text":"x","ok":false}`, "/text was sent more than once"},
		{"input.text=x&input.note=a\x00b", `{"text":"x","ok":false}`, "/note holds a character that is not allowed"},
		{"input.text=x&input.note=\xff", `{"text":"x","ok":false}`, "/note holds a character that is not allowed"},
		{"input=x&input.text=x", `{"text":"x","ok":false}`, "is not a field of this form"},
		{"input.text=", `{"ok":false}`, "/text is required"},
		{"", `{"ok":false}`, "/text is required"},
		{"input.text=" + strings.Repeat("ż\r\n", 3001), `{"text":"` + strings.Repeat(`ż\n`, 3001) + `","ok":false}`, "/text must have at most 6000 characters, has 6002"},
	}
	for _, test := range tests {
		input, faults := c.CheckForm(form(test.form))
		if string(input) != test.input || lines(faults) != test.faults {
			t.Errorf("%.60q: got %.80s, %q, want %.80s, %q", test.form, input, lines(faults), test.input, test.faults)
		}
	}
}

// A member that must be there and may be null is null when the field is empty.
func TestDecodeEmptyRequiredNull(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object","required":["a"],"properties":{"a":{"type":["string","null"]}}}`, `{}`)
	if input, faults := c.CheckForm(form("input.a=")); string(input) != `{"a":null}` || len(faults) > 0 {
		t.Errorf("got %s, %v", input, faults)
	}
}

func TestDecodeTheWholeInputAsJSON(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object","minProperties":1}`, `{}`)
	tests := []struct{ form, input, faults string }{
		{`input={"a": 1.0}`, `{"a":1.0}`, ""},
		{`input={}`, `{}`, "must have at least 1 member, has 0"},
		{`input=`, `null`, "must be an object, is null"},
		{`input={"a":1,"a":2}`, `null`, `cannot be read as JSON: the member "a" stands twice at /a (byte 7)`},
	}
	for _, test := range tests {
		input, faults := c.CheckForm(form(test.form))
		if string(input) != test.input || lines(faults) != test.faults {
			t.Errorf("%s: got %s, %q, want %s, %q", test.form, input, lines(faults), test.input, test.faults)
		}
	}
	if got := contract.Encode(c.Fields(), []byte(`{"a":"b"}`)).Encode(); got != "input=%7B%22a%22%3A%22b%22%7D" {
		t.Errorf("Encode: got %s", got)
	}
}

func TestEncodeFillsWhatWasSent(t *testing.T) {
	t.Parallel()
	c := compile(t, formSchema, `{}`)
	inputs := []string{
		`{"text":"a\nb","note":"x","n":1.50,"i":3,"ok":true,"lang":3,"list":[1,2],"size":{"w":2,"round":false}}`,
		`{"text":"","maybe":null}`,
	}
	for _, input := range inputs {
		values := contract.Encode(c.Fields(), []byte(input))
		got, _ := contract.Decode(c.Fields(), values)
		if input == inputs[0] && string(got) != input {
			t.Errorf("got %s, want %s (%v)", got, input, values)
		}
	}
	if got := contract.Encode(c.Fields(), []byte(`{"text":7,"size":"no object"}`)); got.Get("input.text") != "7" || len(got) != 1 {
		t.Errorf("an input of another version: got %v", got)
	}
	if got := contract.Encode(c.Fields(), []byte(`no json`)); len(got) != 0 {
		t.Errorf("no JSON: got %v", got)
	}
}

// Whatever a form can say comes back when it is filled from what was stored.
func TestFormRoundTrip(t *testing.T) {
	t.Parallel()
	c := compile(t, formSchema, `{}`)
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "true", "1", "0", "[1]", "on", "-1.50", "pl", "a\r\nb"}))
	names := []string{"text", "note", "n", "i", "ok", "lang", "list", "size.w", "size.round", "maybe"}
	rapid.Check(t, func(t *rapid.T) {
		posted := url.Values{}
		for _, name := range names {
			if rapid.Bool().Draw(t, "posted "+name) {
				posted.Set("input."+name, text.Draw(t, name))
			}
		}
		input, faults := contract.Decode(c.Fields(), posted)
		if _, err := exactjson.Parse(input, exactjson.Limits{}); err != nil {
			t.Fatalf("%v: %s is no input: %v", posted, input, err)
		}
		again, more := contract.Decode(c.Fields(), contract.Encode(c.Fields(), input))
		if !bytes.Equal(again, input) && len(faults) == 0 || len(more) > 0 {
			t.Fatalf("%v: %s became %s, %v", posted, input, again, more)
		}
	})
}

// A pattern that has no words is left to the description, where a form shows one.
func TestAPatternIsLeftToTheDescription(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"type":"object","properties":{
		"part":{"type":"string","pattern":"^[a-z]+-[0-9]+$","description":"Its number, such as ab-12."},
		"bare":{"type":"string","pattern":"^[a-z]+-[0-9]+$"},
		"box":{"type":"object","properties":{"part":{"type":"string","pattern":"^x","description":"Begins with x."}}}
	}}`, `{}`)
	_, faults := c.CheckForm(form("input.part=1&input.bare=1&input.box.part=1"))
	want := "/bare must match the pattern ^[a-z]+-[0-9]+$ | /box/part is not written as its description says | /part is not written as its description says"
	if got := lines(faults); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
