package provider

import (
	"context"
	"time"
)

// EnquireTimeout bounds one enquiry, connecting included.
const EnquireTimeout = 10 * time.Second

// CancelTimeout bounds one call for cancelling (2-ledger, "Cancel").
const CancelTimeout = 5 * time.Second

// Enquirer is a [Provider] that can be asked what became of an earlier request
// without sending it again. Find one with [EnquirerOf].
type Enquirer interface {
	// CanEnquire tells whether this provider is configured so that it can.
	CanEnquire() bool

	// Enquire asks once, for at most [EnquireTimeout], and never asks again by
	// itself. r is the request as it was sent; its body need not be there.
	// providerRequestID is the provider's own name for it, empty where none is
	// known.
	//
	// Only a whole answer that can be read and says succeeded or failed settles
	// the attempt. "Not known here" proves nothing, however often it is said.
	Enquire(ctx context.Context, r Request, providerRequestID string) Report
}

// Canceller is a [Provider] that can be told to stop. Find one with
// [CancellerOf].
type Canceller interface {
	// CanCancel tells whether this provider is configured so that it can.
	CanCancel() bool

	// Cancel tells the provider once, for at most [CancelTimeout], that nobody
	// wants the work any more, and answers in plain words what it said. It
	// changes nothing here: the fence is the attempt's own state, which was
	// committed before (2-ledger, "Cancel").
	Cancel(ctx context.Context, r Request, providerRequestID string) (detail string)
}

// Replayer is a [Provider] that honours idempotency keys: the same request with
// the same key is answered with what became of the first one. Find one with
// [ReplayerOf].
//
// A replay is itself a send and may carry out the work, so who replays has
// committed that before its first byte (2-ledger, "Enquiries"): [Provider.Send]
// with [Request.AsEnquiry], and then [ReportReplay] on its end.
type Replayer interface {
	// ReplayWithin is how long after the first send the request may be sent
	// again; 0 where the provider does not honour keys.
	ReplayWithin() time.Duration

	// JudgeReplay says what the answer to a replay tells about the first
	// request. Only a whole 2xx, or the error that the provider stored for the
	// key, settles it; any other 4xx, 429, every other 5xx and "in progress"
	// do not.
	JudgeReplay(Answer) Report
}

// EnquirerOf finds p's way of enquiring, where it is configured to have one.
func EnquirerOf(p Provider) (Enquirer, bool) {
	e, ok := p.(Enquirer)
	return e, ok && e.CanEnquire()
}

// CancellerOf finds p's way of cancelling, where it is configured to have one.
func CancellerOf(p Provider) (Canceller, bool) {
	c, ok := p.(Canceller)
	return c, ok && c.CanCancel()
}

// ReplayerOf finds p's way of replaying, where it is configured to honour keys.
func ReplayerOf(p Provider) (Replayer, bool) {
	r, ok := p.(Replayer)
	return r, ok && r.ReplayWithin() > 0
}

// ReportReplay says what the end of a replay tells about the first request.
// How the replay itself was sent, refused or lost proves nothing about it.
func ReportReplay(p Replayer, end End) Report {
	if end.Answer == nil {
		return Report{Told: ToldNoAnswer, Detail: "The request was sent again as an enquiry, without an answer. " + end.Detail}
	}
	return p.JudgeReplay(*end.Answer)
}
