package anthropic_test

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
	"kwit/provider/anthropic"
	"kwit/provider/modelapi"
	"kwit/provider/providertest"
)

const key = "sk-ant-test-0123456789"

func options(baseURL string) anthropic.Options {
	return anthropic.Options{Options: modelapi.Options{
		BaseURL: baseURL, APIKey: key, Model: "some-model", MaxAnswerBytes: providertest.AnswerBytes,
	}}
}

func dial(t testing.TB, baseURL string) provider.Provider {
	t.Helper()
	return dialWith(t, options(baseURL))
}

func dialWith(t testing.TB, o anthropic.Options) provider.Provider {
	t.Helper()
	p, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answer is a whole message, as the protocol has it.
func answer(text string) string {
	return message("end_turn", fmt.Sprintf(`[{"type":"text","text":%q}]`, text))
}

func message(reason, content string) string {
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"some-model-2","content":%s,`+
		`"stop_reason":%q,"stop_sequence":null,"usage":%s}`, content, reason, usage)
}

const usage = `{"input_tokens":25,"output_tokens":13,"cache_read_input_tokens":0}`

func fault(kind, message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_body"}`, kind, message)
}

var dialect = providertest.Dialect{
	Path: "/v1/messages",
	Asked: func(body []byte) string {
		var request struct {
			Messages []struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal(body, &request) != nil || len(request.Messages) != 1 || len(request.Messages[0].Content) != 1 {
			return ""
		}
		return request.Messages[0].Content[0].Text
	},
	Answer: answer,
	Fault:  func(_ int, message string) string { return fault("api_error", message) },
}

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.RunModel(t, dial, dialect)
}

// TestC18_TheEnvironmentHasNoEffect: what is sent is what is configured, header
// by header, whatever the library's variables and profiles say.
func TestC18_TheEnvironmentHasNoEffect(t *testing.T) {
	const nowhere = "http://127.0.0.1:1"
	for name, value := range map[string]string{
		"ANTHROPIC_BASE_URL": nowhere, "ANTHROPIC_API_KEY": "leak-key", "ANTHROPIC_AUTH_TOKEN": "leak-token",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Leak: 1", "ANTHROPIC_PROFILE": "leak", "ANTHROPIC_CONFIG_DIR": t.TempDir(),
		"ANTHROPIC_WORKSPACE_ID": "leak-workspace", "ANTHROPIC_OPEN_TELEMETRY": "true",
		"HTTP_PROXY": nowhere, "http_proxy": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere,
	} {
		t.Setenv(name, value)
	}
	request := providertest.AskModel("attempt-7", []byte("Summarise <b>this</b>."))
	request.Header = http.Header{
		"traceparent":     {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		"X-Kwit-Callback": {"https://kwit.example/callbacks/attempt-7?t=secret"},
		"X-Api-Key":       {"another"},
		"Idempotency-Key": {"another"},
	}
	got, end := providertest.Catch(t, dial, request, answer(`{"a":1}`))
	if end.Outcome != outcome.Succeeded || got.Path != "/v1/messages" {
		t.Fatalf("%s: %q (%s)", got.Path, end.Outcome, end.Detail)
	}
	providertest.CheckHeader(t, got.Header, map[string]string{
		"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "kwit",
		"X-Api-Key": key, "Anthropic-Version": "2026-10-21", "Idempotency-Key": "attempt-7",
		"X-Kwit-Attempt": "attempt-7", "X-Kwit-Job": "job-of-attempt-7",
		"Traceparent":    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"Content-Length": fmt.Sprint(len(got.Body)), "Connection": "close",
	})
	providertest.CheckJSON(t, got.Body, `{"model":"some-model","max_tokens":800,
		"system":[{"type":"text","text":"Answer with JSON alone."}],
		"messages":[{"role":"user","content":[{"type":"text","text":"Summarise <b>this</b>."}]}]}`)
	if echo := end.Answer.Header.Get("X-Echo"); strings.Contains(echo, key) {
		t.Errorf("the answer keeps a secret: %q", echo)
	}
}

// TestTheVersionDecidesOnTheTemperature: the newer one refuses any.
func TestTheVersionDecidesOnTheTemperature(t *testing.T) {
	t.Parallel()
	many := int64(100_000) // more than the library lets pass by itself
	request := providertest.AskModel("a", nil)
	request.Prompt.System, request.Prompt.User, request.Prompt.Parameters.MaxTokens = "", "u", &many
	const common = `"model":"some-model","max_tokens":100000,"messages":[{"role":"user","content":[{"type":"text","text":"u"}]}]`
	for version, want := range map[string]string{
		anthropic.Version2026: "{" + common + "}",
		anthropic.Version2023: `{"temperature":0.2,` + common + "}",
	} {
		got, end := providertest.Catch(t, func(t testing.TB, baseURL string) provider.Provider {
			o := options(baseURL + "/gate/way/")
			o.APIVersion = version
			return dialWith(t, o)
		}, request, answer("{}"))
		providertest.CheckJSON(t, got.Body, want)
		if got.Path != "/gate/way/v1/messages" || got.Header.Get("Anthropic-Version") != version || end.Outcome != outcome.Succeeded {
			t.Errorf("%s %v: %q (%s)", got.Path, got.Header, end.Outcome, end.Detail)
		}
	}
}

// TestNothingIsSentThatTheProtocolForbids: the fault is told before a byte left.
func TestNothingIsSentThatTheProtocolForbids(t *testing.T) {
	t.Parallel()
	for word, prompt := range map[string]*provider.Prompt{"prompt": nil, "max_tokens": {User: "u"}} {
		gate := provider.NewGate(nil, nil)
		end := dial(t, "http://127.0.0.1:1").Send(providertest.Patience(t), gate, provider.Request{AttemptID: "a", Prompt: prompt}, nil)
		if end.Outcome != outcome.NotSent || !end.Sealed || !gate.Sealed() || !strings.Contains(end.Detail, word) {
			t.Errorf("without %s: %+v", word, end)
		}
	}
}

func TestNewNamesEveryMistake(t *testing.T) {
	t.Parallel()
	_, err := anthropic.New(anthropic.Options{APIVersion: "2020-01-01"})
	var mistakes provider.Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatalf("New: %v", err)
	}
	fields := map[string]bool{}
	for _, m := range mistakes {
		fields[m.Field] = true
	}
	got := slices.Sorted(maps.Keys(fields))
	if want := []string{"api_key", "api_version", "base_url", "model"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
