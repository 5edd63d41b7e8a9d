package views

import (
	"strings"
	"time"
)

// Sentence is text with values in it, each named in braces: "sent to
// {provider} at {at}". A translation may order them as it likes.
type Sentence struct {
	Text   string
	Values map[string]any // string, int, int32, int64, time.Time (a moment), soon, time.Duration
}

// soon is a moment to come, said as how far away it is.
type soon time.Time

// say makes a sentence from its text and pairs of names and values.
func say(text string, pairs ...any) Sentence {
	s := Sentence{Text: text, Values: make(map[string]any, len(pairs)/2)}
	for i := 0; i+1 < len(pairs); i += 2 {
		s.Values[pairs[i].(string)] = pairs[i+1]
	}
	return s
}

// piece is a stretch of a sentence: plain text, or a value.
type piece struct {
	Text  string
	Value any // nil for plain text
}

func (s Sentence) pieces() []piece {
	var list []piece
	rest := s.Text
	for {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			list = append(list, piece{Text: before})
		}
		if !found {
			return list
		}
		name, behind, _ := strings.Cut(after, "}")
		list = append(list, piece{Value: s.Values[name]})
		rest = behind
	}
}
