package web_test

import (
	"net/http"
	"strings"
	"testing"

	"kwit/web"
)

func TestSignIn(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	if to := b.get("/").leads(); to != "/sign-in" {
		t.Errorf("the start leads to %s", to)
	}
	if to := b.get("/jobs?state=failed").leads(); to != "/sign-in?next=%2Fjobs%3Fstate%3Dfailed" {
		t.Errorf("leads to %s", to)
	}
	form := b.get("/sign-in?next=%2Fjobs%3Fstate%3Dfailed").want(http.StatusOK).form("/sign-in")
	form.Set("email", "Ewa@Example.com")
	form.Set("password", "wrong")
	again := b.post("/sign-in", form).want(http.StatusUnauthorized).says("wrong").form("/sign-in")
	if again.Get("email") != "Ewa@Example.com" || again.Get("next") != "/jobs?state=failed" {
		t.Errorf("what was typed is lost: %v", again)
	}
	again.Set("password", password)
	if to := b.post("/sign-in", again).leads(); to != "/jobs?state=failed" {
		t.Errorf("led to %s", to)
	}
	if to := b.get("/").leads(); to != "/jobs" {
		t.Errorf("the start leads to %s", to)
	}
	if to := b.get("/sign-in?next=/account").leads(); to != "/account" {
		t.Errorf("led to %s", to)
	}
	b.post("/sign-out", nil).leads()
	b.get("/jobs").leads()
}

func TestAFormOfADeadSessionLeadsBackToItsPage(t *testing.T) {
	w := newWorld(t)
	for path, next := range map[string]string{
		"/jobs/5/cancel":              "/jobs/5",
		"/console/attempts/5/release": "/console",
		"/account/tokens":             "/account",
	} {
		if to := w.browser().post(path, nil).leads(); to != "/sign-in?"+fields("next", next).Encode() {
			t.Errorf("%s leads to %s", path, to)
		}
	}
}

func TestNextStaysOnTheSite(t *testing.T) {
	w := newWorld(t)
	for _, next := range []string{"//evil.example", `/\evil.example`, "https://evil.example", "evil", "", "/\t/evil.example", "/a\nb", `\\evil`} {
		form := fields("email", w.ewa.Email, "password", password, "next", next)
		if to := w.browser().post("/sign-in", form).leads(); to != "/" {
			t.Errorf("next %q led to %s", next, to)
		}
	}
}

func TestTooManyWrongPasswords(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	form := fields("email", "nobody@example.com", "password", "wrong")
	w.eventually("sign-in asks to wait", func() bool {
		got := b.post("/sign-in", form)
		return got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") != ""
	})
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	id := w.newJob(w.ewa, "k")
	for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		b.post("/jobs/"+id+"/cancel", nil, header[0], header[1]).want(http.StatusForbidden)
	}
	b.post("/jobs/"+id+"/cancel", nil, "Sec-Fetch-Site", "same-origin").leads()
	w.call(w.ewa, "GET", "/jobs", "", "Sec-Fetch-Site", "cross-site").want(http.StatusOK)
}

func TestTheCookieOpensNoAPI(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	b.get("/api/v1/jobs").want(http.StatusUnauthorized)
}

func TestWhatARoleMayNotSee(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	for _, c := range []struct {
		b      *browser
		path   string
		status int
	}{
		{w.signedIn(w.ewa), "/console", 403}, {w.signedIn(w.ewa), "/admin/events", 403},
		{w.signedIn(sam), "/console", 200}, {w.signedIn(sam), "/admin/late-results", 403},
		{w.signedIn(w.ada()), "/admin/late-results", 200},
	} {
		c.b.get(c.path).want(c.status)
	}
}

func TestADemoAnswersThisMachineOnly(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Demo = demoAccounts })
	w.browser().get("/sign-in").says("demo@example.com")
	for host, status := range map[string]int{"127.0.0.1:8080": 200, "localhost": 200, "LOCALHOST:1": 200, "[::1]:8080": 200, "[::1]": 200,
		"evil.example": 421, "localhost.evil.example": 421, "127.0.0.1.nip.io": 421, "10.0.0.1:8080": 421} {
		r := mustRequest(t, "GET", w.url+"/sign-in", "")
		r.Host = host
		if got := w.browser().do(r); got.status != status || status == 421 && strings.Contains(got.raw, "demo@example.com") {
			t.Errorf("%s: status %d, want %d", host, got.status, status)
		}
	}
}
