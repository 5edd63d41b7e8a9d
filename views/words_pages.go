package views

import (
	"fmt"
	"net/http"
	"time"

	"kwit/ledger"
)

// said is what a reader that speaks says of a live page when its state changes,
// and only then: no time stands in it.
func said(j *ledger.Job, h Headline) string {
	return fmt.Sprintf("Ticket %d: %s. %s.", j.Number, MarkOfJob(j.State).Word(), h.Title)
}

// isNow ends a sentence about a job by its state.
func isNow(s ledger.JobState) string {
	switch s {
	case ledger.JobUnknown:
		return "and it is not known yet whether it was done."
	case ledger.JobSucceeded:
		return "and is done."
	case ledger.JobFailed:
		return "and did not work."
	}
	return "and is " + MarkOfJob(s).Word() + "."
}

// ErrorWords are the title and the text of an error's page, for an error of
// which nothing better is known than its status.
func ErrorWords(status int) (title, text string) {
	switch status {
	case http.StatusBadRequest:
		return "That could not be read", "Something in the request was not as expected, so nothing was started or changed. Go back, open the form anew, and try once more."
	case http.StatusForbidden:
		return "This page is not for your role", "Nothing was changed. If you need it for your work, ask an administrator to change your role."
	case http.StatusNotFound:
		return "There is nothing here", "The address may be mistyped, or it belongs to somebody else."
	case http.StatusMethodNotAllowed:
		return "That does not work here", "This address does not take that kind of request. Nothing was changed."
	case http.StatusRequestEntityTooLarge:
		return "That is too long", "What you sent is longer than is accepted here, so nothing was started. Go back: your text is still in the form. Shorten it and send it again."
	case http.StatusTooManyRequests:
		return "Too many at once", "Nothing was started. Wait a few seconds, and send the same again: that is safe."
	case http.StatusServiceUnavailable:
		return "We cannot do that just now", "Our database does not answer, or has no room at the moment. Nothing was stored. Sending the same form again in a moment is safe."
	}
	return "Something broke on our side", "We cannot say more here than that it was not your doing. Sending the same form again is safe: it never makes a second job."
}

// OutcomeUnknownWords are the title and the text where it is not known whether
// an act on a job or an attempt was stored (503). Of a form, OutcomeUnknown
// tells.
func OutcomeUnknownWords() (title, text string) {
	return "We do not know whether it was stored", "Our database did not answer in time. Look at the page again in a moment: it shows what happened. Doing the same again is safe."
}

// SomebodyWasFirst tells an operator that an attempt was no longer as they saw
// it: who did what, and when.
func SomebodyWasFirst(e *ledger.AttemptChangedError, now time.Time) string {
	who := e.By
	switch who {
	case "system":
		who = "kwit itself"
	case "provider":
		who = "the provider's answer"
	case "":
		who = "somebody"
	}
	return fmt.Sprintf("Nothing was changed: this attempt is %s now, by %s, %s (%s).",
		attemptWord(e.State), who, Ago(now, e.At), absolute(e.At))
}

func attemptWord(s ledger.AttemptState) string {
	if s == ledger.Discarded {
		return "answered too late"
	}
	return MarkOfAttempt(s).Word()
}

// Acted is what an operator is told after an act on an attempt.
func Acted(number int64, a *ledger.Attempt) string {
	switch a.State {
	case ledger.Cancelled:
		return fmt.Sprintf("Attempt %d of ticket %d is cancelled. Whatever %s still answers is dropped.", a.Ordinal, number, a.Provider)
	case ledger.Released:
		return fmt.Sprintf("Attempt %d of ticket %d is released. It may still win; a further attempt may start.", a.Ordinal, number)
	case ledger.Succeeded:
		return fmt.Sprintf("Attempt %d of ticket %d is resolved, and ticket %d is done.", a.Ordinal, number, number)
	case ledger.Discarded:
		return fmt.Sprintf("Ticket %d was over already, so the result of attempt %d came too late and was dropped.", number, a.Ordinal)
	}
	return fmt.Sprintf("Attempt %d of ticket %d is resolved as failed.", a.Ordinal, number)
}
