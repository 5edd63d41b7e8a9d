package anthropic

import (
	"slices"

	"kwit/exactjson"
	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/modelapi"
)

// fault is an error object with the id of the request that it answers.
type fault struct {
	modelapi.Fault
	requestID string
}

// failed looks for the protocol's own error object in an answer that is not a
// success. What the configuration says of a status stands above it.
//
//	429 with a spend limit: rejected, since waiting does not help
//	    any other: not_processed, as for everybody
//	overloaded_error (529): not_processed; it is a refusal for want of capacity
//	409, and the refusals that are final for everybody: as [provider.Statuses]
//	any other (api_error, timeout_error): provider_error, a definite failure
//	    that may have been charged
//
// Without an error object (a gateway's page, a cut body) the status stands alone.
func (p *Anthropic) failed(end provider.End, a provider.Answer) provider.End {
	if a.Status < 400 || !a.Whole {
		return end
	}
	body := modelapi.Parse(a.Body)
	f, ok := faultOf(body)
	if !ok {
		return end
	}
	if end.ProviderRequestID == "" {
		end.ProviderRequestID = f.requestID
	}
	word := end.Outcome
	switch {
	case slices.Contains(p.api.NotProcessed(), a.Status):
	case a.Status == 429 && spendLimit(f.Code):
		word = outcome.Rejected
	case a.Status >= 500 && f.Type == "overloaded_error":
		word = outcome.NotProcessed
	case a.Status != 409 && word == outcome.ServerError:
		word = outcome.ProviderError
	}
	return p.api.End(end, word, a.Status, f.Fault)
}

// spendLimit tells whether the code of a 429 speaks of money and not of a rate.
func spendLimit(code string) bool {
	return code == "enforced_spend_limit_reached" || code == "contract_spend_limit_reached"
}

// faultOf finds the protocol's error object: {"type": "error", "error":
// {"type", "message", "details": {"error_code"}}, "request_id"}.
func faultOf(v exactjson.Value) (fault, bool) {
	object, ok := v.Get("error")
	if !ok || object.Kind() != exactjson.Object || modelapi.Text(v, "type") != "error" {
		return fault{}, false
	}
	details, _ := object.Get("details")
	return fault{
		Fault: modelapi.Fault{
			Type:    modelapi.Text(object, "type"),
			Code:    modelapi.Text(details, "error_code"),
			Message: modelapi.Text(object, "message"),
		},
		requestID: modelapi.Text(v, "request_id"),
	}, true
}
