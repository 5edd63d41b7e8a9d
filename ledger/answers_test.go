package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

// A whole answer whose worker died before the verdict is found by the sweep,
// wherever its attempt stands by then.
func TestUnjudgedAnswersAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := map[uuid.UUID]string{}
	for i, s := range situations {
		_, a := s.reach(w, fmt.Sprint("k", i))
		keepAnswer(w, a, `"whole"`)
		if a.State != ledger.Running && a.State != ledger.Pending {
			want[a.ID] = s.name
		}
		if i == 0 {
			if got, err := w.UnjudgedAnswers(t.Context(), 100); err != nil || len(got) > 0 {
				t.Errorf("a worker has its time: %v, %v", got, err)
			}
		}
	}
	w.exec(`UPDATE answers SET received_at = received_at - interval '31 seconds'`)
	got, err := w.UnjudgedAnswers(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range got {
		if _, ok := want[ref.Attempt]; !ok {
			t.Errorf("found the answer of %s, which has a worker", ref.Attempt)
		}
		delete(want, ref.Attempt)
		w.complete(ledger.Attempt{OwnerID: ref.Owner, ID: ref.Attempt}, `"whole"`)
	}
	for _, name := range want {
		t.Errorf("not found: the answer of an attempt that is %s", name)
	}
	if got, err := w.UnjudgedAnswers(t.Context(), 100); err != nil || len(got) > 0 {
		t.Errorf("judged, yet found again: %v, %v", got, err)
	}
}

func TestAnswersAreKeptUntilTheVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	keep := func(body string, whole bool) {
		t.Helper()
		err := w.KeepAnswer(t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Status: 200, MediaType: "x/y\x00\xff",
			Header: map[string][]string{"X-A": {"1", "2"}}, Body: []byte(body), Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
	}
	kept := func(body string, whole bool) {
		t.Helper()
		got, err := w.AnswerOf(t.Context(), a.OwnerID, a.ID)
		if err != nil || string(got.Body) != body || got.Whole != whole || !slices.Equal(got.Header["X-A"], []string{"1", "2"}) {
			t.Errorf("kept %+v, %v; want %q", got, err, body)
		}
	}
	keep("par", false)
	kept("par", false)
	keep("partial and whole \x00\xff", true)
	kept("partial and whole \x00\xff", true)
	keep("cut", false) // never the other way round
	kept("partial and whole \x00\xff", true)
	if err := w.AnswerSettlesNothing(t.Context(), a.OwnerID, a.ID); err != nil {
		t.Fatal(err)
	}
	w.doubt(a)
	w.exec(`UPDATE answers SET received_at = received_at - interval '1 hour'`)
	if got, err := w.UnjudgedAnswers(t.Context(), 10); err != nil || len(got) > 0 {
		t.Errorf("judged, yet found: %v, %v", got, err)
	}
	w.complete(a, `1`)
	_, err := w.AnswerOf(t.Context(), a.OwnerID, a.ID)
	wantIs(t, err, ledger.ErrNotFound)
}

// What is kept for an attempt that has ended, and settles nothing, is dropped:
// no person decides by it any more. A whole answer that nobody has looked at
// stays for the sweep, which logs it as late.
func TestNothingIsKeptForAnEndedAttempt(t *testing.T) {
	t.Parallel()
	part := func(w *world, a ledger.Attempt) {
		err := w.KeepAnswer(w.t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, Body: []byte("a needle")})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	settlesNothing := func(w *world, a ledger.Attempt) {
		if err := w.AnswerSettlesNothing(w.t.Context(), a.OwnerID, a.ID); err != nil {
			w.t.Fatal(err)
		}
	}
	whole := func(w *world, a ledger.Attempt) { keepAnswer(w, a, "a needle") }
	doubt := func(w *world, a ledger.Attempt) {
		d := ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Outcome: "answer_lost", ByAnswer: true}
		if _, err := w.Doubt(w.t.Context(), d); err != nil {
			w.t.Fatal(err)
		}
	}
	cancel := func(w *world, a ledger.Attempt) { w.cancel(a) }
	failed := func(w *world, a ledger.Attempt) { w.fail(a, outcome.Contract) }
	type step = func(*world, ledger.Attempt)
	for _, c := range []struct {
		name  string
		steps []step
		kept  int
	}{
		{"whole, and a definite failure", []step{whole, failed}, 0},
		{"a part, in doubt", []step{part, doubt}, 1},
		{"a part, in doubt, then cancelled", []step{part, doubt, cancel}, 0},
		{"cancelled, then a part", []step{cancel, part, doubt}, 0},
		{"whole, looked at, then cancelled", []step{whole, settlesNothing, cancel}, 0},
		{"cancelled, then whole, then looked at", []step{cancel, whole, settlesNothing}, 0},
		{"whole, then cancelled before anybody looked", []step{whole, cancel}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, a := w.running("k")
			for _, s := range c.steps {
				s(w, a)
			}
			if n := w.count(`SELECT count(*) FROM answers`); n != c.kept {
				t.Errorf("%d answers are kept, want %d", n, c.kept)
			}
		})
	}
}
