package provider

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"kwit/exactjson"
	"kwit/outcome"
)

// Word is what a provider says in kwit's own form: the body of a callback, and
// the answer of a status address (3-interfaces, "JSON API").
type Word struct {
	AttemptID string          // of which attempt it speaks; empty where it does not say
	Status    Told            // succeeded, failed or running
	Result    json.RawMessage // exactly as it stood; nil where there is none
	Error     json.RawMessage // nil where there is none, or null
	Usage     json.RawMessage // nil where there is none, or null
	Others    []string        // members that the form does not know, ordered
}

// WordError says why a text is no [Word].
type WordError struct {
	Pointer string // RFC 6901: the member at fault; empty for the whole
	Detail  string // what is wrong, in words
}

func (e *WordError) Error() string {
	if e.Pointer == "" {
		return e.Detail
	}
	return e.Pointer + " " + e.Detail
}

// ReadWord reads a provider's word: a JSON object that can be read in one way
// only, with a status that is known. Its error is a [*WordError].
func ReadWord(body []byte) (Word, error) {
	parsed, err := exactjson.Parse(body, exactjson.Limits{AllowNUL: true})
	if err != nil {
		return Word{}, &WordError{Detail: readable(err.Error())}
	}
	members := map[string]json.RawMessage{}
	if parsed.Kind() != exactjson.Object || json.Unmarshal(body, &members) != nil {
		return Word{}, &WordError{Detail: "must be a JSON object"}
	}
	attempt, saysAttempt := parsed.Get("attempt_id")
	status, _ := parsed.Get("status")
	told := Told(status.Text())
	switch {
	case saysAttempt && (attempt.Kind() != exactjson.String || attempt.Text() == ""):
		return Word{}, &WordError{"/attempt_id", "must be the attempt's id"}
	case status.Kind() != exactjson.String || told != ToldSucceeded && told != ToldFailed && told != ToldRunning:
		return Word{}, &WordError{"/status", "must be succeeded, failed or running"}
	}
	w := Word{AttemptID: attempt.Text(), Status: told, Result: members["result"],
		Error: unlessNull(members["error"]), Usage: unlessNull(members["usage"])}
	for _, known := range []string{"attempt_id", "status", "result", "error", "usage"} {
		delete(members, known)
	}
	w.Others = slices.Sorted(maps.Keys(members))
	return w, nil
}

func unlessNull(value json.RawMessage) json.RawMessage {
	if bytes.Equal(value, []byte("null")) {
		return nil
	}
	return value
}

// Report is what the word means. base holds what is known beside it: the raw
// answer and the provider's id. Work that is said to be done without a result
// is an answer that cannot be relied upon, and settles nothing.
func (w Word) Report(base End) Report {
	if base.Usage == nil {
		base.Usage = w.Usage
	}
	switch {
	case w.Status == ToldRunning:
		base.Accepted, base.Detail = true, "The provider says that it is at work."
	case w.Status == ToldFailed:
		base.Outcome = outcome.ProviderError
		base.Detail = "The provider says that the work failed" + w.reason() + ". It may have been charged."
	case w.Result == nil:
		base.Outcome = outcome.AnswerLost
		base.Detail = "The provider says that the work is done, and gives no result."
	default:
		base.Outcome, base.Result = outcome.Succeeded, w.Result
		base.Detail = "The provider says that the work is done."
	}
	return ReportEnd(base)
}

// reason is the provider's own: a text, or an object's message, or JSON as it
// stands.
func (w Word) reason() string {
	if w.Error == nil {
		return ""
	}
	reason := string(w.Error)
	var message struct{ Message string }
	switch {
	case json.Unmarshal(w.Error, &reason) == nil:
	case json.Unmarshal(w.Error, &message) == nil && message.Message != "":
		reason = message.Message
	}
	return ": " + strings.TrimRight(readable(reason), ". \n")
}

// longestWords bounds a provider's own words in a detail, in characters.
const longestWords = 500

// readable makes foreign words fit to be stored and shown.
func readable(text string) string {
	letters := []rune(strings.ReplaceAll(text, "\x00", ""))
	if len(letters) > longestWords {
		letters = append(letters[:longestWords], '…')
	}
	return string(letters)
}
