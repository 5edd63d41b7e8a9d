// Package exactjson reads JSON strictly, keeps its numbers exact, and writes
// the one canonical form in which two texts with the same meaning are the same
// bytes.
//
// Reading refuses whatever two readers could understand differently: doubled
// members, trailing data, invalid UTF-8, lone surrogates, NUL, and what would
// blow up memory (depth, count, exponents). The canonical form is RFC 8785
// (JCS) except for numbers, which RFC 8785 would round to a double: here
// 9007199254740993 and 9007199254740992 stay two numbers, and 1, 1.0 and 1e0
// are one (C06).
package exactjson
