// Package htmlcheck looks at a page by selectors, in tests. A checker says what
// must hold of a node; checkers are put together by In.
package htmlcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Checker says what is wrong with a node, or nil.
type Checker func(n *html.Node) error

// Check parses a page or a part of one and holds it against the checkers.
func Check(page string, checkers ...Checker) error {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return err
	}
	return all(doc, checkers)
}

// In holds the first node that a selector finds against the checkers. It is an
// error where there is none.
func In(selector string, checkers ...Checker) Checker {
	return func(n *html.Node) error {
		found := Find(n, selector)
		if len(found) == 0 {
			return fmt.Errorf("nothing matches %q", selector)
		}
		if err := all(found[0], checkers); err != nil {
			return fmt.Errorf("%s: %w", selector, err)
		}
		return nil
	}
}

// Each holds every node that a selector finds against the checkers.
func Each(selector string, checkers ...Checker) Checker {
	return func(n *html.Node) error {
		for _, found := range Find(n, selector) {
			if err := all(found, checkers); err != nil {
				return fmt.Errorf("%s: %w", selector, err)
			}
		}
		return nil
	}
}

// Count wants as many nodes as given for a selector.
func Count(selector string, want int) Checker {
	return func(n *html.Node) error {
		if got := len(Find(n, selector)); got != want {
			return fmt.Errorf("%d nodes match %q, want %d", got, selector, want)
		}
		return nil
	}
}

// None wants no node for a selector.
func None(selector string) Checker { return Count(selector, 0) }

// Text wants the node's text, white space folded, to match a pattern.
func Text(pattern string) Checker {
	re := regexp.MustCompile(pattern)
	return func(n *html.Node) error {
		if text := TextOf(n); !re.MatchString(text) {
			return fmt.Errorf("text %q does not match %q", text, pattern)
		}
		return nil
	}
}

// Attr wants an attribute's value to match a pattern as a whole.
func Attr(name, pattern string) Checker {
	re := regexp.MustCompile(`^(?:` + pattern + `)$`)
	return func(n *html.Node) error {
		value, ok := attr(n, name)
		if !ok {
			return fmt.Errorf("no attribute %s", name)
		}
		if !re.MatchString(value) {
			return fmt.Errorf("attribute %s is %q, want %q", name, value, pattern)
		}
		return nil
	}
}

// Hidden wants a hidden field of the form with a value that matches a pattern.
func Hidden(name, pattern string) Checker {
	return In(`input[type=hidden][name=`+name+`]`, Attr("value", pattern))
}

func all(n *html.Node, checkers []Checker) error {
	for _, check := range checkers {
		if err := check(n); err != nil {
			return err
		}
	}
	return nil
}

// inline are the elements inside of a line of text.
var inline = []string{"a", "b", "code", "em", "mark", "span", "strong", "time"}

// TextOf is the text below a node with its white space folded. What is no part
// of a line stands apart.
func TextOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.Type == html.ElementNode && !slices.Contains(inline, d.Data):
			b.WriteString(" ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Find gives the nodes below n that a selector names, in the page's order. A
// selector is a list of steps apart by spaces, each below the one before it; a
// step is tag, #id, .class, [attr] and [attr=value] in any number.
func Find(n *html.Node, selector string) []*html.Node {
	found := []*html.Node{n}
	for _, step := range steps(selector) {
		var below []*html.Node
		for _, at := range found {
			for d := range at.Descendants() {
				if step(d) && !slices.Contains(below, d) {
					below = append(below, d)
				}
			}
		}
		found = below
	}
	return found
}

var part = regexp.MustCompile(`^([\w-]+)|^#([\w.-]+)|^\.([\w-]+)|^\[([\w:-]+)(?:=([^\]]*))?\]`)

// steps reads a selector; one that cannot be read is a mistake of the test.
func steps(selector string) []func(*html.Node) bool {
	var list []func(*html.Node) bool
	for _, text := range regexp.MustCompile(`(?:[^\s\[]|\[[^\]]*\])+`).FindAllString(selector, -1) {
		var wants []func(*html.Node) bool
		for text != "" {
			m := part.FindStringSubmatch(text)
			if m == nil {
				panic("htmlcheck: cannot read the selector " + selector)
			}
			wants = append(wants, want(m))
			text = text[len(m[0]):]
		}
		list = append(list, func(n *html.Node) bool {
			return n.Type == html.ElementNode && !slices.ContainsFunc(wants, func(w func(*html.Node) bool) bool { return !w(n) })
		})
	}
	return list
}

func want(m []string) func(*html.Node) bool {
	tag, id, class, name, value := m[1], m[2], m[3], m[4], m[5]
	return func(n *html.Node) bool {
		switch {
		case tag != "":
			return n.Data == tag
		case id != "":
			got, _ := attr(n, "id")
			return got == id
		case class != "":
			got, _ := attr(n, "class")
			return slices.Contains(strings.Fields(got), class)
		}
		got, ok := attr(n, name)
		return ok && (!strings.Contains(m[0], "=") || got == value)
	}
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
