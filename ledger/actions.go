package ledger

// The actions of events: what was done, one word for each transition.
const (
	ActionSubmitted     = "submitted"
	ActionAttemptAdded  = "attempt_added"
	ActionClaimed       = "claimed"
	ActionAccepted      = "accepted"
	ActionCompleted     = "completed"
	ActionDiscarded     = "discarded"
	ActionFailed        = "failed"
	ActionDoubted       = "doubted"
	ActionCancelled     = "cancelled"
	ActionReleased      = "released"
	ActionResolved      = "resolved"
	ActionLateResult    = "late_result"
	ActionRetryPlanned  = "retry_planned"
	ActionEnquiryAsked  = "enquiry_asked"
	ActionReplayed      = "replayed"
	ActionForgottenSend = "forgotten_send"
	ActionJobCancelled  = "job_cancelled"
)
