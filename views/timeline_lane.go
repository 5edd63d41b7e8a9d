package views

import (
	"slices"
	"time"
	"unicode/utf8"

	"kwit/ledger"
)

// The width of a label's character, in per cent of a picture that is narrow but
// still drawn, and of one on a phone.
const (
	perCharacter       = 1.05
	perCharacterNarrow = 2.5
)

// markSpace is the width of a mark, in characters of a label.
const markSpace = 2.6

// lane draws an attempt's course to scale.
func (c course) lane(s scale) Lane {
	a := c.attempt
	lane := Lane{Ordinal: a.Ordinal, Provider: a.Provider, Mark: MarkOfAttempt(a.State), Attempt: a, Late: c.late, Asked: c.asked}
	lane.Segments = c.segments(s)
	lane.Points = c.points(s)
	for i := range lane.Points {
		if lane.Points[i].Kind == PointRelease && labelled(lane.Segments, SegReleased) {
			lane.Points[i].Label = "" // the stretch behind it says so
		}
	}
	apart(lane.Points, markSpace*s.perCharacter)
	place(lane.Points, s.perCharacter)
	return lane
}

func (c course) segments(s scale) []Segment {
	var list []Segment
	from := c.attempt.CreatedAt
	until := func(kind SegmentKind, label string, ends ...*time.Time) {
		to := s.end
		for _, t := range ends {
			if t != nil && t.Before(to) {
				to = *t
			}
		}
		if to.After(from) || to.Equal(s.end) && from.Equal(to) {
			list = append(list, s.segment(kind, from, to, label))
			from = to
		}
	}
	until(SegQueued, "queued", c.started, c.ended)
	if c.started != nil {
		label := "running"
		if c.attempt.State == ledger.Running && c.attempt.SentAt != nil {
			label = "sent, waiting"
		}
		if c.attempt.State == ledger.Running && c.attempt.AcceptedAt != nil {
			label = "accepted, at work"
		}
		until(SegRunning, label, c.doubt, c.released, c.ended)
	}
	if c.doubt != nil {
		until(SegUnknown, "unknown", c.released, c.ended)
	}
	if c.released != nil {
		label := "released, may still win"
		if c.ended != nil {
			label = "released"
		}
		until(SegReleased, label, c.ended)
	}
	if c.late != nil && c.ended != nil && c.late.ReceivedAt.After(*c.ended) {
		from = *c.ended
		until(SegAfter, "", &c.late.ReceivedAt)
	}
	return list
}

func (s scale) segment(kind SegmentKind, from, to time.Time, label string) Segment {
	seg := Segment{Kind: kind, X: s.x(from), Label: label}
	seg.W = max(s.x(to)-seg.X, 0.3)
	seg.X = min(seg.X, 100-seg.W)
	if float64(utf8.RuneCountInString(label)+3)*s.perCharacter > seg.W {
		seg.Label = ""
	}
	return seg
}

func (c course) points(s scale) []Point {
	var list []Point
	a := c.attempt
	if a.SentAt != nil {
		p := Point{Kind: PointSent, X: s.x(*a.SentAt)}
		if p.X-s.x(a.CreatedAt) > 8 {
			p.Label = "sent"
		}
		list = append(list, p)
	}
	if a.AcceptedAt != nil {
		list = append(list, Point{Kind: PointAccepted, X: s.x(*a.AcceptedAt), Label: "accepted"})
	}
	if a.Deadline != nil && c.started != nil && !a.Deadline.After(s.end) && (c.ended == nil || a.Deadline.Before(*c.ended)) {
		list = append(list, Point{Kind: PointDeadline, X: s.x(*a.Deadline), Label: "deadline"})
	}
	list = append(list, c.enquiries(s)...)
	if c.released != nil {
		list = append(list, Point{Kind: PointRelease, Mark: Released, X: s.x(*c.released), Label: "released"})
	}
	if c.ended != nil && a.State != ledger.Discarded {
		list = append(list, Point{Kind: PointEnd, Mark: MarkOfAttempt(a.State), X: s.x(*c.ended), Label: endLabel(*a)})
	}
	switch {
	case c.late != nil:
		list = append(list, Point{Kind: PointLate, Mark: Late, X: s.x(c.late.ReceivedAt), Label: lateLabel(*c.late)})
	case c.ended != nil && a.State == ledger.Discarded:
		list = append(list, Point{Kind: PointLate, Mark: Late, X: s.x(*c.ended), Label: Late.Word()})
	}
	return list
}

// enquiriesDrawn is how many of an attempt's enquiries have a mark: the last ones.
const enquiriesDrawn = 40

// enquiries are marks of what was asked. The last one says what was answered.
func (c course) enquiries(s scale) []Point {
	var list []Point
	for i, e := range c.asked[max(0, len(c.asked)-enquiriesDrawn):] {
		p := Point{Kind: PointEnquiry, X: s.x(e.At), Title: enquiryLabel(c.attempt.Provider, e)}
		if i == min(len(c.asked), enquiriesDrawn)-1 {
			p.Label = p.Title
		}
		list = append(list, p)
	}
	return list
}

func labelled(list []Segment, kind SegmentKind) bool {
	for _, s := range list {
		if s.Kind == kind && s.Label != "" {
			return true
		}
	}
	return false
}

// apart moves marks of one moment beside each other, so that none hides another.
// Their order is that of time.
func apart(points []Point, space float64) {
	var marks []*Point
	for i := range points {
		if points[i].Mark != "" {
			marks = append(marks, &points[i])
		}
	}
	for i := 1; i < len(marks); i++ {
		marks[i].X = max(marks[i].X, marks[i-1].X+space)
	}
	limit := 100.0
	for _, m := range slices.Backward(marks) {
		m.X = min(m.X, limit)
		limit = m.X - space
	}
}

// place puts labels below each other where they would run into one another.
// What finds no room in three rows stays in the table alone.
func place(points []Point, perCharacter float64) {
	var ends [3]float64
	for i := range points {
		p := &points[i]
		if p.Label == "" {
			continue
		}
		w := float64(utf8.RuneCountInString(p.Label)) * perCharacter
		p.Anchor = anchor(p.X, w)
		if p.Mark == Done {
			p.Anchor, p.Shift = "end", -8
			if p.X < w {
				p.Anchor, p.Shift = "start", 8
			}
		}
		left := p.X - w/2
		switch p.Anchor {
		case "start":
			left = p.X
		case "end":
			left = p.X - w
		}
		row := 0
		for row < len(ends) && ends[row] > left {
			row++
		}
		if row == len(ends) {
			p.Label = ""
			continue
		}
		p.Row, ends[row] = row, left+w+2
	}
}

// anchor is where a label of some width stands at x so that none is cut off.
func anchor(x, width float64) string {
	switch {
	case x < width/2:
		return "start"
	case x > 100-width/2:
		return "end"
	}
	return "middle"
}
