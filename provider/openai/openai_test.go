package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/modelapi"
	"kwit/provider/openai"
	"kwit/provider/providertest"
)

const key = "sk-test-0123456789"

func options(baseURL string) openai.Options {
	return openai.Options{Options: modelapi.Options{
		BaseURL: baseURL + "/v1", APIKey: key, Model: "some-model", MaxAnswerBytes: providertest.AnswerBytes,
	}}
}

func dial(t testing.TB, baseURL string) provider.Provider {
	t.Helper()
	return dialWith(t, options(baseURL))
}

func dialWith(t testing.TB, o openai.Options) provider.Provider {
	t.Helper()
	p, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answer is a whole completion, as the protocol has it.
func answer(text string) string {
	return completion("stop", fmt.Sprintf(`{"role":"assistant","content":%q,"refusal":null}`, text))
}

func completion(reason, message string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"some-model-2",`+
		`"choices":[{"index":0,"message":%s,"logprobs":null,"finish_reason":%q}],"usage":%s}`, message, reason, usage)
}

const usage = `{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21,"cost":1.50e-3}`

func fault(kind, code, message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%s}}`, message, kind, code)
}

var dialect = providertest.Dialect{
	Path: "/v1/chat/completions",
	Asked: func(body []byte) string {
		var request struct {
			Messages []struct{ Role, Content string }
		}
		// What cannot be read asks for nothing.
		_ = json.Unmarshal(body, &request)
		for _, m := range request.Messages {
			if m.Role == "user" {
				return m.Content
			}
		}
		return ""
	},
	Answer: answer,
	Fault:  func(_ int, message string) string { return fault("some_error", "null", message) },
}

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.RunModel(t, dial, dialect)
}

// TestC18_TheEnvironmentHasNoEffect: what is sent is what is configured, header
// by header, whatever the library's variables say.
func TestC18_TheEnvironmentHasNoEffect(t *testing.T) {
	const nowhere = "http://127.0.0.1:1"
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": nowhere, "OPENAI_API_KEY": "leak-key", "OPENAI_ADMIN_KEY": "leak-admin",
		"OPENAI_ORG_ID": "leak-org", "OPENAI_PROJECT_ID": "leak-project", "OPENAI_CUSTOM_HEADERS": "X-Leak: 1",
		"HTTP_PROXY": nowhere, "http_proxy": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere,
	} {
		t.Setenv(name, value)
	}
	request := providertest.AskModel("attempt-7", []byte("Summarise <b>this</b>."))
	request.Header = http.Header{
		"traceparent":     {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		"X-Kwit-Callback": {"https://kwit.example/callbacks/attempt-7?t=secret"},
		"Authorization":   {"another"},
		"Idempotency-Key": {"another"},
	}
	got, end := providertest.Catch(t, dial, request, answer(`{"a":1}`))
	if end.Outcome != outcome.Succeeded || got.Path != "/v1/chat/completions" {
		t.Fatalf("%s: %q (%s)", got.Path, end.Outcome, end.Detail)
	}
	providertest.CheckHeader(t, got.Header, map[string]string{
		"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "kwit",
		"Authorization": "Bearer " + key, "Idempotency-Key": "attempt-7",
		"X-Kwit-Attempt": "attempt-7", "X-Kwit-Job": "job-of-attempt-7",
		"Traceparent":    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"Content-Length": fmt.Sprint(len(got.Body)), "Connection": "close",
	})
	providertest.CheckJSON(t, got.Body, `{"model":"some-model","max_tokens":800,"temperature":0.2,"messages":[
		{"role":"system","content":"Answer with JSON alone."},{"role":"user","content":"Summarise <b>this</b>."}]}`)
	if echo := end.Answer.Header.Get("X-Echo"); strings.Contains(echo, key) {
		t.Errorf("the answer keeps a secret: %q", echo)
	}
}

// TestRequestFollowsTheOptions: what is not asked for is not sent.
func TestRequestFollowsTheOptions(t *testing.T) {
	t.Parallel()
	tokens := int64(5)
	tests := []struct {
		name   string
		change func(*openai.Options)
		prompt provider.Prompt
		want   string
	}{
		{"nothing but a question", func(*openai.Options) {}, provider.Prompt{User: "u"},
			`{"model":"some-model","messages":[{"role":"user","content":"u"}]}`},
		{"the limit's other name", func(o *openai.Options) { o.MaxCompletionTokens = true },
			provider.Prompt{User: "u", Parameters: provider.Parameters{MaxTokens: &tokens}},
			`{"model":"some-model","max_completion_tokens":5,"messages":[{"role":"user","content":"u"}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := providertest.AskModel("a", nil)
			request.Prompt = &test.prompt
			got, _ := providertest.Catch(t, func(t testing.TB, baseURL string) provider.Provider {
				o := options(baseURL)
				test.change(&o)
				return dialWith(t, o)
			}, request, answer("{}"))
			providertest.CheckJSON(t, got.Body, test.want)
		})
	}
}

// TestAServerWithoutAKey: a model of one's own may ask for none.
func TestAServerWithoutAKey(t *testing.T) {
	t.Parallel()
	got, end := providertest.Catch(t, func(t testing.TB, baseURL string) provider.Provider {
		o := options(baseURL)
		o.APIKey = ""
		return dialWith(t, o)
	}, providertest.AskModel("a", []byte("{}")), answer("{}"))
	if auth, sent := got.Header["Authorization"]; sent || end.Outcome != outcome.Succeeded {
		t.Errorf("Authorization %q, outcome %q (%s)", auth, end.Outcome, end.Detail)
	}
}

func TestNothingIsSentWithoutAPrompt(t *testing.T) {
	t.Parallel()
	gate := provider.NewGate(nil, nil)
	end := dial(t, "http://127.0.0.1:1").Send(providertest.Patience(t), gate, provider.Request{AttemptID: "a", Body: []byte("{}")}, nil)
	if end.Outcome != outcome.NotSent || !end.Sealed || !gate.Sealed() || !strings.Contains(end.Detail, "prompt") {
		t.Errorf("got %+v", end)
	}
}

func TestNewNamesEveryMistake(t *testing.T) {
	t.Parallel()
	_, err := openai.New(openai.Options{Options: modelapi.Options{
		BaseURL: "https://u:p@api.example.com/v1", APIKey: "a\nb", Proxy: "socks5://x", NotProcessedStatuses: []int{200},
	}})
	var mistakes provider.Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatalf("New: %v", err)
	}
	fields := map[string]bool{}
	for _, m := range mistakes {
		fields[m.Field] = true
	}
	got := slices.Sorted(maps.Keys(fields))
	if want := []string{"api_key", "base_url", "model", "not_processed_statuses", "proxy"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, address := range []string{"", "api.example.com", "ftp://x/v1", "https://x/v1?key=1", "https://x/v1#top"} {
		if _, err := openai.New(openai.Options{Options: modelapi.Options{BaseURL: address, Model: "m"}}); err == nil {
			t.Errorf("the address %q was accepted", address)
		}
	}
}
