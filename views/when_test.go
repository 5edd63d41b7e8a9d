package views_test

import (
	"testing"
	"time"

	"kwit/views"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                       "0 s",
		0:                                  "0 s",
		300 * time.Microsecond:             "under 1 ms",
		120 * time.Millisecond:             "120 ms",
		time.Second:                        "1 s",
		4250 * time.Millisecond:            "4.2 s",
		9 * time.Second:                    "9 s",
		42900 * time.Millisecond:           "42 s",
		time.Minute:                        "1 min",
		130 * time.Second:                  "2 min 10 s",
		18*time.Minute + 50*time.Second:    "18 min",
		3*time.Hour + 5*time.Minute:        "3 h 5 min",
		24 * time.Hour:                     "1 d",
		52 * time.Hour:                     "2 d 4 h",
		12*24*time.Hour + 3*time.Hour:      "12 d",
		9*24*time.Hour + 23*60*time.Minute: "9 d 23 h",
	} {
		if got := views.Span(d); got != want {
			t.Errorf("Span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestElapsedCountsWholeSeconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 s", 400 * time.Millisecond: "0 s", 1900 * time.Millisecond: "1 s",
		59 * time.Second: "59 s", 599 * time.Second: "9 min 59 s", 600 * time.Second: "10 min", 480 * time.Hour: "20 d",
	} {
		if got := views.Elapsed(d); got != want {
			t.Errorf("Elapsed(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for before, want := range map[time.Duration]string{
		0: "just now", 4 * time.Second: "just now", -500 * time.Millisecond: "just now",
		40 * time.Second: "40 s ago", 90 * time.Second: "1 min ago", 5 * time.Hour: "5 h ago", 49 * time.Hour: "2 d ago",
		-12 * time.Second: "in 12 s", -3 * time.Minute: "in 3 min",
	} {
		if got := views.Ago(now, now.Add(-before)); got != want {
			t.Errorf("Ago of %v before = %q, want %q", before, got, want)
		}
	}
}

func TestSoon(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for until, want := range map[time.Duration]string{
		40 * time.Second: "in 40 s", 90 * time.Second: "in 1 min", time.Second: "in 1 s",
		900 * time.Millisecond: "any moment now", 0: "any moment now", -time.Hour: "any moment now",
	} {
		if got := views.Soon(now, now.Add(until)); got != want {
			t.Errorf("Soon in %v = %q, want %q", until, got, want)
		}
	}
}
