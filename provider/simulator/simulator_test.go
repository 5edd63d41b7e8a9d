package simulator_test

import (
	"testing"
	"time"

	"kwit/outcome"
	"kwit/provider/behaviour"
	"kwit/provider/providertest"
	"kwit/provider/seen"
	"kwit/provider/simulator"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(testing.TB) providertest.Subject {
		log := seen.NewLog(0)
		quick := simulator.Range{Min: time.Millisecond, Max: 5 * time.Millisecond}
		return providertest.Subject{
			Provider: simulator.New(simulator.Options{Latency: quick, Slow: quick, LateAfter: time.Millisecond, Log: log}),
			Seen:     log,
			Ends: map[behaviour.Behaviour]outcome.Outcome{
				behaviour.Fail:        outcome.ProviderError,
				behaviour.Unavailable: outcome.NotSent,
			},
		}
	})
}

func TestEnquiriesConform(t *testing.T) {
	t.Parallel()
	providertest.RunEnquiries(t, func(testing.TB) providertest.Subject {
		log := seen.NewLog(0)
		at := simulator.Range{Min: time.Millisecond, Max: time.Millisecond}
		return providertest.Subject{
			Provider: simulator.New(simulator.Options{Latency: at, Slow: at, LateAfter: time.Millisecond, KeyLifetime: time.Hour, Log: log}),
			Seen:     log,
		}
	})
}
