package views

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kwit/contract"
)

// show writes a text down with what differs in brackets.
func show(words []word) string {
	var b strings.Builder
	for _, w := range words {
		if w.Differs {
			fmt.Fprintf(&b, "[%s]", w.Text)
		} else {
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

func TestDiffWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ a, b, wantA, wantB string }{
		{"Ten seconds of silence.", "Thirty seconds of silence.", "[Ten] seconds of silence.", "[Thirty] seconds of silence."},
		{"same", "same", "same", "same"},
		{"", "new", "", "[new]"},
		{"a b c", "a c", "a [b ]c", "a c"},
		{"one two three", "one 2 3 three", "one [two] three", "one [2 3] three"},
		{"żółw", "żółty", "[żółw]", "[żółty]"},
		{"9007199254740993", "9007199254740992", "[9007199254740993]", "[9007199254740992]"},
		{"line\none", "line\ntwo", "line\n[one]", "line\n[two]"},
	} {
		a, b := diffWords(tc.a, tc.b)
		if show(a) != tc.wantA || show(b) != tc.wantB {
			t.Errorf("%q against %q: got %q and %q, want %q and %q", tc.a, tc.b, show(a), show(b), tc.wantA, tc.wantB)
		}
	}
}

// TestDiffWordsKeepsBothTexts: nothing is lost or added, and equal texts have no
// mark.
func TestDiffWordsKeepsBothTexts(t *testing.T) {
	t.Parallel()
	join := func(words []word) (text string, marked bool) {
		for _, w := range words {
			text, marked = text+w.Text, marked || w.Differs
		}
		return text, marked
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([ab.] ?\n?){0,12}`)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		inA, inB := diffWords(a, b)
		gotA, markA := join(inA)
		gotB, markB := join(inB)
		if gotA != a || gotB != b {
			t.Fatalf("%q and %q became %q and %q", a, b, gotA, gotB)
		}
		if (markA || markB) != (a != b) {
			t.Fatalf("%q against %q: marked %v and %v", a, b, markA, markB)
		}
	})
}

func TestDiffOfLongTextsIsBounded(t *testing.T) {
	t.Parallel()
	a := "same " + strings.Repeat("x y ", 5000) + "end"
	inA, inB := diffWords(a, strings.ReplaceAll(a, "y", "z"))
	if len(inA) != 3 || len(inB) != 3 || !inA[1].Differs || inA[2].Differs {
		t.Errorf("%d and %d pieces", len(inA), len(inB))
	}
}

func TestRowsOf(t *testing.T) {
	t.Parallel()
	rows := rowsOf([]byte(`{"text":"a\nb","n":9007199254740993,"yes":true,"none":null,"in":{"b":[1,"two"],"e":[]},"deep":[{"x":1}]}`), nil)
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s=%s long:%v code:%v", r.Name, strings.Join(strings.Fields(r.Text), " "), r.Long, r.Code))
	}
	want := []string{
		"text=a b long:true code:false", "n=9007199254740993 long:false code:false", "yes=yes long:false code:false",
		"none=nothing long:false code:false", "in · b=1, two long:false code:false", "in · e=none long:false code:false",
		`deep=[ { "x": 1 } ] long:true code:true`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for raw, want := range map[string]row{
		`"just text"`: {Text: "just text"}, `12`: {Text: "12"}, `not json`: {Text: "not json", Code: true, Long: true},
	} {
		if got := rowsOf([]byte(raw), nil); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 14, 2, 12, 0, time.UTC)
	s := say("{who} sent {n} at {at} within {for}.", "who", "inkjet <1>", "n", int64(45), "at", at, "for", 10*time.Second)
	var b strings.Builder
	if err := sentence(at, s).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	want := `<strong>inkjet &lt;1&gt;</strong> sent 45 at <time data-when="clock" datetime="2026-12-01T14:02:12.000Z" title="2026-12-01 14:02:12 UTC">14:02:12 UTC</time> within 10 s.`
	if b.String() != want {
		t.Errorf("drawn: got %q, want %q", b.String(), want)
	}
}

func TestCountSetsThousandsApart(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 6214: "6,214", 1234567: "1,234,567", -6214: "-6,214"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

// What was asked for is read in the order of the form, whatever order the JSON
// has; members that no field stands for come last.
func TestRowsStandInTheOrderOfTheForm(t *testing.T) {
	t.Parallel()
	fields := []contract.Field{
		{Pointer: "/text", Label: "Text"},
		{Pointer: "/size", Label: "Size", Fields: []contract.Field{{Pointer: "/size/width", Label: "Width"}, {Pointer: "/size/height", Label: "Height"}}},
		{Pointer: "/a~1b", Label: "A or b"},
	}
	var got []string
	for _, r := range rowsOf([]byte(`{"z":1,"a/b":2,"extra":3,"size":{"height":4,"width":5},"text":"6"}`), fields) {
		got = append(got, r.Name+" "+r.Text)
	}
	const want = "Text 6|Size · Width 5|Size · Height 4|A or b 2|z 1|extra 3"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
