package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"text/template"
	"unicode/utf8"

	"kwit/exactjson"
)

// allowed are the functions that a prompt may call. The first three are the
// library's. The others are ours also where the library has one of that name,
// because that one knows no exact numbers.
var allowed = []string{"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "index", "json", "len"}

func (p *part) functions() template.FuncMap {
	ordered := func(holds func(int) bool) func(a, b any) (bool, error) {
		return func(a, b any) (bool, error) {
			order, err := compare(a, b)
			return err == nil && holds(order), err
		}
	}
	return template.FuncMap{
		"show": p.show, "each": p.each, // added by guard
		"json": writeJSON, "len": length, "index": index, "eq": equalToAny,
		"ne": func(a, b any) (bool, error) { same, err := equal(a, b); return !same, err },
		"lt": ordered(func(order int) bool { return order < 0 }),
		"le": ordered(func(order int) bool { return order <= 0 }),
		"gt": ordered(func(order int) bool { return order > 0 }),
		"ge": ordered(func(order int) bool { return order >= 0 }),
	}
}

// show gives a value as it is written into the prompt.
func (p *part) show(number int, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	if text, ok := numberText(v); ok {
		return text, nil
	}
	return "", p.fault(number, "is "+kindOf(v)+" where text is needed"+instead(v))
}

// each lets lists and objects through to a range, and no numbers: counting to
// one that somebody typed could take for ever.
func (p *part) each(number int, v any) (any, error) {
	switch v.(type) {
	case []any, map[string]any:
		return v, nil
	}
	return nil, p.fault(number, "is "+kindOf(v)+" where range needs a list or an object")
}

func (p *part) fault(number int, text string) error {
	at := p.uses[number]
	return &RenderError{Part: p.name, Line: at.line, Detail: at.source + " " + text}
}

func instead(v any) string {
	switch v.(type) {
	case []any, map[string]any, *null:
		return ": json writes it as JSON"
	}
	return ": if tells whether it is there"
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "missing"
	case *null:
		return "null"
	case string:
		return "text"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a number"
}

// writeJSON writes a value as JSON: members in the order of their names,
// numbers as they were typed.
func writeJSON(v any) (string, error) {
	if v == nil {
		return "", errors.New("the value is missing")
	}
	return string(valueOf(v).Bytes()), nil
}

func valueOf(v any) exactjson.Value {
	switch v := v.(type) {
	case string:
		return exactjson.NewString(v)
	case bool:
		return exactjson.NewBool(v)
	case []any:
		items := make([]exactjson.Value, len(v))
		for i, item := range v {
			items[i] = valueOf(item)
		}
		return exactjson.NewArray(items)
	case map[string]any:
		members := make([]exactjson.Member, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, exactjson.Member{Name: name, Value: valueOf(v[name])})
		}
		object, _ := exactjson.NewObject(members) // a map's names are distinct
		return object
	}
	text, _ := numberText(v)
	value, _ := exactjson.NewNumber(text) // null for what is no number
	return value
}

// length counts characters, items or members.
func length(v any) (int, error) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), nil
	case []any:
		return len(v), nil
	case map[string]any:
		return len(v), nil
	}
	return 0, fmt.Errorf("what is %s has no length", kindOf(v))
}

// index finds an item by its place, from 0, or a member by its name. What is
// not there is missing, as .name is.
func index(v any, keys ...any) (any, error) {
	for _, key := range keys {
		place, isPlace := key.(int)
		name, isName := key.(string)
		switch holder := v.(type) {
		case nil:
		case []any:
			if !isPlace {
				return nil, errors.New("an item of a list is named by its place, from 0")
			}
			v = nil
			if place >= 0 && place < len(holder) {
				v = holder[place]
			}
		case map[string]any:
			if !isName {
				return nil, errors.New(`a member of an object is named by its name, such as "size"`)
			}
			v = holder[name]
		default:
			return nil, fmt.Errorf("nothing can be taken out of what is %s", kindOf(v))
		}
	}
	return v, nil
}
