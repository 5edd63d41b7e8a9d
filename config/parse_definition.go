package config

import (
	"fmt"
	"strconv"
	"time"

	"kwit/exactjson"
)

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
		if err := t.take(m); err != nil {
			return JobType{}, fmt.Errorf("the stored job type %s %w", t.Name, err)
		}
	}
	if t.Name == "" || len(t.Route) == 0 || t.OnUnknown == "" {
		return JobType{}, fmt.Errorf("the stored job type %q is not whole", t.Name)
	}
	return t, nil
}

// take reads one member of a definition.
func (t *JobType) take(m exactjson.Member) (err error) {
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
			return fmt.Errorf("cannot be read: %w", err)
		}
	case "prompt":
		t.Prompt = &Prompt{}
		return t.Prompt.take(m.Value)
	case "parameters":
		return t.Parameters.take(m.Value)
	case "unwrap_fence":
		t.UnwrapFence = m.Value.Bool()
	default:
		return unknownMember(m.Name)
	}
	return nil
}

func (p *Prompt) take(v exactjson.Value) error {
	for _, m := range v.Members() {
		switch m.Name {
		case "system":
			p.System = m.Value.Text()
		case "user":
			p.User = m.Value.Text()
		default:
			return unknownMember("prompt/" + m.Name)
		}
	}
	return nil
}

func (p *Parameters) take(v exactjson.Value) error {
	for _, m := range v.Members() {
		switch m.Name {
		case "temperature":
			n, err := strconv.ParseFloat(m.Value.Text(), 64)
			if err != nil {
				return fmt.Errorf("cannot be read: %w", err)
			}
			p.Temperature = &n
		case "max_tokens":
			n, err := strconv.ParseInt(m.Value.Text(), 10, 64)
			if err != nil {
				return fmt.Errorf("cannot be read: %w", err)
			}
			p.MaxTokens = &n
		default:
			return unknownMember("parameters/" + m.Name)
		}
	}
	return nil
}

func unknownMember(name string) error {
	return fmt.Errorf("has %q, which this version does not know: run the version that stored it", name)
}
