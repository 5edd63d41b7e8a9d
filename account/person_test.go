package account_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"kwit/account"
)

func TestAPersonIsFoundByIDAndByAnySpellingOfTheAddress(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	added := must(a.Add(t.Context(), account.NewPerson{
		Email: "  Ewa.Nowak@Example.ORG ", Role: account.RoleSupport, Password: password,
	}))(t)

	if added.Email != "ewa.nowak@example.org" || added.Name != "ewa.nowak" || added.Role != account.RoleSupport {
		t.Errorf("added %+v", added)
	}
	if added.ID.Version() != 7 || added.DisabledAt != nil || added.CreatedAt.IsZero() {
		t.Errorf("added %+v", added)
	}
	if got := must(a.ByID(t.Context(), added.ID))(t); got != added {
		t.Errorf("by id: %+v", got)
	}
	if got := must(a.ByEmail(t.Context(), "EWA.NOWAK@example.org"))(t); got != added {
		t.Errorf("by e-mail: %+v", got)
	}
}

func TestAddRefusesWhatCannotBeTaken(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	good := account.NewPerson{Email: "jan@example.org", Name: "Jan", Role: account.RoleUser, Password: password}
	for _, c := range []struct {
		name, field string
		spoil       func(*account.NewPerson)
	}{
		{"no address", "email", func(p *account.NewPerson) { p.Email = " " }},
		{"no @", "email", func(p *account.NewPerson) { p.Email = "jan.example.org" }},
		{"two addresses", "email", func(p *account.NewPerson) { p.Email = "jan@example.org,ewa@example.org" }},
		{"name and address", "email", func(p *account.NewPerson) { p.Email = "Jan <jan@example.org>" }},
		{"NUL in the address", "email", func(p *account.NewPerson) { p.Email = "jan\x00@example.org" }},
		{"broken UTF-8 in the address", "email", func(p *account.NewPerson) { p.Email = "jan\xff@example.org" }},
		{"long address", "email", func(p *account.NewPerson) { p.Email = strings.Repeat("j", 250) + "@a.pl" }},
		{"two lines", "name", func(p *account.NewPerson) { p.Name = "Jan\nNowak" }},
		{"NUL in the name", "name", func(p *account.NewPerson) { p.Name = "Jan\x00" }},
		{"broken UTF-8 in the name", "name", func(p *account.NewPerson) { p.Name = "Jan\xff" }},
		{"long name", "name", func(p *account.NewPerson) { p.Name = strings.Repeat("ą", 101) }},
		{"no role", "role", func(p *account.NewPerson) { p.Role = "" }},
		{"unknown role", "role", func(p *account.NewPerson) { p.Role = "root" }},
		{"no password", "password", func(p *account.NewPerson) { p.Password = "" }},
		{"seven characters", "password", func(p *account.NewPerson) { p.Password = "żółćąęś" }},
		{"a novel", "password", func(p *account.NewPerson) { p.Password = strings.Repeat("ab", 129) }},
		{"the address", "password", func(p *account.NewPerson) { p.Password = "Jan@Example.org" }},
		{"one character", "password", func(p *account.NewPerson) { p.Password = "żżżżżżżż" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := good
			c.spoil(&p)
			_, err := a.Add(t.Context(), p)
			if invalid := new(account.InvalidError); !errors.As(err, &invalid) || invalid.Field != c.field {
				t.Errorf("got %v", err)
			}
		})
	}
	if len(must(a.List(t.Context()))(t)) != 0 {
		t.Error("somebody was added")
	}
}

func TestOneAddressBelongsToOnePerson(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	var group sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = a.Add(t.Context(), account.NewPerson{
				Email: "Jan@example.org", Role: account.RoleUser, Password: password,
			})
		})
	}
	group.Wait()
	added := 0
	for _, err := range errs {
		if err == nil {
			added++
		} else if !errors.Is(err, account.ErrEmailTaken) {
			t.Error(err)
		}
	}
	if added != 1 {
		t.Errorf("added %d times", added)
	}
}

func TestListNamesEverybodyByAddress(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	for _, email := range []string{"b@example.org", "a@example.org"} {
		must(a.Add(t.Context(), account.NewPerson{Email: email, Role: account.RoleUser, Password: password}))(t)
	}
	gone := must(a.ByEmail(t.Context(), "b@example.org"))(t)
	ok(t, a.Disable(t.Context(), gone.ID))

	people := must(a.List(t.Context()))(t)
	if len(people) != 2 || people[0].Email != "a@example.org" || people[1].DisabledAt == nil {
		t.Errorf("got %+v", people)
	}
}

func TestDisablingIsNotedOnce(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p := addPerson(t, a)
	ok(t, a.Disable(t.Context(), p.ID))
	first := must(a.ByID(t.Context(), p.ID))(t)
	ok(t, a.Disable(t.Context(), p.ID))
	if second := must(a.ByID(t.Context(), p.ID))(t); !second.DisabledAt.Equal(*first.DisabledAt) {
		t.Errorf("first %v, then %v", first.DisabledAt, second.DisabledAt)
	}
}

func TestSetRole(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p := addPerson(t, a)
	ok(t, a.SetRole(t.Context(), p.ID, account.RoleAdmin))
	if got := must(a.ByID(t.Context(), p.ID))(t); got.Role != account.RoleAdmin {
		t.Errorf("got %s", got.Role)
	}
	if invalid := new(account.InvalidError); !errors.As(a.SetRole(t.Context(), p.ID, "root"), &invalid) {
		t.Error("root is a role")
	}
}

func TestSetPasswordHoldsToTheRules(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p := addPerson(t, a)
	for _, weak := range []string{"short", p.Email} {
		if invalid := new(account.InvalidError); !errors.As(a.SetPassword(t.Context(), p.ID, weak), &invalid) {
			t.Errorf("%q was taken", weak)
		}
	}
}

func TestWhoIsNobody(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	nobody := uuid.New()
	for what, act := range map[string]func() error{
		"ByID":          func() error { _, err := a.ByID(t.Context(), nobody); return err },
		"ByEmail":       func() error { _, err := a.ByEmail(t.Context(), "nobody@example.org"); return err },
		"ByEmail(junk)": func() error { _, err := a.ByEmail(t.Context(), "\x00"); return err },
		"Disable":       func() error { return a.Disable(t.Context(), nobody) },
		"SetPassword":   func() error { return a.SetPassword(t.Context(), nobody, password) },
		"SetRole":       func() error { return a.SetRole(t.Context(), nobody, account.RoleUser) },
		"CreateToken":   func() error { _, _, err := a.CreateToken(t.Context(), nobody, "laptop"); return err },
	} {
		if err := act(); !errors.Is(err, account.ErrUnknownPerson) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
