// Package outcome names what became of an attempt, in one word each.
//
// The line runs between surely not acted on and perhaps acted on: whatever is
// not surely known is a doubt (2-ledger, "What a provider call's end means").
// The words are stored in the database and shown by the API, so they never
// change their meaning.
package outcome

// Outcome is what became of an attempt. The empty word means that nothing is
// known yet.
type Outcome string

// The words. Their rows in the outcome table say when each one applies.
const (
	None           Outcome = ""
	Succeeded      Outcome = "succeeded"       // a whole answer that keeps the output contract
	NotSent        Outcome = "not_sent"        // no byte of the request left
	NotProcessed   Outcome = "not_processed"   // the provider says that it did not act
	Rejected       Outcome = "rejected"        // a permanent refusal
	ProviderError  Outcome = "provider_error"  // the provider's own word that it failed
	Contract       Outcome = "contract"        // done, but the answer breaks the output contract
	Timeout        Outcome = "timeout"         // sent, and no answer by the deadline
	ConnectionLost Outcome = "connection_lost" // sent at least in part, closed before a whole header
	AnswerLost     Outcome = "answer_lost"     // an answer began and was cut or cannot be decoded
	ServerError    Outcome = "server_error"    // a status that settles nothing
	WorkerLost     Outcome = "worker_lost"     // the worker died between claim and end
	Cancelled      Outcome = "cancelled"       // a person, or a sibling's win, ended it
)

// Doubt tells whether the word says "perhaps acted on": such an attempt is
// unknown, never failed (C09).
func (o Outcome) Doubt() bool {
	switch o {
	case Timeout, ConnectionLost, AnswerLost, ServerError, WorkerLost:
		return true
	}
	return false
}

// Failure tells whether the word is a definite failure of a provider call.
func (o Outcome) Failure() bool {
	switch o {
	case NotSent, NotProcessed, Rejected, ProviderError, Contract:
		return true
	}
	return false
}

// MayHaveBeenCharged tells whether the provider may have done, and billed, the
// work: true for every doubt, and for failures that came after the work.
func (o Outcome) MayHaveBeenCharged() bool {
	return o.Doubt() || o == Succeeded || o == ProviderError || o == Contract
}
