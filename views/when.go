package views

import (
	"fmt"
	"time"
)

// Span says a length of time for people, in at most two units: "120 ms",
// "4.2 s", "2 min 10 s", "3 h 5 min", "2 d 4 h". Negative lengths count as
// none.
func Span(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 s"
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	case d < 10*time.Second && d%time.Second >= 100*time.Millisecond:
		return fmt.Sprintf("%d.%d s", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < 10*24*time.Hour:
		return Elapsed(d)
	}
	return fmt.Sprintf("%d d", d/(24*time.Hour))
}

// Elapsed says a length of time that grows while one looks: as Span, in whole
// seconds. The browser goes on counting in the same words (kwit.js, spanWords).
func Elapsed(d time.Duration) string {
	s := max(int64(d/time.Second), 0)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 10*60:
		return two(s/60, "min", s%60, "s")
	case s < 60*60:
		return fmt.Sprintf("%d min", s/60)
	case s < 24*60*60:
		return two(s/3600, "h", s%3600/60, "min")
	}
	return two(s/86400, "d", s%86400/3600, "h")
}

func two(big int64, unit string, small int64, smallUnit string) string {
	if small == 0 {
		return fmt.Sprintf("%d %s", big, unit)
	}
	return fmt.Sprintf("%d %s %d %s", big, unit, small, smallUnit)
}

// Ago says how long ago a moment was, in one unit; a moment to come is "in
// 5 min". The browser keeps it true in the same words (kwit.js, agoWords).
func Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d <= -time.Second:
		return "in " + oneUnit(-d)
	case d < 5*time.Second:
		return "just now"
	}
	return oneUnit(d) + " ago"
}

// Soon says how far away a moment is that is to come; one that has just gone by
// is still awaited. The browser keeps it true in the same words (kwit.js,
// soonWords).
func Soon(now, t time.Time) string {
	if d := t.Sub(now); d >= time.Second {
		return "in " + oneUnit(d)
	}
	return "any moment now"
}

func oneUnit(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d d", d/(24*time.Hour))
}

// absolute is a moment in full, as it stands under the pointer and in tables.
func absolute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// clock is the time of day, with the date where it is another day than now.
// The browser turns it into its own time zone.
func clock(now, t time.Time) string {
	if y, m, d := now.UTC().Date(); t.UTC().Before(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) {
		return t.UTC().Format("2 Jan 15:04 UTC")
	}
	return t.UTC().Format("15:04:05 UTC")
}

// machine is a moment for a datetime attribute.
func machine(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
