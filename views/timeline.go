package views

import (
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
)

// Timeline is the picture of a job's attempts: one lane an attempt, by ordinal.
// Places along the axis of time are per cent of the picture's width, so that it
// fits any screen without its letters shrinking; heights are pixels.
type Timeline struct {
	Height int
	Ticks  []Tick
	Lanes  []Lane
	Narrow []Lane // the same where there is little room: labels are fewer, marks further apart
	Stub   *Stub  // where the ticket's line ends; nil without a result
	AxisY  int
}

// Tick is a line of the axis with the time since the job was made.
type Tick struct {
	X     float64
	Label string
	Last  bool // the end of the axis
}

// Lane is what one attempt did.
type Lane struct {
	Ordinal  int32
	Provider string // empty where it is not decided yet
	Mark     Mark
	Y        int // of its upper edge
	Height   int
	Segments []Segment
	Points   []Point
	Planned  bool            // there is no such attempt yet
	Attempt  *ledger.Attempt // nil where Planned
	Late     *ledger.LateResult
	Asked    []ledger.Enquiry
	Cost     string // in a few words
}

// Segment is a stretch of a lane in one state.
type Segment struct {
	Kind  SegmentKind
	X, W  float64
	Label string // empty where it would not fit
}

// SegmentKind says how a segment is drawn.
type SegmentKind string

// The kinds of segments.
const (
	SegQueued   SegmentKind = "queued"   // outlined
	SegRunning  SegmentKind = "running"  // solid
	SegUnknown  SegmentKind = "unknown"  // hatched
	SegReleased SegmentKind = "released" // hatched, open
	SegAfter    SegmentKind = "after"    // a thin line from the end to what came late
	SegPlanned  SegmentKind = "planned"  // dashed
)

// Point is something that happened at a moment.
type Point struct {
	Kind   PointKind
	Mark   Mark // its shape, for the kinds that have one
	X      float64
	Label  string // empty where there is no room
	Title  string // what the label would say, under the pointer
	Row    int    // of the label, below the lane
	Anchor string // of the label: start, middle, end
	Shift  int    // of the label, in pixels: out of the way of the ticket's line
}

// PointKind says what happened.
type PointKind string

// The kinds of points.
const (
	PointSent     PointKind = "sent"
	PointDeadline PointKind = "deadline"
	PointAccepted PointKind = "accepted"
	PointEnquiry  PointKind = "enquiry"
	PointRelease  PointKind = "release"
	PointEnd      PointKind = "end"
	PointLate     PointKind = "late"
)

// Stub is the ticket at the end of the winner's line.
type Stub struct {
	X      float64
	FromY  int // the winner's lane
	Y      int
	Anchor string
}

// Measures of the picture, in pixels.
const (
	topSpace  = 6
	laneSpace = 58 // with one row of labels
	labelRow  = 15
	barTop    = 8
	barHeight = 22
	stubSpace = 44
	axisSpace = 26
)

// NewTimeline lays the picture out. Without events the moments of doubt and
// release come from the attempts as far as those still tell.
func NewTimeline(j *ledger.Job, h History, now time.Time) Timeline {
	courses := make([]course, len(j.Attempts))
	for i := range j.Attempts {
		courses[i] = courseOf(&j.Attempts[i], h)
	}
	scale := scaleOf(j, courses, now)
	t := Timeline{Ticks: scale.ticks()}
	t.Lanes = lanesOf(j, courses, h, scale)
	narrow := scale
	narrow.perCharacter = perCharacterNarrow
	t.Narrow = lanesOf(j, courses, h, narrow)
	y := topSpace
	for _, lane := range t.Lanes {
		y += lane.Height
	}
	if stub := stubOf(j, t.Lanes, scale); stub != nil {
		stub.Y = y
		t.Stub = stub
		y += stubSpace
	}
	t.AxisY = y
	t.Height = y + axisSpace
	return t
}

// lanesOf are the lanes of a job's attempts below each other, and that of the
// one that may not start yet.
func lanesOf(j *ledger.Job, courses []course, h History, s scale) []Lane {
	var lanes []Lane
	y := topSpace
	for _, c := range courses {
		lane := c.lane(s)
		lane.Cost = costWords(h.Providers.Of(lane.Provider).Price, *lane.Attempt)
		lane.Y, lane.Height = y, laneSpace+labelRow*lowest(lane.Points)
		y += lane.Height
		lanes = append(lanes, lane)
	}
	if lane, ok := planned(j, s); ok {
		lane.Y, lane.Height = y, laneSpace-labelRow
		lanes = append(lanes, lane)
	}
	return lanes
}

func lowest(points []Point) int {
	row := 0
	for _, p := range points {
		if p.Label != "" {
			row = max(row, p.Row)
		}
	}
	return row
}

func stubOf(j *ledger.Job, lanes []Lane, s scale) *Stub {
	if j.CompletedBy == nil || j.CompletedAt == nil {
		return nil
	}
	for _, l := range lanes {
		if l.Attempt != nil && l.Attempt.ID == *j.CompletedBy {
			x := s.x(*j.CompletedAt)
			for _, p := range l.Points {
				if p.Kind == PointEnd {
					x = p.X // where its mark stands
				}
			}
			return &Stub{X: x, FromY: l.Y + barTop + barHeight, Anchor: anchor(x, 16)}
		}
	}
	return nil
}

// planned is the lane of the attempt that may not start yet, or comes by
// itself.
func planned(j *ledger.Job, s scale) (Lane, bool) {
	lane := Lane{Ordinal: j.NextOrdinal(), Mark: Waiting, Planned: true}
	segment := Segment{Kind: SegPlanned, W: 100}
	switch open := j.OpenAttempt(); {
	case j.State == ledger.JobUnknown && open != nil:
		segment.Label = blockedLane(*open)
	case j.State == ledger.JobWaiting && j.NextAttemptAt != nil:
		lane.Provider = j.NextProvider
		segment.Label = comingLane(s.now, *j.NextAttemptAt)
	default:
		return Lane{}, false
	}
	lane.Segments = []Segment{segment}
	return lane, true
}

// course is the moments of one attempt; nil is what has not happened.
type course struct {
	attempt                         *ledger.Attempt
	started, doubt, released, ended *time.Time
	late                            *ledger.LateResult
	asked                           []ledger.Enquiry
}

func courseOf(a *ledger.Attempt, h History) course {
	c := course{attempt: a, started: a.StartedAt, ended: a.EndedAt, asked: h.enquiriesAbout(a.ID)}
	c.doubt, c.released = turned(h.Events, a.ID, ledger.Unknown), turned(h.Events, a.ID, ledger.Released)
	if c.released == nil && a.State == ledger.Released {
		c.released = &a.StateAt
	}
	if c.doubt == nil && a.State == ledger.Unknown {
		c.doubt = &a.StateAt
	}
	if c.ended == nil && a.State.Ended() {
		c.ended = &a.StateAt
	}
	end := a.EndedAt
	if c.released != nil {
		end = c.released
	}
	if c.doubt == nil && a.Deadline != nil && end != nil && a.Deadline.Before(*end) && a.State != ledger.Running {
		c.doubt = a.Deadline
	}
	for i := range h.Late {
		if h.Late[i].AttemptID == a.ID {
			c.late = &h.Late[i]
			break
		}
	}
	return c
}

// turned is the first moment at which an attempt came into a state.
func turned(events []ledger.Event, attempt uuid.UUID, to ledger.AttemptState) *time.Time {
	for i := range events {
		if e := &events[i]; e.AttemptID != nil && *e.AttemptID == attempt && e.To == string(to) && e.From != e.To {
			return &e.At
		}
	}
	return nil
}
