package simulator

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/seen"
)

// TestPastIsBounded: the oldest request is forgotten, and is then not known.
func TestPastIsBounded(t *testing.T) {
	t.Parallel()
	s := New(Options{Log: seen.NewLog(1)})
	for i := range remembered + 1 {
		s.past.add(fmt.Sprint(i), task{})
	}
	s.past.add("1", task{}) // again, which takes no further place
	if len(s.past.tasks) != remembered || len(s.past.order) != remembered {
		t.Errorf("%d tasks, %d in order", len(s.past.tasks), len(s.past.order))
	}
	if r := s.Enquire(t.Context(), provider.Request{AttemptID: "0"}, ""); r.Told != provider.ToldNotKnown {
		t.Errorf("the oldest: %+v", r)
	}
	if r := s.Enquire(t.Context(), provider.Request{AttemptID: "1"}, ""); r.Told != provider.ToldRunning {
		t.Errorf("the next: %+v", r)
	}
}

// TestReplayWhileAtWork: it is answered "in progress", which settles nothing,
// and does the work once.
func TestReplayWhileAtWork(t *testing.T) {
	t.Parallel()
	worked := 0
	s := New(Options{Log: seen.NewLog(0), KeyLifetime: time.Hour, Latency: Range{time.Hour, time.Hour}, Work: func([]byte) ([]byte, error) {
		worked++
		return []byte(`{}`), nil
	}})
	ask := provider.Request{AttemptID: "a", Body: []byte(`{"behaviour":"accept"}`)}
	if end := s.Send(t.Context(), provider.NewGate(nil, nil), ask, nil); !end.Accepted || end.ProviderRequestID != "sim-a" {
		t.Fatalf("accepted: %+v", end)
	}
	end := s.Send(t.Context(), provider.NewGate(nil, nil), ask.AsEnquiry(), nil)
	if end.Outcome != outcome.ServerError || end.Answer.Status != http.StatusConflict {
		t.Errorf("the replay ended %q (%s)", end.Outcome, end.Detail)
	}
	if r := provider.ReportReplay(s, end); r.Settles() {
		t.Errorf("the replay settles: %+v", r)
	}
	if worked != 1 {
		t.Errorf("the work was done %d times", worked)
	}
}
