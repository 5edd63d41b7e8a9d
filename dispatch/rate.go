package dispatch

import (
	"time"

	"golang.org/x/time/rate"
)

// rates hold this process's requests to the rates that providers ask for. What
// waits for its turn stays pending.
type rates map[string]*rate.Limiter

func newRates(providers map[string]Provider) rates {
	all := rates{}
	for name, p := range providers {
		if p.Interval > 0 {
			all[name] = rate.NewLimiter(rate.Every(p.Interval), 1)
		}
	}
	return all
}

// take takes the turn for one request, or says how long to wait before asking
// again.
func (r rates) take(provider string) time.Duration {
	limiter := r[provider]
	if limiter == nil {
		return 0
	}
	turn := limiter.Reserve()
	wait := turn.Delay()
	if wait > 0 {
		turn.Cancel()
	}
	return wait
}
