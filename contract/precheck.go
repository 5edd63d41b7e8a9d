package contract

import (
	"strconv"
	"strings"

	"kwit/exactjson"
)

const draft2020 = "https://json-schema.org/draft/2020-12/schema"

// precheck finds what the compiler cannot say with a place: another draft,
// references that lead out of the schema or to nothing, and an input that is
// no object. Pointers are relative to the schema.
func precheck(name string, schema exactjson.Value) []Mistake {
	if schema.Kind() != exactjson.Object {
		return []Mistake{{"", "must be a JSON Schema, written as an object"}}
	}
	var mistakes []Mistake
	if kind, ok := schema.Get("type"); name == "input" && (!ok || kind.Text() != "object") {
		pointer := ""
		if ok {
			pointer = "/type"
		}
		mistakes = append(mistakes, Mistake{pointer, `the input must be an object: say "type: object"`})
	}
	walkSchema(schema, "", func(pointer, keyword string, v exactjson.Value) {
		switch keyword {
		case "$schema":
			if text := strings.TrimSuffix(v.Text(), "#"); text != draft2020 {
				mistakes = append(mistakes, Mistake{pointer, "only JSON Schema 2020-12 is supported: leave $schema out, or say " + draft2020})
			}
		case "$id":
			mistakes = append(mistakes, Mistake{pointer, "$id is not supported: references lead to a place in the same schema, such as #/$defs/name"})
		case "$ref", "$dynamicRef":
			if text, ok := brokenReference(schema, v.Text()); ok {
				mistakes = append(mistakes, Mistake{pointer, text})
			}
		}
	})
	return mistakes
}

// brokenReference says what is wrong with a reference. Anchors (#name) are left
// to the compiler.
func brokenReference(schema exactjson.Value, ref string) (string, bool) {
	if !strings.HasPrefix(ref, "#") {
		return "refers to " + strconv.Quote(ref) + ", but only references within the schema are allowed, such as #/$defs/name", true
	}
	if _, ok := lookup(schema, ref); !ok && (ref == "#" || strings.HasPrefix(ref, "#/")) {
		return "refers to " + strconv.Quote(ref) + ", and nothing is there", true
	}
	return "", false
}

// walkSchema visits each keyword of a schema and its subschemas whose value is
// a string. Values that are data (const, enum, default, examples) are left out.
func walkSchema(v exactjson.Value, pointer string, visit func(pointer, keyword string, v exactjson.Value)) {
	for i, item := range v.Items() {
		walkSchema(item, pointer+"/"+strconv.Itoa(i), visit)
	}
	for _, m := range v.Members() {
		at := pointer + "/" + escape(m.Name)
		if holdsData(m.Name) && !namesSubschemas(pointer) {
			continue
		}
		if m.Value.Kind() == exactjson.String {
			visit(at, m.Name, m.Value)
		}
		walkSchema(m.Value, at, visit)
	}
}

// holdsData tells whether a keyword's value is data and no schema.
func holdsData(keyword string) bool {
	return keyword == "const" || keyword == "enum" || keyword == "default" || keyword == "examples"
}

// namesSubschemas tells whether the members at a pointer are names that the
// schema's author chose, and no keywords.
func namesSubschemas(pointer string) bool {
	switch pointer[strings.LastIndexByte(pointer, '/')+1:] {
	case "properties", "patternProperties", "dependentSchemas", "$defs":
		return true
	}
	return false
}
