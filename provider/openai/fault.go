package openai

import (
	"slices"

	"kwit/exactjson"
	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/modelapi"
)

// failed looks for the protocol's own error object in an answer that is not a
// success. What the configuration says of a status stands above it.
//
//	429  money or quota is used up: rejected, since waiting does not help
//	     any other: not_processed, as for everybody
//	503  not_processed: OpenAI, and each compatible server that documents it,
//	     has this for "no capacity", before the model begins
//	409, and the refusals that are final for everybody: as [provider.Statuses]
//	any other: provider_error, a definite failure that may have been charged
//
// Without an error object (a gateway's page, a cut body) the status stands alone.
func (p *OpenAI) failed(end provider.End, a provider.Answer) provider.End {
	if a.Status < 400 || !a.Whole {
		return end
	}
	body := modelapi.Parse(a.Body)
	f, ok := faultOf(body)
	if !ok {
		return end
	}
	word := end.Outcome
	switch {
	case slices.Contains(p.api.NotProcessed(), a.Status):
	case a.Status == 429 && usedUp(f):
		word = outcome.Rejected
	case a.Status == 503:
		word = outcome.NotProcessed
	case a.Status != 409 && word == outcome.ServerError:
		word = outcome.ProviderError
	}
	return p.api.End(end, word, a.Status, f)
}

// usedUp tells whether a 429 speaks of money or of a quota. OpenAI: "retrying
// billing, spend or quota errors does not restore access".
func usedUp(f modelapi.Fault) bool {
	if f.Type == "insufficient_quota" {
		return true
	}
	switch f.Code {
	case "insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
		"project_spend_limit_exceeded", "organization_usage_limit_exceeded":
		return true
	}
	return false
}

// faultOf finds the protocol's error object: {"error": {"message", "type",
// "code"}}, or {"object": "error", "message", …} as older compatible servers
// have it. The code may be a number there.
func faultOf(v exactjson.Value) (modelapi.Fault, bool) {
	object, ok := v.Get("error")
	if !ok && modelapi.Text(v, "object") == "error" {
		object, ok = v, true
	}
	if !ok || object.Kind() != exactjson.Object {
		return modelapi.Fault{}, false
	}
	f := modelapi.Fault{Type: modelapi.Text(object, "type"), Message: modelapi.Text(object, "message")}
	if code, ok := object.Get("code"); ok && (code.Kind() == exactjson.String || code.Kind() == exactjson.Number) {
		f.Code = code.Text()
	}
	return f, f.Message != "" || f.Type != "" || f.Code != ""
}
