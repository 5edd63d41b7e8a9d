package contract_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kwit/contract"
)

const versionedTypes = `providers: {p: {kind: simulator}}
job_types:
  summary:
    input: {type: object, properties: {text: {type: string}}}
    output: {type: object, required: [summary], properties: {summary: {type: string}}}
    route: [p]
`

func TestVersionsCompileOnceAndForMany(t *testing.T) {
	t.Parallel()
	summary, _ := load(t, versionedTypes).JobType("summary")
	var loads atomic.Int32
	versions := contract.NewVersions(func(_ context.Context, digest string) ([]byte, error) {
		loads.Add(1)
		if digest != summary.Digest() {
			t.Errorf("asked for %s", digest)
		}
		return summary.Definition(), nil
	})
	first, err := versions.Contract(t.Context(), summary.Digest())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			again, err := versions.Contract(t.Context(), summary.Digest())
			if err != nil || again != first {
				t.Errorf("got %p, %v; want %p", again, err, first)
			}
		})
	}
	all.Wait()
	if loads.Load() != 1 {
		t.Errorf("the definition was read %d times", loads.Load())
	}
	if faults := first.CheckOutput([]byte(`{"summary": 1}`)); len(faults) != 1 {
		t.Errorf("the contract lets through what it should refuse: %v", faults)
	}
}

func TestVersionsKeepNoFailure(t *testing.T) {
	t.Parallel()
	summary, _ := load(t, versionedTypes).JobType("summary")
	away := errors.New("the database is away")
	answers := []struct {
		definition []byte
		err        error
	}{{err: away}, {definition: []byte(`{"later": true}`)}, {definition: summary.Definition()}}
	asked := 0
	versions := contract.NewVersions(func(context.Context, string) ([]byte, error) {
		asked++
		return answers[asked-1].definition, answers[asked-1].err
	})
	if _, err := versions.Contract(t.Context(), "d"); !errors.Is(err, away) {
		t.Errorf("got %v, want the loader's error", err)
	}
	if _, err := versions.Contract(t.Context(), "d"); err == nil || !strings.Contains(err.Error(), "does not know") {
		t.Errorf("got %v, want that this build does not know it", err)
	}
	if _, err := versions.Contract(t.Context(), "d"); err != nil {
		t.Errorf("it is there now: %v", err)
	}
}
