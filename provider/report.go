package provider

import (
	"net/http"

	"kwit/outcome"
)

// Told is what a provider says became of an earlier request.
type Told string

// What can be told. Only the first two settle an attempt.
const (
	ToldSucceeded Told = "succeeded" // done, with the result
	ToldFailed    Told = "failed"    // over, without a usable result
	ToldRunning   Told = "running"   // at work
	ToldNotKnown  Told = "not_known" // it knows of no such request, which proves nothing (2-ledger, "Enquiries")
	ToldNoAnswer  Told = "no_answer" // nothing came, or nothing that can be relied upon
)

// Report is what a provider says about an earlier request: when it is asked (an
// enquiry, a poll after 202), when the request is sent again as an enquiry, or
// by itself in a callback.
type Report struct {
	Told Told
	// End is what the report means for the attempt, where it settles one:
	// Succeeded with the result, or ProviderError or Contract with the reason;
	// usage and the provider's id as far as they were told. Answer is the raw
	// answer that said so. BytesWritten and Sealed are of no call of the
	// attempt and stay zero.
	End End
	// Status is that of the answer in HTTP; 0 where none arrived.
	Status int
	// Detail says in plain words what was told, for the attempt's list of
	// enquiries. It is never empty.
	Detail string
}

// Settles tells whether the report speaks about the end of the first request.
func (r Report) Settles() bool { return r.Told == ToldSucceeded || r.Told == ToldFailed }

// ReportEnd is the report of an end that a provider told: it settles the
// attempt where the end is Succeeded, ProviderError or Contract, says running
// where it is Accepted, and otherwise settles nothing.
func ReportEnd(end End) Report {
	r := Report{Told: ToldNoAnswer, Detail: end.Detail}
	end.BytesWritten, end.Sealed, end.KeepError = 0, false, nil
	switch {
	case end.Accepted:
		r.Told = ToldRunning
	case end.Outcome == outcome.Succeeded:
		r.Told, r.End = ToldSucceeded, end
	case end.Outcome == outcome.ProviderError, end.Outcome == outcome.Contract:
		r.Told, r.End = ToldFailed, end
	}
	if end.Answer != nil {
		r.Status = end.Answer.Status
	}
	return r
}

// HeaderEnquiry marks a request that was sent before and is sent again to learn
// what became of it. Its value is "1".
const HeaderEnquiry = "X-Kwit-Enquiry"

// HeaderCallback carries the address at which the provider may call back.
const HeaderCallback = "X-Kwit-Callback"

// AsEnquiry is the same request, marked as an enquiry by replay.
func (r Request) AsEnquiry() Request {
	r.Header = r.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(HeaderEnquiry, "1")
	return r
}
