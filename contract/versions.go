package contract

import (
	"context"
	"fmt"
	"sync"
)

// mostVersions bounds what is kept compiled. There are a few versions for each
// job type; beyond that they are compiled anew.
const mostVersions = 500

// Versions are the compiled contracts of stored versions, by digest. A version
// never changes, so each is compiled once. It is safe for concurrent use.
type Versions struct {
	load func(ctx context.Context, digest string) (definition []byte, err error)

	mu       sync.Mutex
	compiled map[string]*Contract
}

// NewVersions keeps the contracts of versions whose definitions load reads.
func NewVersions(load func(ctx context.Context, digest string) (definition []byte, err error)) *Versions {
	return &Versions{load: load, compiled: map[string]*Contract{}}
}

// Contract returns the contract of the version with this digest. Its errors are
// those of load, and that the definition cannot be compiled by this build;
// neither is kept.
func (v *Versions) Contract(ctx context.Context, digest string) (*Contract, error) {
	v.mu.Lock()
	c, ok := v.compiled[digest]
	v.mu.Unlock()
	if ok {
		return c, nil
	}
	definition, err := v.load(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("read the job type's version %s: %w", digest, err)
	}
	if c, err = OfVersion(definition); err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.compiled) >= mostVersions {
		clear(v.compiled)
	}
	v.compiled[digest] = c
	return c, nil
}
