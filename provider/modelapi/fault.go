package modelapi

import (
	"fmt"

	"kwit/exactjson"
	"kwit/outcome"
	"kwit/provider"
)

// Fault is a provider's own error object: its word that the call is over.
type Fault struct {
	Type, Code string // as the protocol calls them; either may be empty
	Message    string
}

// Name is the fault's most telling word.
func (f Fault) Name() string {
	switch {
	case f.Code != "":
		return f.Code
	case f.Type != "":
		return f.Type
	}
	return "error"
}

// End says that the call ended with this fault.
func (a *API) End(end provider.End, word outcome.Outcome, status int, f Fault) provider.End {
	end.Outcome = word
	end.Result = nil
	end.Detail = a.Mask(fmt.Sprintf("The provider answered %d with its own error %q: %s", status, Quoted(f.Name()), Quoted(f.Message)))
	return end
}

// Unusable says that the work was done and its answer cannot be used.
func Unusable(end provider.End, why string) provider.End {
	end.Outcome = outcome.Contract
	end.Detail = why
	end.Result = nil
	return end
}

// Foreign says that a whole 2xx is JSON of another protocol. It may come from
// something in between, so it does not say what the provider did: the answer is
// lost (2-ledger, "undecodable body").
func Foreign(end provider.End, status int, expected string) provider.End {
	end.Outcome = outcome.AnswerLost
	end.Result = nil
	end.Detail = fmt.Sprintf("The provider answered %d with JSON that is not %s.", status, expected)
	return end
}

// Text is the member of an object that is a string, else empty.
func Text(v exactjson.Value, name string) string {
	if member, ok := v.Get(name); ok && member.Kind() == exactjson.String {
		return member.Text()
	}
	return ""
}

// Usage is what a provider counted, as it wrote it; nil where it says nothing.
func Usage(v exactjson.Value) []byte {
	if usage, ok := v.Get("usage"); ok && usage.Kind() == exactjson.Object {
		return usage.Bytes()
	}
	return nil
}

// Parse reads the body of an answer; what cannot be read is null, in which no
// member is found.
func Parse(body []byte) exactjson.Value {
	v, err := exactjson.Parse(body, exactjson.Limits{AllowNUL: true})
	if err != nil {
		return exactjson.Value{}
	}
	return v
}
