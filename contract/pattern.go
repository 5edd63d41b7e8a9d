package contract

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// patternDetail says which texts a pattern lets through: in words where the
// pattern only lists the characters of a whole text, as most do, else by the
// pattern itself.
func patternDetail(pattern string) string {
	if words, ok := patternWords(pattern); ok {
		return words
	}
	return "must match the pattern " + pattern
}

// patternWords reads patterns of the shape ^[characters]repetition$.
func patternWords(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || len(re.Sub) != 3 ||
		re.Sub[0].Op != syntax.OpBeginText || re.Sub[2].Op != syntax.OpEndText {
		return "", false
	}
	body := re.Sub[1]
	class, low, high := body, 1, 1
	switch body.Op {
	case syntax.OpPlus, syntax.OpStar:
		class, low, high = body.Sub[0], 0, -1
	case syntax.OpRepeat:
		class, low, high = body.Sub[0], body.Min, body.Max
	}
	allowed, ok := classWords(class)
	switch {
	case !ok:
		return "", false
	case high < 0 && low <= 1:
		return "may hold only " + allowed, true
	case high < 0:
		return fmt.Sprintf("must have at least %d characters, only %s", low, allowed), true
	case low == high:
		return fmt.Sprintf("must have exactly %s, only %s", count(low, "character"), allowed), true
	}
	return fmt.Sprintf("must have %d to %d characters, only %s", low, high, allowed), true
}

// rangeNames and characterNames are what people call characters.
var (
	rangeNames     = map[[2]rune]string{{'a', 'z'}: "small letters a to z", {'A', 'Z'}: "capital letters A to Z", {'0', '9'}: "digits"}
	characterNames = map[rune]string{'-': "hyphens", '_': "underscores", '.': "full stops", ' ': "spaces", ',': "commas"}
)

// classWords lists the characters of a class. It reports false where one of them
// has no name here.
func classWords(class *syntax.Regexp) (string, bool) {
	if class.Op != syntax.OpCharClass || class.Flags&syntax.FoldCase != 0 {
		return "", false
	}
	var names, signs []string
	for i := 0; i+1 < len(class.Rune); i += 2 {
		low, high := class.Rune[i], class.Rune[i+1]
		if name, ok := rangeNames[[2]rune{low, high}]; ok {
			names = append([]string{name}, names...) // small letters come last in a class, and first in speech
			continue
		}
		for c := low; c <= high; c++ {
			name, ok := characterNames[c]
			if !ok {
				return "", false
			}
			signs = append(signs, name)
		}
	}
	names = append(names, signs...)
	if len(names) == 1 {
		return names[0], true
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last], true
}
