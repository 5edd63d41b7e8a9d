package contract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kwit/exactjson"
)

const (
	longTextFrom  = 200 // characters
	deepestObject = 3   // objects inside each other; what is deeper is typed as JSON
)

// fieldsOf makes the form's fields from an input's schema. A mistake is a pair
// of members whose fields would have one name.
func fieldsOf(schema exactjson.Value) ([]Field, []Mistake) {
	b := builder{root: schema, pointers: map[string]string{}}
	whole := b.field("input", "", "/input", schema, 0)
	if whole.Kind != Object {
		whole.Label, whole.Required = "Input", true
		return []Field{whole}, nil
	}
	return whole.Fields, b.mistakes
}

type builder struct {
	root     exactjson.Value
	pointers map[string]string // by the fields' names, to find doubled ones
	mistakes []Mistake
}

// field makes the field of one schema. at is the schema's own pointer, for
// mistakes.
func (b *builder) field(name, pointer, at string, schema exactjson.Value, depth int) Field {
	schema, simple := b.resolve(schema)
	f := Field{Name: name, Pointer: pointer, Kind: JSON, Label: textOf(schema, "title"), Help: textOf(schema, "description"),
		MinLength: lengthOf(schema, "minLength"), MaxLength: lengthOf(schema, "maxLength"),
		Minimum: textOf(schema, "minimum"), ExclusiveMinimum: textOf(schema, "exclusiveMinimum"),
		Maximum: textOf(schema, "maximum"), ExclusiveMaximum: textOf(schema, "exclusiveMaximum"),
		MultipleOf: textOf(schema, "multipleOf"), Pattern: textOf(schema, "pattern"), Format: textOf(schema, "format")}
	if simple {
		b.setKind(&f, at, schema, depth)
	}
	if first, ok := schema.Get("examples"); ok && len(first.Items()) > 0 {
		f.Placeholder = f.show(first.Items()[0])
	}
	if value, ok := schema.Get("default"); ok {
		f.Default = f.show(value)
	}
	return f
}

// setKind finds the kind, and what hangs on it.
func (b *builder) setKind(f *Field, at string, schema exactjson.Value, depth int) {
	single, nullable := typesOf(schema)
	f.nullable = nullable
	if options, ok := optionsOf(schema); ok {
		f.Kind, f.Choices = Choice, options
		return
	}
	switch single {
	case "string":
		f.Kind = Text
		if f.Format == "textarea" || f.MaxLength != nil && *f.MaxLength > longTextFrom {
			f.Kind = LongText
		}
	case "number":
		f.Kind = Number
	case "integer":
		f.Kind = Integer
	case "boolean":
		f.Kind = YesNo
	case "object":
		b.object(f, at, schema, depth)
	}
}

// object makes the fields of an object's members, unless the object is more
// than named members.
func (b *builder) object(f *Field, at string, schema exactjson.Value, depth int) {
	properties, named := schema.Get("properties")
	required := namesIn(schema, "required")
	for _, name := range required {
		if _, known := properties.Get(name); !known {
			named = false
		}
	}
	if !named || depth >= deepestObject {
		return
	}
	f.Kind = Object
	for _, m := range properties.Members() {
		name := f.Name + "." + m.Name
		at := at + "/properties/" + escape(m.Name)
		if other, doubled := b.pointers[name]; doubled {
			b.mistakes = append(b.mistakes, Mistake{at, "its field in the form would be named " + name + ", as that of " + other})
			continue
		}
		b.pointers[name] = at
		member := b.field(name, f.Pointer+"/"+escape(m.Name), at, m.Value, depth+1)
		member.member = m.Name
		member.Required = slices.Contains(required, m.Name)
		if member.Label == "" {
			member.Label = labelFrom(m.Name)
		}
		f.Fields = append(f.Fields, member)
	}
}

// resolve follows references. What stands beside a reference comes first. It
// reports false where the schema is more than its own keywords say, so that no
// simple field can stand for it.
func (b *builder) resolve(schema exactjson.Value) (exactjson.Value, bool) {
	for range 16 {
		ref, ok := schema.Get("$ref")
		if !ok {
			return schema, true
		}
		target, ok := lookup(b.root, ref.Text())
		if !ok {
			return schema, false
		}
		var members []exactjson.Member
		for _, m := range schema.Members() {
			if m.Name != "$ref" {
				members = append(members, m)
			}
		}
		for _, m := range target.Members() {
			if _, own := schema.Get(m.Name); !own || m.Name == "$ref" {
				members = append(members, m)
			}
		}
		schema, _ = exactjson.NewObject(members)
	}
	return schema, false
}

// typesOf gives the one type of a schema beside null, or "" where there are
// several or none.
func typesOf(schema exactjson.Value) (single string, nullable bool) {
	kind, _ := schema.Get("type")
	if kind.Kind() == exactjson.String {
		return kind.Text(), false
	}
	var others []string
	for _, item := range kind.Items() {
		if item.Text() == "null" {
			nullable = true
			continue
		}
		others = append(others, item.Text())
	}
	if len(others) != 1 {
		return "", nullable
	}
	return others[0], nullable
}

func textOf(schema exactjson.Value, keyword string) string {
	v, _ := schema.Get(keyword)
	return v.Text()
}

func lengthOf(schema exactjson.Value, keyword string) *int {
	v, ok := schema.Get(keyword)
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(string(exactjson.Canonical(v)))
	if err != nil {
		return nil // beyond any text
	}
	return &n
}

func namesIn(schema exactjson.Value, keyword string) []string {
	list, _ := schema.Get(keyword)
	var names []string
	for _, item := range list.Items() {
		names = append(names, item.Text())
	}
	return names
}

// labelFrom makes a label from a member's name: max_words is "Max words".
func labelFrom(name string) string {
	words := strings.NewReplacer("_", " ", "-", " ").Replace(name)
	first, size := utf8.DecodeRuneInString(words)
	if size == 0 {
		return name
	}
	return string(unicode.ToUpper(first)) + words[size:]
}
