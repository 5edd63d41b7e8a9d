package config

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

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
	return object(append(members, t.defineModel()...)).Bytes()
}

// defineModel gives what concerns models. What a job type does not say is left
// out, so that versions from before these keys keep their digests.
func (t JobType) defineModel() []exactjson.Member {
	var members []exactjson.Member
	if t.Prompt != nil {
		members = append(members, exactjson.Member{Name: "prompt", Value: object([]exactjson.Member{
			{Name: "system", Value: exactjson.NewString(t.Prompt.System)},
			{Name: "user", Value: exactjson.NewString(t.Prompt.User)},
		})})
	}
	var parameters []exactjson.Member
	if p := t.Parameters.Temperature; p != nil {
		number, _ := exactjson.NewNumber(strconv.FormatFloat(*p, 'f', -1, 64)) // 0 to 2
		parameters = append(parameters, exactjson.Member{Name: "temperature", Value: number})
	}
	if p := t.Parameters.MaxTokens; p != nil {
		number, _ := exactjson.NewNumber(strconv.FormatInt(*p, 10))
		parameters = append(parameters, exactjson.Member{Name: "max_tokens", Value: number})
	}
	if parameters != nil {
		members = append(members, exactjson.Member{Name: "parameters", Value: object(parameters)})
	}
	if t.UnwrapFence {
		members = append(members, exactjson.Member{Name: "unwrap_fence", Value: exactjson.NewBool(true)})
	}
	return members
}

// object builds an object of members whose names are distinct.
func object(members []exactjson.Member) exactjson.Value {
	v, _ := exactjson.NewObject(members)
	return v
}
