package account_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"sync"
	"testing"

	"github.com/google/uuid"

	"kwit/account"
)

var typed = url.Values{"input.text": {"zażółć\x00\xff & more\n"}, "input.tags": {"a", "b"}, "idempotency_key": {"k"}}

func TestADraftComesBackToItsOwnerAlone(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p, other := addPerson(t, a), addPerson(t, a)
	mac := must(a.DraftMAC(t.Context(), p.ID, "k"))(t)
	if owner := must(a.DraftOwner(t.Context(), mac, "k"))(t); owner != p.ID {
		t.Errorf("the field names %s", owner)
	}
	ok(t, a.KeepDraft(t.Context(), mac, "k", "summary", typed))

	draft := must(a.Draft(t.Context(), p.ID, "k"))(t)
	if draft.Key != "k" || draft.JobType != "summary" || !reflect.DeepEqual(draft.Form, typed) {
		t.Errorf("got %+v", draft)
	}
	for who, key := range map[uuid.UUID]string{other.ID: "k", p.ID: "another"} {
		if _, err := a.Draft(t.Context(), who, key); !errors.Is(err, account.ErrNoDraft) {
			t.Errorf("%s, %s: %v", who, key, err)
		}
	}
	ok(t, a.DropDraft(t.Context(), other.ID, "k"))
	must(a.Draft(t.Context(), p.ID, "k"))(t)
	ok(t, a.DropDraft(t.Context(), p.ID, "k"))
	if _, err := a.Draft(t.Context(), p.ID, "k"); !errors.Is(err, account.ErrNoDraft) {
		t.Errorf("dropped: %v", err)
	}
}

func TestADraftIsReplacedUnderItsKey(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p := addPerson(t, a)
	mac := must(a.DraftMAC(t.Context(), p.ID, "k"))(t)
	ok(t, a.KeepDraft(t.Context(), mac, "k", "summary", typed))
	ok(t, a.KeepDraft(t.Context(), mac, "k", "summary", url.Values{"input.text": {"second"}}))
	if draft := must(a.Draft(t.Context(), p.ID, "k"))(t); draft.Form.Get("input.text") != "second" {
		t.Errorf("got %+v", draft)
	}
	if all := must(a.LatestDrafts(t.Context(), p.ID))(t); len(all) != 1 {
		t.Errorf("%d drafts", len(all))
	}
}

func TestNothingIsKeptWithoutARightMAC(t *testing.T) {
	t.Parallel()
	a, pool := newAccounts(t)
	p, gone := addPerson(t, a), addPerson(t, a)
	ok(t, a.Disable(t.Context(), gone.ID))
	right := must(a.DraftMAC(t.Context(), p.ID, "k"))(t)
	swapped := must(base64.RawURLEncoding.DecodeString(right))(t)
	copy(swapped, gone.ID[:])
	for what, c := range map[string]struct{ mac, key, jobType string }{
		"none":          {"", "k", "summary"},
		"junk":          {"\x00ż", "k", "summary"},
		"cut":           {right[:len(right)-4], "k", "summary"},
		"longer":        {right + "AAAA", "k", "summary"},
		"another key":   {right, "k2", "summary"},
		"another owner": {base64.RawURLEncoding.EncodeToString(swapped), "k", "summary"},
		"disabled":      {must(a.DraftMAC(t.Context(), gone.ID, "k"))(t), "k", "summary"},
		"nobody":        {must(a.DraftMAC(t.Context(), uuid.New(), "k"))(t), "k", "summary"},
		"NUL in type":   {right, "k", "sum\x00mary"},
		"broken key":    {must(a.DraftMAC(t.Context(), p.ID, "\xff"))(t), "\xff", "summary"},
	} {
		if err := a.KeepDraft(t.Context(), c.mac, c.key, c.jobType, typed); !errors.Is(err, account.ErrBadDraft) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if rows := ask[int](t, pool, "SELECT count(*) FROM drafts"); rows != 0 {
		t.Errorf("%d drafts were kept", rows)
	}
	if _, err := a.Draft(t.Context(), p.ID, "\x00"); !errors.Is(err, account.ErrNoDraft) {
		t.Errorf("a key that cannot be stored: %v", err)
	}
	ok(t, a.DropDraft(t.Context(), p.ID, "\x00"))
}

func TestADraftLastsAnHour(t *testing.T) {
	t.Parallel()
	a, pool := newAccounts(t)
	p := addPerson(t, a)
	ok(t, a.KeepDraft(t.Context(), must(a.DraftMAC(t.Context(), p.ID, "k"))(t), "k", "summary", typed))
	run(t, pool, "UPDATE drafts SET created_at = created_at - interval '59 minutes'")
	must(a.Draft(t.Context(), p.ID, "k"))(t)
	run(t, pool, "UPDATE drafts SET created_at = created_at - interval '1 minute'")
	if _, err := a.Draft(t.Context(), p.ID, "k"); !errors.Is(err, account.ErrNoDraft) {
		t.Errorf("after an hour: %v", err)
	}
	if all := must(a.LatestDrafts(t.Context(), p.ID))(t); len(all) != 0 {
		t.Errorf("after an hour: %d listed", len(all))
	}
}

func TestAPersonHasTwentyDraftsAndTheOldestGo(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p, other := addPerson(t, a), addPerson(t, a)
	keep := func(owner uuid.UUID, key string) error {
		mac, err := a.DraftMAC(t.Context(), owner, key)
		if err != nil {
			return err
		}
		return a.KeepDraft(t.Context(), mac, key, "summary", typed)
	}
	ok(t, keep(other.ID, "theirs"))
	for i := range 22 {
		ok(t, keep(p.ID, fmt.Sprint(i)))
	}
	all := must(a.LatestDrafts(t.Context(), p.ID))(t)
	if len(all) != 20 || all[0].Key != "21" || all[19].Key != "2" {
		t.Errorf("kept %+v", all)
	}
	must(a.Draft(t.Context(), other.ID, "theirs"))(t)

	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			if err := keep(p.ID, fmt.Sprint("at once ", i)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if all := must(a.LatestDrafts(t.Context(), p.ID))(t); len(all) != 20 {
		t.Errorf("ten at once: %d are kept", len(all))
	}
}
