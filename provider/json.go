package provider

import (
	"encoding/json"
	"errors"
	"fmt"

	"kwit/exactjson"
	"kwit/outcome"
)

// JudgeJSON judges an answer of a provider whose result is the JSON in a 2xx:
// its status by [Statuses], and its body, which must be one whole JSON value.
// A value that is whole and still cannot be read in one way only (a doubled
// member, too deep) is done work with an unusable answer: contract
// (3-interfaces, "Small print").
func JudgeJSON(a Answer, notProcessed []int) End {
	end, settled := Statuses(a, notProcessed)
	if settled {
		return end
	}
	if len(a.Body) == 0 || !json.Valid(a.Body) {
		end.Outcome = outcome.AnswerLost
		end.Detail = fmt.Sprintf("The provider answered %d, but its %d bytes are not one whole JSON value.", a.Status, len(a.Body))
		return end
	}
	_, err := exactjson.Parse(a.Body, exactjson.Limits{AllowNUL: true})
	var refused *exactjson.Error
	switch {
	case err == nil:
		end.Outcome = outcome.Succeeded
		end.Detail = fmt.Sprintf("The provider answered %d with a result.", a.Status)
		end.Result = a.Body
	case errors.As(err, &refused) && decodable(refused.Fault):
		end.Outcome = outcome.Contract
		end.Detail = fmt.Sprintf("The provider answered %d, but its JSON cannot be used: %v.", a.Status, err)
	default:
		end.Outcome = outcome.AnswerLost
		end.Detail = fmt.Sprintf("The provider answered %d, but its JSON cannot be decoded: %v.", a.Status, err)
	}
	return end
}

// decodable tells whether text with that fault is still JSON by RFC 8259.
func decodable(f exactjson.Fault) bool {
	switch f {
	case exactjson.NotJSON, exactjson.TrailingData, exactjson.InvalidUTF8:
		return false
	}
	return true
}
