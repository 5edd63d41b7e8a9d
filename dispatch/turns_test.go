package dispatch

import (
	"testing"
	"time"
)

func TestTurnsAreSpread(t *testing.T) {
	t.Parallel()
	var looks turns
	now := time.Now()
	for i := range 100 {
		if got, want := looks.take("farm", now), untilASlotIsFree+time.Duration(i)*betweenLooks; got != want {
			t.Fatalf("turn %d comes in %s, want %s", i, got, want)
		}
	}
	if got := looks.take("another", now); got != untilASlotIsFree {
		t.Errorf("another provider's comes in %s", got)
	}
	for range 10_000 {
		looks.take("farm", now)
	}
	if got := looks.take("farm", now); got != mostUntilASlot {
		t.Errorf("with thousands that wait, it comes in %s", got)
	}
	if got := looks.take("farm", now.Add(time.Minute)); got != untilASlotIsFree {
		t.Errorf("with nobody before it, it comes in %s", got)
	}
}
