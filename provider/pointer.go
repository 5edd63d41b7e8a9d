package provider

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// CheckPointer tells what is wrong with a JSON Pointer (RFC 6901); empty is
// right and names the whole.
func CheckPointer(pointer string) error {
	if !jsontext.Pointer(pointer).IsValid() {
		return errors.New("write it as a JSON Pointer: /output/text")
	}
	return nil
}

// At finds the value at a JSON Pointer, its bytes exactly as they stand in
// body: no number is rounded, no text is written anew. body is JSON without
// doubled members. It reports false where there is no such value.
func At(body []byte, pointer string) (json.RawMessage, bool) {
	value := json.RawMessage(body)
	for token := range jsontext.Pointer(pointer).Tokens() {
		var ok bool
		if value, ok = child(value, token); !ok {
			return nil, false
		}
	}
	return value, true
}

// child finds a member by its name, or an item by its place.
func child(value json.RawMessage, token string) (json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) == nil {
		member, ok := members[token]
		return member, ok
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return nil, false
	}
	n, err := strconv.ParseUint(token, 10, 31)
	if err != nil || n >= uint64(len(items)) || strconv.FormatUint(n, 10) != token {
		return nil, false
	}
	return items[n], true
}
