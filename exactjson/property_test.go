package exactjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"kwit/exactjson"
)

// drawText draws JSON text for a value, with random white space, escapes and
// ways to write a number; the value itself comes out of the same draws.
func drawText(t *rapid.T, v exactjson.Value) string {
	space := rapid.SampledFrom([]string{"", " ", "\n", "\t\r"})
	pad := func(s string) string { return space.Draw(t, "space") + s + space.Draw(t, "space") }
	switch v.Kind() {
	case exactjson.Number:
		return pad(drawNumberText(t, v.Text()))
	case exactjson.String:
		return pad(drawStringText(t, v.Text()))
	case exactjson.Array:
		var parts []string
		for _, item := range v.Items() {
			parts = append(parts, drawText(t, item))
		}
		return pad("[" + strings.Join(parts, ",") + pad("]"))
	case exactjson.Object:
		members := v.Members()
		if len(members) > 1 {
			members = rapid.Permutation(members).Draw(t, "order")
		}
		var parts []string
		for _, m := range members {
			parts = append(parts, pad(drawStringText(t, m.Name))+":"+drawText(t, m.Value))
		}
		return pad("{" + strings.Join(parts, ",") + pad("}"))
	}
	return pad(string(v.Bytes()))
}

func drawStringText(t *rapid.T, s string) string {
	var text strings.Builder
	text.WriteByte('"')
	for _, r := range s {
		quoted, _ := jsontext.AppendQuote(nil, string(r))
		switch {
		case r < 0x10000 && rapid.Bool().Draw(t, "escaped"):
			fmt.Fprintf(&text, `\u%04x`, r)
		default:
			text.Write(quoted[1 : len(quoted)-1])
		}
	}
	text.WriteByte('"')
	return text.String()
}

// drawNumberText moves the point of a number and mends it by an exponent.
func drawNumberText(t *rapid.T, text string) string {
	mantissa, exponent, _ := strings.Cut(text, "e")
	if exponent == "" {
		exponent = "0"
	}
	var e int
	if _, err := fmt.Sscan(exponent, &e); err != nil {
		t.Fatalf("exponent of %s: %v", text, err)
	}
	zeros := rapid.IntRange(0, 5).Draw(t, "zeros")
	if strings.Contains(mantissa, ".") {
		return fmt.Sprintf("%s%sE%+03d", mantissa, strings.Repeat("0", zeros), e)
	}
	if mantissa == "0" || mantissa == "-0" {
		return fmt.Sprintf("%s.%s0e%d", mantissa, strings.Repeat("0", zeros), e)
	}
	return fmt.Sprintf("%s%se%d", mantissa, strings.Repeat("0", zeros), e-zeros)
}

var names = rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "", "ä", "\U0001f600", "\ufb33"}), rapid.StringN(0, 4, -1))

func drawValue(t *rapid.T, depth int) exactjson.Value {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return exactjson.Value{}
	case 1:
		return exactjson.NewBool(rapid.Bool().Draw(t, "bool"))
	case 2:
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?(e-?[1-9][0-9]?)?`).Draw(t, "number")
		v, ok := exactjson.NewNumber(text)
		if !ok {
			t.Fatalf("%s is a number", text)
		}
		return v
	case 3:
		return exactjson.NewString(strings.ReplaceAll(names.Draw(t, "string"), "\x00", ""))
	case 4:
		var items []exactjson.Value
		for range rapid.IntRange(0, 4).Draw(t, "length") {
			items = append(items, drawValue(t, depth-1))
		}
		return exactjson.NewArray(items)
	}
	var members []exactjson.Member
	for _, name := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "names") {
		if !strings.Contains(name, "\x00") {
			members = append(members, exactjson.Member{Name: name, Value: drawValue(t, depth-1)})
		}
	}
	v, _ := exactjson.NewObject(members)
	return v
}

// equal compares two values by their meaning, without the canonical form.
func equal(a, b exactjson.Value) bool {
	if a.Kind() != b.Kind() || len(a.Items()) != len(b.Items()) || len(a.Members()) != len(b.Members()) {
		return false
	}
	switch a.Kind() {
	case exactjson.Number:
		x, _ := new(big.Rat).SetString(a.Text())
		y, _ := new(big.Rat).SetString(b.Text())
		return x.Cmp(y) == 0
	case exactjson.Array:
		for i := range a.Items() {
			if !equal(a.Items()[i], b.Items()[i]) {
				return false
			}
		}
	case exactjson.Object:
		for _, m := range a.Members() {
			if other, ok := b.Get(m.Name); !ok || !equal(m.Value, other) {
				return false
			}
		}
	}
	return a.Text() == b.Text() && a.Bool() == b.Bool()
}

func TestCanonicalIgnoresHowItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 3)
		text := drawText(t, v)
		read, err := exactjson.Parse([]byte(text), exactjson.Limits{})
		if err != nil {
			t.Fatalf("Parse(%s): %v", text, err)
		}
		want := exactjson.Canonical(v)
		if got := exactjson.Canonical(read); !bytes.Equal(got, want) {
			t.Fatalf("%s: got %s, want %s", text, got, want)
		}
		again, err := exactjson.Parse(want, exactjson.Limits{})
		if err != nil || !bytes.Equal(exactjson.Canonical(again), want) {
			t.Fatalf("%s is not its own canonical form (%v)", want, err)
		}
	})
}

func TestCanonicalShowsEveryDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawValue(t, 2), drawValue(t, 2)
		same := bytes.Equal(exactjson.Canonical(a), exactjson.Canonical(b))
		if same != equal(a, b) {
			t.Fatalf("%s and %s: one canonical form is %v", a.Bytes(), b.Bytes(), same)
		}
	})
}

// Where a double holds every number of a text, the form is RFC 8785's.
func TestCanonicalIsRFC8785ForDoubles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := jsontext.Value(fmt.Sprintf(`{"s":%s,"n":[%d,%.*g,%v]}`,
			drawStringText(t, strings.ReplaceAll(names.Draw(t, "s"), "\x00", "")), rapid.Int32().Draw(t, "int"),
			rapid.IntRange(1, 15).Draw(t, "digits"), rapid.Float64Range(-1e30, 1e30).Draw(t, "double"),
			rapid.Float32Range(-1, 1).Draw(t, "small")))
		v, err := exactjson.Parse(text, exactjson.Limits{})
		if err != nil {
			t.Fatalf("Parse(%s): %v", text, err)
		}
		want := text.Clone()
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if got := exactjson.Canonical(v); !bytes.Equal(got, want) {
			t.Fatalf("%s: got %s, want %s", text, got, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.50,-0e9,"\u00e9\ud83d\ude00",true,null]}`, `{"a":1,"\u0061":2}`, `[1e400,1e-400,9007199254740993]`,
		`"\ud800"`, "\xff", `[[[[`, `{"":{"":""}} x`, `1e99999999999`, "\"\\u0000\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := exactjson.Parse(data, exactjson.Limits{MaxDepth: 8, MaxMembers: 100})
		if err != nil {
			var e *exactjson.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(data)) {
				t.Fatalf("%q: %#v", data, err)
			}
			return
		}
		if !jsontext.Value(data).IsValid() {
			t.Fatalf("accepted %q, which is not JSON", data)
		}
		canonical := exactjson.Canonical(v)
		again, err := exactjson.Parse(canonical, exactjson.Limits{})
		if err != nil || !bytes.Equal(exactjson.Canonical(again), canonical) || !equal(v, again) {
			t.Fatalf("%q: %q is not its canonical form: %v", data, canonical, err)
		}
	})
}
