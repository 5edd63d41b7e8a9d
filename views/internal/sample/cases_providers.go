package sample

import (
	"encoding/json"
	"time"

	"kwit/ledger"
	"kwit/outcome"
	"kwit/views"
)

// paused waits for a provider that an admin has paused.
func paused() Case {
	b := newCase("paused", 58, 90*time.Second)
	b.Job.State, b.Paused = ledger.JobQueued, "laser"
	b.attempt("laser", 0)
	return b.Case
}

// gone waits for a provider that is no longer configured.
func gone() Case {
	b := newCase("gone", 59, 26*time.Hour)
	b.Job.State = ledger.JobQueued
	b.attempt("plotter", 0)
	return b.Case
}

// accepted was taken over by its provider, which is asked how far it is.
func accepted() Case {
	b := newCase("accepted", 60, 50*time.Second)
	b.Job.State = ledger.JobRunning
	b.attempt("farm", 0)
	b.run(0.2, 0.3, 600)
	a := &b.Job.Attempts[0]
	a.AcceptedAt, a.ProviderRequestID = b.at(1.1), "render-7719"
	b.asked(1, views.AskStatus, 58, map[float64]string{10: "running", 25: "running", 40: "running"})
	return b.Case
}

// asked is a doubt that its provider knows nothing of.
func asked() Case {
	b := newCase("asked", 61, 4*time.Minute)
	b.Job.State = ledger.JobUnknown
	b.attempt("inkjet", 0)
	b.run(0.9, 1, 31)
	n := int64(3207)
	a := b.turn(1, ledger.Unknown, 31, outcome.Timeout, "")
	a.Evidence, a.ProviderRequestID = evidence(ledger.Evidence{BytesWritten: &n}), "req_41aa"
	b.asked(1, views.AskStatus, 280, map[float64]string{46: "no_answer", 77: "not_known", 137: "not_known"})
	return b.Case
}

// replayed is a doubt whose request is on its way again, under the same key.
func replayed() Case {
	b := newCase("replayed", 62, 3*time.Minute)
	b.Job.State = ledger.JobUnknown
	b.attempt("laser", 0)
	b.run(0.2, 0.3, 60)
	a := b.turn(1, ledger.Unknown, 20, outcome.AnswerLost, "")
	a.Evidence = evidence(ledger.Evidence{Status: 200, AnswerBytes: 512, Cancel: "It said that it is too late."})
	a.Usage = json.RawMessage(`{"prompt_tokens":1850,"completion_tokens":240,"total_tokens":2090}`)
	b.asked(1, views.AskReplay, 200, nil)
	b.event(1, ledger.ActionReplayed, "", "", 175, "")
	return b.Case
}
