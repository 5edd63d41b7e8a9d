package config

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"kwit/exactjson"
)

// deepestJSON bounds how deep JSON in the file may be nested.
const deepestJSON = 64

// json reads JSON that is written as YAML: members in their order, numbers
// exact, the place of each part noted. what names it in mistakes.
func (r *reader) json(n *yaml.Node, what string, at places, pointer string) exactjson.Value {
	if !r.is(n, yaml.MappingNode, what) {
		return exactjson.Value{}
	}
	return r.jsonValue(n, at, pointer, 1)
}

func (r *reader) jsonValue(n *yaml.Node, at places, pointer string, depth int) exactjson.Value {
	if _, noted := at.at[pointer]; !noted {
		at.note(pointer, n)
	}
	if depth > deepestJSON {
		r.mistake(n, "nested more than %d deep", deepestJSON)
		return exactjson.Value{}
	}
	switch n.Kind {
	case yaml.MappingNode:
		var members []exactjson.Member
		r.members(n, "this", func(key, value *yaml.Node) {
			p := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key.Value)
			at.note(p, key)
			members = append(members, exactjson.Member{Name: key.Value, Value: r.jsonValue(value, at, p, depth+1)})
		})
		v, _ := exactjson.NewObject(members) // doubled keys were left out
		return v
	case yaml.SequenceNode:
		var items []exactjson.Value
		r.list(n, "this", func(item *yaml.Node) {
			items = append(items, r.jsonValue(item, at, pointer+"/"+strconv.Itoa(len(items)), depth+1))
		})
		return exactjson.NewArray(items)
	}
	return r.jsonScalar(n)
}

// jsonScalar reads text, a number, true, false or null. The parser's own idea
// of numbers is not asked where JSON's grammar has one: it takes 1e400 for
// text. Where only the parser sees a number (0x10, 1_000, 010, .5), nobody can
// be sure what was meant.
func (r *reader) jsonScalar(n *yaml.Node) exactjson.Value {
	if !r.is(n, yaml.ScalarNode, "this") {
		return exactjson.Value{}
	}
	plain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
	if number, ok := exactjson.NewNumber(n.Value); ok && plain {
		return number
	}
	switch n.Tag {
	case "!!null":
		return exactjson.Value{}
	case "!!bool":
		return exactjson.NewBool(strings.EqualFold(n.Value, "true"))
	case "!!int", "!!float":
		r.mistake(n, "%s is not how JSON writes a number: write it in decimal, or in quotes where text is meant", n.Value)
		return exactjson.Value{}
	}
	if strings.Contains(n.Value, "\x00") {
		r.mistake(n, "the text holds the character NUL")
	}
	return exactjson.NewString(n.Value)
}
