package views

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"kwit/ledger"
)

// pct is a place along the axis as SVG takes it.
func pct(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// labelStart is where a segment's label begins, in pixels from its start: clear
// of the mark that stands there.
func labelStart(s Segment) int {
	if s.Kind == SegReleased {
		return 17
	}
	return 9
}

// laneTitle names a lane: "1 inkjet". A longer name is cut at width characters.
func laneTitle(l Lane, width int) string {
	title := strings.TrimSpace(fmt.Sprintf("%d %s", l.Ordinal, l.Provider))
	if utf8.RuneCountInString(title) > width {
		title = string([]rune(title)[:width-1]) + "…"
	}
	return title
}

func laneWord(l Lane) string {
	if l.Planned {
		return "not started"
	}
	return l.Mark.Word()
}

// describe is the picture in words, for people who hear it.
func describe(t Timeline) string {
	var b strings.Builder
	for _, l := range t.Lanes {
		if l.Planned {
			fmt.Fprintf(&b, "Attempt %d is %s. ", l.Ordinal, strings.TrimPrefix(l.Segments[0].Label+", not started", ", "))
			continue
		}
		fmt.Fprintf(&b, "Attempt %d at %s: %s. ", l.Ordinal, l.Provider, strings.Join(laneWords(l), "; "))
	}
	return strings.TrimSpace(b.String())
}

// laneWords are what became of a lane's attempt, and what was asked about it.
func laneWords(l Lane) []string {
	words := []string{became(*l.Attempt, l.Late)}
	if asked := askedWords(l.Asked); asked != "" {
		words = append(words, asked)
	}
	return words
}

// became says what became of an attempt, in a few words.
func became(a ledger.Attempt, late *ledger.LateResult) string {
	switch a.State {
	case ledger.Pending:
		return "queued"
	case ledger.Running:
		return "running"
	case ledger.Succeeded:
		return "answered, and its answer is the result"
	case ledger.Unknown, ledger.Released:
		return MarkOfAttempt(a.State).Word() + ": " + doubtReason(a)
	}
	text := endLabel(a)
	if a.State == ledger.Discarded {
		text = Late.Word()
	}
	if late != nil {
		text += "; an answer came " + lateLabel(*late)
	}
	if a.Detail != "" {
		text += ": " + a.Detail
	}
	return text
}
