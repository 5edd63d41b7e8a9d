package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// maxDrafts is how many drafts a person has at most; the oldest goes.
const maxDrafts = 20

// Draft is what somebody typed into a form whose session had died. It is kept
// for an hour, for that person alone, and never submitted by itself
// (3-interfaces, "Drafts").
type Draft struct {
	Key     string // the form's idempotency key
	JobType string
	Form    url.Values // the whole form as it was sent; nil in lists
	KeptAt  time.Time
}

// DraftMAC returns the value of a form's draft field. It names the owner and
// proves that kwit made it for this owner and key, since a dead session can no
// longer say whose form it is.
func (a *Accounts) DraftMAC(ctx context.Context, owner uuid.UUID, key string) (string, error) {
	sum, err := a.draftSum(ctx, owner, key)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(owner[:], sum...)), nil
}

// DraftOwner returns whose form it is that carries this draft field and key.
// Where somebody else is signed in meanwhile, the form is not theirs. Errors:
// ErrBadDraft.
func (a *Accounts) DraftOwner(ctx context.Context, mac, key string) (uuid.UUID, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(mac)
	if err != nil || len(raw) != len(uuid.Nil)+sha256.Size {
		return uuid.Nil, ErrBadDraft
	}
	owner := uuid.UUID(raw[:len(uuid.Nil)])
	sum, err := a.draftSum(ctx, owner, key)
	if err != nil {
		return uuid.Nil, err
	}
	if !hmac.Equal(sum, raw[len(uuid.Nil):]) {
		return uuid.Nil, ErrBadDraft
	}
	return owner, nil
}

func (a *Accounts) draftSum(ctx context.Context, owner uuid.UUID, key string) ([]byte, error) {
	secret, err := a.MACKey(ctx, "draft")
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, secret)
	h.Write(owner[:]) // of fixed length, so that owner and key cannot run together
	h.Write([]byte(key))
	return h.Sum(nil), nil
}

// KeepDraft keeps a form for the person that its draft field names; a form with
// the same key takes the place of the one before. It needs no session. Errors:
// ErrBadDraft, also where that person is disabled: then nothing was kept.
func (a *Accounts) KeepDraft(ctx context.Context, mac, key, jobType string, form url.Values) error {
	owner, err := a.DraftOwner(ctx, mac, key)
	if err != nil {
		return err
	}
	if !storable(key) || !storable(jobType) {
		return ErrBadDraft
	}
	err = pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		if _, err := a.queries.LockUserIfEnabled(ctx, tx, owner); err != nil {
			return err
		}
		if err := a.queries.KeepDraft(ctx, tx, db.KeepDraftParams{
			OwnerID: owner, IdempotencyKey: key, JobType: jobType, Form: []byte(form.Encode()),
		}); err != nil {
			return err
		}
		return a.queries.DropDraftsBeyond(ctx, tx, db.DropDraftsBeyondParams{OwnerID: owner, Most: maxDrafts})
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%w: nobody may sign in as its owner", ErrBadDraft)
	}
	if err != nil {
		return fmt.Errorf("keep a draft: %w", err)
	}
	return nil
}

// storable tells whether PostgreSQL takes the text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// Draft returns what is kept for the owner under the key. Errors: ErrNoDraft.
func (a *Accounts) Draft(ctx context.Context, owner uuid.UUID, key string) (Draft, error) {
	if !storable(key) {
		return Draft{}, ErrNoDraft
	}
	row, err := a.queries.DraftByKey(ctx, a.pool, db.DraftByKeyParams{OwnerID: owner, IdempotencyKey: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return Draft{}, ErrNoDraft
	}
	if err != nil {
		return Draft{}, fmt.Errorf("read a draft: %w", err)
	}
	form, err := url.ParseQuery(string(row.Form))
	if err != nil {
		return Draft{}, fmt.Errorf("read the draft under %s: %w", key, err)
	}
	return Draft{Key: row.IdempotencyKey, JobType: row.JobType, Form: form, KeptAt: row.CreatedAt}, nil
}

// LatestDrafts returns what is kept for the owner, newest first, without the
// forms.
func (a *Accounts) LatestDrafts(ctx context.Context, owner uuid.UUID) ([]Draft, error) {
	rows, err := a.queries.DraftsOfOwner(ctx, a.pool, owner)
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	drafts := make([]Draft, len(rows))
	for i, row := range rows {
		drafts[i] = Draft{Key: row.IdempotencyKey, JobType: row.JobType, KeptAt: row.CreatedAt}
	}
	return drafts, nil
}

// DropDraft forgets what is kept under the key: the form was sent after all. It
// is no error if there is nothing.
func (a *Accounts) DropDraft(ctx context.Context, owner uuid.UUID, key string) error {
	if !storable(key) {
		return nil
	}
	if err := a.queries.DeleteDraft(ctx, a.pool, db.DeleteDraftParams{OwnerID: owner, IdempotencyKey: key}); err != nil {
		return fmt.Errorf("drop a draft: %w", err)
	}
	return nil
}
