package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"kwit/exactjson"
)

// Definition is the JSON of what shapes a job of this type: the version under
// which it lives and is judged (2-ledger, "When the world changes under an open
// job"). Timeouts, limits and addresses are left out: they are today's. Schemas
// keep the order of their members, which is that of the form.
func (t JobType) Definition() []byte { return t.definition }

// Digest names the version: the SHA-256 of its definition, in hex.
func (t JobType) Digest() string {
	sum := sha256.Sum256(t.definition)
	return hex.EncodeToString(sum[:])
}

func (t JobType) define() []byte {
	route := make([]exactjson.Value, len(t.Route))
	for i, name := range t.Route {
		route[i] = exactjson.NewString(name)
	}
	members := []exactjson.Member{
		{Name: "job_type", Value: exactjson.NewString(t.Name)},
		{Name: "title", Value: exactjson.NewString(t.Title)},
		{Name: "description", Value: exactjson.NewString(t.Description)},
		{Name: "input", Value: t.Input},
		{Name: "output", Value: t.Output},
		{Name: "route", Value: exactjson.NewArray(route)},
		{Name: "repeatable", Value: exactjson.NewBool(t.Repeatable)},
		{Name: "on_unknown", Value: exactjson.NewString(string(t.OnUnknown))},
	}
	if t.OnUnknown == Release {
		members = append(members, exactjson.Member{Name: "release_after", Value: exactjson.NewString(t.ReleaseAfter.String())})
	}
	v, _ := exactjson.NewObject(members) // these names are distinct
	return v.Bytes()
}

// ParseDefinition reads a version that was stored, so that its jobs can be
// judged after the file has changed. Timeout, Linger and Attempts are zero. A
// member that it does not know was stored by a later version of kwit, and is an
// error: judging without it would be wrong.
func ParseDefinition(definition []byte) (JobType, error) {
	v, err := exactjson.Parse(definition, exactjson.Limits{MaxDepth: deepestJSON + 1, MaxMembers: maxFile})
	if err != nil {
		return JobType{}, fmt.Errorf("the stored job type cannot be read: %w", err)
	}
	t := JobType{definition: definition}
	for _, m := range v.Members() {
		switch m.Name {
		case "job_type":
			t.Name = m.Value.Text()
		case "title":
			t.Title = m.Value.Text()
		case "description":
			t.Description = m.Value.Text()
		case "input":
			t.Input = m.Value
		case "output":
			t.Output = m.Value
		case "route":
			for _, name := range m.Value.Items() {
				t.Route = append(t.Route, name.Text())
			}
		case "repeatable":
			t.Repeatable = m.Value.Bool()
		case "on_unknown":
			t.OnUnknown = OnUnknown(m.Value.Text())
		case "release_after":
			if t.ReleaseAfter, err = time.ParseDuration(m.Value.Text()); err != nil {
				return JobType{}, fmt.Errorf("the stored job type %s cannot be read: %w", t.Name, err)
			}
		default:
			return JobType{}, fmt.Errorf("the stored job type %s has %q, which this version does not know: run the version that stored it", t.Name, m.Name)
		}
	}
	if t.Name == "" || len(t.Route) == 0 || t.OnUnknown == "" {
		return JobType{}, fmt.Errorf("the stored job type %q is not whole", t.Name)
	}
	return t, nil
}
