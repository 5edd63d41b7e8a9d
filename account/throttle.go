package account

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxBuckets bounds a throttle's memory: some 100 bytes each.
const maxBuckets = 10_000

// throttle counts failures by key and says how long a key must wait. A key
// has a burst of failures, and gets one back every so often.
type throttle[K comparable] struct {
	burst int
	limit rate.Limit

	mu      sync.Mutex
	buckets map[K]*rate.Limiter // of keys that failed lately
}

func newThrottle[K comparable](burst int, oneEvery time.Duration) *throttle[K] {
	return &throttle[K]{burst: burst, limit: rate.Every(oneEvery), buckets: make(map[K]*rate.Limiter)}
}

// wait returns how long the key must wait for its next try; zero is not at all.
func (t *throttle[K]) wait(key K, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	bucket, failed := t.buckets[key]
	if !failed {
		return 0
	}
	missing := 1 - bucket.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / float64(t.limit) * float64(time.Second))
}

// fail counts a failure of the key.
func (t *throttle[K]) fail(key K, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	bucket, failed := t.buckets[key]
	if !failed {
		if len(t.buckets) >= maxBuckets {
			t.makeRoom(now)
		}
		bucket = rate.NewLimiter(t.limit, t.burst)
		t.buckets[key] = bucket
	}
	bucket.AllowN(now, 1)
}

// makeRoom forgets the keys that recovered, and at least the one that is
// nearest to it.
func (t *throttle[K]) makeRoom(now time.Time) {
	var nearest K
	most := -1.0
	for key, bucket := range t.buckets {
		tokens := bucket.TokensAt(now)
		if tokens >= float64(t.burst) {
			delete(t.buckets, key)
		}
		if tokens > most {
			nearest, most = key, tokens
		}
	}
	delete(t.buckets, nearest)
}

// network is what one household or office has for itself: an IPv4 address, or
// an IPv6 network of 64 bits.
func network(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	prefix, _ := address.Prefix(bits) // the zero Prefix for the zero Addr
	return prefix
}
