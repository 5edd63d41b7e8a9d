package exactjson

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Canonical writes the value's canonical form: RFC 8785, but with exact
// numbers. Two values have the same canonical form exactly when they are equal
// as JSON: member order, white space, escapes and the way a number is written
// make no difference, every difference in value does. Strings are compared to
// the byte, without Unicode normalisation.
func Canonical(v Value) []byte {
	return v.append(nil, func(dst []byte, text string) []byte {
		dst, _ = appendNumber(dst, text) // a Value holds only numbers that passed
		return dst
	}, sorted)
}

// sorted gives the members in the order of RFC 8785, section 3.2.3: by the
// UTF-16 code units of their names.
func sorted(members []Member) []Member {
	byName := func(a, b Member) int { return compareUTF16(a.Name, b.Name) }
	if slices.IsSortedFunc(members, byName) {
		return members
	}
	return slices.SortedFunc(slices.Values(members), byName)
}

// compareUTF16 orders two strings as if they were UTF-16. It differs from the
// order of bytes only where a character beyond U+FFFF meets one from U+E000 on.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return cmp.Or(cmp.Compare(firstUnit(ra), firstUnit(rb)), cmp.Compare(ra, rb))
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

// firstUnit is the first UTF-16 code unit of a character.
func firstUnit(r rune) rune {
	if r < 0x10000 {
		return r
	}
	return 0xd800 + (r-0x10000)>>10
}
