package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/contract"
	"kwit/ledger"
	"kwit/provider"
	"kwit/provider/callback"
)

// CallbackAddress makes the address at which a provider may call back about an
// attempt, below the public address (dispatch.Options.CallbackAddress). All
// processes of one database make the same.
func CallbackAddress(ctx context.Context, accounts *account.Accounts, base *url.URL) (func(owner, attempt uuid.UUID) string, error) {
	key, err := callbackKey(ctx, accounts)
	if err != nil {
		return nil, err
	}
	return func(owner, attempt uuid.UUID) string {
		return callback.Address(base, key, owner.String(), attempt.String())
	}, nil
}

func callbackKey(ctx context.Context, accounts *account.Accounts) ([]byte, error) {
	return accounts.MACKey(ctx, "callback-address")
}

// calledBack is the answer to a callback whose word is stored.
type calledBack struct {
	AttemptID uuid.UUID `json:"attempt_id"`
	Duplicate bool      `json:"duplicate"`
}

// apiCallback is POST /api/v1/callbacks/{attempt_id}: a provider says by itself
// what became of an attempt (3-interfaces, "Callbacks"). It is answered with 200
// only after what it says is stored, so that a provider that hears anything else
// says it again; whatever was stored by then is found and not done twice.
func (s *Server) apiCallback(w http.ResponseWriter, r *http.Request) error {
	a, err := s.calledAbout(r)
	if err != nil {
		return err
	}
	body, err := s.readUpTo(w, r, max(s.o.BodyLimit, provider.DefaultAnswerBytes))
	if err != nil {
		return err
	}
	webhook, err := s.verifyCallback(r, a, body)
	if err != nil {
		return err
	}
	seen, err := s.o.Ledger.WebhookSeen(r.Context(), a.Provider, webhook)
	if err != nil {
		return err
	}
	if seen != nil {
		return answerTwin(w, a, *seen)
	}
	said, err := readCallback(a, body)
	if err != nil {
		return err
	}
	if err := s.hear(r.Context(), a, said); err != nil {
		return err
	}
	// Only now: a callback that was refused or lost may come again under its id.
	if err := s.o.Ledger.NoteWebhook(r.Context(), a.Provider, webhook, a.ID); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, calledBack{AttemptID: a.ID})
}

// calledAbout finds the attempt of the address. A part that says that the
// address is kwit's own must be true: the signature does not cover the address.
func (s *Server) calledAbout(r *http.Request) (*ledger.Attempt, error) {
	id, err := pathID(r)
	if err != nil {
		return nil, noSuchAttempt(err)
	}
	owner, err := s.calledOwner(r, id)
	if err != nil {
		return nil, noSuchAttempt(err)
	}
	if err := s.checkCallbackAddress(r, owner, id); err != nil {
		return nil, err
	}
	a, err := s.o.Ledger.Attempt(r.Context(), owner, id)
	return a, noSuchAttempt(err)
}

// calledOwner is whose attempt it is: as the address says, or else looked up.
func (s *Server) calledOwner(r *http.Request, attempt uuid.UUID) (uuid.UUID, error) {
	named, err := parameter(r, "owner")
	switch {
	case err != nil:
		return uuid.Nil, err
	case r.URL.Query().Has("owner"):
		return parseID(named)
	}
	return s.o.Ledger.OwnerOfAttempt(r.Context(), attempt)
}

func (s *Server) checkCallbackAddress(r *http.Request, owner, attempt uuid.UUID) error {
	t, err := parameter(r, "t")
	if err != nil || !r.URL.Query().Has("t") {
		return err
	}
	key, err := callbackKey(r.Context(), s.o.Accounts)
	if err != nil {
		return err
	}
	if !callback.CheckAddress(key, owner.String(), attempt.String(), t) {
		return unsigned("t in the address does not belong to this attempt: call back at the address as it was given, or leave t out.")
	}
	return nil
}

// verifyCallback tells whether the attempt's own provider has signed the body,
// and answers its webhook-id. The time is right by this node's clock or by the
// database's: one of them that goes wrong shuts nobody out.
func (s *Server) verifyCallback(r *http.Request, a *ledger.Attempt, body []byte) (string, error) {
	secret := s.providers[a.Provider].CallbackSecret // empty where it is not configured any more
	id, err := callback.Verify(secret, r.Header, body, s.o.Now())
	if errors.Is(err, callback.ErrOutsideWindow) {
		clock, failed := s.o.Ledger.Clock(r.Context())
		if failed != nil {
			return "", failed
		}
		id, err = callback.Verify(secret, r.Header, body, clock)
	}
	if err != nil {
		return "", unsigned("The callback is not accepted: " + err.Error() + ".")
	}
	return id, nil
}

// answerTwin answers a callback whose webhook-id was stored before.
func answerTwin(w http.ResponseWriter, a *ledger.Attempt, seen uuid.UUID) error {
	if seen != a.ID {
		return refuse("unprocessable", "This webhook-id was used for another attempt. Nothing was stored: give each callback its own.")
	}
	return writeJSON(w, http.StatusOK, calledBack{AttemptID: a.ID, Duplicate: true})
}

func readCallback(a *ledger.Attempt, body []byte) (callback.Callback, error) {
	said, err := callback.Read(body)
	var fault *provider.WordError
	if errors.As(err, &fault) {
		return said, refuse("unprocessable", "The body is no callback. Nothing was stored.").
			at(contract.Fault{Pointer: fault.Pointer, Detail: fault.Detail})
	}
	if err != nil {
		return said, err
	}
	if named, err := parseID(said.AttemptID); said.AttemptID != "" && (err != nil || named != a.ID) {
		return said, refuse("unprocessable", "The body speaks of another attempt than the address. Nothing was stored.").
			at(contract.Fault{Pointer: "/attempt_id", Detail: "is not the address's attempt"})
	}
	return said, nil
}

// hear lets what was said settle the attempt, by the same gate as every other
// answer. An attempt that is over keeps its end: a result is logged as late. A
// callback about one that was never sent, as far as this database knows, proves
// a send that it has forgotten.
func (s *Server) hear(ctx context.Context, a *ledger.Attempt, said callback.Callback) error {
	if a.State == ledger.Pending {
		if _, err := s.o.Ledger.ForgottenSend(ctx, a.OwnerID, a.ID); err != nil {
			return err
		}
	}
	job, err := s.o.Ledger.Job(ctx, a.OwnerID, a.JobID)
	if err != nil {
		return err
	}
	return s.settler.Report(ctx, job, a, said.Report)
}

// unsigned refuses a callback: nobody knows whether it comes from the provider.
func unsigned(detail string) *failure {
	f := refuse("callback-not-signed", "%s", detail)
	f.header = http.Header{"Www-Authenticate": {`StandardWebhooks realm="kwit"`}}
	return f
}

func noSuchAttempt(err error) error {
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse("not-found", "There is no such attempt.")
	}
	return err
}
