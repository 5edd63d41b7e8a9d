package dispatch

import (
	"context"
	"fmt"
	"strings"

	"kwit/contract"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/provider"
)

// Judge tells the ledger what a provider's answer means for an attempt, by the
// rules of the version under which its job was submitted. Answers reach it from
// the worker that sent the request, from whoever swept up a dead worker's, from
// enquiries and from callbacks; for all of them it is the one gate.
type Judge struct {
	Ledger *ledger.Ledger
	// Contract returns the contract of the job type's version with this digest.
	Contract func(ctx context.Context, digest string) (*contract.Contract, error)
	Timing   func(jobType string) Timing
}

// Answer completes or fails the attempt by an end that settles it. The end of a
// call that settles nothing is the caller's to tell.
func (j *Judge) Answer(ctx context.Context, job *ledger.Job, a *ledger.Attempt, end provider.End, call ledger.Call) (ledger.Verdict, error) {
	rules, err := j.Contract(ctx, job.JobTypeDigest)
	if err != nil {
		return ledger.Verdict{}, err
	}
	if rules.UnwrapFence() {
		end = end.Unwrap()
	}
	if end.Outcome == outcome.Succeeded {
		result, unwrapped, faults := rules.Gate(end.Result)
		end.Result, end.Unwrapped = result, end.Unwrapped || unwrapped
		if len(faults) > 0 {
			end.Outcome, end.Detail = outcome.Contract, describe(faults)
		}
	}
	call.Evidence.Unwrapped = end.Unwrapped
	if end.Outcome != outcome.Succeeded {
		state, err := j.fail(ctx, job, a, end, call)
		return ledger.Verdict{State: state}, err
	}
	return j.Ledger.Complete(ctx, ledger.Completion{Owner: a.OwnerID, Attempt: a.ID, Result: end.Result,
		MediaType: call.Evidence.MediaType, Call: call, Actor: byProvider})
}

// Report completes or fails the attempt by what its provider told about an
// earlier request. A report that does not settle it changes nothing.
func (j *Judge) Report(ctx context.Context, job *ledger.Job, a *ledger.Attempt, r provider.Report) error {
	if !r.Settles() {
		return nil
	}
	_, err := j.Answer(ctx, job, a, r.End, callOf(r.End))
	return err
}

var byProvider = ledger.Actor{Kind: ledger.ByProvider}

func (j *Judge) fail(ctx context.Context, job *ledger.Job, a *ledger.Attempt, end provider.End, call ledger.Call) (ledger.AttemptState, error) {
	version, err := j.Ledger.JobTypeVersion(ctx, job.JobTypeDigest)
	if err != nil {
		return "", err
	}
	f := ledger.Failure{Owner: a.OwnerID, Attempt: a.ID, Outcome: end.Outcome, Detail: end.Detail, Call: call,
		Retry:      ledger.Retry{Attempts: j.Timing(job.JobType).Attempts, Repeatable: version.Repeatable},
		RetryAfter: end.RetryAfter}
	if a.ClaimStamp != nil {
		f.Stamp = *a.ClaimStamp
	}
	if end.Outcome != outcome.NotSent {
		f.Actor = byProvider
	}
	return j.Ledger.Fail(ctx, f)
}

// callOf is what an end says of its call, beside the instant of its first byte.
func callOf(end provider.End) ledger.Call {
	call := ledger.Call{ProviderRequestID: end.ProviderRequestID, Usage: end.Usage}
	if end.Answer != nil {
		call.Body = end.Answer.Body
		call.Evidence = ledger.Evidence{Status: end.Answer.Status, MediaType: end.Answer.MediaType,
			AnswerBytes: int64(len(end.Answer.Body))}
	}
	return call
}

// describe says the first faults of an answer, which may have thousands.
func describe(faults []contract.Fault) string {
	const most = 5
	var lines []string
	for _, f := range faults[:min(most, len(faults))] {
		lines = append(lines, f.String())
	}
	if rest := len(faults) - most; rest > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(lines, "; ")
}
