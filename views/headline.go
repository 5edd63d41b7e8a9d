package views

import (
	"time"

	"kwit/ledger"
	"kwit/outcome"
)

// Headline tells where a job stands in the order that people need: what
// happened, what it means for them, what they can do.
type Headline struct {
	Title string
	Text  []Sentence
	Can   Sentence
}

// HeadlineOf says where a job stands.
func HeadlineOf(j *ledger.Job, h History) Headline {
	switch j.State {
	case ledger.JobQueued:
		return queuedWords(j, h.Providers)
	case ledger.JobRunning:
		return runningWords(j, h)
	case ledger.JobUnknown:
		return unknownWords(j, h)
	case ledger.JobWaiting:
		return waitingWords(j, h.Providers)
	case ledger.JobSucceeded:
		return doneWords(j)
	case ledger.JobCancelled:
		return cancelledWords(j)
	}
	return failedWords(j)
}

// stateSince is the moment from which a job's page counts, or nil where
// counting says nothing.
func stateSince(j *ledger.Job) *time.Time {
	if j.State == ledger.JobSucceeded || j.State == ledger.JobCancelled {
		return nil
	}
	if a := j.OpenAttempt(); a != nil {
		return &a.StateAt
	}
	if a := lastReleased(j); a != nil && j.State == ledger.JobUnknown {
		return &a.StateAt
	}
	return nil
}

// stateAt is the moment at which a job ended, or nil while it has not.
func stateAt(j *ledger.Job) *time.Time {
	switch j.State {
	case ledger.JobSucceeded:
		return j.CompletedAt
	case ledger.JobCancelled:
		return j.CancelledAt
	case ledger.JobFailed:
		if a := lastAttempt(j); a != nil {
			return a.EndedAt
		}
	}
	return nil
}

func lastAttempt(j *ledger.Job) *ledger.Attempt {
	if len(j.Attempts) == 0 {
		return nil
	}
	return &j.Attempts[len(j.Attempts)-1]
}

func lastReleased(j *ledger.Job) *ledger.Attempt {
	for i := len(j.Attempts) - 1; i >= 0; i-- {
		if j.Attempts[i].State == ledger.Released {
			return &j.Attempts[i]
		}
	}
	return nil
}

// stillOut is an attempt that a provider may be working on although the job is
// over or waits for it no more.
func stillOut(j *ledger.Job) *ledger.Attempt {
	for i := range j.Attempts {
		switch j.Attempts[i].State {
		case ledger.Running, ledger.Unknown, ledger.Released:
			return &j.Attempts[i]
		}
	}
	return nil
}

// sentTo is where the job's next attempt, or its first, goes.
func sentTo(j *ledger.Job) string {
	if a := j.OpenAttempt(); a != nil {
		return a.Provider
	}
	if j.NextProvider != "" {
		return j.NextProvider
	}
	if len(j.Route) > 0 {
		return j.Route[0]
	}
	return ""
}

// mayBeCharged are the attempts that a provider may have billed although they
// brought no result. One that is still running is not among them: nothing is
// known of it yet.
func mayBeCharged(j *ledger.Job) []ledger.Attempt {
	var list []ledger.Attempt
	for _, a := range j.Attempts {
		won := j.CompletedBy != nil && *j.CompletedBy == a.ID
		if !won && (a.Outcome == outcome.Succeeded || mayCost(a)) {
			list = append(list, a)
		}
	}
	return list
}

// charged tells whether the provider may have billed an attempt. One that was
// cancelled keeps the doubt that it was cancelled in: it had been sent.
func charged(a ledger.Attempt) bool {
	if a.State == ledger.Pending {
		return false
	}
	if a.State == ledger.Cancelled || a.Outcome == outcome.None {
		return a.SentAt != nil
	}
	return a.Outcome.MayHaveBeenCharged()
}
