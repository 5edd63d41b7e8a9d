package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"kwit/web"
)

func TestC02_AFormKeepsItsKeyThroughReloadAndBack(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	b.get("/jobs/new").want(http.StatusOK).says("Summarise a text", "Order a print")
	form, path := b.open("summary")
	if again := b.get(path).form("/jobs"); again.Get("idempotency_key") != form.Get("idempotency_key") || form.Get("idempotency_key") == "" {
		t.Errorf("reload changed the key: %v, %v", form, again)
	}
	if other, _ := b.open("summary"); other.Get("idempotency_key") == form.Get("idempotency_key") {
		t.Error("two forms share a key")
	}
	b.get("/jobs/new/summary?form=" + strings.Repeat("k", 256)).leads()
	b.get("/jobs/new/poem").want(http.StatusNotFound)

	form.Set("input.text", "a text\r\nof two lines")
	job := b.post("/jobs", form).leads()
	b.get(job).want(http.StatusOK).says("ticket", "Summarise a text", "of two lines")
	b.get(path).want(http.StatusOK).says("This form was sent already", "a text of two lines")
	if again := b.post("/jobs", b.get(path).form("/jobs")).leads(); again != job {
		t.Errorf("the same form led to %s, then to %s", job, again)
	}
	if w.jobs() != 1 {
		t.Errorf("%d jobs", w.jobs())
	}
}

func TestC03_TwoSessionsOfOnePersonMeanOneJob(t *testing.T) {
	w := newWorld(t)
	desk, phone := w.signedIn(w.ewa), w.signedIn(w.ewa)
	form, path := desk.open("summary")
	form.Set("input.text", "a")
	job := desk.post("/jobs", form).leads()
	phone.get(path).want(http.StatusOK).says("This form was sent already")
	if got := phone.post("/jobs", form).leads(); got != job {
		t.Errorf("led to %s, want %s", got, job)
	}
	form.Del("draft") // as a script sends it
	if got := w.submit(w.ewa, form.Get("idempotency_key"), summary("a")).want(http.StatusOK).text("id"); "/jobs/"+got != job {
		t.Errorf("over the API it is job %s, want %s", got, job)
	}
	if got := desk.post("/jobs", form, "HX-Request", "true").header.Get("HX-Redirect"); got != job {
		t.Errorf("htmx is led to %s", got)
	}
	form.Set("idempotency_key", "another")
	if got := w.signedIn(w.person("ola@example.com", "user")).post("/jobs", form).leads(); got == job {
		t.Error("two people share a job")
	}
}

func TestC05_TwoHundredClicksMakeOneJob(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	form, _ := b.open("summary")
	form.Set("input.text", "a")
	var all sync.WaitGroup
	led := make([]string, 200)
	for i := range led {
		all.Go(func() { led[i] = b.post("/jobs", form).leads() })
	}
	all.Wait()
	for _, path := range led {
		if path != led[0] {
			t.Fatalf("led to %s and %s", led[0], path)
		}
	}
	if w.jobs() != 1 || w.attempts() != 1 {
		t.Errorf("%d jobs, %d attempts", w.jobs(), w.attempts())
	}
}

func TestC06_ChangedTextIsAConflictThatKeepsBothTexts(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	form, _ := b.open("summary")
	form.Set("input.text", "the first text")
	job := b.post("/jobs", form).leads()
	form.Set("input.text", "another text")
	form.Set("input.place.street", "Long Street")
	got := b.post("/jobs", form).want(http.StatusConflict).says("already sent", "the first text", "another text", "Long Street")
	if w.jobs() != 1 {
		t.Errorf("%d jobs", w.jobs())
	}
	anew := got.form("/jobs")
	if anew.Get("idempotency_key") == form.Get("idempotency_key") || anew.Get("input.text") != "another text" {
		t.Errorf("submit as new: %v", anew)
	}
	second := b.post("/jobs", anew).leads()
	if second == job || w.jobs() != 2 {
		t.Errorf("submitted as new: %s, %d jobs", second, w.jobs())
	}
}

// A form that was sent is read by the version of its job, whatever the job type
// looks like today.
func TestC07_AFormOutlivesItsJobType(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	form, _ := b.open("order")
	form.Set("input.copies", "2")
	job := b.post("/jobs", form).leads()

	changed := secondServer(w, strings.Replace(types, "copies: {type: integer, title: Copies}}, required: [copies]",
		"count: {type: integer, title: Count}}, required: [count]", 1))
	late := changed.signedIn(w.ewa)
	if got := late.post("/jobs", form).leads(); got != job {
		t.Errorf("led to %s, want %s", got, job)
	}
	form.Set("input.copies", "3")
	late.post("/jobs", form).want(http.StatusConflict)

	gone, _, _ := strings.Cut(types, "  order:")
	without := secondServer(w, gone)
	late = without.signedIn(w.ewa)
	late.post("/jobs", form).want(http.StatusConflict)
	form.Set("input.copies", "2")
	if got := late.post("/jobs", form).leads(); got != job {
		t.Errorf("led to %s, want %s", got, job)
	}
	form.Set("idempotency_key", "new")
	if got := late.post("/jobs", form).want(http.StatusUnprocessableEntity).form("/jobs"); got.Get("input.copies") != "2" {
		t.Errorf("what was typed is lost: %v", got)
	}
	late.get(job).want(http.StatusOK)
	if w.jobs() != 1 {
		t.Errorf("%d jobs", w.jobs())
	}
}

func TestWhatWasTypedIsKept(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	form, _ := b.open("summary")
	for name, c := range map[string]struct {
		change func()
		status int
		kept   string
	}{
		"a fault": {func() { form.Set("input.size", "much"); form.Set("input.text", "kept") }, 422, "kept"},
		"no key":  {func() { form.Del("idempotency_key") }, 400, "kept"},
		"bad key": {func() { form.Set("idempotency_key", "a b") }, 400, "kept"},
	} {
		saved := form.Get("idempotency_key")
		form.Set("input.text", "kept")
		c.change()
		answer := b.post("/jobs", form).want(c.status)
		if !strings.Contains(answer.raw, `<a href="/jobs/new" aria-current="page">`) {
			t.Errorf("%s: the menu does not say that one is at a new job", name)
		}
		got := answer.form("/jobs")
		if got.Get("input.text") != c.kept || got.Get("idempotency_key") == "" {
			t.Errorf("%s: %v", name, got)
		}
		if c.status == 422 && got.Get("idempotency_key") != saved {
			t.Errorf("%s: the key changed", name)
		}
		form.Set("idempotency_key", saved)
		form.Del("input.size")
	}
	if w.jobs() != 0 {
		t.Errorf("%d jobs", w.jobs())
	}
}

func TestFormsThatCannotBeRead(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.BodyLimit = 5000 })
	b := w.signedIn(w.ewa)
	good := fields("idempotency_key", "k", "job_type", "summary", "input.text", "a")
	with := func(name, value string) string {
		form := fields("idempotency_key", "k", "job_type", "summary", "input.text", "a")
		form.Add(name, value)
		return form.Encode()
	}
	for name, c := range map[string]struct {
		kind, body string
		status     int
	}{
		"multipart":      {"multipart/form-data; boundary=x", "--x--", 415},
		"JSON":           {"application/json", summary("a"), 415},
		"no type":        {"", good.Encode(), 415},
		"too large":      {"application/x-www-form-urlencoded", with("input.size", strings.Repeat("a", 5000)), 413},
		"bad escape":     {"application/x-www-form-urlencoded", "a=%zz", 400},
		"key twice":      {"application/x-www-form-urlencoded", with("idempotency_key", "k2"), 400},
		"NUL in type":    {"application/x-www-form-urlencoded", "idempotency_key=k&job_type=%00", 400},
		"unknown type":   {"application/x-www-form-urlencoded", "idempotency_key=k&job_type=poem", 422},
		"NUL in text":    {"application/x-www-form-urlencoded", "idempotency_key=k&job_type=summary&input.text=%00", 422},
		"no UTF-8":       {"application/x-www-form-urlencoded", "idempotency_key=k&job_type=summary&input.text=%ff", 422},
		"unknown field":  {"application/x-www-form-urlencoded", with("input.more", "1"), 422},
		"nothing in it":  {"application/x-www-form-urlencoded", "", 400},
		"key in address": {"application/x-www-form-urlencoded", "job_type=summary&input.text=a", 400},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustRequest(t, "POST", w.url+"/jobs?idempotency_key=k", c.body)
			r.Header.Set("Content-Type", c.kind)
			if got := b.do(r).want(c.status); strings.Contains(got.raw, "Idempotency-Key") {
				t.Error("the page speaks of the API's header")
			}
		})
	}
	if w.jobs() != 0 {
		t.Errorf("%d jobs", w.jobs())
	}
}
