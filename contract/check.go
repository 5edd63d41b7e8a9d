package contract

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"kwit/exactjson"
)

// Fault is one way in which a value breaks the contract.
type Fault struct {
	Pointer string `json:"pointer"` // RFC 6901: the place, also of what is missing or surplus
	Detail  string `json:"detail"`  // in plain words, to be read behind the name of the place
}

// String is the fault in one line, as an attempt's detail shows it.
func (f Fault) String() string {
	if f.Pointer == "" {
		return f.Detail
	}
	return f.Pointer + " " + f.Detail
}

// CheckInput holds an input against its schema. No faults: it fits. They are
// sorted by pointer.
func (c *Contract) CheckInput(input exactjson.Value) []Fault {
	return validate(c.input, input)
}

// outputLimits are wider than those of a request: an answer was paid for. NUL
// is legal JSON, and results are stored as bytes.
var outputLimits = exactjson.Limits{MaxDepth: 512, MaxMembers: 1_000_000, AllowNUL: true}

// CheckOutput holds a provider's raw answer against the output's schema. No
// faults: it may become the result (C17). An answer that is no JSON, has a
// doubled member or stands in a fence is a fault as well.
func (c *Contract) CheckOutput(raw []byte) []Fault {
	output, err := exactjson.Parse(raw, outputLimits)
	if err == nil {
		return validate(c.output, output)
	}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("```")) {
		return []Fault{{"", "stands in a code fence (```): the answer must be the JSON alone"}}
	}
	var refused *exactjson.Error
	if errors.As(err, &refused) {
		return []Fault{{escapeNUL(refused.Pointer), refused.Detail}}
	}
	return []Fault{{"", err.Error()}}
}

// Gate holds a raw answer against the contract and gives what may become the
// result: the answer to the byte, or what stands in the one fence round it where
// the job type says so; unwrapped tells which, to be recorded. With faults there
// is no result (C17).
func (c *Contract) Gate(raw []byte) (result []byte, unwrapped bool, faults []Fault) {
	result = raw
	if c.unwrapFence {
		if inner, fenced := exactjson.Unfence(raw); fenced {
			result, unwrapped = inner, true
		}
	}
	if faults = c.CheckOutput(result); len(faults) > 0 {
		return nil, unwrapped, faults
	}
	return result, unwrapped, nil
}

// validate runs the validator, with its panics contained: a panic is one
// refused value.
func validate(schema *jsonschema.Schema, v exactjson.Value) (faults []Fault) {
	defer func() {
		if p := recover(); p != nil {
			faults = []Fault{{"", fmt.Sprintf("cannot be checked against its schema: %v", p)}}
		}
	}()
	err := schema.Validate(v.Any())
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Fault{{"", "cannot be checked against its schema: " + err.Error()}}
	}
	return explain(v, invalid)
}
