package account_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/account"
)

func TestATokenActsAsItsOwner(t *testing.T) {
	t.Parallel()
	a, pool := newAccounts(t)
	p := addPerson(t, a)
	plain, made, err := a.CreateToken(t.Context(), p.ID, " nightly import ")
	ok(t, err)

	if !strings.HasPrefix(plain, "kwit_") || len(plain) < 48 || made.Name != "nightly import" || made.OwnerID != p.ID {
		t.Errorf("made %q, %+v", plain, made)
	}
	who, token, err := a.ByToken(t.Context(), plain)
	ok(t, err)
	if who != p || token.ID != made.ID {
		t.Errorf("acts as %+v with %+v", who, token)
	}
	ok(t, a.SetRole(t.Context(), p.ID, account.RoleSupport))
	if who, _, err = a.ByToken(t.Context(), plain); err != nil || who.Role != account.RoleSupport {
		t.Errorf("acts as %+v, %v", who, err)
	}

	sum := sha256.Sum256([]byte(plain))
	row := ask[string](t, pool, "SELECT api_tokens::text FROM api_tokens WHERE sha256 = $1", sum[:])
	if strings.Contains(row, strings.TrimPrefix(plain, "kwit_")) {
		t.Error("the database holds the token itself")
	}
}

func TestC03_TwoTokensOfOnePersonAreOneOwner(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p, other := addPerson(t, a), addPerson(t, a)
	owner := func(person account.User) uuid.UUID {
		plain, _, err := a.CreateToken(t.Context(), person.ID, "one of several")
		ok(t, err)
		who, _, err := a.ByToken(t.Context(), plain)
		ok(t, err)
		return who.ID
	}
	if first, second := owner(p), owner(p); first != second {
		t.Error("two tokens of one person are two owners")
	}
	if owner(p) == owner(other) {
		t.Error("two people are one owner")
	}
}

func TestATokenEnds(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	for what, end := range map[string]func(account.Token) error{
		"revoked":        func(tok account.Token) error { return a.RevokeToken(t.Context(), tok.OwnerID, tok.ID) },
		"owner disabled": func(tok account.Token) error { return a.Disable(t.Context(), tok.OwnerID) },
	} {
		p := addPerson(t, a)
		plain, token, err := a.CreateToken(t.Context(), p.ID, what)
		ok(t, err)
		ok(t, end(token))
		ok(t, end(token)) // again is no mistake
		if _, _, err := a.ByToken(t.Context(), plain); !errors.Is(err, account.ErrBadToken) {
			t.Errorf("%s: %v", what, err)
		}
		if all := must(a.Tokens(t.Context(), p.ID))(t); len(all) != 1 || all[0].RevokedAt == nil {
			t.Errorf("%s: listed as %+v", what, all)
		}
	}
}

func TestANewPasswordLeavesTokensAlone(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p := addPerson(t, a)
	plain, _, err := a.CreateToken(t.Context(), p.ID, "laptop")
	ok(t, err)
	ok(t, a.SetPassword(t.Context(), p.ID, "another password"))
	_, _, err = a.ByToken(t.Context(), plain)
	ok(t, err)
}

func TestWhatIsNoToken(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	plain, _, err := a.CreateToken(t.Context(), addPerson(t, a).ID, "laptop")
	ok(t, err)
	for _, bad := range []string{
		"", "kwit_", plain[:len(plain)-1], plain + "A", strings.ToLower(plain), "kwit_\x00\xff", strings.TrimPrefix(plain, "kwit_"),
	} {
		if _, _, err := a.ByToken(t.Context(), bad); !errors.Is(err, account.ErrBadToken) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTheUseOfATokenIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	a, pool := newAccounts(t)
	p := addPerson(t, a)
	plain, made, err := a.CreateToken(t.Context(), p.ID, "laptop")
	ok(t, err)
	use := func() time.Time {
		_, _, err := a.ByToken(t.Context(), plain)
		ok(t, err)
		tokens := must(a.Tokens(t.Context(), p.ID))(t)
		if tokens[0].LastUsedAt == nil {
			t.Fatal("the use was not noted")
		}
		return *tokens[0].LastUsedAt
	}
	if made.LastUsedAt != nil {
		t.Errorf("used before its first use: %v", made.LastUsedAt)
	}
	first := use()
	if second := use(); !second.Equal(first) {
		t.Error("noted twice within a minute")
	}
	run(t, pool, "UPDATE api_tokens SET last_used_at = last_used_at - interval '61 seconds'")
	if third := use(); third.Before(first) {
		t.Errorf("not noted after a minute: %v, first %v", third, first)
	}
}

func TestTokensAreMadeAndRevokedByTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p, other := addPerson(t, a), addPerson(t, a)
	plain, token, err := a.CreateToken(t.Context(), p.ID, "laptop")
	ok(t, err)
	for _, id := range []uuid.UUID{token.ID, uuid.New()} {
		if err := a.RevokeToken(t.Context(), other.ID, id); !errors.Is(err, account.ErrUnknownToken) {
			t.Errorf("%s: %v", id, err)
		}
	}
	_, _, err = a.ByToken(t.Context(), plain)
	ok(t, err)

	ok(t, a.Disable(t.Context(), other.ID))
	if _, _, err := a.CreateToken(t.Context(), other.ID, "laptop"); !errors.Is(err, account.ErrDisabled) {
		t.Errorf("for a disabled person: %v", err)
	}
	_, _, err = a.CreateToken(t.Context(), p.ID, "\x00")
	if invalid := new(account.InvalidError); !errors.As(err, &invalid) || invalid.Field != "name" {
		t.Errorf("a name that cannot be stored: %v", err)
	}
}
