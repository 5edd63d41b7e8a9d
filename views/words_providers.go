package views

import "time"

// pauseStamp is how a form writes the moment of the pause that it would lift.
const pauseStamp = time.RFC3339Nano

func pauseConsequence(provider string) string {
	return "Nothing more is sent to " + provider + ", from any node. What is under way there goes on; what waits is not lost."
}

func resumeConsequence(p Provider) string {
	if p.gone() {
		return "Lifts the pause. It is no longer configured, so nothing is sent to it all the same."
	}
	return "What waits is sent, as far as there is room."
}

// runningOf is how much a provider does at once, of how much it takes.
func runningOf(l load, p Provider) string {
	text := count(l.Running)
	if p.Limit > 0 {
		text += " of " + count(int64(p.Limit)) + " at once"
	}
	return text
}

// askingWords say how a provider tells what became of a request.
func askingWords(p Provider) string {
	text := "no: doubts about it take a person"
	switch p.Asking {
	case AskStatus:
		text = "at its status address"
	case AskReplay:
		text = "by the same request under the same key"
	}
	if p.CallsBack {
		text += "; it calls back by itself, signed"
	}
	return text
}

// ProviderNow tells an admin that a provider was no longer as they saw it.
func ProviderNow(p Provider, now time.Time) string {
	if p.Pause == nil {
		return "Nothing was changed: " + p.Name + " is not paused now."
	}
	return "Nothing was changed: " + p.Name + " is paused now, by " + p.Pause.By + ", " + Ago(now, p.Pause.At) + ": " + p.Pause.Reason
}
