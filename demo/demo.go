// Package demo is what `kwit demo` shows: a configuration that may serve as an
// example, and one account for each role. The provider behind it is demo/farm.
package demo

import (
	_ "embed"
	"slices"

	"kwit/account"
	"kwit/config"
)

//go:embed kwit.yaml
var file []byte

// Surroundings are what the demo's configuration takes from its environment.
type Surroundings struct {
	Farm, Reserve string // addresses of two HTTP providers
	Secret        string // with which the farm signs its callbacks
}

// Load reads the demo's configuration.
func Load(s Surroundings) (*config.Config, []config.Mistake) {
	variables := map[string]string{"KWIT_DEMO_FARM": s.Farm, "KWIT_DEMO_RESERVE": s.Reserve, "KWIT_DEMO_SECRET": s.Secret}
	return config.Parse("demo/kwit.yaml", file, func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	})
}

// Account is somebody whom a newcomer may sign in as.
type Account struct {
	account.NewPerson
	Can string // what they may do, in a sentence
}

// Password is that of every account. It stands on the sign-in page, which is why
// a demo answers to its own machine only.
const Password = "claim-ticket"

var accounts = []Account{
	{person("ewa@kwit.example", "Ewa", account.RoleUser), "Submits jobs and watches them."},
	{person("tomek@kwit.example", "Tomek", account.RoleSupport), "Settles attempts whose end is not known."},
	{person("ola@kwit.example", "Ola", account.RoleAdmin), "Sees what came too late, too."},
}

// Accounts are the accounts of the demo, one for each role.
func Accounts() []Account { return slices.Clone(accounts) }

func person(email, name string, role account.Role) account.NewPerson {
	return account.NewPerson{Email: email, Name: name, Role: role, Password: Password}
}
