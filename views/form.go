package views

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kwit/contract"
)

// JobForm is the form of a job type, as it is drawn: empty, or filled with what
// was typed.
type JobForm struct {
	JobType string
	Title   string // of the job type
	Note    string // what the job type is for; may be empty
	Key     string // the idempotency key that the form carries (C02)
	Draft   string // the MAC that lets the text outlive a dead session; may be empty
	Fields  []contract.Field
	Values  url.Values       // what stands in the fields, by their names
	Faults  []contract.Fault // what is wrong with it
}

// faultsAt are the faults of one field. Faults inside of a field that holds
// JSON are the field's.
func (f JobForm) faultsAt(field contract.Field) []contract.Fault {
	var at []contract.Fault
	for _, fault := range f.Faults {
		if owner, ok := fieldAt(f.Fields, fault.Pointer); ok && owner.Name == field.Name {
			at = append(at, fault)
		}
	}
	return at
}

// faultsInOrder are the faults as their fields stand in the form; those that no
// field stands for come last.
func (f JobForm) faultsInOrder() []contract.Fault {
	place := map[string]int{}
	var number func([]contract.Field)
	number = func(fields []contract.Field) {
		for _, field := range fields {
			place[field.Pointer] = len(place)
			number(field.Fields)
		}
	}
	number(f.Fields)
	at := func(fault contract.Fault) int {
		if field, ok := fieldAt(f.Fields, fault.Pointer); ok {
			return place[field.Pointer]
		}
		return len(place)
	}
	return slices.SortedStableFunc(slices.Values(f.Faults), func(a, b contract.Fault) int { return at(a) - at(b) })
}

// fieldAt finds the field that a pointer lies in: the deepest one.
func fieldAt(fields []contract.Field, pointer string) (contract.Field, bool) {
	for _, f := range fields {
		if pointer != f.Pointer && !strings.HasPrefix(pointer, f.Pointer+"/") {
			continue
		}
		if inner, ok := fieldAt(f.Fields, pointer); ok {
			return inner, true
		}
		return f, true
	}
	return contract.Field{}, false
}

// fieldID is the id of the field's control in the page.
func fieldID(f contract.Field) string { return "f-" + f.Name }

// describedBy lists what explains a control: its help, its limits, its faults.
func describedBy(f contract.Field, faulty bool) string {
	var ids []string
	if f.Help != "" {
		ids = append(ids, fieldID(f)+"-help")
	}
	if limits(f) != "" {
		ids = append(ids, fieldID(f)+"-limits")
	}
	if faulty {
		ids = append(ids, fieldID(f)+"-fault")
	}
	return strings.Join(ids, " ")
}

// limits says in words what a field accepts; empty where anything goes.
func limits(f contract.Field) string {
	if f.Kind == contract.Number || f.Kind == contract.Integer {
		return numberLimits(f)
	}
	if f.Kind != contract.Text && f.Kind != contract.LongText {
		return ""
	}
	low, high := f.MinLength != nil && *f.MinLength > 1, f.MaxLength != nil
	switch {
	case low && high:
		return count(*f.MinLength) + " to " + count(*f.MaxLength) + " characters"
	case high:
		return "at most " + count(*f.MaxLength) + " characters"
	case low:
		return "at least " + count(*f.MinLength) + " characters"
	}
	return ""
}

func numberLimits(f contract.Field) string {
	var said []string
	if f.Kind == contract.Integer {
		said = append(said, "a whole number")
	}
	if bounds := bounds(f); bounds != "" {
		said = append(said, bounds)
	}
	if f.MultipleOf != "" && f.MultipleOf != "1" {
		said = append(said, "in steps of "+f.MultipleOf)
	}
	return strings.Join(said, ", ")
}

// bounds says between which numbers a field's number lies, the lower one first.
func bounds(f contract.Field) string {
	switch {
	case f.Minimum != "" && f.Maximum != "" && f.ExclusiveMinimum == "" && f.ExclusiveMaximum == "":
		return f.Minimum + " to " + f.Maximum
	case f.Minimum != "" && f.Maximum+f.ExclusiveMaximum+f.ExclusiveMinimum == "":
		return f.Minimum + " or more"
	case f.Maximum != "" && f.Minimum+f.ExclusiveMinimum+f.ExclusiveMaximum == "":
		return f.Maximum + " or less"
	}
	var said []string
	for _, bound := range []struct{ words, value string }{
		{"at least ", f.Minimum}, {"more than ", f.ExclusiveMinimum}, {"at most ", f.Maximum}, {"less than ", f.ExclusiveMaximum},
	} {
		if bound.value != "" {
			said = append(said, bound.words+bound.value)
		}
	}
	return strings.Join(said, " and ")
}

// radios tells whether a choice is shown with all its options open.
func radios(f contract.Field) bool { return f.Required && len(f.Choices) <= 4 }

// inputType is the type of a one-line control. Numbers are text, so that every
// digit that was typed arrives.
func inputType(f contract.Field) string {
	if f.Kind == contract.Text && f.Format == "date" {
		return "date"
	}
	return "text"
}

// inputMode is the keyboard that a phone shows.
func inputMode(f contract.Field) string {
	switch {
	case f.Kind == contract.Integer:
		return "numeric"
	case f.Kind == contract.Number:
		return "decimal"
	case f.Format == "email":
		return "email"
	case f.Format == "uri" || f.Format == "uri-reference":
		return "url"
	}
	return "text"
}

// ticked tells whether a box is ticked by what stands in the form.
func ticked(values url.Values, name string) bool {
	return slices.Contains([]string{"true", "on", "yes", "1"}, values.Get(name))
}

// count is a number with its thousands apart: 6,214.
func count[N int | int32 | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// names are the names of what was typed, in a steady order.
func names(values url.Values) []string {
	list := make([]string, 0, len(values))
	for name := range values {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// filled are the names of what something was typed in, as the fields stand in
// the form; names that no field has come last.
func (f JobForm) filled() []string {
	place := map[string]int{}
	var number func([]contract.Field)
	number = func(fields []contract.Field) {
		for _, field := range fields {
			place[field.Name] = len(place) + 1
			number(field.Fields)
		}
	}
	number(f.Fields)
	list := slices.DeleteFunc(names(f.Values), func(name string) bool { return f.Values.Get(name) == "" })
	at := func(name string) int { return cmp.Or(place[name], len(place)+1) }
	slices.SortStableFunc(list, func(a, b string) int { return at(a) - at(b) })
	return list
}

// address is where the form can be had, under its key.
func (f JobForm) address() string { return withQuery("/jobs/new/"+f.JobType, "form", f.Key) }

// rows is the height of a text area: taller where more text is expected.
func rows(f contract.Field) string {
	if f.Kind == contract.LongText && (f.MaxLength == nil || *f.MaxLength > 1000) {
		return "10"
	}
	return "5"
}

// insideOf names the place of a fault inside of a field that holds JSON.
func insideOf(f contract.Field, fault contract.Fault) string {
	if inside := strings.TrimPrefix(fault.Pointer, f.Pointer); inside != "" {
		return " (at " + inside + ")"
	}
	return ""
}

// labelOf is what people call the field that is posted under a name.
func labelOf(fields []contract.Field, name string) string {
	for _, f := range fields {
		if f.Name == name {
			return f.Label
		}
		if strings.HasPrefix(name, f.Name+".") {
			return labelOf(f.Fields, name)
		}
	}
	return name
}
