package web_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestC08_TryAgainOpensWhenTheAttemptIsSettled(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	id := w.newJob(w.ewa, "k")
	w.doubt(w.ewa, id)
	b.get("/jobs/"+id).want(http.StatusOK).says("We do not know yet whether it was done", "opens when attempt 1 is settled")
	b.post("/jobs/"+id+"/attempts", fields("ordinal", "2")).want(http.StatusConflict).says("still open", "Attempt 1")
	if w.attempts() != 1 {
		t.Errorf("%d attempts", w.attempts())
	}
}

func TestTryAgainByDoubleClickMakesOneAttempt(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	id := w.newJob(w.ewa, "k")
	w.fail(w.ewa, id)
	form := b.get("/jobs/" + id).form("/attempts")
	for range 2 {
		if to := b.post("/jobs/"+id+"/attempts", form).leads(); to != "/jobs/"+id {
			t.Errorf("led to %s", to)
		}
	}
	if w.attempts() != 2 {
		t.Errorf("%d attempts", w.attempts())
	}
	for _, ordinal := range []string{"", "0", "x", "2.5", "-1"} {
		b.post("/jobs/"+id+"/attempts", fields("ordinal", ordinal)).want(http.StatusBadRequest)
	}
}

func TestCancelAJobOnItsPage(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	id := w.newJob(w.ewa, "k")
	b.post("/jobs/"+id+"/cancel", b.get("/jobs/"+id).form("/cancel")).leads()
	b.get("/jobs/" + id).says("cancelled")
	b.post("/jobs/"+id+"/attempts", fields("ordinal", "2")).want(http.StatusConflict).says("cancelled")
}

func TestSupportActsOnAnothersJobWithAReason(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	b := w.signedIn(sam)
	id := w.newJob(w.ewa, "k")
	form := b.get("/jobs/" + id).want(http.StatusOK).form("/cancel")
	b.post("/jobs/"+id+"/cancel", form).want(http.StatusUnprocessableEntity).says("reason")
	form.Set("reason", strings.Repeat("a", 2001))
	b.post("/jobs/"+id+"/cancel", form).want(http.StatusUnprocessableEntity)
	form.Set("reason", "asked on the phone")
	if to := b.post("/jobs/"+id+"/cancel", form).leads(); to != "/console/jobs/"+id {
		t.Errorf("led to %s", to)
	}
	b.get("/console/jobs/"+id).says("asked on the phone", sam.Email, w.ewa.Email)
}

func TestAnothersJobIsNotThere(t *testing.T) {
	w := newWorld(t)
	id := w.newJob(w.ewa, "k")
	b := w.signedIn(w.person("ola@example.com", "user"))
	b.get("/jobs/" + id).want(http.StatusNotFound)
	b.post("/jobs/"+id+"/cancel", nil).want(http.StatusNotFound)
	b.post("/jobs/"+id+"/attempts", fields("ordinal", "2")).want(http.StatusNotFound)
	b.get("/jobs/not-an-id").want(http.StatusNotFound)
}

func TestTheListAndItsSearch(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	b.get("/jobs").want(http.StatusOK).says("Your tickets will stand here")
	id := w.newJob(w.ewa, "my-key")
	for range 31 {
		w.newJob(w.ewa, key(w.jobs()))
	}
	first := b.get("/jobs?state=queued").want(http.StatusOK).says("Older jobs")
	var older string
	for _, link := range first.links() {
		if strings.Contains(link, "cursor=") {
			older = link
		}
	}
	second := b.get(older).want(http.StatusOK)
	if strings.Contains(second.words(), "Older jobs") || !strings.Contains(second.raw, id) {
		t.Errorf("the second page: %s", second.words())
	}
	number := w.job(w.ewa, id).Number
	for _, q := range []string{"my-key", id, strings.ToUpper(id), " " + itoa(number) + " "} {
		if to := b.get("/jobs?" + fields("q", q).Encode()).leads(); to != "/jobs/"+id {
			t.Errorf("%q led to %s", q, to)
		}
	}
	b.get("/jobs?q=nothing").want(http.StatusOK).says("nothing")
	w.signedIn(w.person("ola@example.com", "user")).get("/jobs?q=" + itoa(number)).want(http.StatusOK)
	b.get("/jobs?cursor=AAAA").want(http.StatusBadRequest)
	b.get("/jobs?q=%00").want(http.StatusBadRequest)
}
