package exactjson

import (
	"strconv"
	"strings"
)

// A number is refused when its text is longer than maxNumberText bytes, or when
// it lies 10 to the power of maxExponent away from 1. A double ends at 1e308, so
// this leaves room; without the bounds nine bytes (1e9999999) would make a reader
// with exact arithmetic fill its memory, and PostgreSQL's numeric overflow. For
// its sake zeros are bound too: 0e9999999 is refused.
const (
	maxNumberText = 1000
	maxExponent   = 1000
)

// appendNumber writes a number in canonical form: the shortest digits that
// have exactly its value, laid out as ECMAScript's Number::toString lays them
// out (which RFC 8785 prescribes), so that whatever a double can hold looks
// the same as there. It reports false when the text is not a number of JSON's
// grammar or is out of bounds.
func appendNumber(dst []byte, text string) ([]byte, bool) {
	n, ok := readNumber(text)
	if !ok {
		return dst, false
	}
	if n.digits == "" {
		return append(dst, '0'), true // -0 is 0
	}
	if n.negative {
		dst = append(dst, '-')
	}
	count := len(n.digits)
	switch {
	case count <= n.point && n.point <= 21:
		dst = append(dst, n.digits...)
		return appendZeros(dst, n.point-count), true
	case 0 < n.point && n.point <= 21:
		dst = append(append(dst, n.digits[:n.point]...), '.')
		return append(dst, n.digits[n.point:]...), true
	case -6 < n.point && n.point <= 0:
		dst = appendZeros(append(dst, "0."...), -n.point)
		return append(dst, n.digits...), true
	}
	dst = append(dst, n.digits[0])
	if count > 1 {
		dst = append(append(dst, '.'), n.digits[1:]...)
	}
	dst = append(dst, 'e')
	if n.point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(n.point-1), 10), true
}

func appendZeros(dst []byte, count int) []byte {
	for range count {
		dst = append(dst, '0')
	}
	return dst
}

// number is 0.DIGITS times 10 to the power of point. Digits neither begin nor
// end with a zero, and are empty for zero.
type number struct {
	negative bool
	digits   string
	point    int
}

func readNumber(text string) (n number, ok bool) {
	if len(text) > maxNumberText {
		return n, false
	}
	text, n.negative = strings.CutPrefix(text, "-")
	whole, text := takeDigits(text)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return n, false
	}
	var fraction string
	if rest, ok := strings.CutPrefix(text, "."); ok {
		if fraction, text = takeDigits(rest); fraction == "" {
			return n, false
		}
	}
	exponent, ok := readExponent(text)
	if !ok {
		return n, false
	}
	// The whole part without its zero shifts the point; zeros in front of the
	// first digit shift it back.
	all := strings.TrimLeft(whole+fraction, "0")
	n.point = len(all) - len(fraction) + exponent
	n.digits = strings.TrimRight(all, "0")
	return n, -maxExponent < n.point && n.point <= maxExponent+1
}

func takeDigits(s string) (digits, rest string) {
	end := 0
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	return s[:end], s[end:]
}

// readExponent reads "", "e5", "E+05", "e-5". What does not fit into 32 bits is
// far out of bounds whatever stands before it: it is kept that far out.
func readExponent(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	sign := strings.TrimPrefix(text[1:], "+")
	digits := sign
	if len(sign) == len(text)-1 {
		digits = strings.TrimPrefix(sign, "-")
	}
	if taken, rest := takeDigits(digits); taken == "" || rest != "" {
		return 0, false
	}
	exponent, _ := strconv.ParseInt(sign, 10, 32) // clamped when out of range
	return int(exponent), true
}
