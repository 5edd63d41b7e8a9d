package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/ledger"
)

// api serves a call to whoever holds a token of that role. The cookie is never
// looked at (3-interfaces, "Reading a request").
func (s *Server) api(least account.Role, h handler) http.Handler {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		token, err := bearer(r)
		if err != nil {
			return err
		}
		user, _, err := s.o.Accounts.ByToken(r.Context(), token)
		if err != nil {
			return err
		}
		if !user.Role.AtLeast(least) {
			return refuse("forbidden", "This takes the role %s; you have %s.", least, user.Role)
		}
		return h(w, withUser(r, &user))
	})
}

func bearer(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return "", refuse("unauthenticated", "Send one header: Authorization: Bearer TOKEN.")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", refuse("unauthenticated", "The API takes bearer tokens only: Authorization: Bearer TOKEN.")
	}
	return strings.TrimSpace(token), nil
}

func withUser(r *http.Request, user *account.User) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), userKey, user))
}

// userOf is who sent the request; there is one behind every gate with a role.
func userOf(r *http.Request) *account.User {
	user, _ := r.Context().Value(userKey).(*account.User)
	return user
}

// actorOf is the person of a request, as the ledger notes who did what.
func actorOf(r *http.Request) ledger.Actor {
	user := userOf(r)
	return ledger.Actor{Kind: ledger.ByUser, ID: user.ID, Operator: isOperator(user), RequestID: requestID(r)}
}

func isOperator(user *account.User) bool { return user.Role.AtLeast(account.RoleSupport) }

// pathID reads the id in the address. What is no id is nobody's.
func pathID(r *http.Request) (uuid.UUID, error) { return parseID(r.PathValue("id")) }

// parseID reads an id as kwit writes them; uuid.Parse takes other spellings too.
func parseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(id.String()) {
		return uuid.Nil, ledger.ErrNotFound
	}
	return id, nil
}

// ownerOf finds whose job it is that a person names: their own, or for support
// anybody's.
func (s *Server) ownerOf(r *http.Request, job uuid.UUID) (uuid.UUID, error) {
	user := userOf(r)
	if !isOperator(user) {
		return user.ID, nil
	}
	return s.o.Ledger.OwnerOfJob(r.Context(), job)
}

// pathJob reads the job in the address, and whose it is.
func (s *Server) pathJob(r *http.Request) (owner, job uuid.UUID, err error) {
	if job, err = pathID(r); err == nil {
		owner, err = s.ownerOf(r, job)
	}
	return owner, job, err
}

// writeJSON answers with a value. Strings stand in it as they are, so that what
// was stored comes back to the byte.
func writeJSON(w http.ResponseWriter, status int, value any) error {
	var body strings.Builder
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return &internalError{err}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error here means that the client is gone.
	_, _ = w.Write([]byte(body.String()))
	return nil
}
