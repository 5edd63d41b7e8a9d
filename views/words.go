package views

import (
	"encoding/json"
	"fmt"
	"time"

	"kwit/contract"
	"kwit/ledger"
	"kwit/outcome"
)

// This file holds the sentences of the pages, so that one who translates or
// rewords them has them in one place. The order is always: what happened, what
// it means for me, what I can do. A guess is never dressed up as knowledge.

const mayClose = "You can close this page. Your ticket stays {number}."

func queuedWords(j *ledger.Job, known Providers) Headline {
	text := "It goes to {provider} as soon as there is room."
	switch p := known.Of(sentTo(j)); {
	case p.gone():
		text = "{provider} is no longer set up here, so your request is not sent there. It is not lost: cancel the job, or ask support to send it elsewhere."
	case p.Pause != nil:
		text = "{provider} is paused; your request waits and is not lost. It goes on by itself when {provider} does."
	}
	return Headline{
		Title: "Your request is stored",
		Text:  []Sentence{say(text, "provider", sentTo(j))},
		Can:   say(mayClose, "number", j.Number),
	}
}

func runningWords(j *ledger.Job, known History) Headline {
	h := Headline{Title: "Your request is being worked on", Can: say(mayClose, "number", j.Number)}
	a := j.OpenAttempt()
	switch {
	case a == nil:
	case a.SentAt == nil:
		h.Text = []Sentence{say("It is on its way to {provider}.", "provider", a.Provider)}
	case a.AcceptedAt != nil:
		h.Text = []Sentence{say("{provider} accepted it at {accepted} and is working on it.",
			"provider", a.Provider, "accepted", *a.AcceptedAt)}
	default:
		h.Text = []Sentence{say("We sent it to {provider} at {sent} and are waiting for the answer.",
			"provider", a.Provider, "sent", *a.SentAt)}
	}
	if a != nil && a.SentAt != nil && a.Deadline != nil {
		h.Text = append(h.Text, say("It has until {deadline} to answer.", "deadline", *a.Deadline))
	}
	if a != nil && a.AcceptedAt != nil {
		h.Text = append(h.Text, enquiryWords(*a, known)...)
	}
	return h
}

func unknownWords(j *ledger.Job, known History) Headline {
	h := Headline{Title: "We do not know yet whether it was done", Can: say(mayClose, "number", j.Number)}
	if a := j.OpenAttempt(); a != nil {
		h.Text = append([]Sentence{doubtWords(*a)}, enquiryWords(*a, known)...)
		h.Text = append(h.Text, say("If an answer still comes, it appears here by itself. Support sees this too, and can settle it."))
		return h
	}
	if a := lastReleased(j); a != nil {
		h.Text = []Sentence{say("{provider} was asked and has not answered, and we stopped waiting for it. It may still answer: the first answer to arrive counts.",
			"provider", a.Provider)}
		h.Text = append(h.Text, enquiryWords(*a, known)...)
		h.Text = append(h.Text, say("You can wait, or try again now. Trying again may mean that the work is done, and charged, twice."))
	}
	return h
}

// doubtWords say why it is not known what became of an attempt, to the person
// who asked for it.
func doubtWords(a ledger.Attempt) Sentence {
	const unclear = " so nothing new is started while that is unclear."
	var text string
	switch a.Outcome {
	case outcome.ConnectionLost:
		text = "The connection to {provider} broke before it answered. It may be working on your request,"
	case outcome.AnswerLost:
		text = "{provider} began to answer, but the answer did not arrive whole. The work may be done,"
	case outcome.ServerError:
		text = "{provider} answered with an error that does not say whether it did the work. It may have,"
	case outcome.WorkerLost:
		text = "The part of our system that spoke with {provider} stopped in between. {provider} may be working on your request,"
	default:
		text = "We sent your request to {provider}, and it never answered. It may still be working,"
		if a.SentAt != nil {
			text = "We sent your request to {provider} at {sent}, and it never answered. It may still be working,"
		}
	}
	s := say(text+unclear, "provider", a.Provider)
	if a.SentAt != nil {
		s.Values["sent"] = *a.SentAt
	}
	return s
}

func waitingWords(j *ledger.Job, known Providers) Headline {
	h := Headline{Title: "Another attempt comes by itself", Can: say(mayClose, "number", j.Number)}
	if a := lastAttempt(j); a != nil {
		h.Text = append(h.Text, failureWords(*a))
	}
	if j.NextAttemptAt != nil {
		h.Text = append(h.Text, say("The next attempt goes to {provider} at {at}.", "provider", sentTo(j), "at", *j.NextAttemptAt))
	}
	if known.Of(sentTo(j)).Pause != nil {
		h.Text = append(h.Text, say("{provider} is paused; until it is resumed the attempt waits, and is not lost.", "provider", sentTo(j)))
	}
	return h
}

func doneWords(j *ledger.Job) Headline {
	h := Headline{Title: "Here is your result", Can: say("This result is final. Nothing that still arrives changes it.")}
	if w := j.Winner(); w != nil && j.CompletedAt != nil {
		h.Text = []Sentence{say("{provider} answered at {at}.", "provider", w.Provider, "at", *j.CompletedAt)}
	}
	return h
}

func failedWords(j *ledger.Job) Headline {
	h := Headline{Title: "It did not work", Can: say("Nothing more happens by itself. You can try again: your ticket stays {number}.", "number", j.Number)}
	if a := lastAttempt(j); a != nil {
		h.Text = []Sentence{failureWords(*a)}
	}
	return h
}

// failureWords say why an attempt brought nothing, to the person who asked.
func failureWords(a ledger.Attempt) Sentence {
	text := "{provider} did not do it, as support found out."
	switch a.Outcome {
	case outcome.NotSent:
		text = "{provider} could not be reached. Nothing was sent, so nothing was done there."
	case outcome.NotProcessed:
		text = "{provider} did not take the request this time. Nothing was done there."
	case outcome.Rejected:
		text = "{provider} refused the request."
	case outcome.ProviderError:
		text = "{provider} reports that it failed. It may have charged for it all the same."
	case outcome.Contract:
		text = "{provider} answered, but not in the form that was agreed, so its answer was not used. It may have charged for it."
	case outcome.Cancelled:
		text = "Attempt {ordinal} at {provider} was cancelled."
	}
	return say(text, "provider", a.Provider, "ordinal", a.Ordinal)
}

func cancelledWords(j *ledger.Job) Headline {
	h := Headline{Title: "The job was cancelled", Can: say("Nothing more can be started under this ticket. For the same work, send a new form.")}
	h.Text = []Sentence{say("No further attempt is made.")}
	if a := stillOut(j); a != nil {
		h.Text = []Sentence{say("No further attempt is made. {provider} may still be working on attempt {ordinal} and may charge for it; whatever it answers is dropped.",
			"provider", a.Provider, "ordinal", a.Ordinal)}
	}
	return h
}

// tryAgainWords say when "try again" opens, while an attempt blocks it (C08).
func tryAgainWords(blocking ledger.Attempt) Sentence {
	if blocking.State == ledger.Unknown {
		return say("“Try again” opens when attempt {ordinal} is settled.", "ordinal", blocking.Ordinal)
	}
	return say("“Try again” opens when attempt {ordinal} is over.", "ordinal", blocking.Ordinal)
}

// severalCharged is from how many attempts on their sums are left to the table.
const severalCharged = 4

// chargedWords stand beside "try again" where money may have been spent.
func chargedWords(attempts []ledger.Attempt, known Providers) []Sentence {
	if len(attempts) >= severalCharged {
		return []Sentence{say("{count} attempts so far may have been charged.", "count", len(attempts))}
	}
	var list []Sentence
	for _, a := range attempts {
		text := "Attempt {ordinal} may have been charged."
		price := priceOf(known.Of(a.Provider).Price, a)
		if price != "" {
			text = "Attempt {ordinal} may have been charged {price}."
		}
		list = append(list, say(text, "ordinal", a.Ordinal, "price", price))
	}
	return list
}

// cancelJobWords say what cancelling a job does, before it is done.
func cancelJobWords(j *ledger.Job) Sentence {
	if a := stillOut(j); a != nil {
		return say("The job ends here. {provider} may still be working and may charge for it; whatever it answers is dropped. This cannot be undone.",
			"provider", a.Provider)
	}
	return say("The job ends here, and nothing more is started under this ticket. This cannot be undone.")
}

// blockedLane stands in the lane of an attempt that may not start yet.
func blockedLane(open ledger.Attempt) string {
	return fmt.Sprintf("not started: attempt %d is still open", open.Ordinal)
}

// comingLane stands in the lane of an attempt that comes by itself.
func comingLane(now, at time.Time) string {
	if !at.After(now) {
		return "comes by itself, any moment now"
	}
	return "comes by itself in " + Elapsed(at.Sub(now))
}

// endLabel says in a word or two how an attempt ended.
func endLabel(a ledger.Attempt) string {
	switch a.State {
	case ledger.Succeeded:
		return "answered"
	case ledger.Cancelled:
		return "cancelled"
	}
	switch a.Outcome {
	case outcome.NotSent:
		return "not reached"
	case outcome.NotProcessed:
		return "not taken"
	case outcome.Rejected:
		return "refused"
	case outcome.ProviderError:
		return "it failed there"
	case outcome.Contract:
		return "answer not usable"
	}
	return "failed"
}

// doubtReason says to support, in one line and with the figures, why it is not
// known what became of an attempt.
func doubtReason(a ledger.Attempt) string {
	var seen ledger.Evidence
	_ = json.Unmarshal(a.Evidence, &seen) // what cannot be read is shown as it is, beside this line
	switch a.Outcome {
	case outcome.Timeout:
		if a.SentAt != nil && a.Deadline != nil {
			return "no answer within " + Span(a.Deadline.Sub(*a.SentAt)) + sentWords(a, seen)
		}
		return "no answer by the deadline" + sentWords(a, seen)
	case outcome.ConnectionLost:
		return "connection lost before an answer" + sentWords(a, seen)
	case outcome.AnswerLost:
		if hasFigure(a.Detail, seen.AnswerBytes) {
			return "answer cut short or unreadable"
		}
		return fmt.Sprintf("answer cut short or unreadable, %s bytes of it arrived", count(seen.AnswerBytes))
	case outcome.ServerError:
		if seen.Status != 0 {
			return fmt.Sprintf("status %d, which settles nothing", seen.Status)
		}
		return "an answer that settles nothing"
	case outcome.WorkerLost:
		return "worker died while the attempt was its own"
	}
	if a.Detail != "" {
		return a.Detail
	}
	return "no reason was noted"
}

// sentWords say how much of the request is known to have left, unless what was
// noted says it.
func sentWords(a ledger.Attempt, seen ledger.Evidence) string {
	if seen.BytesWritten == nil || hasFigure(a.Detail, *seen.BytesWritten) {
		return ""
	}
	return fmt.Sprintf(", %s bytes of the request were sent", count(*seen.BytesWritten))
}

// lateLabel says by how much an answer lost, and what became of it.
func lateLabel(l ledger.LateResult) string {
	by := Span(l.LateBy)
	switch l.Why {
	case ledger.LostRace:
		return by + " after the winner, dropped"
	case ledger.JobWasOver:
		return by + " after the job was cancelled, dropped"
	case ledger.AfterFailure:
		return by + " after it had failed, dropped"
	}
	return by + " after it was cancelled, dropped"
}

// faultsFound counts what is wrong with a form.
func faultsFound(n int) string {
	if n == 1 {
		return "One thing needs a look; what you typed is kept."
	}
	return fmt.Sprintf("%d things need a look; what you typed is kept.", n)
}

// formFault says what is wrong where no field stands for it.
func formFault(f contract.Fault) string {
	if f.Pointer == "" {
		return "The form as a whole " + f.Detail + "."
	}
	return f.Pointer + " " + f.Detail + "."
}
