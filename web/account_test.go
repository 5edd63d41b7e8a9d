package web_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"
)

func TestATokenIsShownOnce(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	form := b.get("/account").form("/account/tokens")
	form.Set("name", "my script")
	got := b.post("/account/tokens", form).want(http.StatusOK).says("my script")
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
	form = got.form("/account/tokens")
	form.Set("name", "")
	b.post("/account/tokens", form).want(http.StatusUnprocessableEntity)
	b.post("/account/tokens", fields("name", "x", "token", "no id")).want(http.StatusBadRequest)
}

func TestTwoClicksMakeOneToken(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.ewa)
	form := b.get("/account").form("/account/tokens")
	form.Set("name", "nightly")
	before := w.count(`SELECT count(*) FROM api_tokens`)
	var clicks sync.WaitGroup
	statuses := make([]int, 2)
	for i := range statuses {
		clicks.Go(func() { statuses[i] = b.post("/account/tokens", form).status })
	}
	clicks.Wait()
	slices.Sort(statuses)
	if !slices.Equal(statuses, []int{http.StatusOK, http.StatusConflict}) || w.count(`SELECT count(*) FROM api_tokens`) != before+1 {
		t.Errorf("answered %v, and there are %d tokens more", statuses, w.count(`SELECT count(*) FROM api_tokens`)-before)
	}
	b.post("/account/tokens", form).want(http.StatusConflict).says("made its token already", "nightly")
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
