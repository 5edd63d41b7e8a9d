package contract

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"kwit/exactjson"
)

// CheckForm reads a posted form into an input and holds it against the
// contract. The input is the JSON that is submitted; with faults it is what
// could be read of it. Names outside of "input" are left alone.
func (c *Contract) CheckForm(form url.Values) (input []byte, faults []Fault) {
	input, faults = Decode(c.fields, form)
	v, err := exactjson.Parse(input, exactjson.Limits{})
	if err != nil {
		var refused *exactjson.Error
		if errors.As(err, &refused) {
			return input, append(faults, Fault{refused.Pointer, refused.Detail})
		}
		return input, append(faults, Fault{"", err.Error()})
	}
	for _, fault := range c.CheckInput(v) {
		said := func(f Fault) bool { return f.Pointer == fault.Pointer }
		if !slices.ContainsFunc(faults, said) {
			faults = append(faults, c.describedFault(fault))
		}
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return strings.Compare(a.Pointer, b.Pointer) })
	return input, faults
}

// describedFault leaves a pattern that no words were found for to the field's
// description, where it has one.
func (c *Contract) describedFault(fault Fault) Fault {
	f, ok := fieldOf(c.fields, fault.Pointer)
	if ok && f.Help != "" && f.Pattern != "" && fault.Detail == "must match the pattern "+f.Pattern {
		fault.Detail = "is not written as its description says"
	}
	return fault
}

func fieldOf(fields []Field, pointer string) (Field, bool) {
	for _, f := range fields {
		if f.Pointer == pointer {
			return f, true
		}
		if inner, ok := fieldOf(f.Fields, pointer); ok {
			return inner, true
		}
	}
	return Field{}, false
}

// Decode reads posted text into an input, without holding it against the
// schema. Text has browsers' line ends (CR LF) turned into LF; numbers keep the
// digits that were typed; a box that is not ticked is false; an empty optional
// field is left out, and so is an optional object in which nothing is filled
// in. Faults are text that cannot be read, a name that stands twice, and a name
// that is no field.
func Decode(fields []Field, form url.Values) (input []byte, faults []Fault) {
	d := decoder{form: form, known: map[string]bool{}}
	var v exactjson.Value
	if len(fields) == 1 && fields[0].Name == "input" {
		v, _ = d.value(fields[0])
	} else {
		v = d.object(fields)
	}
	for name, posted := range form {
		if !isInput(name) {
			continue
		}
		switch pointer := strings.ReplaceAll(escape(strings.TrimPrefix(name, "input")), ".", "/"); {
		case !d.known[name]:
			d.fault(pointer, "is not a field of this form")
		case len(posted) > 1:
			d.fault(pointer, "was sent more than once")
		}
	}
	slices.SortFunc(d.faults, func(a, b Fault) int { return strings.Compare(a.Pointer, b.Pointer) })
	return v.Bytes(), d.faults
}

func isInput(name string) bool { return name == "input" || strings.HasPrefix(name, "input.") }

type decoder struct {
	form   url.Values
	known  map[string]bool
	faults []Fault
}

func (d *decoder) fault(pointer, detail string) {
	d.faults = append(d.faults, Fault{pointer, detail})
}

func (d *decoder) object(fields []Field) exactjson.Value {
	members := []exactjson.Member{}
	for _, f := range fields {
		if v, ok := d.value(f); ok {
			members = append(members, exactjson.Member{Name: f.member, Value: v})
		}
	}
	v, _ := exactjson.NewObject(members) // a schema's members are distinct
	return v
}

// value reads one field. It reports false where the member is left out.
func (d *decoder) value(f Field) (exactjson.Value, bool) {
	if f.Kind == Object {
		v := d.object(f.Fields)
		return v, f.Required || d.filled(f.Fields)
	}
	d.known[f.Name] = true
	text := strings.ReplaceAll(d.form.Get(f.Name), "\r\n", "\n")
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		d.fault(f.Pointer, "holds a character that is not allowed")
		return exactjson.Value{}, false
	}
	if f.Kind == YesNo {
		return d.yesNo(f, text)
	}
	if text == "" {
		return exactjson.Value{}, f.Required && f.nullable
	}
	switch f.Kind {
	case Number, Integer:
		return d.number(f, text)
	case Choice:
		return d.choice(f, text)
	case JSON:
		return d.json(f, text)
	}
	return exactjson.NewString(text), true
}

// filled tells whether anything is typed or ticked in the fields.
func (d *decoder) filled(fields []Field) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		if f.Kind == Object {
			return d.filled(f.Fields)
		}
		text := d.form.Get(f.Name)
		return text != "" && !(f.Kind == YesNo && slices.Contains(noes, text))
	})
}

var (
	yeses = []string{"true", "on", "yes", "1"}
	noes  = []string{"", "false", "off", "no", "0"}
)

func (d *decoder) yesNo(f Field, text string) (exactjson.Value, bool) {
	yes := slices.Contains(yeses, text)
	if !yes && !slices.Contains(noes, text) {
		d.fault(f.Pointer, "must be true or false")
		return exactjson.Value{}, false
	}
	return exactjson.NewBool(yes), true
}

func (d *decoder) number(f Field, text string) (exactjson.Value, bool) {
	v, ok := exactjson.NewNumber(plainNumber(strings.TrimSpace(text)))
	switch {
	case ok:
	case f.Kind == Integer:
		d.fault(f.Pointer, "must be a whole number, such as 12")
	default:
		d.fault(f.Pointer, "must be a number, such as 12 or 12.5")
	}
	return v, ok
}

// plainNumber turns what a browser's number field may hold beyond JSON's
// grammar into it: zeros in front, or none before the point.
func plainNumber(text string) string {
	rest, negative := strings.CutPrefix(text, "-")
	digits := strings.TrimLeft(rest, "0")
	onlyZeros := digits != rest && (digits == "" || digits[0] < '0' || digits[0] > '9')
	if onlyZeros || strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	if negative {
		return "-" + digits
	}
	return digits
}

func (d *decoder) choice(f Field, text string) (exactjson.Value, bool) {
	for _, o := range f.Choices {
		if o.Value == text {
			return o.value, true
		}
	}
	d.fault(f.Pointer, "is not one of the choices")
	return exactjson.Value{}, false
}

func (d *decoder) json(f Field, text string) (exactjson.Value, bool) {
	v, err := exactjson.Parse([]byte(text), exactjson.Limits{})
	if err == nil {
		return v, true
	}
	var refused *exactjson.Error
	if errors.As(err, &refused) {
		d.fault(f.Pointer, "cannot be read as JSON: "+refused.Error())
	}
	return exactjson.Value{}, false
}
