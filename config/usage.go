package config

import (
	"encoding/json"
	"strconv"

	"kwit/exactjson"
)

// tokens are counted by what they are charged as: input without what came from
// a cache.
type tokens struct{ input, cached, output uint64 }

// readTokens reads a usage in OpenAI's words (prompt_tokens, of which
// prompt_tokens_details.cached_tokens are a part; completion_tokens) or in
// Anthropic's (input_tokens and beside them cache_read_input_tokens;
// output_tokens). Writing Anthropic's cache has a price of its own that depends
// on how long it is kept; kwit never asks for it, so there it gives up.
func readTokens(usage json.RawMessage) (t tokens, ok bool) {
	v, err := exactjson.Parse(usage, exactjson.Limits{})
	if err != nil {
		return tokens{}, false
	}
	if _, openAI := v.Get("prompt_tokens"); openAI {
		details, _ := v.Get("prompt_tokens_details")
		whole, ok1 := count(v, "prompt_tokens", true)
		cached, ok2 := count(details, "cached_tokens", false)
		output, ok3 := count(v, "completion_tokens", true)
		return tokens{whole - cached, cached, output}, ok1 && ok2 && ok3 && cached <= whole
	}
	input, ok1 := count(v, "input_tokens", true)
	cached, ok2 := count(v, "cache_read_input_tokens", false)
	written, ok3 := count(v, "cache_creation_input_tokens", false)
	output, ok4 := count(v, "output_tokens", true)
	return tokens{input, cached, output}, ok1 && ok2 && ok3 && ok4 && written == 0
}

// count reads a number of tokens. One that need not be there may be null.
func count(v exactjson.Value, name string, required bool) (uint64, bool) {
	member, _ := v.Get(name)
	if member.Kind() == exactjson.Null {
		return 0, !required
	}
	n, err := strconv.ParseUint(member.Text(), 10, 63)
	return n, err == nil && member.Kind() == exactjson.Number
}
