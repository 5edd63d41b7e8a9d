package ledger

import (
	"math/rand/v2"
	"time"

	"kwit/db"
	"kwit/outcome"
)

const (
	firstBackoff = time.Second
	mostBackoff  = 5 * time.Minute
	// A provider's Retry-After is obeyed up to an hour (3-interfaces, "Trying
	// again by itself").
	mostRetryAfter = time.Hour
)

// Retry is a job type's policy for further attempts that come by themselves.
// Until a provider can be certified, they go to the same provider only.
type Retry struct {
	Attempts   int  // automatic ones for each provider, the first one counted
	Repeatable bool // running the work twice harms nobody
}

// after says in how long another attempt comes by itself at the same provider,
// if one does. What was surely not acted on is tried again; what was or may have
// been done and charged only where the job type is repeatable; what was refused
// for good is not.
func (r Retry) after(o outcome.Outcome, provider string, attempts []Attempt, asked time.Duration) (time.Duration, bool) {
	switch o {
	case outcome.NotSent, outcome.NotProcessed:
	case outcome.Contract, outcome.ProviderError:
		if !r.Repeatable {
			return 0, false
		}
	default:
		return 0, false
	}
	tried := 0
	for _, a := range attempts {
		if a.Automatic && a.Provider == provider {
			tried++
		}
	}
	if tried >= r.Attempts {
		return 0, false
	}
	if asked > 0 {
		return min(asked, mostRetryAfter), true
	}
	return backoff(tried), true
}

// backoff doubles with each try and is spread over its upper half, so that what
// failed together does not come back together.
func backoff(tried int) time.Duration {
	most := mostBackoff
	if tried < 10 {
		most = min(mostBackoff, firstBackoff<<max(0, tried-1))
	}
	return most/2 + rand.N(most/2+1)
}

func dueJobParams(j Job) db.DueJobParams { return db.DueJobParams{OwnerID: j.OwnerID, ID: j.ID} }
