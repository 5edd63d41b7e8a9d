package views

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"kwit/contract"
	"kwit/exactjson"
)

// row is one line of what stands in a JSON value: a name and a text. Objects
// inside of it are taken apart.
type row struct {
	Name string
	Text string
	Code bool // JSON rather than text
	Long bool // a paragraph, or folded where there is little room
}

const (
	shortText  = 120 // characters that stand beside their name
	foldedText = 400 // characters from which a text is folded where asked for
)

// rowsOf takes a JSON value apart. Names and order come from the form where there
// are fields; members without a field follow in their own order. A value that is
// no object is one row without a name.
func rowsOf(raw []byte, fields []contract.Field) []row {
	v, err := exactjson.Parse(raw, exactjson.Limits{AllowNUL: true})
	if err != nil {
		return []row{{Text: string(raw), Code: true, Long: true}}
	}
	return appendRows(nil, "", v, placeFields(fields, map[string]placedField{}), "")
}

// placedField is a field and how many stand before it in the form.
type placedField struct {
	contract.Field
	place int
}

func placeFields(fields []contract.Field, at map[string]placedField) map[string]placedField {
	for _, f := range fields {
		at[f.Pointer] = placedField{f, len(at)}
		placeFields(f.Fields, at)
	}
	return at
}

// inOrder are an object's members with their pointers, as the form has them.
func inOrder(v exactjson.Value, fields map[string]placedField, pointer string) []placedMember {
	var list []placedMember
	for _, m := range v.Members() {
		p := placedMember{m, pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(m.Name), len(fields)}
		if f, ok := fields[p.pointer]; ok {
			p.place = f.place
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b placedMember) int { return a.place - b.place })
	return list
}

type placedMember struct {
	exactjson.Member
	pointer string
	place   int
}

// choiceLabel is what the form calls a value that was chosen.
func choiceLabel(f contract.Field, v exactjson.Value) (string, bool) {
	text := string(v.Bytes())
	if v.Kind() == exactjson.String {
		text = v.Text()
	}
	for _, option := range f.Choices {
		if option.Value == text {
			return option.Label, true
		}
	}
	return "", false
}

func appendRows(list []row, name string, v exactjson.Value, fields map[string]placedField, pointer string) []row {
	if label, chosen := choiceLabel(fields[pointer].Field, v); chosen {
		return append(list, row{Name: name, Text: label})
	}
	switch v.Kind() {
	case exactjson.Object:
		for _, m := range inOrder(v, fields, pointer) {
			label := m.Name
			if f, ok := fields[m.pointer]; ok {
				label = f.Label
			}
			if name != "" {
				label = name + " · " + label
			}
			list = appendRows(list, label, m.Value, fields, m.pointer)
		}
		return list
	case exactjson.Array:
		return append(list, arrayRow(name, v))
	case exactjson.String:
		return append(list, row{Name: name, Text: v.Text(), Long: isLong(v.Text())})
	case exactjson.Bool:
		if v.Bool() {
			return append(list, row{Name: name, Text: "yes"})
		}
		return append(list, row{Name: name, Text: "no"})
	case exactjson.Null:
		return append(list, row{Name: name, Text: "nothing"})
	}
	return append(list, row{Name: name, Text: v.Text()})
}

// arrayRow is a list: of short texts and numbers in a line, else as JSON.
func arrayRow(name string, v exactjson.Value) row {
	var items []string
	for _, item := range v.Items() {
		switch {
		case item.Kind() == exactjson.Number, item.Kind() == exactjson.String && !isLong(item.Text()):
			items = append(items, item.Text())
		default:
			return row{Name: name, Text: indented(v.Bytes()), Code: true, Long: true}
		}
	}
	text := strings.Join(items, ", ")
	if text == "" {
		text = "none"
	}
	return row{Name: name, Text: text, Long: isLong(text)}
}

func isLong(s string) bool { return utf8.RuneCountInString(s) > shortText || strings.Contains(s, "\n") }

// fold tells whether a text is shown by its beginning only, and what that is.
func fold(s string) (beginning string, folded bool) {
	if utf8.RuneCountInString(s) <= foldedText {
		return "", false
	}
	cut := []rune(s)[:shortText]
	return strings.Join(strings.Fields(string(cut)), " ") + "…", true
}

func characters(s string) string { return count(utf8.RuneCountInString(s)) + " characters" }

// indented is JSON for reading; what cannot be read stays as it is.
func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
