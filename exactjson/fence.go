package exactjson

import "regexp"

// fence is a text that is one fenced code block and nothing else (CommonMark,
// section 4.5). What stands inside is no JSON if it holds a second fence: a
// string of JSON has no line break.
var fence = regexp.MustCompile("(?s)^\\s*```[ \\t]*[0-9A-Za-z_+-]*[ \\t]*\\r?\\n(.*\\n)[ \\t]*```\\s*$")

// Unfence takes off the fence (```) that language models like to put round
// their JSON, if there is exactly one and it goes round the whole. What stands
// inside is handed out to the byte, and has not been read yet.
func Unfence(text []byte) (inner []byte, fenced bool) {
	found := fence.FindSubmatch(text)
	if found == nil {
		return nil, false
	}
	return found[1], true
}
