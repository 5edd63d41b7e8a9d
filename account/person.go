package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// User is a person who may sign in. People are never deleted, only disabled:
// their jobs go on (2-ledger).
type User struct {
	ID           uuid.UUID // the owner of jobs
	Email        string    // normalized
	Name         string
	Role         Role
	SessionEpoch int32 // sessions that began in an earlier one have ended
	CreatedAt    time.Time
	DisabledAt   *time.Time // nil while the person may sign in

	passwordHash string
}

// NewPerson is what must be known of somebody to add them.
type NewPerson struct {
	Email    string
	Name     string // empty: the address's part before the @
	Role     Role
	Password string
}

// Add makes a person. Errors: *InvalidError for the first field that cannot be
// taken, ErrEmailTaken, ErrBusy.
func (a *Accounts) Add(ctx context.Context, p NewPerson) (User, error) {
	email, err := NormalizeEmail(p.Email)
	if err != nil {
		return User{}, err
	}
	if p.Name == "" {
		p.Name, _, _ = strings.Cut(email, "@")
	}
	name, err := cleanName(p.Name)
	if err != nil {
		return User{}, err
	}
	if _, err := ParseRole(string(p.Role)); err != nil {
		return User{}, err
	}
	if err := checkPassword(p.Password, email, name); err != nil {
		return User{}, err
	}
	hash, err := a.hasher.hash(ctx, p.Password)
	if err != nil {
		return User{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return User{}, err
	}
	added, err := a.queries.InsertUserIfEmailFree(ctx, a.pool, db.InsertUserIfEmailFreeParams{
		ID: id, Email: email, Name: name, Role: string(p.Role), PasswordHash: hash,
	})
	if err != nil {
		return User{}, fmt.Errorf("add %s: %w", email, err)
	}
	if added == 0 {
		return User{}, fmt.Errorf("add %s: %w", email, ErrEmailTaken)
	}
	return a.ByID(ctx, id)
}

// ByID returns the person as they are now, disabled or not. Errors:
// ErrUnknownPerson.
func (a *Accounts) ByID(ctx context.Context, id uuid.UUID) (User, error) {
	row, err := a.queries.UserByID(ctx, a.pool, id)
	return userFrom(row, err, id)
}

// ByEmail returns the person with the address, however it is spelt. Errors:
// ErrUnknownPerson, also for what is no address.
func (a *Accounts) ByEmail(ctx context.Context, email string) (User, error) {
	normal, err := NormalizeEmail(email)
	if err != nil {
		return User{}, fmt.Errorf("%w: %q", ErrUnknownPerson, email)
	}
	row, err := a.queries.UserByEmail(ctx, a.pool, normal)
	return userFrom(row, err, normal)
}

// List returns everybody, disabled people too, by e-mail address.
func (a *Accounts) List(ctx context.Context) ([]User, error) {
	rows, err := a.queries.Users(ctx, a.pool)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	people := make([]User, len(rows))
	for i, row := range rows {
		people[i] = newUser(row)
	}
	return people, nil
}

// Disable ends all sessions and tokens of a person at once and for good. It may
// be repeated; the first time stays noted. Errors: ErrUnknownPerson.
func (a *Accounts) Disable(ctx context.Context, id uuid.UUID) error {
	return pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		changed, err := a.queries.DisableUser(ctx, tx, id)
		if err := onePerson(changed, err, id); err != nil {
			return err
		}
		return a.queries.RevokeTokensOfOwner(ctx, tx, id)
	})
}

// SetPassword gives a person a new password, which ends all their sessions; API
// tokens stay. Errors: *InvalidError, ErrUnknownPerson, ErrBusy.
func (a *Accounts) SetPassword(ctx context.Context, id uuid.UUID, password string) error {
	person, err := a.ByID(ctx, id)
	if err != nil {
		return err
	}
	if err := checkPassword(password, person.Email, person.Name); err != nil {
		return err
	}
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	changed, err := a.queries.SetUserPassword(ctx, a.pool, db.SetUserPasswordParams{ID: id, PasswordHash: hash})
	return onePerson(changed, err, id)
}

// SetRole changes what a person may see and do, from their next request on.
// Errors: *InvalidError, ErrUnknownPerson.
func (a *Accounts) SetRole(ctx context.Context, id uuid.UUID, role Role) error {
	if _, err := ParseRole(string(role)); err != nil {
		return err
	}
	changed, err := a.queries.SetUserRole(ctx, a.pool, db.SetUserRoleParams{ID: id, Role: string(role)})
	return onePerson(changed, err, id)
}

func onePerson(changed int64, err error, id uuid.UUID) error {
	if err != nil {
		return fmt.Errorf("change person %s: %w", id, err)
	}
	if changed == 0 {
		return fmt.Errorf("%w: %s", ErrUnknownPerson, id)
	}
	return nil
}

func userFrom(row db.User, err error, who any) (User, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fmt.Errorf("%w: %v", ErrUnknownPerson, who)
	}
	if err != nil {
		return User{}, fmt.Errorf("read person %v: %w", who, err)
	}
	return newUser(row), nil
}

func newUser(row db.User) User {
	return User{
		ID: row.ID, Email: row.Email, Name: row.Name, Role: Role(row.Role), SessionEpoch: row.SessionEpoch,
		CreatedAt: row.CreatedAt, DisabledAt: row.DisabledAt, passwordHash: row.PasswordHash,
	}
}
