package contract

import (
	"fmt"

	"kwit/config"
)

// CompileAll compiles the contracts of all job types of a configuration, by
// name. With mistakes, which carry the places in the file, the map is nil.
func CompileAll(c *config.Config) (map[string]*Contract, []config.Mistake) {
	contracts := make(map[string]*Contract, len(c.JobTypes))
	var mistakes []config.Mistake
	for _, t := range c.JobTypes {
		compiled, found := CompileType(t)
		for _, m := range found {
			mistakes = append(mistakes, t.MistakeAt(m.Pointer, m.Text))
		}
		contracts[t.Name] = compiled
	}
	if len(mistakes) > 0 {
		return nil, config.Sort(mistakes)
	}
	return contracts, nil
}

// OfVersion compiles the contract of a job type's version that was stored
// ([config.JobType.Definition]), so that a job is judged by the version under
// which it was submitted.
func OfVersion(definition []byte) (*Contract, error) {
	t, err := config.ParseDefinition(definition)
	if err != nil {
		return nil, err
	}
	compiled, mistakes := CompileType(t)
	if len(mistakes) > 0 {
		return nil, fmt.Errorf("the stored job type %s cannot be compiled: at %s: %s", t.Name, mistakes[0].Pointer, mistakes[0].Text)
	}
	return compiled, nil
}
