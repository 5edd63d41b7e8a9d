package views

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
)

// enquiriesAbout are those about one attempt, in order.
func (h History) enquiriesAbout(attempt uuid.UUID) []ledger.Enquiry {
	var list []ledger.Enquiry
	for _, e := range h.Enquiries {
		if e.Attempt == attempt {
			list = append(list, e)
		}
	}
	return list
}

// told are the words of a provider that was asked about an earlier request.
var told = map[string]string{
	"succeeded": "“done”",
	"failed":    "“it failed”",
	"running":   "“still at work”",
	"not_known": "“not known here”, which proves nothing",
	"no_answer": "no answer that can be relied on",
}

// askedHow says in which way a provider was asked.
func askedHow(kind string) string {
	if kind == "replay" {
		return "by the same request, sent again under the same key"
	}
	return "at its status address"
}

// enquiryLabel stands beside an enquiry's mark.
func enquiryLabel(provider string, e ledger.Enquiry) string {
	if e.Told == "not_known" {
		return "asked " + provider + ": “not known here” (proves nothing)"
	}
	return "asked " + provider + ": " + told[e.Told]
}

// askedWords sum up what was asked about an attempt; empty where nothing was.
func askedWords(list []ledger.Enquiry) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "asked once: " + told[list[0].Told]
	}
	return fmt.Sprintf("asked %d times, last: %s", len(list), told[list[len(list)-1].Told])
}

// enquiryWords tell the owner of a job what its provider said when it was asked
// about an attempt, and when it is asked again.
func enquiryWords(a ledger.Attempt, h History) []Sentence {
	var said []Sentence
	again := "We ask {provider} what became of it {soon}."
	if list := h.enquiriesAbout(a.ID); len(list) > 0 {
		last := list[len(list)-1]
		said = append(said, say("When we asked {provider} at {at}, the answer was: "+told[last.Told]+".", "provider", a.Provider, "at", last.At))
		again = "We ask again {soon}."
	}
	switch {
	case h.Asking[a.ID] != AskNot && a.NextEnquiryAt != nil:
		said = append(said, say(again, "provider", a.Provider, "soon", soon(*a.NextEnquiryAt)))
	case h.Providers.Of(a.Provider).gone():
		said = append(said, say("{provider} is no longer set up here, so it cannot be asked what became of it.", "provider", a.Provider))
	}
	return said
}

// replaySince is when the request was sent again under the same key and has not
// been answered yet, or nil. A replay is itself a send.
func (h History) replaySince(a ledger.Attempt) *time.Time {
	if a.State != ledger.Unknown && a.State != ledger.Released {
		return nil
	}
	var sent *time.Time
	for i, e := range h.Events {
		if e.Action == ledger.ActionReplayed && e.AttemptID != nil && *e.AttemptID == a.ID {
			sent = &h.Events[i].At
		}
	}
	for _, e := range h.enquiriesAbout(a.ID) {
		if sent != nil && e.Kind == "replay" && !e.At.Before(*sent) {
			sent = nil
		}
	}
	return sent
}

const replayUnderWay = "A replay is under way and may itself be carrying out the work: the same request was sent again, under the same key, at {at}, and has not been answered yet."

// enquireConsequence says what asking does, before the click.
func enquireConsequence(provider string, how Asking) string {
	if how == AskReplay {
		return "Sends the same request again under the same key, which " + provider + " promises to answer with what became of the first. " +
			"It is itself a send, and may carry out the work."
	}
	return "Asks " + provider + " now what became of it. Only its “done” or “failed” settles anything."
}

// notAsked says why a provider cannot be asked about an attempt.
func notAsked(a ledger.Attempt, p Provider) string {
	switch {
	case p.gone():
		return p.Name + " is no longer configured, so there is nobody to ask."
	case p.Asking == AskReplay && a.State == ledger.Running:
		return p.Name + " accepted it and has no status address: it can only call back."
	case p.Asking == AskReplay:
		return p.Name + " no longer keeps the key of this request."
	}
	return p.Name + " cannot be asked: it has no status address, and does not promise to honour keys."
}

// Asked is what an operator is told after asking about an attempt.
func Asked(number int64, a *ledger.Attempt) string {
	return fmt.Sprintf("%s is asked now about attempt %d of ticket %d. What it answers stands on the ticket’s page.", a.Provider, a.Ordinal, number)
}
