package exactjson_test

import (
	"strings"
	"testing"

	"kwit/exactjson"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{` { "b" : [ 1 , 2 ] , "a" : { } } `, `{"a":{},"b":[1,2]}`},
		{`[]`, `[]`},
		{`[true,false,null]`, `[true,false,null]`},
		{`"\u0041\/\u00e9\"\\\u001f\u0008\t"`, `"A/é\"\\\u001f\b\t"`},
		{`"<&>\u2028"`, "\"<&>\u2028\""},
		// One letter, composed and decomposed: two strings.
		{`["\u00e9","e\u0301"]`, "[\"\u00e9\",\"e\u0301\"]"},
		// The order of UTF-16, the example of RFC 8785, section 3.2.3.
		{
			`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\U0001f600\":5,\"\ufb33\":3}",
		},
		{`{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
	}
	for _, test := range tests {
		if got := string(exactjson.Canonical(parse(t, test.text))); got != test.want {
			t.Errorf("Canonical(%s): got %s, want %s", test.text, got, test.want)
		}
	}
}

func TestCanonicalNumbersAreExact(t *testing.T) {
	t.Parallel()
	tests := []struct{ want, texts string }{
		{"0", "0 -0 0.0 -0.000 0e5 0E+999 -0e-999"},
		{"1", "1 1.0 1e0 10e-1 0.1e1 0.001E+3 1000e-3 1.000000 1E00"},
		{"-1.5", "-1.5 -1.50 -15e-1 -0.15e1"},
		{"9007199254740992", "9007199254740992 9007199254740992.0 9.007199254740992e15"},
		{"9007199254740993", "9007199254740993 9007199254740993.0 9.007199254740993e15"},
		{"0.1", "0.1 1e-1 0.10"},
		{"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
		{"0.30000000000000004", "0.30000000000000004 30000000000000004e-17"},
		{"100000000000000000000", "1e20 100000000000000000000"},
		{"1e+21", "1e21 1000000000000000000000 10E+20"},
		{"1.00000000000000000000000001e+26", "100000000000000000000000001"},
		{"0.000001", "1e-6 0.000001"},
		{"1e-7", "1e-7 0.0000001"},
		{"1.25e-7", "0.000000125 125e-9"},
		{"1e+400", "1e400 10e399 0.1e401"},
		{"1e+1000", "1e1000"},
		{"1e-1000", "1e-1000"},
		{"100", "1" + strings.Repeat("0", 990) + "e-988"},
	}
	for _, test := range tests {
		for _, text := range strings.Fields(test.texts) {
			if got := string(exactjson.Canonical(parse(t, text))); got != test.want {
				t.Errorf("Canonical(%.40s): got %s, want %s", text, got, test.want)
			}
		}
	}
}

func TestNewNumberRefusesOtherText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "-", "+1", "01", "-01", "1.", ".1", "1e", "1e+", "1e+-1", "1e-+1", "1ee1", "1e1.5", "0x10", "1_000", "1,5",
		" 1", "1 ", "Infinity", "NaN", "٣", "1e1001", "1e-1001", "0e1002", "0e-1001",
	} {
		if v, ok := exactjson.NewNumber(text); ok {
			t.Errorf("NewNumber(%q) = %s", text, v.Bytes())
		}
	}
}

func TestBuiltValues(t *testing.T) {
	t.Parallel()
	number, ok := exactjson.NewNumber("12.50")
	if !ok {
		t.Fatal("12.50 is a number")
	}
	object, ok := exactjson.NewObject([]exactjson.Member{
		{Name: "s", Value: exactjson.NewString("a\x00\xff")},
		{Name: "n", Value: exactjson.NewArray([]exactjson.Value{number, exactjson.NewBool(true), {}})},
	})
	if !ok {
		t.Fatal("the object has no doubled member")
	}
	if got, want := string(object.Bytes()), "{\"s\":\"a\\u0000\ufffd\",\"n\":[12.50,true,null]}"; got != want {
		t.Errorf("Bytes: got %s, want %s", got, want)
	}
	if got, want := string(exactjson.Canonical(object)), "{\"n\":[12.5,true,null],\"s\":\"a\\u0000\ufffd\"}"; got != want {
		t.Errorf("Canonical: got %s, want %s", got, want)
	}
	if _, ok := exactjson.NewObject([]exactjson.Member{{Name: "a"}, {Name: "a"}}); ok {
		t.Error("a doubled member was accepted")
	}
}
