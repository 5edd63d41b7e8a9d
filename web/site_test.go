package web_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"kwit/static"
	"kwit/views"
	"kwit/web"
)

var demoAccounts = []views.DemoAccount{{Email: "demo@example.com", Password: password, Role: "user", Can: "looks around"}}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestHealth(t *testing.T) {
	var away error
	w := newWorld(t, func(o *web.Options) { o.Ready = func(context.Context) error { return away } })
	b := w.browser()
	b.get("/healthz").want(http.StatusOK)
	b.get("/readyz").want(http.StatusOK)
	away = errors.New("the database is away")
	b.get("/readyz").want(http.StatusServiceUnavailable)
	away = nil
	w.server.Drain()
	w.server.Drain()
	b.get("/readyz").want(http.StatusServiceUnavailable)
	b.get("/healthz").want(http.StatusOK)
	b.get("/sign-in").want(http.StatusOK)
}

func TestPagesAreGuarded(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	for _, path := range []string{"/jobs", "/sign-in", "/nothing", "/api/v1/jobs", "/jobs/x"} {
		h := b.get(path).header
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "script-src 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" || h.Get("X-Request-Id") == "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	if vary := strings.Join(b.get("/jobs").header.Values("Vary"), " "); !strings.Contains(vary, "HX-Request") {
		t.Errorf("Vary: %q", vary)
	}
	if page := b.get("/jobs").raw; strings.Contains(page, "<style") || strings.Contains(page, " style=") || strings.Contains(page, "onclick") {
		t.Error("the policy forbids what stands inline")
	}
}

func TestErrorsHaveAPage(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	got := b.get("/nothing", "X-Request-Id", "r-1").want(http.StatusNotFound).says("There is nothing here", "r-1")
	if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		t.Error("no page")
	}
	if allow := b.get("/sign-out").want(http.StatusMethodNotAllowed).header.Get("Allow"); !strings.Contains(allow, "POST") {
		t.Errorf("Allow: %q", allow)
	}
	options := b.do(mustRequest(t, "OPTIONS", w.url+"/jobs", "")).header.Get("Allow")
	refused := b.do(mustRequest(t, "DELETE", w.url+"/jobs", "")).want(http.StatusMethodNotAllowed).header.Get("Allow")
	if options != refused || strings.Count(refused, "HEAD") != 1 {
		t.Errorf("OPTIONS allows %q, 405 %q", options, refused)
	}
	b.get("/problems/attempt-open").want(http.StatusOK).says("still open")
	b.get("/problems/nothing").want(http.StatusNotFound)
}

func TestAssets(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	got := b.get(static.Path("kwit.css")).want(http.StatusOK)
	if got.header.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(got.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v", got.header)
	}
	if cache := b.get("/static/kwit.js?v=old").want(http.StatusOK).header.Get("Cache-Control"); cache != "no-cache" {
		t.Errorf("an old address may be kept: %q", cache)
	}
	for _, path := range []string{"/static/", "/static/vendor", "/static/../web.go", "/static/nothing.js", "/static/%00"} {
		b.get(path).want(http.StatusNotFound)
	}
}

func TestAPrefixOfTheAddress(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.BaseURL.Path = "/shop/kwit/" })
	w.url = strings.TrimSuffix(w.url, "/")
	b := w.browser()
	if to := b.get("/jobs").leads(); !strings.HasPrefix(to, "/shop/kwit/sign-in?next=%2Fjobs") {
		t.Errorf("led to %s", to)
	}
	b.get("").want(http.StatusPermanentRedirect)
	if to := b.post("/sign-in", fields("email", w.ewa.Email, "password", password, "next", "/jobs/new")).leads(); to != "/shop/kwit/jobs/new" {
		t.Errorf("led to %s", to)
	}
	for next, want := range map[string]string{
		"/shop/kwit/jobs/new": "/shop/kwit/jobs/new", "/shop/kwit": "/shop/kwit/", "/shop/kwit?a=b": "/shop/kwit/?a=b",
		"/shop/kwitter": "/shop/kwit/shop/kwitter", "/shop/kwit//evil.example": "/shop/kwit/",
	} {
		if to := b.get("/sign-in?" + fields("next", next).Encode()).leads(); to != want {
			t.Errorf("next %s led to %s", next, to)
		}
	}
	form, path := b.open("summary")
	form.Set("input.text", "a")
	for _, link := range b.get(path).links() {
		if !strings.HasPrefix(link, "/shop/kwit/") {
			t.Errorf("a link leaves the prefix: %s", link)
		}
	}
	job := b.post("/jobs", form).leads()
	if !strings.HasPrefix(job, "/shop/kwit/jobs/") {
		t.Errorf("led to %s", job)
	}
	for _, link := range b.get(strings.TrimPrefix(job, "/shop/kwit")).want(http.StatusOK).links() {
		if !strings.HasPrefix(link, "/shop/kwit/") {
			t.Errorf("a link leaves the prefix: %s", link)
		}
	}
	if got := w.submit(w.ewa, "k", summary("a")).want(http.StatusCreated).header.Get("Location"); !strings.HasPrefix(got, "/shop/kwit/api/v1/jobs/") {
		t.Errorf("Location %s", got)
	}
	w.call(w.ewa, "GET", "/nothing", "").problem(http.StatusNotFound, "not-found")
	outside := &browser{&world{t: t, url: strings.TrimSuffix(w.url, "/shop/kwit")}, b.client}
	outside.get("/jobs").want(http.StatusNotFound)
	outside.get("/healthz").want(http.StatusOK)
}
