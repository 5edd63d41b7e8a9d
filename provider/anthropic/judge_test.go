package anthropic_test

import (
	"strings"
	"testing"
	"time"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/providertest"
)

const page = "<html><head><title>Gateway</title></head><body>Try again later.</body></html>"

// TestEveryWayToStop: why the model stopped is judged before its text, and what
// was billed is kept whatever the verdict.
func TestEveryWayToStop(t *testing.T) {
	t.Parallel()
	const good = `[{"type":"text","text":"{\"a\":1}"}]`
	refused := strings.Replace(message("refusal", "[]"), `"stop_sequence"`,
		`"stop_details":{"type":"refusal","category":"bio","explanation":"Not this."},"stop_sequence"`, 1)
	endings := []providertest.Ending{
		{Name: "end_turn", Body: message("end_turn", good), Want: outcome.Succeeded},
		{Name: "stop_sequence", Body: message("stop_sequence", good), Want: outcome.Succeeded},
		{Name: "max_tokens", Body: message("max_tokens", good), Want: outcome.Contract, Detail: "limit of tokens"},
		{Name: "model_context_window_exceeded", Body: message("model_context_window_exceeded", good), Want: outcome.Contract, Detail: "limit of tokens"},
		{Name: "refusal", Body: message("refusal", good), Want: outcome.Contract, Detail: "refused"},
		{Name: "refusal with a reason", Body: refused, Want: outcome.Contract, Detail: "It says: Not this."},
		{Name: "tool_use", Body: message("tool_use", `[{"type":"tool_use","id":"t","name":"n","input":{}}]`), Want: outcome.Contract, Detail: "tool"},
		{Name: "pause_turn", Body: message("pause_turn", good), Want: outcome.Contract, Detail: "paused"},
		{Name: "a reason of tomorrow", Body: message("compaction", good), Want: outcome.Contract, Detail: `"compaction"`},
		{Name: "no reason", Body: message("", good), Want: outcome.Contract, Detail: "no stop reason"},
		{Name: "no content", Body: message("end_turn", "[]"), Want: outcome.Contract, Detail: "without writing"},
		{Name: "thinking before it", Body: message("end_turn", `[{"type":"thinking","thinking":"{","signature":"s"},{"type":"text","text":"{\"a\":1}"}]`), Want: outcome.Succeeded},
		{Name: "text in pieces", Body: message("end_turn", `[{"type":"text","text":"{\"a\""},{"type":"text","text":":1}"}]`), Want: outcome.Succeeded},
		{Name: "a part that is no text", Body: message("end_turn", `[{"type":"text","text":"{\"a\":1}"},{"type":"image"}]`), Want: outcome.Contract, Detail: `"image"`},
		{Name: "a number for a text", Body: message("end_turn", `[{"type":"text","text":12}]`), Want: outcome.Contract, Detail: "without writing"},
		{Name: "a part without a type", Body: message("end_turn", `[{}]`), Want: outcome.Contract, Detail: "no text"},
		{Name: "prose", Body: answer("Sure! {}"), Want: outcome.Contract, Detail: "not one JSON value"},
		{Name: "a fence", Body: answer("```json\n{}\n```"), Want: outcome.Contract, Detail: "fence"},
	}
	for i := range endings {
		endings[i].Status = 200
	}
	providertest.RunEndings(t, dial, endings, func(t *testing.T, e providertest.Ending, end provider.End) {
		if string(end.Usage) != usage {
			t.Errorf("usage: %s", end.Usage)
		}
		if end.ProviderRequestID != "msg_1" {
			t.Errorf("the provider's id: %q", end.ProviderRequestID)
		}
		if end.Outcome == outcome.Succeeded && string(end.Result) != `{"a":1}` {
			t.Errorf("the result: %s", end.Result)
		}
		if unwraps := end.Unwrap().Unwrapped; unwraps != (e.Name == "a fence") {
			t.Errorf("unwrapped: %+v", end.Unwrap())
		}
	})
}

// TestAWhole200ThatIsNoMessage: an error object is the provider's word; what is
// not the protocol at all proves nothing.
func TestAWhole200ThatIsNoMessage(t *testing.T) {
	t.Parallel()
	providertest.RunEndings(t, dial, []providertest.Ending{
		{Name: "an error object", Status: 200, Body: fault("api_error", "died"), Want: outcome.ProviderError, Detail: "died"},
		{Name: "one that would be a refusal", Status: 200, Body: fault("overloaded_error", "full"), Want: outcome.ProviderError},
		{Name: "an empty object", Status: 200, Body: `{}`, Want: outcome.AnswerLost, Detail: "not a message"},
		{Name: "an array", Status: 200, Body: `[]`, Want: outcome.AnswerLost},
		{Name: "another protocol's", Status: 200, Body: `{"object":"chat.completion","choices":[]}`, Want: outcome.AnswerLost},
		{Name: "another protocol's error", Status: 200, Body: `{"error":{"message":"died"}}`, Want: outcome.AnswerLost},
		{Name: "content is no list", Status: 200, Body: message("end_turn", `"{}"`), Want: outcome.AnswerLost},
		{Name: "a stream", Status: 200, Header: "Content-Type: text/event-stream\r\n", Body: "event: ping\ndata: {}\n\n", Want: outcome.AnswerLost},
		{Name: "a page", Status: 200, Body: page, Want: outcome.AnswerLost},
		{Name: "a doubled member", Status: 200, Body: `{"type":"message","type":"message"}`, Want: outcome.Contract},
		{Name: "204", Status: 204, Want: outcome.AnswerLost},
	}, nil)
}

// TestErrorsOfTheProtocol: each documented error, and the same status from a
// gateway that does not speak the protocol.
func TestErrorsOfTheProtocol(t *testing.T) {
	t.Parallel()
	e := func(name string, status int, body string, want outcome.Outcome) providertest.Ending {
		return providertest.Ending{Name: name, Status: status, Body: body, Want: want}
	}
	spent := func(code string) string {
		return strings.Replace(fault("rate_limit_error", "spent"), `"spent"`, `"spent","details":{"error_code":"`+code+`"}`, 1)
	}
	providertest.RunEndings(t, dial, []providertest.Ending{
		e("400", 400, fault("invalid_request_error", "bad"), outcome.Rejected),
		e("400 of another type", 400, fault("overloaded_error", "odd"), outcome.Rejected),
		e("401", 401, fault("authentication_error", "who"), outcome.Rejected),
		e("402", 402, fault("billing_error", "pay"), outcome.Rejected),
		e("403", 403, fault("permission_error", "no"), outcome.Rejected),
		e("404", 404, fault("not_found_error", "model"), outcome.Rejected),
		e("409", 409, fault("conflict_error", "changed"), outcome.Rejected),
		e("409 about our key", 409, fault("conflict_error", "idempotency key in use"), outcome.ServerError),
		e("413", 413, fault("request_too_large", "long"), outcome.Rejected),
		e("413 of the gateway", 413, page, outcome.Rejected),
		e("429 rate", 429, fault("rate_limit_error", "slow"), outcome.NotProcessed),
		e("429 ramp", 429, spent("ramp_limit_exceeded"), outcome.NotProcessed),
		e("429 own spend limit", 429, spent("enforced_spend_limit_reached"), outcome.Rejected),
		e("429 contract's spend limit", 429, spent("contract_spend_limit_reached"), outcome.Rejected),
		e("429 of a gateway", 429, page, outcome.NotProcessed),
		e("408 of a gateway", 408, page, outcome.ServerError),
		e("500", 500, fault("api_error", "died"), outcome.ProviderError),
		e("500 of a type of tomorrow", 500, fault("new_error", "died"), outcome.ProviderError),
		e("500 of a gateway", 500, page, outcome.ServerError),
		e("500 in another protocol", 500, `{"error":{"message":"died"}}`, outcome.ServerError),
		e("502 of a gateway", 502, page, outcome.ServerError),
		e("503", 503, fault("api_error", "key store"), outcome.ProviderError),
		e("503 overloaded", 503, fault("overloaded_error", "full"), outcome.NotProcessed),
		e("503 of a gateway", 503, page, outcome.ServerError),
		e("504", 504, fault("timeout_error", "slow"), outcome.ProviderError),
		e("504 of a gateway", 504, page, outcome.ServerError),
		e("524 of a gateway", 524, page, outcome.ServerError),
		e("529", 529, fault("overloaded_error", "full"), outcome.NotProcessed),
		e("529 of a gateway", 529, page, outcome.ServerError),
		e("302", 302, answer("{}"), outcome.Rejected),
		e("308", 308, answer("{}"), outcome.Rejected),
	}, func(t *testing.T, e providertest.Ending, end provider.End) {
		if !strings.HasPrefix(e.Body, `{"type":"error"`) {
			return
		}
		if !strings.Contains(end.Detail, "its own error") || end.ProviderRequestID != "req_body" {
			t.Errorf("id %q, detail %q", end.ProviderRequestID, end.Detail)
		}
	})
}

// TestHeadersOfAnAnswer: the provider's id and the wait that it asks for.
func TestHeadersOfAnAnswer(t *testing.T) {
	t.Parallel()
	const limits = "Request-Id: req_9\r\nAnthropic-Ratelimit-Requests-Remaining: 0\r\nRetry-After: 17\r\n"
	providertest.RunEndings(t, dial, []providertest.Ending{
		{Name: "429", Status: 429, Header: limits, Body: fault("rate_limit_error", "slow"), Want: outcome.NotProcessed},
		{Name: "529", Status: 529, Header: limits, Body: fault("overloaded_error", "full"), Want: outcome.NotProcessed},
	}, func(t *testing.T, _ providertest.Ending, end provider.End) {
		if end.RetryAfter != 17*time.Second || end.ProviderRequestID != "req_9" || end.Answer.Header.Get("Anthropic-Ratelimit-Requests-Remaining") != "0" {
			t.Errorf("wait %v, id %q, header %v", end.RetryAfter, end.ProviderRequestID, end.Answer.Header)
		}
	})
}

// TestConfiguredStatuses: what the configuration says of a status stands above
// the error object.
func TestConfiguredStatuses(t *testing.T) {
	t.Parallel()
	o := options("http://127.0.0.1:1")
	o.NotProcessedStatuses = []int{500}
	end := dialWith(t, o).Judge(provider.Answer{Status: 500, Body: []byte(fault("api_error", "died")), Whole: true})
	if end.Outcome != outcome.NotProcessed {
		t.Errorf("got %q (%s)", end.Outcome, end.Detail)
	}
}

// TestAnErrorThatIsCutIsNoWord: it may not be the provider's last one.
func TestAnErrorThatIsCutIsNoWord(t *testing.T) {
	t.Parallel()
	end := dial(t, "http://127.0.0.1:1").Judge(provider.Answer{Status: 500, Body: []byte(fault("api_error", "died"))})
	if end.Outcome != outcome.ServerError {
		t.Errorf("got %q (%s)", end.Outcome, end.Detail)
	}
}

func FuzzJudge(f *testing.F) {
	for _, body := range []string{
		answer(`{"a":1}`), answer("hello"), answer("```\n{}\n```"), message("max_tokens", "[]"), message("end_turn", "[[],1]"),
		fault("a", "b"), "[]", "{", `{"type":"message","content":[{"type":"text","text":"\u0000"}],"stop_reason":"end_turn"}`,
	} {
		f.Add(200, []byte(body), true)
		f.Add(529, []byte(body), false)
	}
	p := dial(f, "http://127.0.0.1:1")
	f.Fuzz(func(t *testing.T, status int, body []byte, whole bool) {
		providertest.CheckVerdict(t, p, provider.Answer{Status: status, Body: body, Whole: whole})
	})
}
