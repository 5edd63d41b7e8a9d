package exactjson_test

import (
	"errors"
	"strings"
	"testing"

	"kwit/exactjson"
)

func parse(t testing.TB, text string) exactjson.Value {
	t.Helper()
	v, err := exactjson.Parse([]byte(text), exactjson.Limits{})
	if err != nil {
		t.Fatalf("Parse(%.80q): %v", text, err)
	}
	return v
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text    string
		fault   exactjson.Fault
		offset  int64
		pointer string
	}{
		{"", exactjson.NotJSON, 0, ""},
		{" \n", exactjson.NotJSON, 2, ""},
		{"{", exactjson.NotJSON, 1, ""},
		{`{"a"`, exactjson.NotJSON, 4, "/a"},
		{`{"a":`, exactjson.NotJSON, 5, "/a"},
		{`{"a":tru}`, exactjson.NotJSON, 8, "/a"},
		{`{"a":1,}`, exactjson.NotJSON, 6, ""},
		{`{a:1}`, exactjson.NotJSON, 1, ""},
		{`{1:1}`, exactjson.NotJSON, 1, ""},
		{`{"a":{"b":[1,2 3]}}`, exactjson.NotJSON, 15, "/a/b"},
		{`[1,]`, exactjson.NotJSON, 2, ""},
		{`[1}`, exactjson.NotJSON, 2, ""},
		{`]`, exactjson.NotJSON, 0, ""},
		{`01`, exactjson.TrailingData, 1, ""},
		{`.5`, exactjson.NotJSON, 0, ""},
		{`+1`, exactjson.NotJSON, 0, ""},
		{`[1.]`, exactjson.NotJSON, 3, "/0"},
		{`NaN`, exactjson.NotJSON, 0, ""},
		{`'a'`, exactjson.NotJSON, 0, ""},
		{"\"a\nb\"", exactjson.NotJSON, 2, ""},
		{`"\x"`, exactjson.NotJSON, 1, ""},
		{`"\u12"`, exactjson.NotJSON, 1, ""},
		{"\ufeff{}", exactjson.NotJSON, 0, ""},
		{"```json\n{}\n```", exactjson.NotJSON, 0, ""},
		{`{} {}`, exactjson.TrailingData, 3, ""},
		{`1 x`, exactjson.TrailingData, 2, ""},
		{"{}\x00", exactjson.TrailingData, 2, ""},
		{`{"a":1,"a":1}`, exactjson.DuplicateMember, 7, "/a"},
		{`{"x":[{"a":1,"b":2,"\u0061":3}]}`, exactjson.DuplicateMember, 19, "/x/0/a"},
		{"{\"a\":\"b\xff\"}", exactjson.InvalidUTF8, 7, "/a"},
		{"{\"\xc3\":1}", exactjson.InvalidUTF8, 2, ""},
		{"\xff", exactjson.InvalidUTF8, 0, ""},
		{"\"\xed\xa0\x80\"", exactjson.InvalidUTF8, 1, ""},
		{`["x\ud800"]`, exactjson.LoneSurrogate, 3, "/0"},
		{`"\udc00"`, exactjson.LoneSurrogate, 1, ""},
		{`"\uD83D\u0041"`, exactjson.LoneSurrogate, 1, ""},
		{`{"a":"x\u0000"}`, exactjson.NUL, 14, "/a"},
		{`{"\u0000":1}`, exactjson.NUL, 9, "/\x00"},
		{`[1e1002]`, exactjson.NumberOutOfRange, 7, "/0"},
		{`1e-1002`, exactjson.NumberOutOfRange, 7, ""},
		{`1e99999999999999999999`, exactjson.NumberOutOfRange, 22, ""},
		{`-1e-99999999999999999999`, exactjson.NumberOutOfRange, 24, ""},
		{`0e99999999999999999999`, exactjson.NumberOutOfRange, 22, ""},
		{strings.Repeat("7", 1001), exactjson.NumberOutOfRange, 1001, ""},
		{"1." + strings.Repeat("0", 1_000_000), exactjson.NumberOutOfRange, 1_000_002, ""},
		{"0." + strings.Repeat("3", 1001), exactjson.NumberOutOfRange, 1003, ""},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), exactjson.TooDeep, 65, strings.Repeat("/0", 64)},
		{strings.Repeat(`{"a":`, 100_000), exactjson.TooDeep, 64*5 + 1, strings.Repeat("/a", 64)},
	}
	for _, test := range tests {
		_, err := exactjson.Parse([]byte(test.text), exactjson.Limits{})
		var e *exactjson.Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%.60q): got %v, want %s", test.text, err, test.fault)
			continue
		}
		if e.Fault != test.fault || e.Offset != test.offset || e.Pointer != test.pointer {
			t.Errorf("Parse(%.60q): got %s at byte %d, pointer %q (%s), want %s at byte %d, pointer %q",
				test.text, e.Fault, e.Offset, e.Pointer, e, test.fault, test.offset, test.pointer)
		}
		if e.Detail == "" {
			t.Errorf("Parse(%.60q): the error says nothing", test.text)
		}
	}
}

func TestParseLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		text   string
		limits exactjson.Limits
		fault  exactjson.Fault // empty: accepted
	}{
		{"bytes at the bound", `[1]`, exactjson.Limits{MaxBytes: 3}, ""},
		{"bytes over", `[1] `, exactjson.Limits{MaxBytes: 3}, exactjson.TooLarge},
		{"depth at the bound", `[[]]`, exactjson.Limits{MaxDepth: 2}, ""},
		{"depth over", `[[[]]]`, exactjson.Limits{MaxDepth: 2}, exactjson.TooDeep},
		{"depth of mixed nesting", `{"a":[{}]}`, exactjson.Limits{MaxDepth: 2}, exactjson.TooDeep},
		{"members at the bound", `{"a":[1],"b":2}`, exactjson.Limits{MaxMembers: 3}, ""},
		{"members over", `{"a":[1],"b":2,"c":3}`, exactjson.Limits{MaxMembers: 3}, exactjson.TooMany},
		{"items over", `[1,2,3,4]`, exactjson.Limits{MaxMembers: 3}, exactjson.TooMany},
		{"members by default", "[" + strings.Repeat("1,", 100_000) + "1]", exactjson.Limits{}, exactjson.TooMany},
		{"NUL allowed", `{"a\u0000":"\u0000"}`, exactjson.Limits{AllowNUL: true}, ""},
		{"depth by default", strings.Repeat("[", 64) + strings.Repeat("]", 64), exactjson.Limits{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := exactjson.Parse([]byte(test.text), test.limits)
			var e *exactjson.Error
			if errors.As(err, &e) != (test.fault != "") || e != nil && e.Fault != test.fault {
				t.Errorf("got %v, want %q", err, test.fault)
			}
		})
	}
}

func TestErrorSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	_, err := exactjson.Parse([]byte(`{"input":{"text":"x","text":"y"}}`), exactjson.Limits{})
	if want := `the member "text" stands twice at /input/text (byte 21)`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestParseKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	text := `{"z":1.50,"a":[true,false,null,-0,1E5],"":"\u00e9\n\ud83d\ude00"}`
	v := parse(t, " "+text+"\r\n\t ")
	if got, want := string(v.Bytes()), "{\"z\":1.50,\"a\":[true,false,null,-0,1E5],\"\":\"é\\n😀\"}"; got != want {
		t.Errorf("Bytes: got %s, want %s", got, want)
	}
	z, ok := v.Get("z")
	if !ok || z.Kind() != exactjson.Number || z.Text() != "1.50" {
		t.Errorf("z: got %v %s %q", ok, z.Kind(), z.Text())
	}
	if _, ok := v.Get("b"); ok {
		t.Error("found a member that is not there")
	}
	a, _ := v.Get("a")
	if items := a.Items(); len(items) != 5 || !items[0].Bool() || items[1].Bool() || items[2].Kind() != exactjson.Null {
		t.Errorf("a: got %v", items)
	}
}

func TestParseKeepsNoReference(t *testing.T) {
	t.Parallel()
	data := []byte(`{"a":["text",12345]}`)
	v, err := exactjson.Parse(data, exactjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = 'x'
	}
	if got := string(v.Bytes()); got != `{"a":["text",12345]}` {
		t.Errorf("the value changed with its text: %s", got)
	}
}
