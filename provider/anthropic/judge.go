package anthropic

import (
	"fmt"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"

	"kwit/exactjson"
	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/modelapi"
)

// Judge says what an answer means.
//
// A whole 200 with a message: why the model stopped decides before its text
// does. Only "end_turn" and "stop_sequence" let the text be read
// ([provider.JudgeText]); a text that was cut or refused, that asks for a tool
// or for another turn, is done work with an unusable answer, contract.
//
// A 200 with an error object is the provider's word that it failed after it had
// begun: provider_error. JSON that is neither is answer_lost, see
// [modelapi.Foreign].
//
// A status of an error means what [provider.Statuses] says of it, unless the
// body is the protocol's own error object; see failed.
func (p *Anthropic) Judge(a provider.Answer) provider.End {
	end := provider.JudgeJSON(a, p.api.NotProcessed())
	if end.Outcome != outcome.Succeeded {
		return p.failed(end, a)
	}
	end.Result = nil
	body := modelapi.Parse(a.Body)
	if f, ok := faultOf(body); ok {
		return p.api.End(end, outcome.ProviderError, a.Status, f.Fault)
	}
	content, _ := body.Get("content")
	if modelapi.Text(body, "type") != "message" || content.Kind() != exactjson.Array {
		return modelapi.Foreign(end, a.Status, "a message")
	}
	return message(end, body, content)
}

func message(end provider.End, body, content exactjson.Value) provider.End {
	if end.ProviderRequestID == "" {
		end.ProviderRequestID = modelapi.Text(body, "id")
	}
	end.Usage = modelapi.Usage(body)
	if why := unfinished(modelapi.Text(body, "stop_reason")); why != "" {
		details, _ := body.Get("stop_details")
		if said := modelapi.Text(details, "explanation"); said != "" {
			why += " It says: " + modelapi.Quoted(said)
		}
		return modelapi.Unusable(end, why)
	}
	var text strings.Builder
	for _, block := range content.Items() {
		switch kind := modelapi.Text(block, "type"); kind {
		case "text":
			text.WriteString(modelapi.Text(block, "text"))
		case "thinking", "redacted_thinking": // not a part of the answer
		default:
			return modelapi.Unusable(end, fmt.Sprintf("The model's answer holds a part that is no text (%q).", modelapi.Quoted(kind)))
		}
	}
	return provider.JudgeText(end, text.String())
}

// unfinished says why a stop reason lets no text be read; empty for a proper end.
func unfinished(reason string) string {
	switch anthropic.StopReason(reason) {
	case anthropic.StopReasonEndTurn, anthropic.StopReasonStopSequence:
		return ""
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return fmt.Sprintf("The answer was cut, because it reached the limit of tokens (stop reason %q). Raise max_tokens, or ask for less.", reason)
	case anthropic.StopReasonRefusal:
		return `The model refused (stop reason "refusal").`
	case anthropic.StopReasonToolUse:
		return `The model asked for a tool instead of answering (stop reason "tool_use").`
	case anthropic.StopReasonPauseTurn:
		return `The model paused in the middle of its turn (stop reason "pause_turn"), and kwit asks one question only.`
	case "":
		return "The answer does not say whether the model finished (no stop reason)."
	default:
		return fmt.Sprintf("The model stopped for a reason that is no proper end (stop reason %q).", modelapi.Quoted(reason))
	}
}
