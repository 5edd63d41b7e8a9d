package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/contract"
	"kwit/ledger"
)

const (
	defaultPage = 50
	greatest    = 200 // rows on a page of a list
)

// listJSON is a page of a list.
type listJSON[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// writeList answers with the first `limit` rows. A row beyond them says that
// there are more; the cursor is that of the last one shown.
func writeList[T any](w http.ResponseWriter, rows []T, limit int, cursor func(last T) (string, error)) error {
	page := listJSON[T]{Data: rows}
	if len(rows) > limit {
		page.Data = rows[:limit]
		next, err := cursor(rows[limit-1])
		if err != nil {
			return err
		}
		page.NextCursor = &next
	}
	return writeJSON(w, http.StatusOK, page)
}

// parameter reads a parameter of the address; empty where it is absent.
func parameter(r *http.Request, name string) (string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", refuse("invalid-parameter", "The part of the address behind the question mark cannot be read.")
	}
	values := query[name]
	if len(values) > 1 {
		return "", refuse("invalid-parameter", "Send %s once.", name)
	}
	if len(values) == 0 {
		return "", nil
	}
	if !utf8.ValidString(values[0]) || strings.Contains(values[0], "\x00") {
		return "", refuse("invalid-parameter", "%s is not UTF-8 text.", name)
	}
	return values[0], nil
}

// limitOf reads how many rows a page has.
func limitOf(r *http.Request, usual int) (int, error) {
	text, err := parameter(r, "limit")
	if err != nil || text == "" {
		return usual, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > greatest {
		return 0, refuse("invalid-parameter", "limit is a number from 1 to %d.", greatest)
	}
	return n, nil
}

// jobFilter reads which jobs are wanted: one more than fits the page, to know
// whether there are more. list names the list, for its cursors.
func (s *Server) jobFilter(r *http.Request, owner uuid.UUID, usual int) (filter ledger.JobFilter, list string, err error) {
	filter.Owner = owner
	state, err := parameter(r, "state")
	if err != nil {
		return filter, "", err
	}
	if filter.State = ledger.JobState(state); state != "" && !slices.Contains(ledger.JobStates, filter.State) {
		return filter, "", refuse("invalid-parameter", "state is one of %v.", ledger.JobStates)
	}
	if filter.JobType, err = parameter(r, "job_type"); err != nil {
		return filter, "", err
	}
	limit, err := limitOf(r, usual)
	if err != nil {
		return filter, "", err
	}
	filter.Limit = limit + 1
	list = strings.Join([]string{"jobs", owner.String(), state, filter.JobType}, "\x00")
	filter.Before, err = s.numberCursor(r, list)
	return filter, list, err
}

// cursor makes the opaque place in a list at which the next page begins. It
// holds for that list alone.
func (s *Server) cursor(ctx context.Context, list, place string) (string, error) {
	sum, err := s.cursorSum(ctx, list, place)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(sum, place...)), nil
}

const cursorSumLength = 12 // bytes

func (s *Server) cursorSum(ctx context.Context, list, place string) ([]byte, error) {
	key, err := s.o.Accounts.MACKey(ctx, "cursor")
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(list + "\x00" + place))
	return mac.Sum(nil)[:cursorSumLength], nil
}

// place reads the cursor of a request back; empty where there is none.
func (s *Server) place(r *http.Request, list string) (string, error) {
	text, err := parameter(r, "cursor")
	if err != nil || text == "" {
		return "", err
	}
	bad := refuse("invalid-cursor", "Use next_cursor as it stood in the answer before, with the same filters, or leave it out.")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) <= cursorSumLength {
		return "", bad
	}
	place := string(raw[cursorSumLength:])
	sum, err := s.cursorSum(r.Context(), list, place)
	if err != nil {
		return "", err
	}
	if !hmac.Equal(sum, raw[:cursorSumLength]) {
		return "", bad
	}
	return place, nil
}

// numberCursor reads a cursor whose place is a number; 0 is the list's start.
func (s *Server) numberCursor(r *http.Request, list string) (int64, error) {
	place, err := s.place(r, list)
	if err != nil || place == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(place, 10, 64)
	if err != nil {
		return 0, &internalError{err} // we made it
	}
	return n, nil
}

func unknownOwner(err error) error {
	if errors.Is(err, account.ErrUnknownPerson) {
		return refuse("unprocessable", "owner is the id or e-mail address of a person.").
			at(contract.Fault{Pointer: "/owner", Detail: "is nobody here"})
	}
	return err
}
