package contract

import "kwit/exactjson"

// optionsOf gives the options of a schema that allows a few values only: an
// enum, or oneOf and anyOf over constants with titles. It reports false for
// every other schema, and where two values would be posted as one text.
func optionsOf(schema exactjson.Value) ([]Option, bool) {
	if enum, ok := schema.Get("enum"); ok {
		var options []Option
		for _, v := range enum.Items() {
			options = append(options, Option{Value: formText(v), Label: formText(v), value: v})
		}
		return usable(options)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if branches, ok := schema.Get(keyword); ok {
			return constants(branches)
		}
	}
	return nil, false
}

// constants gives the options of branches like {const: pl, title: Polish}.
func constants(branches exactjson.Value) ([]Option, bool) {
	var options []Option
	for _, branch := range branches.Items() {
		v, ok := branch.Get("const")
		if !ok {
			return nil, false
		}
		option := Option{Value: formText(v), Label: textOf(branch, "title"), value: v}
		if option.Label == "" {
			option.Label = option.Value
		}
		options = append(options, option)
	}
	return usable(options)
}

// usable refuses what a choice cannot tell apart or cannot post. Null is no
// option: leaving the field empty says it.
func usable(options []Option) ([]Option, bool) {
	seen := map[string]bool{"": true}
	var kept []Option
	for _, o := range options {
		switch o.value.Kind() {
		case exactjson.Null:
			continue
		case exactjson.Array, exactjson.Object:
			return nil, false
		}
		if seen[o.Value] {
			return nil, false
		}
		seen[o.Value] = true
		kept = append(kept, o)
	}
	return kept, len(kept) > 0
}
