package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"kwit/config"
	"kwit/exactjson"
)

// Contract is a job type's compiled contract. It is never changed, so many
// goroutines may use one.
type Contract struct {
	input  *jsonschema.Schema
	output *jsonschema.Schema
	fields []Field

	prompt      *prompt // nil: there is none
	parameters  config.Parameters
	unwrapFence bool
}

// UnwrapFence tells whether one fence round a whole answer is taken off
// (3-interfaces, "Answers").
func (c *Contract) UnwrapFence() bool { return c.unwrapFence }

// Mistake is something wrong in a schema or a prompt.
type Mistake struct {
	// Pointer is an RFC 6901 pointer into the job type:
	// /input/properties/text/maxLength, or /prompt/user/3 for a line of a template.
	Pointer string
	Text    string
}

// CompileType makes the contract of a job type, its prompt included. It hands
// back every mistake, and no contract then.
func CompileType(t config.JobType) (*Contract, []Mistake) {
	c, mistakes := Compile(t.Input, t.Output)
	compiled, more := compilePrompt(t)
	if mistakes = append(mistakes, more...); len(mistakes) > 0 {
		return nil, mistakes
	}
	c.prompt, c.parameters, c.unwrapFence = compiled, t.Parameters, t.UnwrapFence
	return c, nil
}

// Compile makes a contract from the schemas of input and output. It hands back
// every mistake of both, sorted by pointer; the contract is nil then.
//
// The input's schema must be of type object. The output's schema refuses
// top-level members that it does not name, unless it says otherwise by
// additionalProperties or unevaluatedProperties (3-interfaces, "Answers").
func Compile(input, output exactjson.Value) (*Contract, []Mistake) {
	c := &Contract{}
	var mistakes, more []Mistake
	c.input, mistakes = compileSchema("input", input, input)
	c.output, more = compileSchema("output", output, closed(output))
	mistakes = append(mistakes, more...)
	if len(mistakes) == 0 {
		c.fields, mistakes = fieldsOf(input)
	}
	if len(mistakes) > 0 {
		slices.SortStableFunc(mistakes, func(a, b Mistake) int { return strings.Compare(a.Pointer, b.Pointer) })
		return nil, mistakes
	}
	return c, nil
}

// closed adds what refuses top-level members that the schema does not name.
// unevaluatedProperties sees through $ref and allOf, where
// additionalProperties would not.
func closed(schema exactjson.Value) exactjson.Value {
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		if _, says := schema.Get(keyword); says {
			return schema
		}
	}
	members := append(slices.Clone(schema.Members()),
		exactjson.Member{Name: "unevaluatedProperties", Value: exactjson.NewBool(false)})
	v, _ := exactjson.NewObject(members) // the new name was not there
	return v
}

// compileSchema compiles what stands in the place of written. Mistakes are
// searched in written, which is what the operator sees.
func compileSchema(name string, written, schema exactjson.Value) (*jsonschema.Schema, []Mistake) {
	mistakes := precheck(name, written)
	if len(mistakes) > 0 {
		for i := range mistakes {
			mistakes[i].Pointer = "/" + name + mistakes[i].Pointer
		}
		return nil, mistakes
	}
	compiled, err := compileDocument(schema.Any())
	if err != nil {
		mistakes = schemaMistakes(written, err)
		for i := range mistakes {
			mistakes[i].Pointer = "/" + name + mistakes[i].Pointer
		}
		return nil, mistakes
	}
	return compiled, nil
}

// address is the schema's own; nothing is ever loaded from it.
const address = "kwit:///schema"

// compileDocument runs the compiler, with its panics contained.
func compileDocument(document any) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the schema compiler failed on it: %v", p)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	if err := c.AddResource(address, document); err != nil {
		return nil, err
	}
	return c.Compile(address)
}

// noLoader loads nothing: the library's own loader would read any file that a
// schema refers to.
type noLoader struct{}

var errNothingIsLoaded = errors.New("schemas are not loaded from elsewhere")

// Load refuses.
func (noLoader) Load(string) (any, error) { return nil, errNothingIsLoaded }
