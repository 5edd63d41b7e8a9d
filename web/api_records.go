package web

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// lateResultJSON is a row of GET /late-results (3-interfaces, "Rows").
type lateResultJSON struct {
	AttemptID       uuid.UUID       `json:"attempt_id"`
	JobID           uuid.UUID       `json:"job_id"`
	Number          int64           `json:"number"`
	JobType         string          `json:"job_type"`
	Provider        string          `json:"provider"`
	Why             string          `json:"why"`
	ReceivedAt      time.Time       `json:"received_at"`
	LateByMS        int64           `json:"late_by_ms"`
	Bytes           int64           `json:"bytes"`
	SHA256          string          `json:"sha256"` // hex, of the raw body as it arrived
	MediaType       string          `json:"media_type"`
	SameAsWinner    bool            `json:"same_as_winner"`
	WinnerAttemptID *uuid.UUID      `json:"winner_attempt_id"`
	Usage           json.RawMessage `json:"usage"`
	seq             int64
}

// eventJSON is a row of GET /events.
type eventJSON struct {
	ID        uuid.UUID  `json:"id"`
	At        time.Time  `json:"at"`
	Actor     actorJSON  `json:"actor"`
	Action    string     `json:"action"`
	JobID     *uuid.UUID `json:"job_id"`
	AttemptID *uuid.UUID `json:"attempt_id"`
	From      *string    `json:"from"`
	To        *string    `json:"to"`
	Reason    *string    `json:"reason"`
	RequestID *string    `json:"request_id"`
	seq       int64
}

type actorJSON struct {
	Kind  string     `json:"kind"`
	ID    *uuid.UUID `json:"id"`
	Email *string    `json:"email"`
}

// apiListLateResults is GET /api/v1/late-results: newest first.
func (s *Server) apiListLateResults(w http.ResponseWriter, r *http.Request) error {
	const list = "late-results"
	limit, before, err := s.recordPage(r, list)
	if err != nil {
		return err
	}
	late, err := s.o.Ledger.LateResults(r.Context(), before, limit+1)
	if err != nil {
		return err
	}
	rows := make([]lateResultJSON, len(late))
	for i, l := range late {
		rows[i] = lateResultJSON{
			AttemptID: l.AttemptID, JobID: l.JobID, Number: l.Number, JobType: l.JobType, Provider: l.Provider,
			Why: string(l.Why), ReceivedAt: l.ReceivedAt.UTC(), LateByMS: l.LateBy.Milliseconds(), Bytes: l.Bytes,
			SHA256: hex.EncodeToString(l.SHA256), MediaType: l.MediaType, SameAsWinner: l.SameAsWinner,
			WinnerAttemptID: l.WinnerID, Usage: rawOrNull(l.Usage), seq: l.Seq,
		}
	}
	return writeList(w, rows, limit, func(last lateResultJSON) (string, error) {
		return s.cursor(r.Context(), list, strconv.FormatInt(last.seq, 10))
	})
}

// apiListEvents is GET /api/v1/events: the audit log, newest first.
func (s *Server) apiListEvents(w http.ResponseWriter, r *http.Request) error {
	const list = "events"
	limit, before, err := s.recordPage(r, list)
	if err != nil {
		return err
	}
	events, err := s.o.Ledger.Events(r.Context(), before, limit+1)
	if err != nil {
		return err
	}
	rows := make([]eventJSON, len(events))
	for i, e := range events {
		rows[i] = eventJSON{
			ID: e.ID, At: e.At.UTC(), Actor: actorJSON{Kind: string(e.ActorKind), ID: e.ActorID, Email: orNull(e.ActorMail)},
			Action: e.Action, JobID: e.JobID, AttemptID: e.AttemptID, From: orNull(e.From), To: orNull(e.To),
			Reason: orNull(e.Reason), RequestID: orNull(e.RequestID), seq: e.Seq,
		}
	}
	return writeList(w, rows, limit, func(last eventJSON) (string, error) {
		return s.cursor(r.Context(), list, strconv.FormatInt(last.seq, 10))
	})
}

// recordPage reads which page of a log is wanted.
func (s *Server) recordPage(r *http.Request, list string) (limit int, before int64, err error) {
	if limit, err = limitOf(r, defaultPage); err != nil {
		return 0, 0, err
	}
	before, err = s.numberCursor(r, list)
	return limit, before, err
}
