package demo_test

import (
	"testing"

	"kwit/account"
	"kwit/contract"
	"kwit/demo"
	"kwit/exactjson"
	"kwit/provider/behaviour"
)

var surroundings = demo.Surroundings{Farm: "http://127.0.0.1:9", Reserve: "http://127.0.0.1:9",
	Secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}

func TestConfigurationIsRight(t *testing.T) {
	t.Parallel()
	c, mistakes := demo.Load(surroundings)
	for _, m := range mistakes {
		t.Error(m)
	}
	if c == nil {
		t.FailNow()
	}
	contracts, mistakes := contract.CompileAll(c)
	for _, m := range mistakes {
		t.Error(m)
	}
	kinds := map[contract.FieldKind]bool{}
	for _, fields := range contracts {
		for _, f := range fields.Fields() {
			kinds[f.Kind] = true
		}
	}
	for _, kind := range []contract.FieldKind{
		contract.Text, contract.LongText, contract.Number, contract.Integer, contract.Choice, contract.YesNo, contract.Object,
	} {
		if !kinds[kind] {
			t.Errorf("no form of the demo shows the kind %q", kind)
		}
	}
}

// A choice that no provider understands would silently play normal.
func TestWishesAreUnderstood(t *testing.T) {
	t.Parallel()
	c, _ := demo.Load(surroundings)
	known := map[string]bool{}
	for _, b := range behaviour.All() {
		known[string(b)] = true
	}
	for _, jobType := range c.JobTypes {
		properties, _ := jobType.Input.Get("properties")
		wish, ok := properties.Get("behaviour")
		if !ok {
			t.Errorf("%s has no field behaviour", jobType.Name)
			continue
		}
		for _, option := range member(t, wish, "oneOf").Items() {
			if word := member(t, option, "const").Text(); !known[word] {
				t.Errorf("%s offers %q, which is no behaviour", jobType.Name, word)
			}
		}
	}
}

func member(t *testing.T, v exactjson.Value, name string) exactjson.Value {
	t.Helper()
	m, ok := v.Get(name)
	if !ok {
		t.Fatalf("there is no %q in %s", name, v.Bytes())
	}
	return m
}

func TestOneAccountForEachRole(t *testing.T) {
	t.Parallel()
	roles := map[account.Role]int{}
	for _, a := range demo.Accounts() {
		roles[a.Role]++
		if a.Can == "" || a.Password != demo.Password {
			t.Errorf("%s says too little of itself", a.Email)
		}
	}
	for _, role := range []account.Role{account.RoleUser, account.RoleSupport, account.RoleAdmin} {
		if roles[role] != 1 {
			t.Errorf("%d accounts with the role %s", roles[role], role)
		}
	}
}
