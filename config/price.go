package config

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Price is what a provider charges. Amounts are exact. A nil Price knows
// nothing, and its methods say so.
type Price struct {
	currency string
	perCall  *big.Rat // each is nil where the file says nothing
	input    *big.Rat // for a million tokens
	cached   *big.Rat // for a million tokens of the input that came from a cache
	output   *big.Rat // for a million tokens
}

// Money is an exact amount.
type Money struct {
	Amount   string // decimal, without needless zeros: 0.003702
	Currency string // its ISO 4217 code
}

// String writes an amount for people: cents have both their digits.
func (m Money) String() string {
	amount := m.Amount
	if _, cents, found := strings.Cut(amount, "."); found && len(cents) == 1 {
		amount += "0"
	}
	return amount + " " + m.Currency
}

// Cost is the price of a call that was carried out, with the usage as the
// provider told it. It is not known where tokens are charged and the usage does
// not say them in OpenAI's or Anthropic's words, or names tokens that have a
// price of their own which the file does not give.
func (p *Price) Cost(usage json.RawMessage) (cost Money, known bool) {
	if p == nil {
		return Money{}, false
	}
	total := new(big.Rat)
	if p.perCall != nil {
		total.Add(total, p.perCall)
	}
	if p.input != nil {
		t, ok := readTokens(usage)
		if !ok || t.cached > 0 && p.cached == nil {
			return Money{}, false
		}
		total.Add(total, forTokens(p.input, t.input))
		total.Add(total, forTokens(p.output, t.output))
		if t.cached > 0 {
			total.Add(total, forTokens(p.cached, t.cached))
		}
	}
	return Money{Amount: exact(total), Currency: p.currency}, true
}

// Estimate is what an attempt in doubt may have cost: its outcome is not known,
// and neither is its usage. It is known only where a call has one price.
func (p *Price) Estimate() (cost Money, known bool) {
	if p == nil || p.input != nil {
		return Money{}, false
	}
	return p.Cost(nil)
}

func forTokens(perMillion *big.Rat, count uint64) *big.Rat {
	millions := new(big.Rat).SetFrac(new(big.Int).SetUint64(count), big.NewInt(1_000_000))
	return millions.Mul(millions, perMillion)
}

// decimals of a price in the file; a millionth of it has six more.
const decimals = 9

// exact writes a sum of prices. Each has a power of ten below the line, so no
// digit is lost.
func exact(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(decimals+6), "0"), ".")
}

var (
	amountSyntax   = regexp.MustCompile(`^\d{1,9}(\.\d{1,` + strconv.Itoa(decimals) + `})?$`)
	currencySyntax = regexp.MustCompile(`^[A-Z]{3}$`)
)

func (r *reader) price(n *yaml.Node) *Price {
	p := &Price{}
	seen := r.object(n, "price", nil, map[string]func(*yaml.Node){
		"per_call":                 func(n *yaml.Node) { p.perCall = r.amount(n, "per_call") },
		"per_million_input":        func(n *yaml.Node) { p.input = r.amount(n, "per_million_input") },
		"per_million_cached_input": func(n *yaml.Node) { p.cached = r.amount(n, "per_million_cached_input") },
		"per_million_output":       func(n *yaml.Node) { p.output = r.amount(n, "per_million_output") },
		"currency":                 func(n *yaml.Node) { p.currency = r.currency(n) },
	})
	if n.Kind != yaml.MappingNode {
		return p
	}
	if seen["currency"] == nil {
		r.mistake(n, "price needs a currency, such as EUR")
	}
	input, output, cached := seen["per_million_input"], seen["per_million_output"], seen["per_million_cached_input"]
	switch {
	case (input == nil) != (output == nil):
		r.mistake(n, "per_million_input and per_million_output belong together: write 0 for what is free")
	case cached != nil && input == nil:
		r.mistake(cached, "per_million_cached_input needs per_million_input")
	case input == nil && seen["per_call"] == nil:
		r.mistake(n, "price needs per_call, or per_million_input and per_million_output")
	}
	return p
}

func (r *reader) amount(n *yaml.Node, what string) *big.Rat {
	if !r.is(n, yaml.ScalarNode, what) {
		return nil
	}
	if !amountSyntax.MatchString(n.Value) {
		r.mistake(n, "%s must be an amount such as 0.02, with at most %d decimals", what, decimals)
		return nil
	}
	amount, _ := new(big.Rat).SetString(n.Value) // the syntax is a part of that function's
	return amount
}

// currency reads a code of ISO 4217. Its form is all that is checked: the list
// changes more often than kwit.
func (r *reader) currency(n *yaml.Node) string {
	code := r.text(n, "currency")
	if code != "" && !currencySyntax.MatchString(code) {
		r.mistake(n, "currency must be a code of ISO 4217: three capital letters, such as EUR")
	}
	return code
}
