package provider_test

import (
	"encoding/json"
	"testing"

	"kwit/provider"
)

func TestAtKeepsEveryByte(t *testing.T) {
	t.Parallel()
	const body = ` {"a": {"b/c": [ {"n": 9007199254740993 , "x":"\u003c\/ż"} , 1.50e+2]}, "null": null, "": "nameless", "~": 0} `
	tests := []struct{ pointer, want string }{
		{"", body},
		{"/a/b~1c/0", `{"n": 9007199254740993 , "x":"\u003c\/ż"}`},
		{"/a/b~1c/0/n", "9007199254740993"},
		{"/a/b~1c/0/x", `"\u003c\/ż"`},
		{"/a/b~1c/1", "1.50e+2"},
		{"/null", "null"},
		{"/", `"nameless"`},
		{"/~0", "0"},
	}
	for _, test := range tests {
		got, found := provider.At([]byte(body), test.pointer)
		if !found || string(got) != test.want {
			t.Errorf("%q: got %s, %v, want %s", test.pointer, got, found, test.want)
		}
	}
	for _, pointer := range []string{
		"/b", "/A", "/a/b", "/a/b~1c/2", "/a/b~1c/00", "/a/b~1c/-", "/a/b~1c/-1", "/a/b~1c/x", "/a/b~1c/1/0", "/null/x", "/a/",
	} {
		if got, found := provider.At([]byte(body), pointer); found {
			t.Errorf("%q leads to %s", pointer, got)
		}
	}
}

func TestCheckPointer(t *testing.T) {
	t.Parallel()
	for pointer, right := range map[string]bool{"": true, "/a/0": true, "/a~1b": true, "a": false, "a/b": false, "/a~2": false, "$.a": false} {
		if err := provider.CheckPointer(pointer); (err == nil) != right {
			t.Errorf("%q: %v", pointer, err)
		}
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`"job-7"`: "job-7", `" a "`: "a", `9007199254740993`: "9007199254740993",
		`null`: "", `true`: "", `1.5`: "", `-1`: "", `{}`: "", `[]`: "", `""`: "", `"a\u0000b"`: "",
	} {
		if got, ok := provider.ID(json.RawMessage(value)); ok != (want != "") || ok && got != want {
			t.Errorf("%s: got %q, %v", value, got, ok)
		}
	}
}
