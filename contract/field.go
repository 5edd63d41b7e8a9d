package contract

import "kwit/exactjson"

// FieldKind says how a field of the form looks and how its text is read.
type FieldKind string

// The kinds. JSON is for what a form cannot express (lists, free objects,
// alternatives): a text area that takes JSON, so that nothing is out of reach.
const (
	Text     FieldKind = "text"
	LongText FieldKind = "long text" // may hold more than 200 characters, or says "format: textarea"
	Number   FieldKind = "number"
	Integer  FieldKind = "integer"
	Choice   FieldKind = "choice"
	YesNo    FieldKind = "yes/no"
	Object   FieldKind = "object" // holds Fields
	JSON     FieldKind = "json"
)

// Field is one field of the form that is made from an input's schema.
type Field struct {
	Name     string // as it is posted: input.NAME, nested input.NAME.NAME (3-interfaces, "Pages")
	Pointer  string // the place in the input, RFC 6901; a Fault at this field has the same
	Kind     FieldKind
	Label    string // title, else made from the name
	Help     string // description
	Required bool

	Default     string // the text of the schema's default, empty without one
	Placeholder string // the text of the first example

	// Limits as the schema says them. Nil or empty: none. Lengths count
	// characters; numbers are decimal text, exact.
	MinLength, MaxLength               *int
	Minimum, Maximum                   string
	ExclusiveMinimum, ExclusiveMaximum string
	MultipleOf                         string
	Pattern                            string
	Format                             string // email, date, uri …

	Choices []Option // of a Choice
	Fields  []Field  // of an Object, in the schema's order

	member   string // name in the surrounding object; empty for the whole input
	nullable bool   // null is allowed, and stands for empty where the field is required
}

// Option is one option of a Choice.
type Option struct {
	Value string // as it is posted
	Label string

	value exactjson.Value
}

// Fields are the fields of the form, in the order of the schema.
func (c *Contract) Fields() []Field { return c.fields }
