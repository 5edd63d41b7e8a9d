package account

import "slices"

// Role is what a person may see and do. Roles are nested: each holds all that
// the ones before it hold.
type Role string

// The roles, from the least to the most.
const (
	RoleUser    Role = "user"    // own jobs
	RoleSupport Role = "support" // the console: doubts, and anybody's jobs with a reason
	RoleAdmin   Role = "admin"   // late results, people, the audit trail
)

// Roles lists every role, from the least to the most.
var Roles = []Role{RoleUser, RoleSupport, RoleAdmin}

// AtLeast tells whether r holds all that least holds. What is no role holds
// nothing.
func (r Role) AtLeast(least Role) bool {
	has, needs := slices.Index(Roles, r), slices.Index(Roles, least)
	return has >= 0 && needs >= 0 && has >= needs
}

// ParseRole reads a role's name. Errors: *InvalidError.
func ParseRole(name string) (Role, error) {
	if !slices.Contains(Roles, Role(name)) {
		return "", &InvalidError{Field: "role", Reason: "must be user, support or admin"}
	}
	return Role(name), nil
}
