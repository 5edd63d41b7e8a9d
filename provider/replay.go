package provider

import (
	"fmt"
	"net/http"

	"kwit/outcome"
)

// HeaderReplayed marks an answer that a provider stored under the key of an
// earlier request, by the custom of those who honour keys. Its value is "true".
const HeaderReplayed = "Idempotent-Replayed"

// JudgeReplay says what the answer to a replay tells about the first request,
// for adapters whose provider marks what it stored with [HeaderReplayed]. judge
// is the adapter's own; a whole 2xx means what it says. An error counts as the
// one that was stored only where the answer says so itself: any other may speak
// of the replay alone.
func JudgeReplay(a Answer, judge func(Answer) End) Report {
	end := JudgeSafely(judge, a)
	end.Answer = &a
	switch {
	case a.Status >= 200 && a.Status <= 299:
		return ReportEnd(end)
	case storedError(a) && end.Outcome != outcome.NotProcessed:
		end.Outcome, end.RetryAfter = outcome.ProviderError, 0
		end.Detail = fmt.Sprintf("The provider answered with what it stored for the key: the error %d. The work may have been charged.", a.Status)
		return ReportEnd(end)
	}
	return Report{Told: ToldNoAnswer, Status: a.Status,
		Detail: fmt.Sprintf("The request was sent again as an enquiry, and answered with %d, which says nothing about the first one.", a.Status)}
}

// storedError tells whether an answer is an error that the first request met,
// and not one of the moment.
func storedError(a Answer) bool {
	switch a.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return a.Whole && a.Status >= 400 && a.Header.Get(HeaderReplayed) == "true"
}
