package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"kwit/contract"
	"kwit/exactjson"
	"kwit/ledger"
)

// caseJSON is an attempt that has not ended, as operators see it.
type caseJSON struct {
	attemptJSON
	Number  int64      `json:"number"`
	JobType string     `json:"job_type"`
	StateAt time.Time  `json:"state_at"`
	SentAt  *time.Time `json:"sent_at"`
	Owner   personJSON `json:"owner"`
}

type personJSON struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email"`
	Name  string    `json:"name"`
}

// openStates are the states that the operators' list can show.
var openStates = []ledger.AttemptState{ledger.Unknown, ledger.Released, ledger.Running, ledger.Pending}

// apiListAttempts is GET /api/v1/attempts?state=unknown: over all owners,
// longest there first.
func (s *Server) apiListAttempts(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r, defaultPage)
	if err != nil {
		return err
	}
	cases, list, err := s.openCases(r, limit+1)
	if err != nil {
		return err
	}
	rows := make([]caseJSON, len(cases))
	for i, c := range cases {
		rows[i] = caseJSON{
			attemptJSON: s.attemptJSONOf(&c.Attempt), Number: c.Number, JobType: c.JobType,
			StateAt: c.StateAt.UTC(), SentAt: utc(c.SentAt),
			Owner: personJSON{ID: c.OwnerID, Email: c.OwnerMail, Name: c.OwnerName},
		}
	}
	return writeList(w, rows, limit, func(last caseJSON) (string, error) {
		return s.cursor(r.Context(), list, caseCursor(last.StateAt, last.ID))
	})
}

// openCases reads a page of the operators' list; list names it for its cursors.
func (s *Server) openCases(r *http.Request, limit int) (cases []ledger.OpenCase, list string, err error) {
	text, err := parameter(r, "state")
	if err != nil {
		return nil, "", err
	}
	state := ledger.AttemptState(text)
	if text == "" {
		state = ledger.Unknown
	}
	if !slices.Contains(openStates, state) {
		return nil, "", refuse("invalid-parameter", "state is one of %v: attempts that have not ended.", openStates)
	}
	list = "attempts\x00" + string(state)
	place, err := s.place(r, list)
	if err != nil {
		return nil, "", err
	}
	after, err := parseCaseCursor(place)
	if err != nil {
		return nil, "", err
	}
	cases, err = s.o.Ledger.OpenCases(r.Context(), state, after, limit)
	return cases, list, err
}

func caseCursor(at time.Time, id uuid.UUID) string { return stamp(at) + " " + id.String() }

func parseCaseCursor(place string) (after ledger.CaseCursor, err error) {
	if place == "" {
		return after, nil
	}
	at, id, _ := strings.Cut(place, " ")
	if after.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return after, &internalError{err} // we made it
	}
	after.ID, err = uuid.Parse(id)
	return after, err
}

// apiCancelAttempt is POST /api/v1/attempts/{id}/cancel.
func (s *Server) apiCancelAttempt(w http.ResponseWriter, r *http.Request) error {
	_, act, err := s.readAct(w, r)
	if err != nil {
		return err
	}
	attempt, err := s.o.Ledger.Cancel(r.Context(), act)
	return s.writeAttempt(w, attempt, err)
}

// apiReleaseAttempt is POST /api/v1/attempts/{id}/release.
func (s *Server) apiReleaseAttempt(w http.ResponseWriter, r *http.Request) error {
	_, act, err := s.readAct(w, r)
	if err != nil {
		return err
	}
	attempt, err := s.o.Ledger.Release(r.Context(), act)
	return s.writeAttempt(w, attempt, err)
}

// apiResolveAttempt is POST /api/v1/attempts/{id}/resolve.
func (s *Server) apiResolveAttempt(w http.ResponseWriter, r *http.Request) error {
	b, act, err := s.readAct(w, r, "status", "result")
	if err != nil {
		return err
	}
	status, err := b.need("status", exactjson.String)
	if err != nil {
		return err
	}
	resolution := ledger.Resolution{AttemptAct: act}
	if result, there := b.object.Get("result"); there {
		resolution.Result = result.Bytes()
	}
	attempt, err := s.resolve(r, resolution, status.Text())
	return s.writeAttempt(w, attempt, err)
}

// resolve checks what an operator found out, and writes it down. A result is
// held against the contract of the version under which the job was submitted.
func (s *Server) resolve(r *http.Request, resolution ledger.Resolution, status string) (*ledger.Attempt, error) {
	switch resolution.Succeeded = status == "succeeded"; {
	case !resolution.Succeeded && status != "failed":
		return nil, refuse("unprocessable", "status is succeeded or failed.").
			at(contract.Fault{Pointer: "/status", Detail: "is neither succeeded nor failed"})
	case resolution.Succeeded && resolution.Result == nil:
		return nil, refuse("unprocessable", "What succeeded has a result: send it with.").
			at(contract.Fault{Pointer: "/result", Detail: "is missing"})
	case !resolution.Succeeded && resolution.Result != nil:
		return nil, refuse("unprocessable", "What failed has no result: leave it out.").
			at(contract.Fault{Pointer: "/result", Detail: "is surplus where the status is failed"})
	}
	if resolution.Succeeded {
		if err := s.checkResult(r, resolution); err != nil {
			return nil, err
		}
	}
	return s.o.Ledger.Resolve(r.Context(), resolution)
}

func (s *Server) checkResult(r *http.Request, resolution ledger.Resolution) error {
	attempt, err := s.o.Ledger.Attempt(r.Context(), resolution.Owner, resolution.Attempt)
	if err != nil {
		return err
	}
	job, err := s.o.Ledger.Job(r.Context(), resolution.Owner, attempt.JobID)
	if err != nil {
		return err
	}
	agreed, err := s.contractOf(r.Context(), job)
	if err != nil {
		return err
	}
	if faults := agreed.CheckOutput(resolution.Result); len(faults) > 0 {
		return refuse("result-invalid", "Put right what is listed under errors; pointers lead into the result. Nothing was changed.").at(faults...)
	}
	return nil
}

// readAct reads what all operators' calls on an attempt have in common.
func (s *Server) readAct(w http.ResponseWriter, r *http.Request, more ...string) (b body, act ledger.AttemptAct, err error) {
	if act.Attempt, err = pathID(r); err != nil {
		return b, act, err
	}
	if act.Owner, err = s.o.Ledger.OwnerOfAttempt(r.Context(), act.Attempt); err != nil {
		return b, act, err
	}
	act.Actor = actorOf(r)
	if b, err = s.readBody(w, r, append([]string{"reason", "state"}, more...)...); err != nil {
		return b, act, err
	}
	if act.Reason, err = b.reason(); err != nil {
		return b, act, err
	}
	// Left out, it guards nothing; empty, it is what a script sends by mistake.
	seen, there, err := b.member("state", exactjson.String)
	if err == nil && there {
		act.Seen, err = seenState(seen.Text())
	}
	return b, act, err
}

// seenState reads the state that a person saw.
func seenState(text string) (ledger.AttemptState, error) {
	state := ledger.AttemptState(text)
	if !slices.Contains(ledger.AttemptStates, state) {
		return "", refuse("unprocessable", "state is the one that you saw: one of %v.", ledger.AttemptStates).
			at(contract.Fault{Pointer: "/state", Detail: "is no state of an attempt"})
	}
	return state, nil
}

func (s *Server) writeAttempt(w http.ResponseWriter, attempt *ledger.Attempt, err error) error {
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, s.attemptJSONOf(attempt))
}

// rawOrNull keeps what a provider told; null where it told nothing.
func rawOrNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
