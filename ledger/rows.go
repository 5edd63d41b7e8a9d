package ledger

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"kwit/db"
	"kwit/outcome"
)

func jobOf(r db.Job) Job {
	return Job{
		OwnerID: r.OwnerID, ID: r.ID, Number: r.Number, IdempotencyKey: r.IdempotencyKey, JobType: r.JobType,
		JobTypeDigest: r.JobTypeDigest, Input: r.Input, Fingerprint: r.Fingerprint, Route: r.Route,
		State: JobState(r.State), Version: r.Version, Revision: r.Revision, CompletedBy: r.CompletedBy,
		CompletedAt: r.CompletedAt, Result: r.Result, ResultSHA256: r.ResultSHA256, PurgedAt: r.PurgedAt,
		NextAttemptAt: r.NextAttemptAt, NextProvider: value(r.NextProvider), CancelledAt: r.CancelledAt,
		CreatedAt: r.CreatedAt,
	}
}

func attemptOf(r db.Attempt) Attempt {
	return Attempt{
		OwnerID: r.OwnerID, ID: r.ID, JobID: r.JobID, Ordinal: r.Ordinal, Provider: r.Provider, Automatic: r.Automatic,
		State: AttemptState(r.State), StateAt: r.StateAt, JobVersion: r.JobVersion, ClaimStamp: r.ClaimStamp,
		ClaimedBy: r.ClaimedBy, StartedAt: r.StartedAt, HeartbeatAt: r.HeartbeatAt, SentAt: r.SentAt,
		AcceptedAt: r.AcceptedAt, Deadline: r.Deadline, ProviderRequestID: value(r.ProviderRequestID),
		Outcome: outcome.Outcome(value(r.Outcome)), Detail: r.Detail, Evidence: r.Evidence, Usage: r.Usage,
		CreatedAt: r.CreatedAt, EndedAt: r.EndedAt, NextEnquiryAt: r.NextEnquiryAt, EnquiryCount: r.EnquiryCount,
	}
}

func attemptsOf(rows []db.Attempt) []Attempt {
	all := make([]Attempt, len(rows))
	for i, r := range rows {
		all[i] = attemptOf(r)
	}
	return all
}

func jobListed(r db.JobsOfOwnerRow) Job {
	return Job{
		OwnerID: r.OwnerID, ID: r.ID, Number: r.Number, IdempotencyKey: r.IdempotencyKey, JobType: r.JobType,
		Route: r.Route, State: JobState(r.State), Version: r.Version, Revision: r.Revision, CompletedBy: r.CompletedBy,
		CompletedAt: r.CompletedAt, NextAttemptAt: r.NextAttemptAt, CreatedAt: r.CreatedAt,
	}
}

func eventOf(r db.EventsRow) Event {
	e := Event{
		Seq: r.Seq, OwnerID: r.OwnerID, ID: r.ID, At: r.At, ActorKind: ActorKind(r.ActorKind), ActorID: r.ActorID,
		ActorMail: value(r.ActorEmail), Action: r.Action, JobID: r.JobID, AttemptID: r.AttemptID,
		From: value(r.FromState), To: value(r.ToState), Reason: r.Reason, RequestID: r.RequestID,
	}
	if r.JobNumber != nil {
		e.Number = *r.JobNumber
	}
	return e
}

func lateResultOf(r db.LateResultsRow) LateResult {
	late := LateResult{
		Seq: r.Seq, AttemptID: r.AttemptID, JobID: r.JobID, Number: r.Number, JobType: r.JobType, Provider: r.Provider,
		Ordinal: r.Ordinal, Why: LateReason(r.Why), ReceivedAt: r.ReceivedAt,
		LateBy: time.Duration(r.LateByMs) * time.Millisecond, Bytes: r.Bytes, SHA256: r.SHA256, MediaType: r.MediaType,
		SameAsWinner: r.SameAsWinner, WinnerID: r.WinnerAttemptID, WinnerProvider: value(r.WinnerProvider), Usage: r.Usage,
	}
	if r.WinnerOrdinal != nil {
		late.WinnerOrdinal = *r.WinnerOrdinal
	}
	return late
}

func openCaseOf(r db.AttemptsInStateRow) OpenCase {
	return OpenCase{
		Attempt: Attempt{
			OwnerID: r.OwnerID, ID: r.ID, JobID: r.JobID, Ordinal: r.Ordinal, Provider: r.Provider,
			State: AttemptState(r.State), StateAt: r.StateAt, SentAt: r.SentAt, StartedAt: r.StartedAt,
			AcceptedAt: r.AcceptedAt, Deadline: r.Deadline, Outcome: outcome.Outcome(value(r.Outcome)), Detail: r.Detail,
			Evidence: r.Evidence, Usage: r.Usage, ProviderRequestID: value(r.ProviderRequestID), CreatedAt: r.CreatedAt,
			NextEnquiryAt: r.NextEnquiryAt, EnquiryCount: r.EnquiryCount,
		},
		Number: r.Number, JobType: r.JobType, OwnerName: r.OwnerName, OwnerMail: r.OwnerEmail, Repeatable: r.Repeatable,
	}
}

// optional maps the empty text to NULL.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	s = clean(s)
	return &s
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// clean makes a text that came from outside storable: PostgreSQL's text refuses
// NUL and invalid UTF-8, and no wording is worth a lost transition.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// mostRequestID is how many bytes of a provider's request id are kept: an index
// finds the attempt by it, and takes no more than a third of a page.
const mostRequestID = 500

// requestID is a provider's own id for a request, as it may be stored, or NULL.
func requestID(s string) *string {
	if len(s) > mostRequestID {
		s = s[:mostRequestID]
	}
	return optional(s)
}

// clean is the evidence without what jsonb refuses.
func (e Evidence) clean() Evidence {
	e.MediaType, e.Late, e.Cancel = clean(e.MediaType), clean(e.Late), clean(e.Cancel)
	return e
}

// storable is usage as PostgreSQL's json takes it, or nothing where it is no JSON.
func storable(usage json.RawMessage) []byte {
	if !json.Valid(usage) || !utf8.Valid(usage) {
		return nil
	}
	return usage
}
