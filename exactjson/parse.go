package exactjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits bound what Parse accepts. A zero field stands for its default.
type Limits struct {
	MaxBytes   int  // length of the text; no bound by default
	MaxDepth   int  // arrays and objects inside each other; 64 by default (3-interfaces, "Reading a request")
	MaxMembers int  // members of objects and items of arrays, counted together; 100,000 by default
	AllowNUL   bool // accept U+0000 in strings and names, which PostgreSQL's text and jsonb refuse
}

// Parse reads one JSON value that fills the whole text. Every refusal is an
// *Error. The value keeps no reference to data.
func Parse(data []byte, limits Limits) (Value, error) {
	if limits.MaxDepth == 0 {
		limits.MaxDepth = 64
	}
	if limits.MaxMembers == 0 {
		limits.MaxMembers = 100_000
	}
	if limits.MaxBytes > 0 && len(data) > limits.MaxBytes {
		return Value{}, &Error{Fault: TooLarge, Offset: int64(limits.MaxBytes),
			Detail: fmt.Sprintf("longer than %d bytes", limits.MaxBytes)}
	}
	p := parser{data: data, limits: limits, dec: jsontext.NewDecoder(bytes.NewBuffer(data))}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	end := p.dec.InputOffset()
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		return Value{}, &Error{Fault: TrailingData, Offset: int64(len(data) - len(rest)),
			Detail: "something follows the JSON value"}
	}
	return v, nil
}

type parser struct {
	data   []byte
	limits Limits
	dec    *jsontext.Decoder
	count  int
}

func (p *parser) value(depth int) (Value, error) {
	switch p.dec.PeekKind() {
	case '"':
		s, err := p.string()
		return Value{kind: String, text: s}, err
	case '{':
		return p.object(depth + 1)
	case '[':
		return p.array(depth + 1)
	}
	token, err := p.dec.ReadToken()
	if err != nil {
		return Value{}, p.syntax(err)
	}
	switch token.Kind() {
	case 'n':
		return Value{}, nil
	case 't', 'f':
		return NewBool(token.Bool()), nil
	}
	v, ok := NewNumber(token.String())
	if !ok {
		return Value{}, p.refuse(NumberOutOfRange, fmt.Sprintf(
			"a number may have at most %d digits and lie between 1e-%d and 1e%d", maxNumberText, maxExponent, maxExponent))
	}
	return v, nil
}

// string reads a string or a member's name.
func (p *parser) string() (string, error) {
	raw, err := p.dec.ReadValue()
	if err != nil {
		return "", p.syntax(err)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", p.syntax(err)
	}
	s := string(unquoted)
	if !p.limits.AllowNUL && strings.IndexByte(s, 0) >= 0 {
		return "", p.refuse(NUL, "the character NUL (\\u0000) is not allowed")
	}
	return s, nil
}

func (p *parser) object(depth int) (Value, error) {
	if err := p.open(depth); err != nil {
		return Value{}, err
	}
	var members []Member
	for p.dec.PeekKind() != '}' {
		if p.dec.PeekKind() != '"' {
			_, err := p.dec.ReadToken()
			return Value{}, p.syntax(err)
		}
		if err := p.another(); err != nil {
			return Value{}, err
		}
		name, err := p.string()
		if err != nil {
			return Value{}, err
		}
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		members = append(members, Member{Name: name, Value: v})
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return Value{}, p.syntax(err)
	}
	return Value{kind: Object, members: members}, nil
}

func (p *parser) array(depth int) (Value, error) {
	if err := p.open(depth); err != nil {
		return Value{}, err
	}
	var items []Value
	for p.dec.PeekKind() != ']' {
		if err := p.another(); err != nil {
			return Value{}, err
		}
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		items = append(items, v)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return Value{}, p.syntax(err)
	}
	return Value{kind: Array, items: items}, nil
}

// open reads the bracket that begins an array or object.
func (p *parser) open(depth int) error {
	if _, err := p.dec.ReadToken(); err != nil {
		return p.syntax(err)
	}
	if depth > p.limits.MaxDepth {
		return p.refuse(TooDeep, fmt.Sprintf("nested more than %d deep", p.limits.MaxDepth))
	}
	return nil
}

// another counts a member or an item.
func (p *parser) another() error {
	p.count++
	if p.count > p.limits.MaxMembers {
		return p.refuse(TooMany, fmt.Sprintf("more than %d members and items", p.limits.MaxMembers))
	}
	return nil
}

// refuse blames what was read last.
func (p *parser) refuse(fault Fault, detail string) *Error {
	return &Error{Fault: fault, Offset: p.dec.InputOffset(), Pointer: string(p.dec.StackPointer()), Detail: detail}
}

// syntax says which fault the decoder met. The decoder has no error value for
// characters that it cannot read, so the bytes at the fault are looked at.
func (p *parser) syntax(err error) *Error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		// Only the end of the text, before any value, is told without a place.
		return &Error{Fault: NotJSON, Offset: int64(len(p.data)), Detail: "there is no JSON value"}
	}
	e := &Error{Fault: NotJSON, Offset: syntactic.ByteOffset, Pointer: string(syntactic.JSONPointer)}
	at := p.data[min(int(e.Offset), len(p.data)):]
	switch r, size := utf8.DecodeRune(at); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Fault, e.Detail = DuplicateMember, fmt.Sprintf("the member %q stands twice", syntactic.JSONPointer.LastToken())
	case r == utf8.RuneError && size == 1:
		e.Fault, e.Detail = InvalidUTF8, "the text is not valid UTF-8"
	case startsWithSurrogate(at):
		e.Fault, e.Detail = LoneSurrogate, "half of a surrogate pair stands alone"
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Detail = "the JSON text ends too early"
	default:
		e.Detail = "not JSON: " + syntactic.Err.Error()
	}
	return e
}

// startsWithSurrogate tells whether an escape of U+D800 to U+DFFF comes next.
func startsWithSurrogate(b []byte) bool {
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && (b[2] == 'd' || b[2] == 'D') &&
		bytes.IndexByte([]byte("89abcdefABCDEF"), b[3]) >= 0
}
