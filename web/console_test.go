package web_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheConsoleSettlesADoubt(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.sam())
	b.get("/console").want(http.StatusOK)
	for _, c := range []struct {
		verb    string
		more    []string
		told    string
		becomes string
	}{
		{"cancel", nil, "is cancelled", "cancelled"},
		{"release", nil, "is released", "released"},
		{"resolve", []string{"status", "failed", "result", ""}, "resolved as failed", "failed"},
		{"resolve", []string{"status", "succeeded", "result", `{"summary":"1.50"}`}, "is done", "succeeded"},
	} {
		id := w.newJob(w.ewa, key(w.jobs()))
		a := w.doubt(w.ewa, id)
		path := "/console/attempts/" + a.ID.String() + "/" + c.verb
		form := b.get("/console").want(http.StatusOK).says(w.ewa.Email).form(path)
		if form.Get("state") != "unknown" {
			t.Errorf("the form does not say for which state it was drawn: %v", form)
		}
		form.Set("reason", "asked the provider")
		for i := 0; i+1 < len(c.more); i += 2 {
			form.Set(c.more[i], c.more[i+1])
		}
		b.get(b.post(path, form).leads()).want(http.StatusOK).says(c.told)
		if got := w.job(w.ewa, id).Attempts[0].State; string(got) != c.becomes {
			t.Errorf("%s: the attempt is %s", c.verb, got)
		}
		b.get("/console/jobs/"+id).want(http.StatusOK).says("asked the provider", w.ewa.Email)
	}
	b.get("/console?state=released").want(http.StatusOK).says("released")
	b.get("/console?state=failed").want(http.StatusBadRequest)
	b.get("/console?acted=nonsense").want(http.StatusOK)
}

func TestTheConsoleKeepsWhatWasTyped(t *testing.T) {
	w := newWorld(t)
	ada := w.ada()
	b := w.signedIn(w.sam())
	a := w.doubt(w.ewa, w.newJob(w.ewa, "k"))
	path := "/console/attempts/" + a.ID.String() + "/resolve"
	form := b.get("/console").form(path)
	form.Set("reason", "seen on their page")
	form.Set("status", "succeeded")
	form.Set("result", `{"summary":1}`)
	got := b.post(path, form).want(http.StatusUnprocessableEntity).form(path)
	if got.Get("reason") != "seen on their page" || got.Get("result") != `{"summary":1}` {
		t.Errorf("what was typed is lost: %v", got)
	}
	form.Set("reason", "")
	b.post(path, form).want(http.StatusUnprocessableEntity)
	form.Set("reason", "seen on their page")
	form.Set("result", "")
	b.post(path, form).want(http.StatusUnprocessableEntity).says("result")

	w.call(ada, "POST", "/attempts/"+a.ID.String()+"/cancel", `{"reason":"r"}`).want(http.StatusOK)
	form.Set("result", `{"summary":"s"}`)
	b.post(path, form).want(http.StatusConflict).says("cancelled now", ada.Email, "seen on their page", `{"summary":"s"}`)
}

func TestTheAdminsLists(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ada())
	b.get("/admin/late-results").want(http.StatusOK).says("No answer has come too late")
	id := w.newJob(w.ewa, "k")
	a := w.claim(w.ewa, id)
	w.call(w.ewa, "POST", "/jobs/"+id+"/cancel", "{}").want(http.StatusOK)
	w.answer(a, `{"summary":"too late"}`)
	b.get("/admin/late-results").want(http.StatusOK).says("inkjet", "summary")
	first := b.get("/admin/events?limit=2").want(http.StatusOK).says("Older events")
	for _, link := range first.links() {
		if strings.Contains(link, "cursor=") {
			b.get(link).want(http.StatusOK)
		}
	}
	b.get("/admin/events?cursor=x").want(http.StatusBadRequest)
}
