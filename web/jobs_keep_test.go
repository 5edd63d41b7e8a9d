package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"kwit/db"
	"kwit/db/dbtest"
)

func TestADeadSessionKeepsTheText(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	form, path := b.open("summary")
	form.Set("input.text", "what I typed")
	b.post("/sign-out", nil).leads()

	signIn := b.post("/jobs", form).leads()
	if w.jobs() != 0 {
		t.Fatal("a job was made without a session")
	}
	shown := b.get(signIn).want(http.StatusOK).says("what you typed comes back").form("/sign-in")
	shown.Set("email", w.ewa.Email)
	shown.Set("password", password)
	back := b.post("/sign-in", shown).leads()
	if back != path {
		t.Errorf("back to %s, want %s", back, path)
	}
	got := b.get(back).want(http.StatusOK).form("/jobs")
	if got.Get("input.text") != "what I typed" || got.Get("idempotency_key") != form.Get("idempotency_key") {
		t.Errorf("the form came back as %v", got)
	}
	if w.jobs() != 0 {
		t.Error("it was submitted by itself")
	}
	b.post("/jobs", got).leads()
	if n := w.count(`SELECT count(*) FROM drafts`); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
}

func TestADraftIsForItsPersonAlone(t *testing.T) {
	w := newWorld(t)
	ola := w.person("ola@example.com", "user")
	b := w.signedIn(w.ewa)
	form, path := b.open("summary")
	form.Set("input.text", "a secret of Ewa")
	b.post("/sign-out", nil)
	b.post("/jobs", form).leads()

	other := w.signedIn(ola)
	if got := other.get(path).want(http.StatusOK); strings.Contains(got.raw, "secret") {
		t.Error("Ola sees what Ewa typed")
	}
	// Ola signed in where Ewa's form still stood, and pressed the button.
	if to := other.post("/jobs", form).leads(); to != "/jobs/new/summary" || w.jobs() != 0 {
		t.Errorf("led to %s, %d jobs", to, w.jobs())
	}
	if got := w.signedIn(w.ewa).get(path).form("/jobs").Get("input.text"); got != "a secret of Ewa" {
		t.Errorf("Ewa's text: %q", got)
	}
}

func TestWithoutARightMACNothingIsKept(t *testing.T) {
	w := newWorld(t)
	form := fields("idempotency_key", "k", "job_type", "summary", "input.text", "a", "draft", "forged")
	b := w.browser()
	for _, change := range []func(url.Values){func(url.Values) {}, func(f url.Values) { f.Del("draft") },
		func(f url.Values) { f.Set("job_type", "../admin") }} {
		change(form)
		to := b.post("/jobs", form).leads()
		if !strings.HasPrefix(to, "/sign-in?next=%2Fjobs%2Fnew") || strings.Contains(to, "kept") {
			t.Errorf("led to %s", to)
		}
	}
	if n := w.count(`SELECT count(*) FROM drafts`); n != 0 {
		t.Errorf("%d drafts", n)
	}
	got := b.post("/jobs", form, "HX-Request", "true")
	if !strings.HasPrefix(got.header.Get("HX-Redirect"), "/sign-in") {
		t.Errorf("htmx is not led to the sign-in page: %v", got.header)
	}
}

// A database that is away costs nobody the text: the same form, under the same
// key, is sent again until it answers.
func TestADatabaseThatIsAwayKeepsTheText(t *testing.T) {
	t.Parallel()
	postgres := dbtest.StartServer(t)
	pool, err := db.Open(t.Context(), db.PoolOptions{URL: postgres.NewURL(), Application: "web test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	w := worldOn(t, pool, types)
	b := w.signedIn(w.ewa)
	form, _ := b.open("summary")
	form.Set("input.text", "what I typed")
	postgres.Kill()

	got := b.post("/jobs", form).want(http.StatusServiceUnavailable)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	again := got.form("/jobs")
	if again.Get("input.text") != "what I typed" || again.Get("idempotency_key") != form.Get("idempotency_key") {
		t.Fatalf("the form came back as %v", again)
	}
	away := w.submit(w.ewa, "k", summary("a")).problem(http.StatusServiceUnavailable, "overloaded")
	if away.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	b.get("/jobs").want(http.StatusServiceUnavailable)

	postgres.Start()
	w.eventually("the form is taken", func() bool { return b.post("/jobs", again).status == http.StatusSeeOther })
	if w.jobs() != 1 {
		t.Errorf("%d jobs", w.jobs())
	}
}
