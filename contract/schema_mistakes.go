package contract

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"kwit/exactjson"
)

// schemaMistakes turns what the compiler says into mistakes with pointers
// relative to the schema.
func schemaMistakes(schema exactjson.Value, err error) []Mistake {
	var invalid *jsonschema.SchemaValidationError
	var validation *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &validation) {
		var mistakes []Mistake
		for _, fault := range explain(schema, validation) {
			mistakes = append(mistakes, Mistake{fault.Pointer, "not a valid JSON Schema: " + fault.Detail})
		}
		return mistakes
	}
	var regex *jsonschema.InvalidRegexError
	var anchor *jsonschema.AnchorNotFoundError
	var twice *jsonschema.DuplicateAnchorError
	switch {
	case errors.As(err, &regex):
		return []Mistake{{pointerIn(regex.URL), fmt.Sprintf("the pattern %s cannot be read: %v", strconv.Quote(regex.Regex), regex.Err)}}
	case errors.As(err, &anchor):
		return []Mistake{{pointerOfReference(schema, anchor.Reference), "refers to an anchor that is not there"}}
	case errors.As(err, &twice):
		return []Mistake{{twice.Ptr2, fmt.Sprintf("the anchor %q stands twice", twice.Anchor)}}
	}
	return []Mistake{{"", "not a valid JSON Schema: " + err.Error()}}
}

// pointerOfReference finds the reference that leads to an anchor.
func pointerOfReference(schema exactjson.Value, reference string) string {
	found := ""
	_, anchor, _ := strings.Cut(reference, "#")
	walkSchema(schema, "", func(pointer, keyword string, v exactjson.Value) {
		if (keyword == "$ref" || keyword == "$dynamicRef") && v.Text() == "#"+anchor {
			found = pointer
		}
	})
	return found
}
