package providertest

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
)

// CheckHeader tells of each header that is not as wanted, missing or surplus.
func CheckHeader(t testing.TB, got http.Header, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if strings.Join(got[name], ",") != value {
			t.Errorf("%s: got %q, want %q", name, got[name], value)
		}
	}
	for name, values := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %q was sent too", name, values)
		}
	}
}

// CheckJSON compares two texts by the values that they stand for.
func CheckJSON(t testing.TB, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// CheckVerdict holds the verdict on any answer whatever against what is always
// true: it is one, and nothing but one whole JSON value is a result.
func CheckVerdict(t testing.TB, p provider.Provider, a provider.Answer) {
	t.Helper()
	end := p.Judge(a)
	if end.Detail == "" || end.Outcome == outcome.None && !end.Accepted {
		t.Errorf("no verdict on %+v: %+v", a, end)
	}
	good := end.Outcome == outcome.Succeeded
	if good != (end.Result != nil) || good && !(a.Whole && a.Status/100 == 2 && json.Valid(end.Result)) {
		t.Errorf("%+v: %+v", a, end)
	}
	if open := end.Unwrap(); open.Outcome == outcome.Succeeded && !json.Valid(open.Result) {
		t.Errorf("unwrapped %q", open.Result)
	}
	if end.Usage != nil && !json.Valid(end.Usage) {
		t.Errorf("usage %q", end.Usage)
	}
}
