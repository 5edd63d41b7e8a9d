package contract

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"kwit/exactjson"
)

// detail says in plain words what is wrong, to be read behind the name of the
// place.
func detail(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		if k.Got == "number" && slices.Equal(k.Want, []string{"integer"}) {
			return "must be a whole number"
		}
		return fmt.Sprintf("must be %s, is %s", oneOf(typeNames(k.Want)), typeNames([]string{k.Got})[0])
	case *kind.Enum:
		return "must be " + oneOf(showAll(k.Want))
	case *kind.Const:
		return "must be " + show(k.Want)
	case *kind.Format:
		return "must be " + formatName(k.Want)
	case *kind.Pattern:
		return patternDetail(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, has %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, has %d", count(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, has %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, has %d", count(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, has %d", count(k.Want, "member"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, has %d", count(k.Want, "member"), k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("must not repeat an item: items %d and %d are equal", k.Duplicates[0]+1, k.Duplicates[1]+1)
	case *kind.Not:
		return "is a value that is not allowed"
	}
	return numberDetail(k)
}

// numberDetail goes on with numbers, and ends with the validator's own words
// for what is rare.
func numberDetail(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, is %s", decimal(k.Want), decimal(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, is %s", decimal(k.Want), decimal(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %s, is %s", decimal(k.Want), decimal(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, is %s", decimal(k.Want), decimal(k.Got))
	case *kind.MultipleOf:
		return fmt.Sprintf("must be a multiple of %s, is %s", decimal(k.Want), decimal(k.Got))
	case *kind.Contains:
		return "has no item of the kind that must be there"
	}
	return k.LocalizedString(message.NewPrinter(language.English))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// typeNames gives the types of JSON Schema in words, each once.
func typeNames(types []string) []string {
	words := map[string]string{
		"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
		"object": "an object", "array": "a list",
	}
	var names []string
	for _, t := range types {
		name := t
		if word, ok := words[t]; ok {
			name = word
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// formatName gives the commoner formats in words.
func formatName(format string) string {
	switch format {
	case "email":
		return "an e-mail address, such as ewa@example.com"
	case "date":
		return "a date, such as 2026-11-30"
	case "time":
		return "a time with its zone, such as 14:02:12Z"
	case "date-time":
		return "a date and time with its zone, such as 2026-11-30T14:02:12Z"
	case "uri", "iri":
		return "a whole address, such as https://example.com/"
	case "regex":
		return "a regular expression (Go's syntax, without look-ahead and back references)"
	}
	return "a valid " + format
}

// oneOf joins words: "a", "a or b", "one of a, b, c".
func oneOf(words []string) string {
	if len(words) <= 2 {
		return strings.Join(words, " or ")
	}
	return "one of " + strings.Join(words, ", ")
}

func showAll(values []any) []string {
	shown := make([]string, len(values))
	for i, v := range values {
		shown[i] = show(v)
	}
	return shown
}

// show gives a value of a schema as a person would write it.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if v == "" {
			return "empty"
		}
		return shorten(v)
	case map[string]any:
		return "a certain object"
	case []any:
		return "a certain list"
	}
	return shorten(fmt.Sprint(v))
}

// decimal writes a number exactly, as far as a line has room for it.
func decimal(r *big.Rat) string {
	digits, _ := r.FloatPrec() // exact: it was read from a decimal
	v, ok := exactjson.NewNumber(r.FloatString(digits))
	if !ok {
		return shorten(r.FloatString(digits))
	}
	return shorten(string(exactjson.Canonical(v)))
}

const longest = 60 // characters of a value that a fault quotes

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest]) + "…"
}
