package dispatch

import (
	"context"
	"errors"
	"sync"
)

// paused is what this node last read of the providers that are paused. It spares
// work only: the claim asks the database.
type paused struct {
	mu sync.Mutex
	by map[string]bool
}

func (p *paused) has(provider string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.by[provider]
}

// replace takes what is paused now and returns what no longer is.
func (p *paused) replace(now map[string]bool) (resumed []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for provider := range p.by {
		if !now[provider] {
			resumed = append(resumed, provider)
		}
	}
	p.by = now
	return resumed
}

// watchPauses reads which providers are paused, and wakes what waited for one
// that was resumed. It does not rely on being told.
func (d *Dispatcher) watchPauses(ctx context.Context) error {
	pauses, err := d.o.Ledger.Pauses(ctx)
	if err != nil {
		return err
	}
	now := make(map[string]bool, len(pauses))
	for _, p := range pauses {
		now[p.Provider] = true
	}
	var errs []error
	for _, provider := range d.paused.replace(now) {
		errs = append(errs, d.o.Ledger.WakeProvider(ctx, provider, sweepMost))
	}
	return errors.Join(errs...)
}
