package views

import (
	"strings"
	"unicode"
)

// word is a stretch of a text that is in both texts, or in one only.
type word struct {
	Text    string
	Differs bool
}

// maxWords bounds the work of comparing two texts: beyond it, what lies between
// the common beginning and the common end counts as different.
const maxWords = 2000

// diffWords marks the words of each text that the other does not have in the
// same order.
func diffWords(a, b string) (inA, inB []word) {
	x, y := words(a), words(b)
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	midX, midY := x[head:len(x)-tail], y[head:len(y)-tail]
	keepX, keepY := common(midX, midY)
	return marked(x, head, tail, keepX), marked(y, head, tail, keepY)
}

// words cuts a text into words and what stands between them; together they are
// the text again.
func words(s string) []string {
	var list []string
	start, kind := 0, -1
	for i, r := range s {
		k := 0
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			k = 1
		case unicode.IsSpace(r):
			k = 2
		}
		if i > start && (k != kind || k == 0) {
			list = append(list, s[start:i])
			start = i
		}
		kind = k
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

// common finds the longest common subsequence: which words of each list are in
// it.
func common(x, y []string) (keepX, keepY []bool) {
	keepX, keepY = make([]bool, len(x)), make([]bool, len(y))
	if len(x) > maxWords || len(y) > maxWords {
		return keepX, keepY
	}
	width := len(y) + 1
	length := make([]uint16, (len(x)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			keepX[i], keepY[j] = true, true
			i++
			j++
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return keepX, keepY
}

// marked joins neighbours that are alike in being different or not. White space
// between two different words is different with them.
func marked(list []string, head, tail int, keep []bool) []word {
	differs := func(i int) bool { return i >= head && i < len(list)-tail && !keep[i-head] }
	var out []word
	for i, text := range list {
		d := differs(i)
		if !d && i > 0 && i+1 < len(list) && strings.TrimSpace(text) == "" {
			d = differs(i-1) && differs(i+1)
		}
		if n := len(out); n > 0 && out[n-1].Differs == d {
			out[n-1].Text += text
			continue
		}
		out = append(out, word{text, d})
	}
	return out
}

// pair is one row of two inputs side by side.
type pair struct {
	Name string
	A, B []word // nil where the input has no such row
}

// pairRows lays two inputs beside each other, row by row in the order of the
// first, then what only the second has.
func pairRows(a, b []row) []pair {
	second := map[string]string{}
	for _, r := range b {
		second[r.Name] = r.Text
	}
	var list []pair
	first := map[string]bool{}
	for _, r := range a {
		first[r.Name] = true
		text, ok := second[r.Name]
		if !ok {
			list = append(list, pair{Name: r.Name, A: []word{{r.Text, true}}})
			continue
		}
		inA, inB := diffWords(r.Text, text)
		list = append(list, pair{Name: r.Name, A: inA, B: inB})
	}
	for _, r := range b {
		if !first[r.Name] {
			list = append(list, pair{Name: r.Name, B: []word{{r.Text, true}}})
		}
	}
	return list
}

// tall tells whether a text scrolls in its place, so that both sides fit on a
// screen.
func tall(words []word) bool {
	n := 0
	for _, w := range words {
		n += len(w.Text)
	}
	return n > 1200
}
