package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"
)

// How long a browser stays signed in, unless SessionOptions say otherwise.
const (
	defaultIdle     = 12 * time.Hour
	defaultLifetime = 7 * 24 * time.Hour
)

// What a session holds: whose it is, and the person's epoch when it began.
const (
	sessionUser  = "user"
	sessionEpoch = "epoch"
)

// SessionOptions say where kwit is reached and how long a session lives.
type SessionOptions struct {
	BaseURL  *url.URL      // https makes the cookie Secure, a path bounds it
	Idle     time.Duration // without a request; 12 hours by default
	Lifetime time.Duration // at most, whatever happens; 7 days by default

	// Fail answers a request whose session cannot be read or kept, which means
	// that the database does not answer.
	Fail func(http.ResponseWriter, *http.Request, error)
}

// Sessions are the browsers that are signed in. The methods that take a context
// need that of a request inside [Sessions.Middleware].
type Sessions struct {
	accounts *Accounts
	manager  *scs.SessionManager
}

// Sessions sets up the sessions of a web server.
func (a *Accounts) Sessions(o SessionOptions) *Sessions {
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	if o.Lifetime == 0 {
		o.Lifetime = defaultLifetime
	}
	m := scs.New()
	m.Store = &sessionStore{pool: a.pool, queries: a.queries, idle: o.Idle}
	m.Lifetime = o.Lifetime // IdleTimeout stays off: the store sees to it
	m.HashTokenInStore = true
	m.Cookie = cookieFor(o.BaseURL)
	if o.Fail != nil {
		m.ErrorFunc = o.Fail
	}
	return &Sessions{accounts: a, manager: m}
}

// cookieFor names the cookie so that browsers hold to its attributes as well
// (RFC 6265bis, 4.1.3): __Host- allows neither another host nor another path.
func cookieFor(base *url.URL) scs.SessionCookie {
	c := scs.SessionCookie{
		Name: "kwit_session", Path: strings.TrimRight(base.Path, "/"), Secure: base.Scheme == "https",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Persist: true,
	}
	switch {
	case c.Secure && c.Path == "":
		c.Name = "__Host-" + c.Name
	case c.Secure:
		c.Name = "__Secure-" + c.Name
	}
	if c.Path == "" {
		c.Path = "/"
	}
	return c
}

// Middleware gives each request its session. A session that changed is kept at
// the answer's first byte, so nothing may sign in or out after that, a stream
// in particular; requests that change nothing write nothing.
func (s *Sessions) Middleware(next http.Handler) http.Handler { return s.manager.LoadAndSave(next) }

// SignIn checks the credentials and makes the request's session theirs, under a
// fresh token. Errors: ErrBadCredentials (401), *ThrottledError and ErrBusy (429).
func (s *Sessions) SignIn(ctx context.Context, c Credentials) (User, error) {
	person, err := s.accounts.authenticate(ctx, c)
	if err != nil {
		return User{}, err
	}
	if err := s.manager.RenewToken(ctx); err != nil {
		return User{}, fmt.Errorf("end the session before this one: %w", err)
	}
	s.manager.Put(ctx, sessionUser, person.ID.String())
	s.manager.Put(ctx, sessionEpoch, person.SessionEpoch)
	return person, nil
}

// SignOut ends the request's session.
func (s *Sessions) SignOut(ctx context.Context) error {
	if err := s.manager.Destroy(ctx); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	return nil
}

// Current returns the person whose session it is, as they are now. It changes
// nothing. Errors: ErrSignedOut: no session, disabled, or a new password since.
func (s *Sessions) Current(ctx context.Context) (*User, error) {
	id, err := uuid.Parse(s.manager.GetString(ctx, sessionUser))
	if err != nil {
		return nil, ErrSignedOut
	}
	person, err := s.accounts.ByID(ctx, id)
	switch {
	case errors.Is(err, ErrUnknownPerson):
		return nil, ErrSignedOut
	case err != nil:
		return nil, err
	case person.DisabledAt != nil, person.SessionEpoch != s.manager.GetInt32(ctx, sessionEpoch):
		return nil, ErrSignedOut
	}
	return &person, nil
}

// Recheck is Current for a stream, which asks it every 30 s: it sees as well
// that the session itself has ended since the request began (a sign-out in
// another tab, too long without a request). It is no sign of life.
func (s *Sessions) Recheck(ctx context.Context) (*User, error) {
	live, err := s.accounts.queries.SessionIsLive(ctx, s.accounts.pool, storedToken(s.manager.Token(ctx)))
	if err != nil {
		return nil, fmt.Errorf("look up the session: %w", err)
	}
	if !live {
		return nil, ErrSignedOut
	}
	return s.Current(ctx)
}

// storedToken is the name under which scs, told to hash, stores a session.
func storedToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
