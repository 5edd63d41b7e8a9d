package main

import "strings"

// roles are the parts that a process plays.
type roles struct{ web, worker bool }

func parseRoles(text string) (roles, error) {
	var r roles
	for _, name := range strings.Split(text, ",") {
		switch strings.TrimSpace(name) {
		case "web":
			r.web = true
		case "worker":
			r.worker = true
		default:
			return roles{}, wrongUsage("the role %q is none: give --role web, worker or web,worker", name)
		}
	}
	return r, nil
}

func (r roles) String() string {
	switch {
	case r.web && r.worker:
		return "web,worker"
	case r.worker:
		return "worker"
	}
	return "web"
}
