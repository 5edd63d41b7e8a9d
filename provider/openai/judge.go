package openai

import (
	"fmt"

	"kwit/exactjson"
	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/modelapi"
)

// Judge says what an answer means.
//
// A whole 200 with a completion: why the model stopped decides before its text
// does. Only "stop" lets the text be read ([provider.JudgeText]); a text that
// was cut, filtered, refused, or that asks for a tool is done work with an
// unusable answer, contract, and so is a completion without any choice: the
// provider said all that it will say.
//
// A 200 with an error object is the provider's word that it failed after the
// model had begun, since what it refuses beforehand has a status of an error:
// provider_error. JSON that is neither is answer_lost, see [modelapi.Foreign].
//
// A status of an error means what [provider.Statuses] says of it, unless the
// body is the protocol's own error object; see failed.
func (p *OpenAI) Judge(a provider.Answer) provider.End {
	end := provider.JudgeJSON(a, p.api.NotProcessed())
	if end.Outcome != outcome.Succeeded {
		return p.failed(end, a)
	}
	end.Result = nil
	body := modelapi.Parse(a.Body)
	if f, ok := faultOf(body); ok {
		return p.api.End(end, outcome.ProviderError, a.Status, f)
	}
	return p.completion(end, a.Status, body)
}

func (p *OpenAI) completion(end provider.End, status int, body exactjson.Value) provider.End {
	choices, ok := body.Get("choices")
	if !ok || choices.Kind() != exactjson.Array && choices.Kind() != exactjson.Null {
		return modelapi.Foreign(end, status, "a chat completion")
	}
	if end.ProviderRequestID == "" {
		end.ProviderRequestID = modelapi.Text(body, "id")
	}
	end.Usage = modelapi.Usage(body)
	if n := len(choices.Items()); n != 1 {
		return modelapi.Unusable(end, fmt.Sprintf("The provider answered %d with %d choices where one was asked for.", status, n))
	}
	choice := choices.Items()[0]
	if f, ok := faultOf(choice); ok {
		return p.api.End(end, outcome.ProviderError, status, f)
	}
	if why := unfinished(modelapi.Text(choice, "finish_reason")); why != "" {
		return modelapi.Unusable(end, why)
	}
	message, _ := choice.Get("message")
	if refusal := modelapi.Text(message, "refusal"); refusal != "" {
		return modelapi.Unusable(end, fmt.Sprintf("The model refused: %s", modelapi.Quoted(refusal)))
	}
	content, _ := message.Get("content")
	if content.Kind() != exactjson.String {
		return modelapi.Unusable(end, "The model finished without a text.")
	}
	return provider.JudgeText(end, content.Text())
}

// unfinished says why a finish reason lets no text be read; empty for "stop".
func unfinished(reason string) string {
	switch reason {
	case "stop":
		return ""
	case "length":
		return `The answer was cut, because it reached the limit of tokens (finish reason "length"). Raise max_tokens, or ask for less.`
	case "content_filter":
		return `The provider's filter withheld the answer or a part of it (finish reason "content_filter").`
	case "tool_calls", "function_call":
		return fmt.Sprintf("The model asked for a tool instead of answering (finish reason %q).", reason)
	case "":
		return "The answer does not say whether the model finished (no finish reason)."
	default:
		return fmt.Sprintf("The model stopped for a reason that is no proper end (finish reason %q).", modelapi.Quoted(reason))
	}
}
