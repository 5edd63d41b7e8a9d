package views

import (
	"time"

	"kwit/config"
	"kwit/ledger"
)

// Asking is how a provider can be asked what became of an attempt.
type Asking string

// The ways of asking.
const (
	AskNot    Asking = ""       // not at all
	AskStatus Asking = "status" // at its status address
	AskReplay Asking = "replay" // by the same request under the same key
)

// Provider is what today's configuration says of a provider, and whether it is
// paused.
type Provider struct {
	Name      string
	Kind      string // empty where it is not configured any more
	Limit     int    // running attempts at once, over all nodes
	Asking    Asking
	CallsBack bool
	Price     *config.Price
	Pause     *ledger.Pause // nil while attempts go to it
}

// gone tells whether the provider is not configured any more.
func (p Provider) gone() bool { return p.Kind == "" }

// Providers are all of them, by name.
type Providers map[string]Provider

// Of finds a provider. One that is not among them is not configured any more.
func (p Providers) Of(name string) Provider {
	known, ok := p[name]
	if !ok {
		known.Name = name
	}
	return known
}

// ProviderForm is an admin's form that could not be accepted as it was.
type ProviderForm struct {
	Provider string
	Reason   string // as it was typed
	Problem  string
}

// of is what was typed about a provider.
func (f *ProviderForm) of(name string) ProviderForm {
	if f == nil || f.Provider != name {
		return ProviderForm{}
	}
	return *f
}

// load sums up what a provider has not ended.
type load struct {
	Pending, Running, Unknown, Released int64
	Oldest                              *time.Time // since when the oldest is in doubt
}

func loadOf(name string, loads []ledger.Load) load {
	var sum load
	for _, l := range loads {
		if l.Provider != name {
			continue
		}
		switch l.State {
		case ledger.Pending:
			sum.Pending = l.Attempts
		case ledger.Running:
			sum.Running = l.Attempts
		case ledger.Unknown:
			sum.Unknown, sum.Oldest = l.Attempts, &l.Oldest
		case ledger.Released:
			sum.Released = l.Attempts
		}
	}
	return sum
}
