package web

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/views"
)

// showAccount is GET /account.
func (s *Server) showAccount(w http.ResponseWriter, r *http.Request) error {
	return s.accountPage(w, r, http.StatusOK, "", "")
}

// accountPage shows the account; fresh is the token that was just made.
func (s *Server) accountPage(w http.ResponseWriter, r *http.Request, status int, fresh, problem string) error {
	tokens, err := s.o.Accounts.Tokens(r.Context(), userOf(r).ID)
	if err != nil {
		return err
	}
	page := s.newPage(r, "Your account")
	page.Problem = problem
	changed, err := parameter(r, "changed")
	if err != nil {
		return err
	}
	if changed == "password" && problem == "" {
		page.Notice = "Your password is changed. Every other device is signed out."
	}
	return render(w, r, status, views.Account(page, tokens, fresh, uuid.Must(uuid.NewV7())))
}

// createToken is POST /account/tokens. The answer shows the token this once, so
// it is no redirect. The form names the token that it would make: of two clicks
// one makes it.
func (s *Server) createToken(w http.ResponseWriter, r *http.Request) error {
	form, err := s.readForm(w, r)
	if err != nil {
		return err
	}
	var name, once string
	if err := fields(form, map[string]*string{"name": &name, "token": &once}); err != nil {
		return err
	}
	id, err := parseID(once)
	if err != nil {
		return refuse("malformed-request", "The form does not say which token it would make. Open your account anew.")
	}
	plain, _, err := s.o.Accounts.CreateTokenOnce(r.Context(), id, userOf(r).ID, name)
	if err != nil {
		return s.refusedChange(w, r, err)
	}
	return s.accountPage(w, r, http.StatusOK, plain, "")
}

// revokeToken is POST /account/tokens/{id}/revoke.
func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	if err := s.o.Accounts.RevokeToken(r.Context(), userOf(r).ID, id); err != nil {
		return err
	}
	s.redirect(w, r, "/account")
	return nil
}

// changePassword is POST /account/password. Whoever changes it says the present
// one, and is signed in anew, since a new password ends all sessions.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	form, err := s.readForm(w, r)
	if err != nil {
		return err
	}
	var current, wanted string
	if err := fields(form, map[string]*string{"current": &current, "new": &wanted}); err != nil {
		return err
	}
	user := userOf(r)
	who := account.Credentials{Email: user.Email, Password: current, Address: addressOf(r)}
	if _, err := s.sessions.SignIn(r.Context(), who); err != nil {
		return s.refusedChange(w, r, err)
	}
	if err := s.o.Accounts.SetPassword(r.Context(), user.ID, wanted); err != nil {
		return s.refusedChange(w, r, err)
	}
	who.Password = wanted
	if _, err := s.sessions.SignIn(r.Context(), who); err != nil {
		return err
	}
	s.redirect(w, r, "/account?changed=password")
	return nil
}

// refusedChange shows the account with what is wrong with the change.
func (s *Server) refusedChange(w http.ResponseWriter, r *http.Request, err error) error {
	if errors.Is(err, account.ErrBadCredentials) {
		return s.accountPage(w, r, http.StatusUnprocessableEntity, "", "Your present password is another one. Nothing was changed.")
	}
	if errors.Is(err, account.ErrTokenExists) {
		return s.accountPage(w, r, http.StatusConflict, "", "This form made its token already, which was shown once. "+
			"If you did not see it, as after a double click, revoke it below and make another one.")
	}
	f := failureOf(err)
	if f.status >= http.StatusInternalServerError {
		return err
	}
	s.note(r, f)
	if f.retryAfter > 0 {
		w.Header().Set("Retry-After", seconds(f.retryAfter))
	}
	return s.accountPage(w, r, f.status, "", f.detail)
}
