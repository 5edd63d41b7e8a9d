package seen_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kwit/provider/seen"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	var log seen.Log
	for i, r := range []seen.Request{
		{AttemptID: "a"}, {AttemptID: "b"}, {AttemptID: "b", Enquiry: true}, {AttemptID: "a", Replay: true}, {AttemptID: "a"},
	} {
		if got := log.Add(r); got.Count < 1 || got.Count > i+1 {
			t.Errorf("request %d: count %d", i, got.Count)
		}
	}
	if log.Count("a") != 3 || log.Count("c") != 0 || log.Total() != 5 || len(log.All()) != 5 {
		t.Errorf("a: %d, total %d", log.Count("a"), log.Total())
	}
	if got := log.Repeated(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("repeated: %v, want a alone: b's second one was an enquiry", got)
	}
}

func TestForgetsTheOldest(t *testing.T) {
	t.Parallel()
	log := seen.NewLog(2)
	for i := range 5 {
		log.Add(seen.Request{AttemptID: fmt.Sprint(i)})
	}
	if all := log.All(); len(all) != 2 || all[0].AttemptID != "3" || log.Total() != 5 || log.Count("0") != 0 {
		t.Errorf("kept %v of %d", all, log.Total())
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var log seen.Log
	var waiting sync.WaitGroup
	for n := range 4 {
		waiting.Go(func() {
			if err := log.Wait(ctx, n); err != nil || log.Total() < n {
				t.Errorf("Wait(%d): %v with %d seen", n, err, log.Total())
			}
		})
	}
	waiting.Go(func() {
		if err := log.WaitFor(ctx, "2"); err != nil {
			t.Error(err)
		}
	})
	for i := range 3 {
		log.Add(seen.Request{AttemptID: fmt.Sprint(i)})
	}
	waiting.Wait()
	gone, stop := context.WithCancel(t.Context())
	stop()
	if err := log.WaitFor(gone, "never"); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitFor: %v", err)
	}
}
