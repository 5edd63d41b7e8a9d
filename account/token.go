package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// tokenPrefix tells people and secret scanners what they have found.
const tokenPrefix = "kwit_"

// Token is what is known of an API token. The token itself is shown once and
// stored nowhere.
type Token struct {
	ID         uuid.UUID
	OwnerID    uuid.UUID // it acts as this person, with this person's role
	Name       string
	CreatedAt  time.Time
	LastUsedAt *time.Time // to the minute; nil: never
	RevokedAt  *time.Time
}

// CreateToken makes a token that acts as its owner, and returns its plain text,
// which cannot be had again. Errors: *InvalidError for the name,
// ErrUnknownPerson, ErrDisabled.
func (a *Accounts) CreateToken(ctx context.Context, owner uuid.UUID, name string) (plain string, t Token, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", Token{}, err
	}
	return a.CreateTokenOnce(ctx, id, owner, name)
}

// CreateTokenOnce is CreateToken under an id that the caller chose, as a form
// does that may be sent twice: of many at once one makes the token, and the
// others get ErrTokenExists.
func (a *Accounts) CreateTokenOnce(ctx context.Context, id, owner uuid.UUID, name string) (plain string, t Token, err error) {
	name, err = cleanName(name)
	if err != nil {
		return "", Token{}, err
	}
	plain = tokenPrefix + rand.Text() + rand.Text() // 260 bits
	row, err := a.queries.InsertTokenIfOwnerEnabled(ctx, a.pool, db.InsertTokenIfOwnerEnabledParams{
		ID: id, OwnerID: owner, Name: name, SHA256: hashOfToken(plain),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", Token{}, a.whyNoToken(ctx, owner)
	}
	if err != nil {
		return "", Token{}, fmt.Errorf("create the token %q: %w", name, err)
	}
	return plain, newToken(row), nil
}

// whyNoToken tells why no token was made for the owner.
func (a *Accounts) whyNoToken(ctx context.Context, owner uuid.UUID) error {
	user, err := a.ByID(ctx, owner)
	if err == nil && user.DisabledAt == nil {
		err = ErrTokenExists
	} else if err == nil {
		err = ErrDisabled
	}
	return err
}

// ByToken returns whom a token acts for. That it was used is noted once a minute
// at most. Errors: ErrBadToken.
func (a *Accounts) ByToken(ctx context.Context, plain string) (User, Token, error) {
	if !strings.HasPrefix(plain, tokenPrefix) {
		return User{}, Token{}, ErrBadToken
	}
	row, err := a.queries.LiveTokenBySHA256(ctx, a.pool, hashOfToken(plain))
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, Token{}, ErrBadToken
	}
	if err != nil {
		return User{}, Token{}, fmt.Errorf("look up an API token: %w", err)
	}
	if row.UseIsStale {
		if err := a.queries.NoteTokenUseIfStale(ctx, a.pool, row.ApiToken.ID); err != nil {
			return User{}, Token{}, fmt.Errorf("note the use of an API token: %w", err)
		}
	}
	return newUser(row.User), newToken(row.ApiToken), nil
}

// Tokens returns all tokens of a person, revoked ones too, newest first.
func (a *Accounts) Tokens(ctx context.Context, owner uuid.UUID) ([]Token, error) {
	rows, err := a.queries.TokensOfOwner(ctx, a.pool, owner)
	if err != nil {
		return nil, fmt.Errorf("list API tokens: %w", err)
	}
	tokens := make([]Token, len(rows))
	for i, row := range rows {
		tokens[i] = newToken(row)
	}
	return tokens, nil
}

// RevokeToken ends a token of the owner at once. It may be repeated. Errors:
// ErrUnknownToken, also for somebody else's.
func (a *Accounts) RevokeToken(ctx context.Context, owner, id uuid.UUID) error {
	revoked, err := a.queries.RevokeToken(ctx, a.pool, db.RevokeTokenParams{OwnerID: owner, ID: id})
	if err != nil {
		return fmt.Errorf("revoke the API token %s: %w", id, err)
	}
	if revoked == 0 {
		return fmt.Errorf("%w: %s", ErrUnknownToken, id)
	}
	return nil
}

// hashOfToken needs neither salt nor slowness: a token is random enough.
func hashOfToken(plain string) []byte {
	sum := sha256.Sum256([]byte(plain))
	return sum[:]
}

func newToken(row db.ApiToken) Token {
	return Token{
		ID: row.ID, OwnerID: row.OwnerID, Name: row.Name, CreatedAt: row.CreatedAt,
		LastUsedAt: row.LastUsedAt, RevokedAt: row.RevokedAt,
	}
}
