package views

import (
	"encoding/hex"
	"fmt"
	"strings"

	"kwit/contract"
	"kwit/ledger"
)

// evidenceWords name the facts of ledger.Evidence; others keep their names.
var evidenceWords = map[string]string{
	"bytes_written": "bytes sent",
	"sealed":        "count is final",
	"status":        "answer’s status",
	"answer_bytes":  "bytes of answer",
	"media_type":    "answer’s type",
	"late":          "afterwards",
	"cancel":        "answer to our cancel",
	"unwrapped":     "a fence was taken off",
}

func evidenceWord(name string) string {
	if word, ok := evidenceWords[name]; ok {
		return word
	}
	return name
}

// The consequences of an operator's acts stand beside them, before the click.

func cancelConsequence(a ledger.Attempt) string {
	if a.State == ledger.Pending {
		return "This attempt is over before it was sent. Nothing was done, nothing is charged, and another one may start."
	}
	return "This attempt is over. Whatever " + a.Provider + " still answers is logged as a late result and dropped. This cannot be undone."
}

const (
	releaseConsequence = "Stop waiting. It may still win; the next attempt races it."
	resolveConsequence = "You know what happened: it worked, and here is the result; or it failed."
	notRepeatable      = "Not for this job type: its work must not run twice, so nothing may race it."
	notSentYet         = "Not while it waits: nothing was sent, so there is nothing to let go of or to find out."
	releasedAlready    = "It is released already."
	stillRunning       = "Not while it is running: its answer may come at any moment."
)

// openStateWords are what the console says of the attempts in each state: above
// them, and where there are none.
var openStateWords = map[ledger.AttemptState]struct{ title, lead, none string }{
	ledger.Unknown: {"Attempts in doubt", "Somebody has to find out what really happened. Until then no other attempt of the same job may start.",
		"Nothing is in doubt. Attempts whose outcome is not known will stand here, oldest first."},
	ledger.Released: {"Released attempts", "Nobody waits for these any more: another attempt of the same job may start. Each may still answer, and win.",
		"No attempt is released at the moment."},
	ledger.Running: {"Running attempts", "They were sent, or are being sent now, and have until their deadline to answer. Until then no other attempt of the same job may start.",
		"No attempt is running at the moment."},
	ledger.Pending: {"Queued attempts", "Nothing of them was sent yet. They wait for room, or for a provider that is paused, and go out by themselves.",
		"No attempt waits to be sent."},
}

// ConsoleTitle is what the console's page is called for a state: the attempts
// in doubt where none is asked for.
func ConsoleTitle(s ledger.AttemptState) string { return openStateWords[listedState(s)].title }

// waitsFor says why an attempt has not been sent yet.
func waitsFor(p Provider) string {
	switch {
	case p.gone():
		return p.Name + " is no longer configured, so it is not sent. Cancel it, and try again elsewhere."
	case p.Pause != nil:
		return p.Name + " is paused by " + p.Pause.By + ": " + p.Pause.Reason
	}
	return "for its turn: " + p.Name + " takes " + count(int64(p.Limit)) + " at once"
}

// lateWords say why an answer lost.
func lateWords(why ledger.LateReason) string {
	switch why {
	case ledger.LostRace:
		return "another attempt had won"
	case ledger.JobWasOver:
		return "the job had been cancelled"
	case ledger.AfterFailure:
		return "the attempt had failed already"
	}
	return "the attempt had been ended"
}

// reasonWords say why an event happened; a reason that is a term of the ledger's
// is put in words, and the term stands beside them.
func reasonWords(e ledger.Event) (words, term string) {
	if e.Action == ledger.ActionLateResult {
		return lateWords(ledger.LateReason(e.Reason)), e.Reason
	}
	return e.Reason, ""
}

// resultFault says what is wrong with a pasted result.
func resultFault(f contract.Fault) string {
	if f.Pointer == "" {
		return "The result " + f.Detail + "."
	}
	return "In the result, " + f.Pointer + " " + f.Detail + "."
}

// actionWord is an event's action as people read it.
func actionWord(action string) string { return strings.ReplaceAll(action, "_", " ") }

// who did what an event tells of.
func who(e ledger.Event) string {
	switch {
	case e.ActorMail != "":
		return e.ActorMail
	case e.ActorKind == ledger.BySystem:
		return "kwit"
	}
	return "the " + string(e.ActorKind)
}

// fromTo is the change of state that an event tells of.
func fromTo(e ledger.Event) string {
	switch {
	case e.From == "":
		return e.To
	case e.To == "" || e.From == e.To:
		return e.From
	}
	return e.From + " → " + e.To
}

// whyName is what stands beside caseWhy.
func whyName(a ledger.Attempt) string {
	if a.State.Ended() {
		return "outcome"
	}
	return "why"
}

// caseWhy says why an attempt is as it is: what it waits for, why it is in doubt,
// or how it ended.
func caseWhy(a ledger.Attempt, p Provider) string {
	switch {
	case a.State == ledger.Pending:
		return waitsFor(p)
	case a.State == ledger.Running:
		return ""
	case a.State.Ended():
		return became(a, nil)
	}
	return doubtReason(a)
}

// operatorTitle is the headline of a job for support: whose request it is, where
// the owner's own page says "your".
func operatorTitle(j *ledger.Job, h History, o Owner) string {
	switch j.State {
	case ledger.JobQueued:
		return "The request of " + o.called() + " waits to be sent"
	case ledger.JobRunning:
		return "The request of " + o.called() + " is being worked on"
	case ledger.JobUnknown:
		return "It is not known yet whether it was done"
	case ledger.JobSucceeded:
		return o.called() + " has the result"
	}
	return HeadlineOf(j, h).Title
}

// subjectWord is what an event of a job concerns.
func subjectWord(e ledger.Event, j *ledger.Job) string {
	if e.AttemptID == nil {
		return "the job"
	}
	for _, a := range j.Attempts {
		if a.ID == *e.AttemptID {
			return fmt.Sprintf("attempt %d", a.Ordinal)
		}
	}
	return "an attempt"
}

// routeWords are the providers that may do a job, in order.
func routeWords(route []string) string { return strings.Join(route, ", then ") }

// shortDigest is the beginning of a digest, enough to compare by eye.
func shortDigest(sum []byte) string {
	digits := hex.EncodeToString(sum)
	if len(digits) > 12 {
		return digits[:12] + "…"
	}
	return digits
}
