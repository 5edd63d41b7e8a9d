package httpjson_test

import (
	"testing"
	"time"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/outcome"
	"kwit/provider/behaviour"
	"kwit/provider/httpjson"
	"kwit/provider/providertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t testing.TB) providertest.Subject {
		server := farmtest.Start(t, farm.Options{Orders: -1, Slow: time.Millisecond, LateAfter: time.Millisecond})
		p, err := httpjson.New(httpjson.Options{URL: server.URL + "/orders", NotProcessedStatuses: []int{503}})
		if err != nil {
			t.Fatal(err)
		}
		return providertest.Subject{
			Provider: p,
			Seen:     server.Seen,
			Ends:     map[behaviour.Behaviour]outcome.Outcome{behaviour.Unavailable: outcome.NotProcessed},
		}
	})
}

// TestEnquiriesConform: asked in every way that the kind has, the farm's word is
// understood, and each enquiry is one request.
func TestEnquiriesConform(t *testing.T) {
	t.Parallel()
	providertest.RunEnquiries(t, func(t testing.TB) providertest.Subject {
		server := farmtest.Start(t, farm.Options{Orders: -1, Slow: time.Millisecond, LateAfter: time.Millisecond})
		p, err := httpjson.New(httpjson.Options{
			URL:                  server.URL + "/orders",
			StatusURL:            server.URL + "/orders/{attempt_id}",
			HonoursKey:           true,
			NotProcessedStatuses: []int{503},
		})
		if err != nil {
			t.Fatal(err)
		}
		return providertest.Subject{Provider: p, Seen: server.Seen}
	})
}
