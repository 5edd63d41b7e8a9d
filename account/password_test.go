package account

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"kwit/db/dbtest"
)

func TestTheDecoyCostsWhatAnyHashCosts(t *testing.T) {
	t.Parallel()
	match, params, err := argon2id.CheckHash("", newDecoy())
	if match || err != nil || *params != hashing {
		t.Errorf("%v, %+v, %v", match, params, err)
	}
}

func TestAHashWaitsForASlotAndNotForEver(t *testing.T) {
	t.Parallel()
	h := newHasher()
	release, err := h.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.acquire(t.Context()); err != nil {
		t.Fatalf("no second slot: %v", err)
	}
	h.patience = time.Millisecond
	if _, err := h.hash(t.Context(), "password"); !errors.Is(err, ErrBusy) {
		t.Errorf("a third hash: %v", err)
	}

	gone, leave := context.WithCancel(t.Context())
	leave()
	h.patience = time.Minute
	if _, err := h.hash(gone, "password"); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that went away: %v", err)
	}

	hashed := make(chan error)
	go func() {
		_, err := h.hash(t.Context(), "password")
		hashed <- err
	}()
	release()
	if err := <-hashed; err != nil {
		t.Errorf("after a slot became free: %v", err)
	}
}

// Nothing that is wrong with credentials spares the hash, which would show by
// the time it takes: with no slot free, all get as far as waiting for one.
func TestAllWrongCredentialsCostOneHash(t *testing.T) {
	t.Parallel()
	a := New(dbtest.New(t))
	for _, email := range []string{"here@example.org", "gone@example.org"} {
		if _, err := a.Add(t.Context(), NewPerson{Email: email, Role: RoleUser, Password: "a good password"}); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := a.ByEmail(t.Context(), "gone@example.org")
	if err == nil {
		err = a.Disable(t.Context(), gone.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[string]Credentials{
		"wrong password":  {Email: "here@example.org", Password: "a bad password"},
		"empty password":  {Email: "here@example.org"},
		"unknown address": {Email: "nobody@example.org", Password: "a good password"},
		"no address":      {Email: "nob\x00dy", Password: "a good password"},
		"disabled":        {Email: "gone@example.org", Password: "a good password"},
	}
	for what, c := range wrong {
		if _, err := a.authenticate(t.Context(), c); !errors.Is(err, ErrBadCredentials) {
			t.Errorf("%s: %v", what, err)
		}
	}
	a.hasher.patience = time.Millisecond
	for range hashesAtOnce {
		if _, err := a.hasher.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range wrong {
		if _, err := a.authenticate(t.Context(), c); !errors.Is(err, ErrBusy) {
			t.Errorf("%s, no slot free: %v", what, err)
		}
	}
}

func TestManyWrongPasswordsAreThrottledByAccountAndByAddress(t *testing.T) {
	t.Parallel()
	a := New(dbtest.New(t))
	a.wrongByEmail = newThrottle[string](3, time.Hour)
	a.wrongByAddress = newThrottle[netip.Prefix](5, time.Hour)
	const good = "a good password"
	for _, email := range []string{"ewa@example.org", "jan@example.org"} {
		if _, err := a.Add(t.Context(), NewPerson{Email: email, Role: RoleUser, Password: good}); err != nil {
			t.Fatal(err)
		}
	}
	home, office := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	refused := func(c Credentials) bool {
		_, err := a.authenticate(t.Context(), c)
		throttled := new(ThrottledError)
		if errors.As(err, &throttled) && (throttled.Seconds() < 3590 || throttled.Seconds() > 3600) {
			t.Errorf("to try again after %d s", throttled.Seconds())
		}
		return throttled.RetryAfter > 0
	}

	for range 3 {
		if refused(Credentials{Email: "ewa@example.org", Password: "a guess", Address: home}) {
			t.Fatal("refused within the burst")
		}
	}
	if !refused(Credentials{Email: "EWA@example.org", Password: good, Address: office}) {
		t.Error("the account is not throttled, whoever asks")
	}
	if refused(Credentials{Email: "jan@example.org", Password: good, Address: home}) {
		t.Error("another account is throttled")
	}
	for range 2 {
		refused(Credentials{Email: "nobody@example.org", Password: "a guess", Address: home})
	}
	if !refused(Credentials{Email: "jan@example.org", Password: good, Address: home}) {
		t.Error("the address is not throttled, whomever it asks for")
	}
	for range 5 {
		if refused(Credentials{Email: "jan@example.org", Password: good, Address: office}) {
			t.Error("right passwords are counted")
		}
	}
}

// Guesses that arrive together must not all pass the throttle before the first
// of them fails: at most one more than the burst, since two are checked at once.
func TestGuessesAtOnceAreThrottled(t *testing.T) {
	t.Parallel()
	a := New(dbtest.New(t))
	a.wrongByEmail = newThrottle[string](3, time.Hour)
	const guesses = 20
	errs := make(chan error, guesses)
	for range guesses {
		go func() {
			_, err := a.authenticate(t.Context(), Credentials{Email: "ewa@example.org", Password: "a guess"})
			errs <- err
		}()
	}
	looked := 0
	for range guesses {
		if err := <-errs; errors.Is(err, ErrBadCredentials) {
			looked++
		}
	}
	if looked < 3 || looked > 4 {
		t.Errorf("%d of %d guesses were looked at", looked, guesses)
	}
}
