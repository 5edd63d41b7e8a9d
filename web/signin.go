package web

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"kwit/account"
	"kwit/views"
)

// showSignIn is GET /sign-in.
func (s *Server) showSignIn(w http.ResponseWriter, r *http.Request) error {
	next, err := parameter(r, "next")
	if err != nil {
		return err
	}
	kept, err := parameter(r, "kept")
	if err != nil {
		return err
	}
	if _, err := s.sessions.Current(r.Context()); err == nil {
		s.redirect(w, r, s.safeNext(next))
		return nil
	}
	page := s.plainPage(r, "Sign in")
	if kept != "" {
		page.Notice = "You were signed out. Sign in, and what you typed comes back."
	}
	return render(w, r, http.StatusOK, views.SignIn(page, "", s.safeNext(next), s.o.Demo))
}

// signIn is POST /sign-in: 303 to where one wanted to go, 401 for a wrong
// password, 429 while too many try.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := s.readForm(w, r)
	if err != nil {
		return err
	}
	var email, password, next string
	if err := fields(form, map[string]*string{"email": &email, "password": &password, "next": &next}); err != nil {
		return err
	}
	_, err = s.sessions.SignIn(r.Context(), account.Credentials{Email: email, Password: password, Address: addressOf(r)})
	if err == nil {
		s.redirect(w, r, s.safeNext(next))
		return nil
	}
	page := s.plainPage(r, "Sign in")
	status := http.StatusUnauthorized
	if !errors.Is(err, account.ErrBadCredentials) {
		f := failureOf(err)
		if f.status != http.StatusTooManyRequests {
			return err
		}
		s.note(r, f)
		w.Header().Set("Retry-After", seconds(f.retryAfter))
		status, page.Problem = f.status, f.detail
	} else {
		page.Problem = "The e-mail address or the password is wrong."
	}
	return render(w, r, status, views.SignIn(page, email, s.safeNext(next), s.o.Demo))
}

// signOut is POST /sign-out.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.SignOut(r.Context()); err != nil {
		return err
	}
	s.redirect(w, r, "/sign-in")
	return nil
}

// safeNext is a path of this site: it begins with one slash and holds no
// backslash (3-interfaces, "Doors"), nor a character that browsers drop.
func (s *Server) safeNext(next string) string {
	next = s.insideSite(next)
	bad := func(c rune) bool { return c <= ' ' || c == '\\' || c == 0x7f }
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, bad) {
		return "/"
	}
	return next
}

// insideSite takes the prefix off an address that was written with it, as it
// stands in a browser. Where the prefix is spelt as a page of ours nobody can
// tell, and it is taken for the page.
func (s *Server) insideSite(path string) string {
	for _, page := range []string{"/jobs", "/console", "/admin", "/account"} {
		if s.prefix == page || strings.HasPrefix(s.prefix, page+"/") {
			return path
		}
	}
	inside, found := strings.CutPrefix(path, s.prefix)
	switch {
	case !found:
		return path
	case strings.HasPrefix(inside, "/"):
		return inside
	case inside == "" || inside[0] == '?' || inside[0] == '#':
		return "/" + inside
	}
	return path
}

// addressOf is where the connection comes from. What a header says about it is
// not believed.
func addressOf(r *http.Request) netip.Addr {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr().Unmap()
}
