package views

import (
	"time"

	"kwit/ledger"
)

// scale maps moments to the width of the picture.
type scale struct {
	start, end time.Time
	now        time.Time
	live       bool // the picture ends now and grows

	perCharacter float64 // the width of a label's character, in per cent of the picture
}

func scaleOf(j *ledger.Job, courses []course, now time.Time) scale {
	s := scale{start: j.CreatedAt, end: j.CreatedAt, now: now, live: Moving(j), perCharacter: perCharacter}
	reach := func(t *time.Time) {
		if t != nil && t.After(s.end) {
			s.end = *t
		}
	}
	reach(j.CompletedAt)
	for _, c := range courses {
		reach(c.started)
		reach(c.doubt)
		reach(c.released)
		reach(c.ended)
		for i := range c.asked {
			reach(&c.asked[i].At)
		}
		if c.late != nil {
			reach(&c.late.ReceivedAt)
		}
	}
	if s.live {
		reach(&now)
	}
	if s.end.Sub(s.start) < time.Millisecond {
		s.end = s.start.Add(time.Millisecond)
	}
	return s
}

// Moving tells whether a job's picture grows with time: something is open, may
// still answer, or comes by itself.
func Moving(j *ledger.Job) bool {
	switch j.State {
	case ledger.JobQueued, ledger.JobRunning, ledger.JobUnknown, ledger.JobWaiting:
		return true
	}
	return stillOut(j) != nil
}

func (s scale) x(t time.Time) float64 {
	x := 100 * float64(t.Sub(s.start)) / float64(s.end.Sub(s.start))
	return min(max(x, 0), 100)
}

const (
	day      = 24 * time.Hour
	maxTicks = 6
)

// steps are the distances of ticks, in the units in which people count.
var steps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	day, 2 * day, 5 * day, 10 * day, 30 * day, 90 * day, 365 * day,
}

// ticks are the lines of the axis: at even distances, and at its end.
func (s scale) ticks() []Tick {
	total := s.end.Sub(s.start)
	step := steps[len(steps)-1]
	for _, d := range steps {
		if total/d < maxTicks {
			step = d
			break
		}
	}
	last := Tick{X: 100, Label: Span(total), Last: true}
	if s.live {
		last.Label = "now"
	}
	var list []Tick
	for d := time.Duration(0); d < total; d += step {
		if x := s.x(s.start.Add(d)); x < 90 {
			list = append(list, Tick{X: x, Label: Span(d)})
		}
	}
	return append(list, last)
}

// RefreshAfter is how long a picture drawn now stays true enough to look at:
// one twentieth of what it shows. Zero stands for a picture that does not move.
func RefreshAfter(j *ledger.Job, now time.Time) time.Duration {
	if !Moving(j) {
		return 0
	}
	return min(max(now.Sub(j.CreatedAt)/20, 2*time.Second), time.Minute).Truncate(time.Millisecond)
}
