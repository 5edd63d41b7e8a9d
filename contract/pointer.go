package contract

import (
	"net/url"
	"strconv"
	"strings"

	"kwit/exactjson"
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

// lookup finds the place that a reference of the form # or #/a/b names.
func lookup(schema exactjson.Value, ref string) (exactjson.Value, bool) {
	pointer, ok := unescapeFragment(strings.TrimPrefix(ref, "#"))
	if !ok || pointer != "" && pointer[0] != '/' {
		return exactjson.Value{}, false
	}
	return at(schema, pointer)
}

// at finds the value at a pointer.
func at(v exactjson.Value, pointer string) (exactjson.Value, bool) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		if v.Kind() == exactjson.Array {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items()) {
				return exactjson.Value{}, false
			}
			v = v.Items()[i]
			continue
		}
		member, ok := v.Get(strings.NewReplacer("~1", "/", "~0", "~", "\u2400", "\x00").Replace(token))
		if !ok {
			return exactjson.Value{}, false
		}
		v = member
	}
	return v, true
}

// holderOf finds the first object that has a member of a name.
func holderOf(v exactjson.Value, pointer, name string) (string, bool) {
	if _, ok := v.Get(name); ok {
		return pointer, true
	}
	for i, item := range v.Items() {
		if found, ok := holderOf(item, pointer+"/"+strconv.Itoa(i), name); ok {
			return found, true
		}
	}
	for _, m := range v.Members() {
		if found, ok := holderOf(m.Value, pointer+"/"+escape(m.Name), name); ok {
			return found, true
		}
	}
	return "", false
}
