package views

import "kwit/ledger"

// Mark is a state as people see it: a word, a shape and a colour, the same
// everywhere (6-look-and-words).
type Mark string

// The marks. Jobs and attempts share them: an attempt that is pending looks
// like a job that is queued.
const (
	Queued    Mark = "queued"
	Running   Mark = "running"
	Unknown   Mark = "unknown"
	Waiting   Mark = "waiting"
	Done      Mark = "done"
	Failed    Mark = "failed"
	Cancelled Mark = "cancelled"
	Released  Mark = "released"
	Late      Mark = "late"
)

// Word is what stands beside the shape.
func (m Mark) Word() string {
	if m == Late {
		return "came too late"
	}
	return string(m)
}

// MarkOfJob is the mark of a job's state.
func MarkOfJob(s ledger.JobState) Mark {
	if s == ledger.JobSucceeded {
		return Done
	}
	return Mark(s) // the other states are called as their marks are
}

// MarkOfAttempt is the mark of an attempt's state.
func MarkOfAttempt(s ledger.AttemptState) Mark {
	switch s {
	case ledger.Pending:
		return Queued
	case ledger.Succeeded:
		return Done
	case ledger.Discarded:
		return Late
	}
	return Mark(s)
}
