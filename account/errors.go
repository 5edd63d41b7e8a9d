package account

import (
	"errors"
	"fmt"
	"time"
)

// What a caller may have to tell apart. Any other error means that the database
// did not answer, or that the context ended.
var (
	ErrUnknownPerson = errors.New("there is no such person")
	ErrEmailTaken    = errors.New("this e-mail address belongs to somebody already")
	ErrDisabled      = errors.New("this person is disabled")

	// ErrBadCredentials is the one answer to an unknown address, a wrong
	// password and a disabled person.
	ErrBadCredentials = errors.New("e-mail address or password is wrong")
	// ErrBusy says that too many passwords are being checked: try again in some
	// seconds (429).
	ErrBusy = errors.New("too many people are signing in just now: try again in some seconds")
	// ErrSignedOut says that the request carries no session that is alive.
	ErrSignedOut = errors.New("nobody is signed in")

	// ErrBadToken is the one answer to a token that is malformed, unknown or
	// revoked, or whose owner is disabled.
	ErrBadToken     = errors.New("this API token is not valid (any more)")
	ErrUnknownToken = errors.New("this person has no such API token")
	// ErrTokenExists says that the id has its token already.
	ErrTokenExists = errors.New("this API token was made already")

	// ErrBadDraft says that the form's draft field is not one that kwit made for
	// this key, so nothing was kept.
	ErrBadDraft = errors.New("the form's draft field does not fit its key")
	ErrNoDraft  = errors.New("nothing is kept under this key")
)

// InvalidError says which detail of a person or token cannot be taken, and why.
type InvalidError struct {
	Field  string // email, name, role, password: the name of the form's field
	Reason string // a sentence's end: "must have at least 8 characters"
}

func (e *InvalidError) Error() string { return fmt.Sprintf("the %s %s", e.Field, e.Reason) }

// ThrottledError says that there were too many wrong passwords for one account
// or from one address (429). The password was not looked at.
type ThrottledError struct {
	RetryAfter time.Duration // until the next try is looked at
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("too many wrong passwords: try again in %d seconds", e.Seconds())
}

// Seconds is RetryAfter in whole seconds, at least one, for the header Retry-After.
func (e *ThrottledError) Seconds() int {
	return max(1, int((e.RetryAfter+time.Second-1)/time.Second))
}
