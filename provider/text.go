package provider

import (
	"fmt"

	"kwit/exactjson"
	"kwit/outcome"
)

// JudgeText completes the end of a call whose result is what a language model
// wrote: the text must be one JSON value that can be read in one way only.
// Anything else is done work with an unusable answer, contract (3-interfaces,
// "Answers"). end holds what the rest of the answer says.
func JudgeText(end End, text string) End {
	if text == "" {
		end.Outcome = outcome.Contract
		end.Detail = "The model finished without writing anything."
		return end
	}
	err := readText(text)
	if err == nil {
		end.Outcome = outcome.Succeeded
		end.Detail = "The model finished, and its text is one JSON value."
		end.Result = []byte(text)
		return end
	}
	end.Outcome = outcome.Contract
	end.Detail = fmt.Sprintf("The model finished, but its text is not one JSON value: %v.", err)
	if inner, fenced := exactjson.Unfence([]byte(text)); fenced && readText(string(inner)) == nil {
		end.Detail = "The model finished, but a fence stands round its JSON (```)."
		end.Fenced = inner
	}
	return end
}

func readText(text string) error {
	_, err := exactjson.Parse([]byte(text), exactjson.Limits{AllowNUL: true})
	return err
}

// Unwrap takes the fence off a model's JSON, for job types that say
// unwrap_fence: true: the end is then succeeded, and says that it was unwrapped.
// Every other end stays as it is.
func (e End) Unwrap() End {
	if e.Fenced == nil {
		return e
	}
	e.Outcome, e.Result, e.Fenced, e.Unwrapped = outcome.Succeeded, e.Fenced, nil, true
	e.Detail = "The model finished; the fence round its JSON (```) was taken off."
	return e
}
