package contract

import (
	"net/url"

	"kwit/exactjson"
)

// Encode fills a form from an input, so that decoding it gives the same input
// again where the form can say it. What cannot be read as JSON fills nothing.
func Encode(fields []Field, input []byte) url.Values {
	form := url.Values{}
	v, err := exactjson.Parse(input, exactjson.Limits{})
	if err != nil {
		return form
	}
	if len(fields) == 1 && fields[0].Name == "input" {
		form.Set("input", formText(v))
		return form
	}
	encode(fields, v, form)
	return form
}

// Defaults fills a form from the schema's defaults, as a newly opened one is.
func Defaults(fields []Field) url.Values {
	form := url.Values{}
	for _, f := range fields {
		if f.Kind != Object && f.Default != "" {
			form.Set(f.Name, f.Default)
		}
		for name, values := range Defaults(f.Fields) {
			form[name] = values
		}
	}
	return form
}

func encode(fields []Field, object exactjson.Value, form url.Values) {
	for _, f := range fields {
		v, ok := object.Get(f.member)
		if !ok || v.Kind() == exactjson.Null && f.nullable {
			continue
		}
		if f.Kind == Object {
			encode(f.Fields, v, form)
			continue
		}
		form.Set(f.Name, f.show(v))
	}
}

// show is a value as the field shows it.
func (f Field) show(v exactjson.Value) string {
	if f.Kind == JSON {
		return string(v.Bytes())
	}
	return formText(v)
}

// formText is a string's characters, and the JSON of everything else.
func formText(v exactjson.Value) string {
	if v.Kind() == exactjson.String {
		return v.Text()
	}
	return string(v.Bytes())
}
