package exactjson

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the type of a JSON value.
type Kind byte

// The kinds of RFC 8259. The zero Value is null.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind's name in JSON Schema's words.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is one JSON value that was read or built under the rules of this
// package, so it always has a canonical form. It is never changed once made:
// callers must not write to the slices that it hands out.
type Value struct {
	kind    Kind
	yes     bool
	text    string // a string's characters, or a number as it was written
	items   []Value
	members []Member
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// NewBool builds true or false.
func NewBool(yes bool) Value { return Value{kind: Bool, yes: yes} }

// NewString builds a string. Bytes that are not UTF-8 become U+FFFD when it is
// written.
func NewString(s string) Value { return Value{kind: String, text: s} }

// NewArray builds an array. The slice must not be changed afterwards.
func NewArray(items []Value) Value { return Value{kind: Array, items: items} }

// NewNumber builds a number from its text in JSON's grammar. It reports false
// for any other text, and for a number that Parse would refuse as
// NumberOutOfRange.
func NewNumber(text string) (Value, bool) {
	if _, ok := appendNumber(nil, text); !ok {
		return Value{}, false
	}
	return Value{kind: Number, text: text}, true
}

// NewObject builds an object whose members stand in the given order. It
// reports false when a name is doubled. The slice must not be changed
// afterwards.
func NewObject(members []Member) (Value, bool) {
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		if seen[m.Name] {
			return Value{}, false
		}
		seen[m.Name] = true
	}
	return Value{kind: Object, members: members}, true
}

// Kind tells the value's type.
func (v Value) Kind() Kind { return v.kind }

// Bool is the value of a boolean, and false for every other kind.
func (v Value) Bool() bool { return v.yes }

// Text is a string's characters, or a number as it was written; empty for
// every other kind.
func (v Value) Text() string { return v.text }

// Items are an array's items.
func (v Value) Items() []Value { return v.items }

// Members are an object's members, in the order in which they were written.
func (v Value) Members() []Member { return v.members }

// Get finds an object's member by its name. It reports false where there is
// none, and where the value is no object.
func (v Value) Get(name string) (Value, bool) {
	for _, m := range v.members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Any gives the value as encoding/json would with UseNumber: nil, bool,
// json.Number, string, []any, map[string]any. Numbers are in canonical form.
func (v Value) Any() any {
	switch v.kind {
	case Bool:
		return v.yes
	case Number:
		text, _ := appendNumber(nil, v.text)
		return json.Number(text)
	case String:
		return v.text
	case Array:
		items := make([]any, len(v.items))
		for i, item := range v.items {
			items[i] = item.Any()
		}
		return items
	case Object:
		members := make(map[string]any, len(v.members))
		for _, m := range v.members {
			members[m.Name] = m.Value.Any()
		}
		return members
	}
	return nil
}

// Bytes writes the value without white space, members and numbers as they
// were written.
func (v Value) Bytes() []byte {
	return v.append(nil, func(dst []byte, text string) []byte { return append(dst, text...) }, nil)
}

// append writes the value. Members stand in the order of arrange, or as they
// were written where it is nil.
func (v Value) append(dst []byte, number func([]byte, string) []byte, arrange func([]Member) []Member) []byte {
	switch v.kind {
	case Null:
		return append(dst, "null"...)
	case Bool:
		if v.yes {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return number(dst, v.text)
	case String:
		return appendString(dst, v.text)
	case Array:
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst, number, arrange)
		}
		return append(dst, ']')
	}
	members := v.members
	if arrange != nil {
		members = arrange(members)
	}
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, m.Name), ':')
		dst = m.Value.append(dst, number, arrange)
	}
	return append(dst, '}')
}

// appendString writes a string with the fewest escapes, as RFC 8785 wants it.
// The error only says that there were bytes which are not UTF-8; they are
// written as U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
