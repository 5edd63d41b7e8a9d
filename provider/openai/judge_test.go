package openai_test

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
	const good = `{"role":"assistant","content":"{\"a\":1}"}`
	endings := []providertest.Ending{
		{Name: "stop", Body: completion("stop", good), Want: outcome.Succeeded},
		{Name: "length", Body: completion("length", good), Want: outcome.Contract, Detail: "limit of tokens"},
		{Name: "content_filter", Body: completion("content_filter", good), Want: outcome.Contract, Detail: "filter"},
		{Name: "tool_calls", Body: completion("tool_calls", `{"content":null,"tool_calls":[]}`), Want: outcome.Contract, Detail: "tool"},
		{Name: "function_call", Body: completion("function_call", good), Want: outcome.Contract, Detail: "tool"},
		{Name: "a reason of somebody's own", Body: completion("eos", good), Want: outcome.Contract, Detail: `"eos"`},
		{Name: "no reason", Body: completion("", good), Want: outcome.Contract, Detail: "no finish reason"},
		{Name: "refusal", Body: completion("stop", `{"content":null,"refusal":"I will not."}`), Want: outcome.Contract, Detail: "refused: I will not."},
		{Name: "refusal beside a text", Body: completion("stop", `{"content":"{}","refusal":"No."}`), Want: outcome.Contract, Detail: "refused"},
		{Name: "no text", Body: completion("stop", `{"content":null}`), Want: outcome.Contract, Detail: "without a text"},
		{Name: "a number for a text", Body: completion("stop", `{"content":12}`), Want: outcome.Contract, Detail: "without a text"},
		{Name: "a list for a text", Body: completion("stop", `{"content":[{"type":"text","text":"{}"}]}`), Want: outcome.Contract, Detail: "without a text"},
		{Name: "no message", Body: completion("stop", `null`), Want: outcome.Contract, Detail: "without a text"},
		{Name: "an empty text", Body: answer(""), Want: outcome.Contract, Detail: "without writing"},
		{Name: "prose", Body: answer("Sure! {}"), Want: outcome.Contract, Detail: "not one JSON value"},
		{Name: "a fence", Body: answer("```json\n{}\n```"), Want: outcome.Contract, Detail: "fence"},
		{Name: "a doubled member", Body: answer(`{"a":1,"a":2}`), Want: outcome.Contract, Detail: "not one JSON value"},
		{Name: "no choice", Body: strings.Replace(answer("{}"), `"choices":[`, `"choices":[],"was":[`, 1), Want: outcome.Contract, Detail: "0 choices"},
		{Name: "choices are null", Body: strings.Replace(answer("{}"), `"choices":[`, `"choices":null,"was":[`, 1), Want: outcome.Contract, Detail: "0 choices"},
		{Name: "two choices", Body: strings.Replace(answer("{}"), `"choices":[`, `"choices":[{},`, 1), Want: outcome.Contract, Detail: "2 choices"},
		{Name: "an error in the choice", Body: strings.Replace(completion("error", good), `"logprobs":null`, `"error":{"code":502,"message":"died"}`, 1), Want: outcome.ProviderError, Detail: "died"},
	}
	for i := range endings {
		endings[i].Status = 200
	}
	providertest.RunEndings(t, dial, endings, func(t *testing.T, e providertest.Ending, end provider.End) {
		if string(end.Usage) != usage {
			t.Errorf("usage: %s", end.Usage)
		}
		if end.ProviderRequestID != "chatcmpl-1" {
			t.Errorf("the provider's id: %q", end.ProviderRequestID)
		}
		if end.Outcome == outcome.Succeeded && string(end.Result) != `{"a":1}` {
			t.Errorf("the result: %s", end.Result)
		}
		if unwraps := end.Unwrap().Outcome == outcome.Succeeded; unwraps != (e.Name == "stop" || e.Name == "a fence") {
			t.Errorf("unwrapped: %+v", end.Unwrap())
		}
	})
}

// TestAWhole200ThatIsNoCompletion: an error object is the provider's word; what
// is not the protocol at all proves nothing.
func TestAWhole200ThatIsNoCompletion(t *testing.T) {
	t.Parallel()
	providertest.RunEndings(t, dial, []providertest.Ending{
		{Name: "an error object", Status: 200, Body: fault("server_error", "null", "died"), Want: outcome.ProviderError, Detail: "died"},
		{Name: "one that would be a refusal", Status: 200, Body: fault("rate_limit_error", `"rate_limit_exceeded"`, "slow"), Want: outcome.ProviderError},
		{Name: "with a number for a code", Status: 200, Body: `{"error":{"code":502,"message":"died"}}`, Want: outcome.ProviderError, Detail: `"502"`},
		{Name: "in the older form", Status: 200, Body: `{"object":"error","message":"died","type":"NotFoundError","code":404}`, Want: outcome.ProviderError, Detail: "died"},
		{Name: "of an empty object", Status: 200, Body: `{}`, Want: outcome.AnswerLost, Detail: "not a chat completion"},
		{Name: "of an array", Status: 200, Body: `[]`, Want: outcome.AnswerLost},
		{Name: "choices are no list", Status: 200, Body: `{"choices":{}}`, Want: outcome.AnswerLost},
		{Name: "somebody's status page", Status: 200, Body: `{"status":"ok"}`, Want: outcome.AnswerLost},
		{Name: "an error that is a word", Status: 200, Body: `{"error":"no"}`, Want: outcome.AnswerLost},
		{Name: "a stream", Status: 200, Header: "Content-Type: text/event-stream\r\n", Body: "data: {}\n\ndata: [DONE]\n\n", Want: outcome.AnswerLost},
		{Name: "a page", Status: 200, Body: page, Want: outcome.AnswerLost},
		{Name: "a doubled member", Status: 200, Body: `{"choices":[],"choices":[]}`, Want: outcome.Contract},
		{Name: "201", Status: 201, Body: answer("{}"), Want: outcome.Succeeded},
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
	providertest.RunEndings(t, dial, []providertest.Ending{
		e("400", 400, fault("invalid_request_error", `"context_length_exceeded"`, "too long"), outcome.Rejected),
		e("401", 401, fault("invalid_request_error", `"invalid_api_key"`, "who"), outcome.Rejected),
		e("402", 402, `{"error":{"code":402,"message":"no credits"}}`, outcome.Rejected),
		e("403", 403, fault("invalid_request_error", `"unsupported_country_region_territory"`, "where"), outcome.Rejected),
		e("404", 404, fault("invalid_request_error", `"model_not_found"`, "what"), outcome.Rejected),
		e("413", 413, page, outcome.Rejected),
		e("422", 422, fault("invalid_request_error", "null", "bad"), outcome.Rejected),
		e("408", 408, fault("timeout", "null", "slow"), outcome.ProviderError),
		e("408 of a gateway", 408, page, outcome.ServerError),
		e("409", 409, fault("invalid_request_error", "null", "busy"), outcome.Rejected),
		e("409 about our key", 409, fault("idempotency_error", "null", "in progress"), outcome.ServerError),
		e("429 rate", 429, fault("requests", `"rate_limit_exceeded"`, "slow"), outcome.NotProcessed),
		e("429 slow down", 429, fault("rate_limit_error", `"slow_down"`, "slow"), outcome.NotProcessed),
		e("429 quota", 429, fault("insufficient_quota", `"insufficient_quota"`, "pay"), outcome.Rejected),
		e("429 credits", 429, fault("insufficient_quota", `"credit_balance_exhausted"`, "pay"), outcome.Rejected),
		e("429 spend limit", 429, fault("billing", `"project_spend_limit_exceeded"`, "pay"), outcome.Rejected),
		e("429 of a gateway", 429, page, outcome.NotProcessed),
		e("498 flex capacity", 498, fault("capacity", "null", "full"), outcome.ProviderError),
		e("500", 500, fault("server_error", "null", "died"), outcome.ProviderError),
		e("500 with a number", 500, `{"error":{"message":"died","type":"InternalServerError","code":500}}`, outcome.ProviderError),
		e("500 of a gateway", 500, page, outcome.ServerError),
		e("500 with another error", 500, `{"error":"died"}`, outcome.ServerError),
		e("500 with an empty error", 500, `{"error":{}}`, outcome.ServerError),
		e("502", 502, fault("server_error", "null", "upstream"), outcome.ProviderError),
		e("502 of a gateway", 502, page, outcome.ServerError),
		e("503 overloaded", 503, fault("service_unavailable_error", `"server_is_overloaded"`, "full"), outcome.NotProcessed),
		e("503 loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, outcome.NotProcessed),
		e("503 of a gateway", 503, page, outcome.ServerError),
		e("504", 504, fault("server_error", "null", "slow"), outcome.ProviderError),
		e("504 of a gateway", 504, `{"message":"Endpoint request timed out"}`, outcome.ServerError),
		e("524 of a gateway", 524, page, outcome.ServerError),
		e("301", 301, answer("{}"), outcome.Rejected),
		e("307", 307, answer("{}"), outcome.Rejected),
		e("308", 308, fault("server_error", "null", "moved"), outcome.Rejected),
	}, func(t *testing.T, e providertest.Ending, end provider.End) {
		if own := strings.HasPrefix(e.Body, `{"error":{"`); own && e.Status >= 400 && !strings.Contains(end.Detail, "its own error") {
			t.Errorf("the detail does not tell the error: %s", end.Detail)
		}
	})
}

// TestHeadersOfAnAnswer: the provider's id and the wait that it asks for.
func TestHeadersOfAnAnswer(t *testing.T) {
	t.Parallel()
	limits := "X-Request-Id: req_9\r\nX-Ratelimit-Remaining-Requests: 0\r\nX-Ratelimit-Reset-Requests: 1s\r\n"
	slow := fault("requests", `"rate_limit_exceeded"`, "slow")
	wait := map[string]time.Duration{
		"seconds": 20 * time.Second, "milliseconds": 1500 * time.Millisecond, "absurd": time.Hour, "unreadable": 0,
	}
	providertest.RunEndings(t, dial, []providertest.Ending{
		{Name: "seconds", Status: 429, Header: limits + "Retry-After: 20\r\n", Body: slow, Want: outcome.NotProcessed},
		{Name: "milliseconds", Status: 429, Header: limits + "Retry-After: 20\r\nRetry-After-Ms: 1500\r\n", Body: slow, Want: outcome.NotProcessed},
		{Name: "absurd", Status: 503, Header: limits + "Retry-After: 99999999999999999999\r\n", Body: slow, Want: outcome.NotProcessed},
		{Name: "unreadable", Status: 429, Header: limits + "Retry-After: soon\r\n", Body: slow, Want: outcome.NotProcessed},
	}, func(t *testing.T, e providertest.Ending, end provider.End) {
		if end.RetryAfter != wait[e.Name] {
			t.Errorf("wait %v, want %v", end.RetryAfter, wait[e.Name])
		}
		if end.ProviderRequestID != "req_9" || end.Answer.Header.Get("X-Ratelimit-Reset-Requests") != "1s" {
			t.Errorf("id %q, header %v", end.ProviderRequestID, end.Answer.Header)
		}
	})
}

// TestConfiguredStatuses: what the configuration says of a status stands above
// the error object.
func TestConfiguredStatuses(t *testing.T) {
	t.Parallel()
	o := options("http://127.0.0.1:1")
	o.NotProcessedStatuses = []int{429, 500}
	p := dialWith(t, o)
	for status, body := range map[int]string{429: fault("insufficient_quota", "null", "pay"), 500: fault("server_error", "null", "died")} {
		if end := p.Judge(provider.Answer{Status: status, Body: []byte(body), Whole: true}); end.Outcome != outcome.NotProcessed {
			t.Errorf("%d: got %q (%s)", status, end.Outcome, end.Detail)
		}
	}
}

// TestADetailHoldsNoSecretAndNoFlood: a provider's own words are shown to
// people and stored.
func TestADetailHoldsNoSecretAndNoFlood(t *testing.T) {
	t.Parallel()
	body := fault("server_error", "null", "bad key "+key+" \n"+strings.Repeat("x", 10_000))
	end := dial(t, "http://127.0.0.1:1").Judge(provider.Answer{Status: 500, Body: []byte(body), Whole: true})
	if strings.Contains(end.Detail, key) || strings.Contains(end.Detail, "\n") || len(end.Detail) > 500 {
		t.Errorf("the detail is %q", end.Detail)
	}
}

// TestAnErrorThatIsCutIsNoWord: it may not be the provider's last one.
func TestAnErrorThatIsCutIsNoWord(t *testing.T) {
	t.Parallel()
	end := dial(t, "http://127.0.0.1:1").Judge(provider.Answer{Status: 500, Body: []byte(fault("server_error", "null", "died"))})
	if end.Outcome != outcome.ServerError {
		t.Errorf("got %q (%s)", end.Outcome, end.Detail)
	}
}

func FuzzJudge(f *testing.F) {
	for _, body := range []string{
		answer(`{"a":1}`), answer("hello"), completion("length", "null"), fault("a", "1", "b"), "[]", "{", `{"choices":[[]]}`,
		`{"choices":[{"finish_reason":"stop","message":{"content":"\u0000"}}]}`,
	} {
		f.Add(200, []byte(body), true)
		f.Add(429, []byte(body), false)
	}
	p := dial(f, "http://127.0.0.1:1")
	f.Fuzz(func(t *testing.T, status int, body []byte, whole bool) {
		providertest.CheckVerdict(t, p, provider.Answer{Status: status, Body: body, Whole: whole})
	})
}
