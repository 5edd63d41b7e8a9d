package views_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"kwit/ledger"
	"kwit/views"
	"kwit/views/internal/sample"
)

// draw writes a timeline down in a line a lane: segments as kind:from-to, then
// points as kind@place, in per cent.
func draw(t views.Timeline) string {
	var b strings.Builder
	for _, l := range t.Lanes {
		fmt.Fprintf(&b, "%d %s %s", l.Ordinal, l.Provider, l.Mark)
		for _, s := range l.Segments {
			fmt.Fprintf(&b, " %s:%.0f-%.0f", s.Kind, s.X, s.X+s.W)
		}
		for _, p := range l.Points {
			fmt.Fprintf(&b, " %s@%.0f", p.Kind, p.X)
		}
		b.WriteString("\n")
	}
	if t.Stub != nil {
		fmt.Fprintf(&b, "stub@%.0f\n", t.Stub.X)
	}
	for _, tick := range t.Ticks {
		fmt.Fprintf(&b, "|%s", tick.Label)
	}
	return b.String()
}

func timeline(c sample.Case) views.Timeline {
	return views.NewTimeline(c.Job, c.History(), sample.Now)
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"queued": `1 inkjet queued queued:0-100
|0 s|1 s|2 s|now`,
		"running": `1 inkjet running queued:0-10 running:10-100 sent@10
|0 s|1 s|2 s|3 s|now`,
		"unknown": `1 inkjet unknown queued:0-1 running:1-8 unknown:8-100 sent@1 deadline@8
2  waiting planned:0-100
|0 s|30 s|1 min|1 min 30 s|now`,
		"racing": `1 inkjet released queued:0-1 running:1-26 unknown:26-60 released:60-100 sent@1 deadline@26 release@60
2 laser running queued:65-66 running:66-100 sent@66
|0 s|10 s|20 s|30 s|now`,
		"released": `1 inkjet released queued:0-0 running:0-17 unknown:17-50 released:50-100 sent@0 deadline@17 release@50
|0 s|1 min|2 min|now`,
		"waiting": `1 inkjet failed queued:0-2 running:2-9 sent@3 end@9
2 inkjet waiting planned:0-100
|0 s|2 s|4 s|6 s|8 s|now`,
		"done": `1 inkjet done queued:0-1 running:1-100 sent@1 end@100
stub@100
|0 s|1 s|2 s|3 s|4.2 s`,
		"late": `1 inkjet late queued:0-1 running:1-29 unknown:29-57 released:57-100 sent@1 deadline@29 release@57 late@100
2 laser done queued:63-63 running:63-89 sent@63 end@89
stub@89
|0 s|10 s|20 s|30 s|35 s`,
		"retried": `1 inkjet failed queued:0-1 running:1-5 end@5
2 inkjet failed queued:16-17 running:17-23 sent@18 end@23
3 inkjet done queued:56-57 running:57-100 sent@58 end@100
stub@100
|0 s|5 s|10 s|12 s`,
		"cancelled": `1 inkjet cancelled queued:0-100 end@100
|0 s|1 s|2 s|3 s|4 s|5 s`,
		"cancelled-running": `1 inkjet cancelled queued:0-0 running:0-13 unknown:13-28 after:28-56 sent@0 deadline@13 end@28 late@56
2 laser running queued:30-30 running:30-100 sent@30
|0 s|30 s|1 min|now`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := draw(timeline(sample.Find(name))); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestTimelineLabels: what stands beside the marks, as far as there is room.
func TestTimelineLabels(t *testing.T) {
	t.Parallel()
	labels := func(name string) string {
		var list []string
		for _, l := range timeline(sample.Find(name)).Lanes {
			for _, s := range l.Segments {
				if s.Label != "" {
					list = append(list, s.Label)
				}
			}
			for _, p := range l.Points {
				if p.Label != "" {
					list = append(list, p.Label)
				}
			}
		}
		return strings.Join(list, " | ")
	}
	for name, want := range map[string]string{
		"unknown":           "unknown | deadline | not started: attempt 1 is still open",
		"waiting":           "not taken | comes by itself in 12 s",
		"late":              "running | unknown | released | deadline | 4 s after the winner, dropped | running | answered",
		"racing":            "running | unknown | released, may still win | deadline | sent, waiting",
		"cancelled-running": "running | unknown | deadline | cancelled | 25 s after it was cancelled, dropped | sent, waiting",
	} {
		if got := labels(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestMarksOfOneMomentStandApart: a late answer hides neither what ended its
// attempt nor the other way round, on a phone either.
func TestMarksOfOneMomentStandApart(t *testing.T) {
	t.Parallel()
	for _, c := range sample.Cases() {
		for _, late := range c.Late {
			for i := range c.Late {
				c.Late[i].ReceivedAt = c.Late[i].ReceivedAt.Add(-late.LateBy).Add(5 * time.Millisecond)
			}
		}
		tl := timeline(c)
		for room, lanes := range map[float64][]views.Lane{2.5: tl.Lanes, 6: tl.Narrow} {
			for _, l := range lanes {
				before := -100.0
				for _, p := range l.Points {
					if p.Mark == "" {
						continue
					}
					if p.X-before < room {
						t.Errorf("%s: the %s stands at %.1f, what is before it at %.1f", c.Name, p.Kind, p.X, before)
					}
					before = p.X
				}
			}
		}
	}
}

// TestLabelsFitAPhone: a label that has no room on a narrow screen is left out.
func TestLabelsFitAPhone(t *testing.T) {
	t.Parallel()
	const perCent = 3.2 // pixels, of a phone's 390 without the margins
	for _, c := range sample.Cases() {
		for _, l := range timeline(c).Narrow {
			for _, s := range l.Segments {
				if room, need := s.W*perCent, 6.5*float64(len(s.Label)); s.Kind != views.SegPlanned && room < need {
					t.Errorf("%s: %q needs %.0f pixels and has %.0f", c.Name, s.Label, need, room)
				}
			}
		}
	}
}

// TestTimelineWithoutEvents: an attempt alone still tells where the doubt began,
// by its deadline.
func TestTimelineWithoutEvents(t *testing.T) {
	t.Parallel()
	c := sample.Find("released")
	got := draw(views.NewTimeline(c.Job, views.History{}, sample.Now))
	if !strings.Contains(got, "running:0-17 unknown:17-50 released:50-100") {
		t.Errorf("got %s", got)
	}
}

// TestTimelineStaysInItsFrame holds the geometry of every sample, at moments
// from its beginning to a year later.
func TestTimelineStaysInItsFrame(t *testing.T) {
	t.Parallel()
	for _, c := range sample.Cases() {
		for _, later := range []time.Duration{0, time.Millisecond, time.Second, time.Hour, 30 * time.Hour, 400 * 24 * time.Hour} {
			tl := views.NewTimeline(c.Job, c.History(), c.Job.CreatedAt.Add(later))
			if n := len(tl.Ticks); n < 2 || n > 8 || !tl.Ticks[n-1].Last {
				t.Errorf("%s after %v: %d ticks", c.Name, later, n)
			}
			bottom := 0
			for _, l := range tl.Lanes {
				if l.Y < bottom {
					t.Errorf("%s after %v: lane %d runs into the one above", c.Name, later, l.Ordinal)
				}
				bottom = l.Y + l.Height
				framed(t, fmt.Sprintf("%s after %v, lane %d", c.Name, later, l.Ordinal), l)
			}
			if tl.AxisY < bottom || tl.Height <= tl.AxisY {
				t.Errorf("%s after %v: the axis at %d of %d, lanes down to %d", c.Name, later, tl.AxisY, tl.Height, bottom)
			}
		}
	}
}

func framed(t *testing.T, what string, l views.Lane) {
	t.Helper()
	inside := func(x float64) bool { return !math.IsNaN(x) && x >= 0 && x <= 100.001 }
	for _, s := range l.Segments {
		if !inside(s.X) || !inside(s.X+s.W) || s.W <= 0 {
			t.Errorf("%s: segment %+v", what, s)
		}
	}
	for _, p := range l.Points {
		if !inside(p.X) {
			t.Errorf("%s: point %+v", what, p)
		}
	}
	if len(l.Segments) == 0 {
		t.Errorf("%s: nothing drawn", what)
	}
}

func TestAxisCountsInPeoplesUnits(t *testing.T) {
	t.Parallel()
	for total, want := range map[time.Duration]string{
		3 * time.Millisecond:    "0 s|1 ms|2 ms|3 ms",
		80 * time.Millisecond:   "0 s|20 ms|40 ms|60 ms|80 ms",
		1500 * time.Millisecond: "0 s|500 ms|1 s|1.5 s",
		40 * time.Second:        "0 s|10 s|20 s|30 s|40 s",
		10 * time.Minute:        "0 s|2 min|4 min|6 min|8 min|10 min",
		5 * time.Hour:           "0 s|1 h|2 h|3 h|4 h|5 h",
		72 * time.Hour:          "0 s|1 d|2 d|3 d",
		700 * 24 * time.Hour:    "0 s|365 d|700 d",
	} {
		c := sample.Find("failed")
		end := c.Job.CreatedAt.Add(total)
		a := &c.Job.Attempts[0]
		a.EndedAt, a.StartedAt, a.SentAt, a.Deadline = &end, nil, nil, nil
		var labels []string
		for _, tick := range views.NewTimeline(c.Job, views.History{}, sample.Now).Ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, "|"); got != want {
			t.Errorf("%v: got %s, want %s", total, got, want)
		}
	}
}

func TestRefreshAfter(t *testing.T) {
	t.Parallel()
	job := sample.Find("unknown").Job
	for after, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, 2 * time.Minute: 6 * time.Second, time.Hour: time.Minute,
	} {
		if got := views.RefreshAfter(job, job.CreatedAt.Add(after)); got != want {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
	for _, name := range []string{"done", "failed", "cancelled"} {
		if got := views.RefreshAfter(sample.Find(name).Job, sample.Now); got != 0 {
			t.Errorf("%s moves every %v", name, got)
		}
	}
	if views.RefreshAfter(sample.Find("cancelled-running").Job, sample.Now) == 0 {
		t.Error("an attempt that is still out does not move")
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	for _, s := range ledger.JobStates {
		check(t, views.State(views.MarkOfJob(s)))
	}
	words := map[string]bool{}
	for _, s := range ledger.AttemptStates {
		words[views.MarkOfAttempt(s).Word()] = true
	}
	if len(words) != len(ledger.AttemptStates) {
		t.Errorf("two states share a word: %v", words)
	}
}
