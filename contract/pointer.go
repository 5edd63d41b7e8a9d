package contract

import (
	"net/url"
	"strings"
)

// escape writes one token of a JSON pointer (RFC 6901). NUL becomes its
// picture, since PostgreSQL's text cannot hold it.
func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "\x00", "\u2400").Replace(token)
}

// escapeNUL does the same for a whole pointer.
func escapeNUL(pointer string) string { return strings.ReplaceAll(pointer, "\x00", "\u2400") }

// pointerOf writes a JSON pointer.
func pointerOf(tokens []string) string {
	var pointer strings.Builder
	for _, token := range tokens {
		pointer.WriteString("/" + escape(token))
	}
	return pointer.String()
}

// unescapeFragment undoes the percent signs of a pointer in a reference.
func unescapeFragment(fragment string) (string, bool) {
	pointer, err := url.PathUnescape(fragment)
	return pointer, err == nil
}

// pointerIn takes the pointer out of an address of the schema compiler.
func pointerIn(address string) string {
	_, fragment, _ := strings.Cut(address, "#")
	pointer, ok := unescapeFragment(fragment)
	if !ok {
		return ""
	}
	return pointer
}
