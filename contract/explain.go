package contract

import (
	"cmp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"kwit/exactjson"
)

// explain turns the validator's tree of errors about a value into a flat list of faults,
// sorted by pointer, each once.
func explain(v exactjson.Value, invalid *jsonschema.ValidationError) []Fault {
	found := collector{value: v}
	found.add(invalid)
	faults := found.faults
	// A branch that fails tells nothing about the members that it knows, so they
	// look surplus as well. Where something else is wrong, say only that.
	if len(faults) == 0 || !found.inBranch {
		faults = append(faults, found.surplus...)
	}
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(faults)
}

type collector struct {
	value    exactjson.Value // that was held against the schema
	faults   []Fault
	surplus  []Fault // members that no keyword has looked at
	inBranch bool    // a fault lies below $ref, allOf, anyOf or oneOf
}

func (c *collector) add(e *jsonschema.ValidationError) {
	at := pointerOf(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		c.each(at, k.Missing, "is required")
	case *kind.DependentRequired:
		c.each(at, k.Missing, "is required beside "+k.Prop)
	case *kind.AdditionalProperties:
		c.each(at, k.Properties, surplusDetail)
	case *kind.PropertyNames:
		c.badName(at, k.Property)
	case *kind.FalseSchema:
		c.surplus = append(c.surplus, Fault{at, surplusDetail})
	case *kind.AnyOf:
		c.inBranch = true
		c.alternatives(at, e.Causes)
	case *kind.OneOf:
		c.inBranch = true
		if len(k.Subschemas) > 0 {
			c.faults = append(c.faults, Fault{at, "fits more than one of the alternatives, must fit exactly one"})
			return
		}
		c.alternatives(at, e.Causes)
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		c.faults = append(c.faults, Fault{at, detail(e.ErrorKind)}) // which items did not fit helps nobody
	case *kind.Reference, *kind.AllOf:
		c.inBranch = true
		c.causes(e)
	case *kind.Schema, *kind.Group:
		c.causes(e)
	default:
		c.faults = append(c.faults, Fault{at, detail(k)})
	}
}

const surplusDetail = "is not expected here"

func (c *collector) causes(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		c.add(cause)
	}
}

func (c *collector) each(at string, names []string, text string) {
	for _, name := range names {
		c.faults = append(c.faults, Fault{at + "/" + escape(name), text})
	}
}

// badName is a name that propertyNames refuses. The validator reuses the memory
// of this error's location, so it may name another place by now: it is held
// against the value, and searched there where it is wrong.
func (c *collector) badName(pointer, name string) {
	holder, _ := at(c.value, pointer)
	if _, right := holder.Get(name); !right {
		pointer, _ = holderOf(c.value, "", name)
	}
	c.each(pointer, []string{name}, "has a name that is not allowed")
}

// alternatives explains a value that fits none of several schemas. Where all
// but one fail by the value's type alone, that one was meant.
func (c *collector) alternatives(at string, branches []*jsonschema.ValidationError) {
	var types, wanted []string
	var meant []*jsonschema.ValidationError
	for _, branch := range branches {
		switch k := branch.ErrorKind.(type) {
		case *kind.Type:
			if pointerOf(branch.InstanceLocation) == at {
				types = append(types, k.Want...)
				continue
			}
		case *kind.Const:
			wanted = append(wanted, show(k.Want))
		}
		meant = append(meant, branch)
	}
	switch {
	case len(meant) == 0 && len(types) > 0:
		c.faults = append(c.faults, Fault{at, "must be " + oneOf(typeNames(types))})
	case len(meant) == 1:
		c.add(meant[0])
	case len(wanted) == len(branches):
		c.faults = append(c.faults, Fault{at, "must be " + oneOf(wanted)})
	default:
		c.faults = append(c.faults, Fault{at, "fits none of the allowed alternatives"})
	}
}
