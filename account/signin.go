package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/alexedwards/argon2id"
)

// Credentials are what somebody offers to prove who they are.
type Credentials struct {
	Email    string
	Password string
	Address  netip.Addr // where the request came from; the zero value is not throttled
}

// authenticate finds out whose credentials they are. Whatever is wrong with
// them, they cost one hash and are answered with ErrBadCredentials. Errors
// besides: *ThrottledError, ErrBusy.
func (a *Accounts) authenticate(ctx context.Context, c Credentials) (User, error) {
	email, _ := NormalizeEmail(c.Email) // empty if it is none, which is nobody's
	if err := a.throttled(email, c.Address); err != nil {
		return User{}, err
	}
	person, err := a.ByEmail(ctx, email)
	known := err == nil
	if err != nil && !errors.Is(err, ErrUnknownPerson) {
		return User{}, err
	}
	release, err := a.hasher.acquire(ctx)
	if err != nil {
		return User{}, err
	}
	defer release()
	// Again, now that at most two are here: many guesses at once are no way
	// round the throttle.
	if err := a.throttled(email, c.Address); err != nil {
		return User{}, err
	}
	hash := a.hasher.decoy
	if known {
		hash = person.passwordHash
	}
	match, err := argon2id.ComparePasswordAndHash(c.Password, hash)
	if err != nil {
		return User{}, fmt.Errorf("check the password of %s: %w", email, err)
	}
	if !match || !known || person.DisabledAt != nil {
		a.countWrong(email, c.Address)
		return User{}, ErrBadCredentials
	}
	return person, nil
}

// throttled returns a *ThrottledError if account or address has to wait.
func (a *Accounts) throttled(email string, address netip.Addr) error {
	now := time.Now()
	wait := a.wrongByEmail.wait(email, now)
	if address.IsValid() {
		wait = max(wait, a.wrongByAddress.wait(network(address), now))
	}
	if wait > 0 {
		return &ThrottledError{RetryAfter: wait}
	}
	return nil
}

func (a *Accounts) countWrong(email string, address netip.Addr) {
	now := time.Now()
	if email != "" {
		a.wrongByEmail.fail(email, now)
	}
	if address.IsValid() {
		a.wrongByAddress.fail(network(address), now)
	}
}
