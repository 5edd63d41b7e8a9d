package account

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestAKeyWaitsAfterItsBurst(t *testing.T) {
	t.Parallel()
	now := time.Now()
	th := newThrottle[string](3, 10*time.Second)
	for i := range 3 {
		if wait := th.wait("ewa", now); wait != 0 {
			t.Fatalf("waits %v after %d failures", wait, i)
		}
		th.fail("ewa", now)
	}
	if wait := th.wait("ewa", now); wait < 9*time.Second || wait > 10*time.Second {
		t.Errorf("waits %v", wait)
	}
	if wait := th.wait("ewa", now.Add(4*time.Second)); wait < 5*time.Second || wait > 6*time.Second {
		t.Errorf("waits %v, 4 s later", wait)
	}
	if wait := th.wait("jan", now); wait != 0 {
		t.Errorf("another key waits %v", wait)
	}
	later := now.Add(11 * time.Second)
	if wait := th.wait("ewa", later); wait != 0 {
		t.Errorf("waits %v, 11 s later", wait)
	}
	th.fail("ewa", later)
	if wait := th.wait("ewa", later); wait == 0 {
		t.Error("got back more than one failure in 11 s")
	}
}

func TestAThrottleIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	th := newThrottle[string](10, time.Second)
	for range 10 {
		th.fail("worst", now)
	}
	for i := range maxBuckets + 50 {
		th.fail(fmt.Sprint(i), now)
	}
	if len(th.buckets) > maxBuckets {
		t.Errorf("%d buckets", len(th.buckets))
	}
	if th.wait("worst", now) == 0 {
		t.Error("the worst key was forgotten before those that failed once")
	}
	th.fail("late", now.Add(time.Hour))
	if len(th.buckets) != 1 {
		t.Errorf("%d buckets after all had recovered", len(th.buckets))
	}
}

func TestNetworkOfAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7":           "192.0.2.7/32",
		"::ffff:192.0.2.7":    "192.0.2.7/32",
		"2001:db8:1:2:3::4":   "2001:db8:1:2::/64",
		"fe80::1:2:3:4%eth0":  "fe80::/64",
		"2001:db8:1:2:ff::99": "2001:db8:1:2::/64",
	} {
		if got := network(netip.MustParseAddr(address)).String(); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
