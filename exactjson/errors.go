package exactjson

import "fmt"

// Fault says why a text was refused.
type Fault string

// The faults. Each is a different mistake of the sender.
const (
	NotJSON          Fault = "not JSON"
	TrailingData     Fault = "trailing data"
	DuplicateMember  Fault = "duplicate member"
	InvalidUTF8      Fault = "invalid UTF-8"
	LoneSurrogate    Fault = "lone surrogate"
	NUL              Fault = "NUL character"
	NumberOutOfRange Fault = "number out of range"
	TooDeep          Fault = "nested too deep"
	TooMany          Fault = "too many members"
	TooLarge         Fault = "too large"
)

// Error is what Parse answers. Its text is meant for people: it never holds
// more of the refused text than a single character.
type Error struct {
	Fault   Fault
	Offset  int64  // in bytes, from the start of the text
	Pointer string // RFC 6901: the value at fault, or around the fault
	Detail  string // what is wrong, in words
}

// Error says what is wrong, and where.
func (e *Error) Error() string {
	where := ""
	if e.Pointer != "" {
		where = " at " + e.Pointer
	}
	return fmt.Sprintf("%s%s (byte %d)", e.Detail, where, e.Offset)
}
