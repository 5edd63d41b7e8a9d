package web_test

import (
	"net/http"
	"testing"
)

func TestC08_AFurtherAttemptIsRefusedWhileOneIsOpen(t *testing.T) {
	w := newWorld(t)
	id := w.newJob(w.ewa, "k")
	first := w.job(w.ewa, id).Attempts[0].ID.String()
	refused := func(state string) {
		t.Helper()
		got := w.call(w.ewa, "POST", "/jobs/"+id+"/attempts", `{"ordinal":2}`).problem(http.StatusConflict, "attempt-open")
		if got.text("blocking_attempt") != first {
			t.Errorf("%s: blocking_attempt is %q", state, got.text("blocking_attempt"))
		}
	}
	refused("pending")
	w.doubt(w.ewa, id)
	refused("unknown")
	if got := w.call(w.ewa, "GET", "/jobs/"+id, "").text("blocking_attempt"); got != first {
		t.Errorf("the job's blocking_attempt is %q", got)
	}
	if n := w.attempts(); n != 1 {
		t.Errorf("%d attempts", n)
	}
}

// The refusals, in the order in which they are judged (3-interfaces, "Attempts
// by hand").
func TestAttemptsByHand(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	id := w.newJob(w.ewa, "k")
	path := "/jobs/" + id + "/attempts"
	w.fail(w.ewa, id)

	w.call(w.ewa, "POST", path, `{"ordinal":1}`).want(http.StatusOK) // there already
	w.call(w.ewa, "POST", path, `{"ordinal":1,"provider":"laser"}`).problem(409, "attempt-differs")
	if got := w.call(w.ewa, "POST", path, `{"ordinal":3}`).problem(409, "ordinal-mismatch").json["next_ordinal"]; got == nil || got.(interface{ String() string }).String() != "2" {
		t.Errorf("next_ordinal %v", got)
	}
	w.call(w.ewa, "POST", path, `{"ordinal":1e30}`).problem(409, "ordinal-mismatch")
	w.call(w.ewa, "POST", path, `{"ordinal":2,"provider":"laser"}`).problem(403, "provider-not-certified")
	w.call(w.ewa, "POST", path, `{"ordinal":2,"provider":"plotter"}`).problem(422, "unprocessable")
	if got := w.call(sam, "POST", path, `{"ordinal":2}`).problem(422, "unprocessable").pointers(); got != "/reason" {
		t.Errorf("pointers %q", got)
	}
	made := w.call(sam, "POST", path, `{"ordinal":2,"provider":"laser","reason":"inkjet is down"}`).want(http.StatusCreated)
	if made.text("provider") != "laser" || made.text("state") != "pending" || made.text("job_id") != id {
		t.Errorf("made: %s", made.raw)
	}
	again := w.call(w.ewa, "POST", path, `{"ordinal":2.0}`).want(http.StatusOK)
	if again.text("id") != made.text("id") {
		t.Error("a double click made another attempt")
	}
	w.answer(w.claim(w.ewa, id), `{"summary":"s"}`)
	w.call(w.ewa, "POST", path, `{"ordinal":3}`).problem(409, "job-completed")
	w.call(w.ewa, "POST", "/jobs/"+id+"/cancel", "{}").problem(409, "job-completed")

	other := w.newJob(w.ewa, "other")
	w.call(w.ewa, "POST", "/jobs/"+other+"/cancel", "{}").want(http.StatusOK)
	w.call(w.ewa, "POST", "/jobs/"+other+"/attempts", `{"ordinal":2}`).problem(409, "job-cancelled")
}

func TestAnOrdinalIsAPositiveInteger(t *testing.T) {
	w := newWorld(t)
	path := "/jobs/" + w.newJob(w.ewa, "k") + "/attempts"
	for _, body := range []string{``, `{}`, `{"ordinal":0}`, `{"ordinal":-1}`, `{"ordinal":1.5}`, `{"ordinal":"2"}`, `{"ordinal":null}`,
		`{"ordinal":1e-3}`, `{"ordinal":2,"provider":1}`, `{"ordinal":2,"reason":[]}`, `{"ordinal":2,"force":true}`} {
		w.call(w.ewa, "POST", path, body).problem(http.StatusBadRequest, "malformed-request")
	}
}
