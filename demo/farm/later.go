package farm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"kwit/provider/behaviour"
	"kwit/provider/seen"
)

// accept takes the work (202), and carries it out when the request is over. It
// calls back where that was wished for.
func (f *Farm) accept(w http.ResponseWriter, p part) {
	text := encode(map[string]string{"id": "work-" + short(p.key)})
	text.Status = http.StatusAccepted
	text.write(w)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.quit.Err() == nil {
		f.background.Go(func() { f.later(p) })
	}
}

// later carries out what was accepted. Whatever ends it, a cancellation too, is
// called back.
func (f *Farm) later(p part) {
	f.wait(f.quit, p.key, cmp.Or(p.wish.LateAfter, p.takes))
	if f.quit.Err() != nil {
		return
	}
	f.finish(p.key, f.result(p))
	if p.wish.Behaviour == behaviour.Callback {
		f.callUntilTaken(p.key)
	}
}

// asked makes the handler of a question about earlier work of one kind.
func (f *Farm) asked(kind string, answer func(w http.ResponseWriter, id string, e entry)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		e, known := f.look(id)
		f.Asked.Add(seen.Request{
			AttemptID: id,
			JobID:     r.Header.Get("X-Kwit-Job"),
			Method:    r.Method,
			Path:      r.URL.Path,
			At:        time.Now(),
		})
		if !known || e.path != kind {
			writeProblem(w, http.StatusNotFound, "there is no such work here")
			return
		}
		answer(w, id, e)
	}
}

// showStatus says what became of the work, in kwit's own form.
func (f *Farm) showStatus(w http.ResponseWriter, id string, e entry) {
	Reply{Body: e.word(id)}.write(w)
}

// cancel stops the work, unless it is over.
func (f *Farm) cancel(w http.ResponseWriter, id string, _ entry) {
	_, first := f.finish(id, Reply{Status: http.StatusGone, Body: []byte(`{"error":"cancelled on request"}`)})
	if !first {
		writeProblem(w, http.StatusConflict, "too late: the work is over")
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "cancelled"})
}

// word is what a callback's body and the answer of a status address say.
func (e entry) word(attemptID string) []byte {
	say := struct {
		AttemptID string          `json:"attempt_id"`
		Status    string          `json:"status"`
		Result    json.RawMessage `json:"result,omitempty"`
		Error     string          `json:"error,omitempty"`
	}{AttemptID: attemptID, Status: "running"}
	switch {
	case !e.done:
	case cmp.Or(e.reply.Status, http.StatusOK) < 300 && json.Valid(e.reply.Body):
		say.Status, say.Result = "succeeded", e.reply.Body
	default:
		say.Status, say.Error = "failed", e.reply.problem()
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// Texts and valid JSON can always be written.
	_ = encoder.Encode(say)
	return bytes.TrimSpace(text.Bytes())
}

// problem is the error that a reply speaks of.
func (r Reply) problem() string {
	var body struct{ Error string }
	if json.Unmarshal(r.Body, &body) != nil || body.Error == "" {
		return "the work failed"
	}
	return body.Error
}
