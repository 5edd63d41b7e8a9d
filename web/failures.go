package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kwit/account"
	"kwit/contract"
	"kwit/db"
	"kwit/ledger"
)

// kind is a kind of failure: its status, and a title that never changes.
type kind struct {
	status int
	title  string
}

// kinds are the stable codes of the API. `type` of a problem document ends in
// one of them, and /problems/CODE explains it.
var kinds = map[string]kind{
	"idempotency-key-missing":  {http.StatusBadRequest, "The Idempotency-Key header is missing"},
	"idempotency-key-invalid":  {http.StatusBadRequest, "The Idempotency-Key header cannot be used"},
	"malformed-request":        {http.StatusBadRequest, "The request cannot be read"},
	"invalid-parameter":        {http.StatusBadRequest, "A parameter of the address cannot be used"},
	"invalid-cursor":           {http.StatusBadRequest, "The cursor is not one of this list"},
	"unauthenticated":          {http.StatusUnauthorized, "No valid credentials"},
	"callback-not-signed":      {http.StatusUnauthorized, "The callback is not signed by the attempt's provider"},
	"forbidden":                {http.StatusForbidden, "Your role does not allow this"},
	"cross-origin":             {http.StatusForbidden, "Sent from another site"},
	"provider-not-certified":   {http.StatusForbidden, "The provider is not certified for this job type"},
	"not-found":                {http.StatusNotFound, "There is nothing here"},
	"method-not-allowed":       {http.StatusMethodNotAllowed, "This address does not take that method"},
	"idempotency-key-conflict": {http.StatusConflict, "The key stands for another intent"},
	"attempt-open":             {http.StatusConflict, "An attempt of this job is still open"},
	"attempt-differs":          {http.StatusConflict, "The attempt is there already, at another provider"},
	"attempt-changed":          {http.StatusConflict, "The attempt is in another state by now"},
	"ordinal-mismatch":         {http.StatusConflict, "This is not the next attempt"},
	"job-completed":            {http.StatusConflict, "The job has its result"},
	"job-cancelled":            {http.StatusConflict, "The job is cancelled"},
	"cannot-enquire":           {http.StatusConflict, "The provider cannot be asked about this attempt"},
	"provider-changed":         {http.StatusConflict, "The provider is in another state by now"},
	"not-repeatable":           {http.StatusConflict, "This work must not run twice"},
	"body-too-large":           {http.StatusRequestEntityTooLarge, "The request is too large"},
	"unsupported-media-type":   {http.StatusUnsupportedMediaType, "The body has another media type"},
	"wrong-host":               {http.StatusMisdirectedRequest, "This server does not answer for that host"},
	"input-invalid":            {http.StatusUnprocessableEntity, "The input does not fit the job type"},
	"result-invalid":           {http.StatusUnprocessableEntity, "The result breaks the output contract"},
	"unprocessable":            {http.StatusUnprocessableEntity, "The request does not fit"},
	"too-many-requests":        {http.StatusTooManyRequests, "Too much at once"},
	"internal-error":           {http.StatusInternalServerError, "Something broke on our side"},
	"outcome-unknown":          {http.StatusServiceUnavailable, "It is not known yet whether it was stored"},
	"overloaded":               {http.StatusServiceUnavailable, "The database cannot store anything just now"},
	"not-ready":                {http.StatusServiceUnavailable, "Not ready"},
}

// failure is what a request is refused with. It is an error, so that handlers
// return it where no inner package has a word for what is wrong.
type failure struct {
	kind
	code       string
	detail     string         // what to do, in a sentence or two
	members    map[string]any // more members of the problem document
	faults     []contract.Fault
	retryAfter time.Duration
	header     http.Header
	cause      error // for the log; nil where the sender is at fault
}

func (f *failure) Error() string { return f.code + ": " + f.detail }

func refuse(code, detail string, args ...any) *failure {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	k, ok := kinds[code]
	if !ok {
		panic("web: no such kind of failure: " + code)
	}
	return &failure{kind: k, code: code, detail: detail}
}

func (f *failure) with(name string, value any) *failure {
	if f.members == nil {
		f.members = map[string]any{}
	}
	f.members[name] = value
	return f
}

func (f *failure) at(faults ...contract.Fault) *failure {
	f.faults = append(f.faults, faults...)
	return f
}

func (f *failure) after(d time.Duration) *failure {
	f.retryAfter = d
	return f
}

// internalError is a fault of kwit itself, as opposed to a database that does
// not answer.
type internalError struct{ cause error }

func (e *internalError) Error() string { return e.cause.Error() }
func (e *internalError) Unwrap() error { return e.cause }

var (
	errNoPage   = refuse("not-found", "There is nothing at this address. Look at how it is spelt, or begin at the start page.")
	errSignedIn = refuse("unauthenticated", "Sign in first.")
)

// failureOf is the one table from errors to answers.
func failureOf(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	if f := failureOfLedger(err); f != nil {
		return f
	}
	var throttled *account.ThrottledError
	var invalid *account.InvalidError
	var internal *internalError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return refuse("body-too-large", "Send at most %d bytes.", tooLarge.Limit).with("limit", tooLarge.Limit)
	case errors.As(err, &throttled):
		return refuse("too-many-requests", "There were too many wrong passwords. Try again in %d seconds.", throttled.Seconds()).
			after(throttled.RetryAfter)
	case errors.Is(err, account.ErrBusy):
		return refuse("too-many-requests", "Many people are signing in just now. Try again in some seconds.").after(5 * time.Second)
	case errors.Is(err, account.ErrSignedOut):
		return errSignedIn
	case errors.Is(err, account.ErrBadToken):
		return refuse("unauthenticated", "The token is unknown or revoked, or its owner is disabled. Make a new one on your account page.")
	case errors.As(err, &invalid):
		return refuse("unprocessable", "The %s %s.", invalid.Field, invalid.Reason).
			at(contract.Fault{Pointer: "/" + invalid.Field, Detail: invalid.Reason})
	case errors.Is(err, account.ErrUnknownToken):
		return refuse("not-found", "You have no such token.")
	case errors.As(err, &internal):
		return brokeOnOurSide(err)
	case db.Unreachable(err) || db.Overloaded(err) || errors.Is(err, context.DeadlineExceeded):
		f := refuse("overloaded", "Nothing was stored. Send the same request again, under the same key, in a few seconds.").after(2 * time.Second)
		f.cause = err
		return f
	}
	return brokeOnOurSide(err)
}

func brokeOnOurSide(err error) *failure {
	f := refuse("internal-error", "It is not your fault. Sending the same request again under the same key is safe. "+
		"If it happens again, tell your administrator the request's id.")
	f.cause = err
	return f
}

// failureOfLedger is the part of the table for what the ledger refuses; nil for
// any other error.
func failureOfLedger(err error) *failure {
	var conflict *ledger.ConflictError
	var open *ledger.OpenAttemptError
	var differs *ledger.AttemptDiffersError
	var mismatch *ledger.OrdinalMismatchError
	var uncertified *ledger.NotCertifiedError
	var elsewhere *ledger.NotOnRouteError
	var changed *ledger.AttemptChangedError
	switch {
	case errors.Is(err, ledger.ErrOutcomeUnknown):
		f := refuse("outcome-unknown", "It may have been stored or not. Send the same request again, under the same key: "+
			"that is safe, and answers with what is there.").after(2 * time.Second)
		f.cause = err
		return f
	case errors.Is(err, ledger.ErrNotFound):
		return refuse("not-found", "There is nothing of yours under this id.")
	case errors.As(err, &conflict):
		return refuse("idempotency-key-conflict", "The key was sent before with another job type, input or route, and stands for job %s. "+
			"Nothing was started now. For new work send a new key.", conflict.Existing.ID).with("existing_job", conflict.Existing.ID)
	case errors.As(err, &open):
		return refuse("attempt-open", "Attempt %d is still %s. Another one can start when it is settled.", open.Ordinal, open.State).
			with("blocking_attempt", open.Blocking)
	case errors.As(err, &differs):
		return refuse("attempt-differs", "Attempt %d is there already, at %s. Leave the provider out, or name the next ordinal.",
			differs.Existing.Ordinal, differs.Existing.Provider).with("attempt", differs.Existing.ID)
	case errors.As(err, &mismatch):
		return refuse("ordinal-mismatch", "The next attempt has the ordinal %d.", mismatch.Next).with("next_ordinal", mismatch.Next)
	case errors.As(err, &uncertified):
		return refuse("provider-not-certified", "%s has not proved that it keeps the contract of this job type. "+
			"Support may name it, with a reason.", uncertified.Provider)
	case errors.As(err, &elsewhere):
		return refuse("unprocessable", "The job can go to: %v.", elsewhere.Route).
			at(contract.Fault{Pointer: "/provider", Detail: "is not on the job's route"})
	case errors.As(err, &changed):
		return refuse("attempt-changed", "The attempt is %s now, by %s. Look at it again before you act.", changed.State, changed.By).
			with("state", changed.State).with("by", changed.By).with("at", stamp(changed.At))
	case errors.Is(err, ledger.ErrReasonRequired):
		return refuse("unprocessable", "Say why: the reason stands in the audit log.").
			at(contract.Fault{Pointer: "/reason", Detail: "is required here"})
	case errors.Is(err, ledger.ErrJobCompleted):
		return refuse("job-completed", "A result is final. For the same work again, submit a new job.")
	case errors.Is(err, ledger.ErrJobCancelled):
		return refuse("job-cancelled", "A cancelled job stays cancelled. For the same work, submit a new job.")
	case errors.Is(err, ledger.ErrNotRepeatable):
		return refuse("not-repeatable", "The job type does not say that running the work twice harms nobody. Cancel or resolve the attempt instead.")
	}
	return nil
}
