package web_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestATokenIsShownOnce(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	got := b.post("/account/tokens", fields("name", "my script")).want(http.StatusOK).says("my script")
	var plain string
	for n := range got.html.Descendants() {
		if n.Type == html.ElementNode && attr(n, "id") == "fresh-token" {
			plain = n.FirstChild.Data
		}
	}
	w.call(person{token: plain}, "GET", "/jobs", "").want(http.StatusOK)
	if shown := b.get("/account").want(http.StatusOK); strings.Contains(shown.raw, plain) {
		t.Error("the token is shown again")
	}
	tokens, err := w.accounts.Tokens(t.Context(), w.ewa.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.signedIn(w.person("ola@example.com", "user")).post("/account/tokens/"+tokens[0].ID.String()+"/revoke", nil).want(http.StatusNotFound)
	w.call(person{token: plain}, "GET", "/jobs", "").want(http.StatusOK)
	b.post("/account/tokens/"+tokens[0].ID.String()+"/revoke", nil).leads()
	w.call(person{token: plain}, "GET", "/jobs", "").want(http.StatusUnauthorized)
	b.post("/account/tokens", fields("name", "")).want(http.StatusUnprocessableEntity)
}

func TestANewPassword(t *testing.T) {
	w := newWorld(t)
	b, elsewhere := w.signedIn(w.ewa), w.signedIn(w.ewa)
	b.post("/account/password", fields("current", "wrong", "new", "another long one")).want(http.StatusUnprocessableEntity).says("another one")
	b.post("/account/password", fields("current", password, "new", "short")).want(http.StatusUnprocessableEntity)
	b.get("/account").want(http.StatusOK)
	b.get(b.post("/account/password", fields("current", password, "new", "another long one")).leads()).want(http.StatusOK).says("is changed")
	elsewhere.get("/account").leads()
	w.browser().post("/sign-in", fields("email", w.ewa.Email, "password", "another long one")).leads()
}
