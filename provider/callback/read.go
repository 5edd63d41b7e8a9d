package callback

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"kwit/provider"
)

// Callback is what a provider says by itself.
type Callback struct {
	AttemptID string // as the body names it; empty where it does not
	// Report settles: a callback says succeeded or failed. Its End.Answer holds
	// the body as it arrived, and no status.
	Report provider.Report
}

// Read reads a callback's body: {"attempt_id"?, "status": "succeeded"|"failed",
// "result"?, "error"?, "usage"?} and nothing else. Its error is a
// [*provider.WordError], and a 422: who signs nonsense is told.
func Read(body []byte) (Callback, error) {
	w, err := provider.ReadWord(body)
	if err != nil {
		return Callback{}, err
	}
	if err := check(w); err != nil {
		return Callback{}, err
	}
	answer := provider.Answer{MediaType: "application/json", Body: body, Whole: true, ReceivedAt: time.Now()}
	return Callback{AttemptID: w.AttemptID, Report: w.Report(provider.End{Answer: &answer})}, nil
}

// check refuses what a callback may not say or says in two ways.
func check(w provider.Word) error {
	switch {
	case len(w.Others) > 0:
		return &provider.WordError{Pointer: string(jsontext.Pointer("").AppendToken(w.Others[0])), Detail: "is no member of a callback"}
	case w.Status == provider.ToldRunning:
		return &provider.WordError{Pointer: "/status", Detail: "must be succeeded or failed"}
	case w.Status == provider.ToldSucceeded && w.Result == nil:
		return &provider.WordError{Pointer: "/result", Detail: "must be there where the work succeeded"}
	case w.Status == provider.ToldSucceeded && w.Error != nil:
		return &provider.WordError{Pointer: "/error", Detail: "must not be there where the work succeeded"}
	case w.Status == provider.ToldFailed && w.Result != nil && string(w.Result) != "null":
		return &provider.WordError{Pointer: "/result", Detail: "must not be there where the work failed"}
	}
	return nil
}
