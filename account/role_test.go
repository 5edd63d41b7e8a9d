package account_test

import (
	"errors"
	"testing"

	"kwit/account"
)

func TestRolesAreNested(t *testing.T) {
	t.Parallel()
	for have, role := range account.Roles {
		for need, least := range account.Roles {
			if got := role.AtLeast(least); got != (have >= need) {
				t.Errorf("%s at least %s: %v", role, least, got)
			}
		}
		if role.AtLeast("owner") || account.Role("owner").AtLeast(role) || account.Role("").AtLeast("") {
			t.Error("what is no role holds something")
		}
	}
}

func TestParseRole(t *testing.T) {
	t.Parallel()
	for _, role := range account.Roles {
		if got, err := account.ParseRole(string(role)); got != role || err != nil {
			t.Errorf("%s: %s, %v", role, got, err)
		}
	}
	for _, name := range []string{"", "Admin", "root"} {
		_, err := account.ParseRole(name)
		if invalid := new(account.InvalidError); !errors.As(err, &invalid) || invalid.Field != "role" {
			t.Errorf("%q: %v", name, err)
		}
	}
}
