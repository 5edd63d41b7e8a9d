package config_test

import (
	"testing"
	"time"

	"kwit/config"
)

const everyProvider = `
providers:
  main:
    kind: openai
    base_url: https://api.example.com/v1
    api_key: ${MAIN_API_KEY}
    model: some-model
    max_completion_tokens: true
    proxy: http://proxy.example.com:3128
    not_processed_statuses: [503]
    max_concurrent: 9
    max_rate: 300/m
    price: {per_million_input: 2.5, per_million_output: 10, currency: USD}
  backup: {kind: anthropic, base_url: "https://api.example.com", api_key: "${BACKUP_API_KEY}", model: other, api_version: 2023-06-01}
  local: {kind: openai, base_url: "http://localhost:1234/v1", model: own}
  farm:
    kind: http
    url: https://farm.example.com/renders
    status_url: https://farm.example.com/${FARM}/{attempt_id}?job={job_id}
    cancel_url: https://farm.example.com/renders/{provider_id}
    honours_idempotency_key: true
    callback_secret: whsec_${CALLBACK}
    result_path: /output/0/te~1xt
    id_path: /id
    usage_path: /usage
    max_rate: 5/s
    price: {per_call: 0.02, currency: EUR}
  other: {kind: http, url: "https://other.example.com/", honours_idempotency_key: true, idempotency_key_lifetime: 1h}
job_types:
  j: {input: {type: object}, output: {}, route: [farm]}
`

var keysOfProviders = map[string]string{"MAIN_API_KEY": "main-key", "BACKUP_API_KEY": "backup-key", "FARM": "hidden",
	"CALLBACK": "MDEyMzQ1Njc4OWFiY2RlZg=="}

func TestProvidersOfModelsAreRead(t *testing.T) {
	t.Parallel()
	c := load(t, everyProvider, keysOfProviders)
	main, _ := c.Provider("main")
	if main.Kind != config.OpenAI || !main.Kind.Model() || main.BaseURL != "https://api.example.com/v1" || main.APIKey != "main-key" ||
		main.Model != "some-model" || !main.MaxCompletionTokens || main.Proxy != "http://proxy.example.com:3128" ||
		main.NotProcessedStatuses[0] != 503 || main.MaxConcurrent != 9 || main.MaxRate.Interval() != 200*time.Millisecond || main.Price == nil {
		t.Errorf("main: got %v", main)
	}
	backup, _ := c.Provider("backup")
	if backup.Kind != config.Anthropic || !backup.Kind.Model() || backup.APIKey != "backup-key" || backup.Model != "other" ||
		backup.APIVersion != "2023-06-01" || backup.Price != nil || backup.MaxRate.Interval() != 0 {
		t.Errorf("backup: got %v", backup)
	}
	if local, _ := c.Provider("local"); local.APIKey != "" || local.MaxCompletionTokens {
		t.Errorf("local: got %v", local)
	}
}

func TestProvidersOfKindHTTPAreRead(t *testing.T) {
	t.Parallel()
	c := load(t, everyProvider, keysOfProviders)
	farm, _ := c.Provider("farm")
	if farm.Kind.Model() || farm.StatusURL != "https://farm.example.com/hidden/{attempt_id}?job={job_id}" ||
		farm.CancelURL != "https://farm.example.com/renders/{provider_id}" || !farm.HonoursIdempotencyKey ||
		farm.IdempotencyKeyLifetime != 23*time.Hour || farm.CallbackSecret != "whsec_MDEyMzQ1Njc4OWFiY2RlZg==" ||
		farm.ResultPath != "/output/0/te~1xt" || farm.IDPath != "/id" || farm.UsagePath != "/usage" ||
		farm.MaxRate != (config.Rate{Requests: 5, Per: time.Second}) {
		t.Errorf("farm: got %v", farm)
	}
	if other, _ := c.Provider("other"); other.IdempotencyKeyLifetime != time.Hour || other.CallbackSecret != "" {
		t.Errorf("other: got %v", other)
	}
	got := c.Mask("main-key backup-key whsec_MDEyMzQ1Njc4OWFiY2RlZg== MDEyMzQ1Njc4OWFiY2RlZg== /hidden/")
	if want := "••• ••• ••• ••• /•••/"; got != want {
		t.Errorf("masked: got %q, want %q", got, want)
	}
}

func TestKeysInTheFileItselfAreSecretToo(t *testing.T) {
	t.Parallel()
	c := load(t, `
providers:
  m: {kind: openai, base_url: "http://localhost/v1", model: x, api_key: in-the-file}
  h: {kind: http, url: "http://localhost/", callback_secret: MDEyMzQ1Njc4OWFiY2RlZg==}
job_types:
  j: {input: {type: object}, output: {}, route: [h]}
`, nil)
	if got := c.Mask("in-the-file MDEyMzQ1Njc4OWFiY2RlZg=="); got != "••• •••" {
		t.Errorf("got %q", got)
	}
}

func TestMistakesOfProviders(t *testing.T) {
	t.Parallel()
	const (
		model    = "PROVIDER {kind: openai, base_url: 'http://a/v1', model: m, "
		farm     = "PROVIDER {kind: http, url: 'http://a/', "
		notIn16  = "1:86: callback_secret must hold at least 16 bytes in base64, holds "
		noBase64 = "1:86: callback_secret must be base64, perhaps behind whsec_, as Standard Webhooks has it"
		noRate   = "1:98: max_rate must be a number of requests in a second, minute or hour, such as 5/s, 300/m or 100/h"
	)
	tests := []struct{ name, file, want string }{
		{"openai alone", "PROVIDER {kind: openai}", "1:45: a provider of kind openai needs \"base_url\"\n1:45: a provider of kind openai needs \"model\""},
		{"anthropic alone", "PROVIDER {kind: anthropic}", `1:45: a provider of kind anthropic needs "api_key"
1:45: a provider of kind anthropic needs "base_url"
1:45: a provider of kind anthropic needs "model"`},
		{"keys of http at a model", model + "url: 'http://a/', callback_secret: MDEyMzQ1Njc4OWFiY2RlZg==, api_version: x}",
			`1:88: "url" does not belong to a provider of kind openai
1:106: "callback_secret" does not belong to a provider of kind openai
1:149: "api_version" does not belong to a provider of kind openai`},
		{"keys of models at http", farm + "model: m, max_completion_tokens: true}",
			`1:69: "model" does not belong to a provider of kind http
1:79: "max_completion_tokens" does not belong to a provider of kind http`},
		{"an unset key", model + "api_key: '${NOT_SET}'}", "1:97: api_key needs the environment variable NOT_SET, which is not set"},
		{"an empty key", model + "api_key: '${EMPTY}'}", "1:97: api_key needs the environment variable EMPTY, which is empty"},
		{"a key with a line break", model + `api_key: "a\nb"}`, "1:97: api_key holds a character that a header may not hold"},
		{"a model from the environment", "PROVIDER {kind: openai, base_url: 'http://a', model: '${M}'}",
			"1:82: model takes no value from the environment: write it out"},
		{"a base address with a user", "PROVIDER {kind: openai, base_url: 'http://u@a', model: m}", "1:63: base_url must not hold a user: send credentials by headers"},

		{"placeholders", farm + "status_url: 'http://a/{attempt}', cancel_url: 'http://a/{atempt_id}/{x}'}",
			`1:81: status_url holds the unknown placeholder {attempt}; known are: attempt_id, job_id, provider_id
1:115: cancel_url holds the unknown placeholder {atempt_id}; did you mean "attempt_id"?
1:115: cancel_url holds the unknown placeholder {x}; known are: attempt_id, job_id, provider_id`},
		{"no attempt in an address", farm + "status_url: 'http://a/{job_id}', cancel_url: 'http://a/'}",
			`1:81: status_url must name the attempt: put {attempt_id} or {provider_id} into it
1:114: cancel_url must name the attempt: put {attempt_id} or {provider_id} into it`},
		{"stray braces", farm + "status_url: 'http://a/{{attempt_id}}', cancel_url: 'http://a/{attempt_id'}",
			`1:81: status_url holds a { or } that belongs to no placeholder: write it as %7B or %7D
1:120: cancel_url holds a { or } that belongs to no placeholder: write it as %7B or %7D`},
		{"a placeholder from the environment", farm + "status_url: 'http://a/{attempt_id}/${BRACES}'}",
			"1:81: status_url holds a { or } that belongs to no placeholder: write it as %7B or %7D"},
		{"a placeholder as the host", farm + "status_url: 'http://{attempt_id}.a/', cancel_url: 'ftp://a/{attempt_id}'}",
			`1:81: status_url must hold its placeholders behind the host
1:119: cancel_url must be a whole address that begins with http:// or https://`},
		{"an empty address", farm + "status_url: ''}", "1:81: status_url must not be empty"},

		{"a lifetime without keys", farm + "idempotency_key_lifetime: 1h}", `1:69: idempotency_key_lifetime needs "honours_idempotency_key: true"`},
		{"a lifetime too short", farm + "honours_idempotency_key: true, idempotency_key_lifetime: 1s}", "1:126: idempotency_key_lifetime must be at least 1m0s"},

		{"an unset secret", farm + "callback_secret: '${NOT_SET}'}", "1:86: callback_secret needs the environment variable NOT_SET, which is not set"},
		{"an empty secret", farm + "callback_secret: '${EMPTY}'}", "1:86: callback_secret needs the environment variable EMPTY, which is empty"},
		{"no secret", farm + "callback_secret: ''}", "1:86: callback_secret must not be empty"},
		{"only the prefix", farm + "callback_secret: 'whsec_${EMPTY}'}", "1:86: callback_secret needs the environment variable EMPTY, which is empty"},
		{"only the prefix, plain", farm + "callback_secret: whsec_}", notIn16 + "0"},
		{"a short secret", farm + "callback_secret: whsec_YWJj}", notIn16 + "3"},
		{"a secret that is not shown", farm + "callback_secret: '${SECRET}'}", noBase64},

		{"pointers", farm + "result_path: output, id_path: '/a~2', usage_path: ''}", `1:82: result_path must be a JSON Pointer, such as /output/text
1:99: id_path must be a JSON Pointer, such as /output/text
1:119: usage_path must not be empty`},
		{"rate", model + "max_rate: 5}", noRate},
		{"rate of nothing", model + "max_rate: 0/s}", noRate},
		{"rate in days", model + "max_rate: 5/d}", noRate},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := mistakesOf(test.file); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
