package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kwit/config"
)

func price(t *testing.T, yaml string) *config.Price {
	t.Helper()
	c := load(t, "providers: {p: {kind: simulator, price: "+yaml+"}}\njob_types: {j: {"+wanted+"}}", nil)
	return c.Providers[0].Price
}

const (
	perToken  = "{per_million_input: 3, per_million_output: 15.25, currency: USD}"
	perCached = "{per_million_input: 3, per_million_cached_input: 0.3, per_million_output: 15, per_call: 0.01, currency: USD}"
)

func TestCost(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, price, usage, want string }{
		{"by the call", "{per_call: 0.02, currency: EUR}", ``, "0.02 EUR"},
		{"by the call, whatever the usage", "{per_call: 0.50, currency: EUR}", `{"prompt_tokens":7}`, "0.50 EUR"},
		{"whole", "{per_call: 5, currency: JPY}", ``, "5 JPY"},
		{"free", "{per_call: 0, currency: EUR}", ``, "0 EUR"},
		{"OpenAI", perToken, `{"prompt_tokens":1234,"completion_tokens":100,"total_tokens":1334}`, "0.005227 USD"},
		{"OpenAI without details", perToken, `{"prompt_tokens":2,"completion_tokens":0,"prompt_tokens_details":null}`, "0.000006 USD"},
		{"OpenAI, nothing cached", perToken, `{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0}}`, "0.00001825 USD"},
		{"OpenAI, cached at an unknown price", perToken, `{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":1}}`, "unknown"},
		{"OpenAI, cached", perCached, `{"prompt_tokens":1000,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":400}}`, "0.011935 USD"},
		{"OpenAI, more cached than there is", perCached, `{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":2}}`, "unknown"},
		{"Anthropic", perToken, `{"input_tokens":1234,"output_tokens":100}`, "0.005227 USD"},
		{"Anthropic, cache read", perCached, `{"input_tokens":600,"cache_read_input_tokens":400,"cache_creation_input_tokens":0,"output_tokens":1}`, "0.011935 USD"},
		{"Anthropic, cache read at an unknown price", perToken, `{"input_tokens":600,"cache_read_input_tokens":400,"output_tokens":1}`, "unknown"},
		{"Anthropic, cache written", perCached, `{"input_tokens":600,"cache_creation_input_tokens":4,"output_tokens":1}`, "unknown"},
		{"nulls", perToken, `{"input_tokens":2,"cache_read_input_tokens":null,"output_tokens":0}`, "0.000006 USD"},
		{"no rounding", perToken, `{"input_tokens":9007199254740993,"output_tokens":0}`, "27021597764.222979 USD"},
		{"no usage", perToken, ``, "unknown"},
		{"null", perToken, `null`, "unknown"},
		{"half", perToken, `{"prompt_tokens":5}`, "unknown"},
		{"text", perToken, `{"prompt_tokens":"5","completion_tokens":5}`, "unknown"},
		{"negative", perToken, `{"prompt_tokens":-5,"completion_tokens":5}`, "unknown"},
		{"a fraction", perToken, `{"prompt_tokens":1.5,"completion_tokens":5}`, "unknown"},
		{"beyond counting", perToken, `{"prompt_tokens":1e300,"completion_tokens":5}`, "unknown"},
		{"in doubt: twice said", perToken, `{"prompt_tokens":1,"prompt_tokens":2,"completion_tokens":5}`, "unknown"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cost, known := price(t, test.price).Cost(json.RawMessage(test.usage))
			got := cost.String()
			if !known {
				got = "unknown"
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// An attempt in doubt has no usage, so its price is known by the call alone.
func TestEstimate(t *testing.T) {
	t.Parallel()
	cost, known := price(t, "{per_call: 0.020, currency: EUR}").Estimate()
	if !known || cost != (config.Money{Amount: "0.02", Currency: "EUR"}) {
		t.Errorf("got %v, %v", cost, known)
	}
	if _, known := price(t, perCached).Estimate(); known {
		t.Error("an amount was made up")
	}
	var none *config.Price
	if _, known := none.Estimate(); known {
		t.Error("no price is known, and an amount was made up")
	}
	if _, known := none.Cost(json.RawMessage(`{"prompt_tokens":1,"completion_tokens":2}`)); known {
		t.Error("no price is known, and an amount was made up")
	}
}

func TestMistakesOfPrices(t *testing.T) {
	t.Parallel()
	const farm = "PROVIDER {kind: http, url: 'http://a/', "
	tests := []struct{ name, file, want string }{
		{"price of nothing", farm + "price: {}}", "1:76: price needs a currency, such as EUR\n1:76: price needs per_call, or per_million_input and per_million_output"},
		{"price as text", farm + "price: 0.02 EUR}", `1:76: price must be a mapping ("key: value" lines), is a single value`},
		{"price of half a call", farm + "price: {per_million_input: 1, currency: EUR}}", "1:76: per_million_input and per_million_output belong together: write 0 for what is free"},
		{"price of a cache", farm + "price: {per_call: 1, per_million_cached_input: 1, currency: EUR}}", "1:90: per_million_cached_input needs per_million_input"},
		{"amounts", farm + "price: {per_call: -1, per_million_input: 1e3, per_million_output: 0.0000000001, currency: eur}}",
			`1:87: per_call must be an amount such as 0.02, with at most 9 decimals
1:110: per_million_input must be an amount such as 0.02, with at most 9 decimals
1:135: per_million_output must be an amount such as 0.02, with at most 9 decimals
1:159: currency must be a code of ISO 4217: three capital letters, such as EUR`},
		{"a price's unknown key", farm + "price: {per_cal: 1, per_call: 1, currency: EUR}}", `1:77: unknown key "per_cal" in price; did you mean "per_call"?`},
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

func FuzzCost(f *testing.F) {
	f.Add(`{"prompt_tokens":1,"completion_tokens":2}`)
	f.Add(`{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3}`)
	f.Add(`[{"prompt_tokens":{}}]`)
	c, _ := config.Parse("F", []byte("providers: {p: {kind: simulator, price: "+perCached+"}}\njob_types: {j: {"+wanted+"}}"), noEnvironment)
	f.Fuzz(func(t *testing.T, usage string) {
		cost, known := c.Providers[0].Price.Cost(json.RawMessage(usage))
		if known != (cost.Currency == "USD") || strings.HasPrefix(cost.Amount, "-") {
			t.Fatalf("%s: %v, %v", usage, cost, known)
		}
	})
}
