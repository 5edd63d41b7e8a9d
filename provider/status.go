package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"kwit/outcome"
)

// Statuses says what a status means by itself: the rows of 2-ledger that hold
// for every provider. It leaves a 2xx other than 202 to the adapter, which
// knows what a result looks like; settled is then false.
//
// notProcessed lists the statuses that the provider documents as "not acted
// on" (not_processed_statuses).
func Statuses(a Answer, notProcessed []int) (end End, settled bool) {
	end = End{
		RetryAfter:        RetryAfter(a.Header, a.ReceivedAt),
		ProviderRequestID: requestID(a.Header),
	}
	word, why := meaning(a, notProcessed)
	switch {
	case a.Status == http.StatusAccepted:
		end.Accepted = true
		end.Detail = "The provider took the work (202) and will say later what became of it."
	case a.Status >= 200 && a.Status < 300 && a.Whole:
		return end, false
	case a.Status >= 200 && a.Status < 300:
		end.Outcome = outcome.AnswerLost
		end.Detail = fmt.Sprintf("The provider answered %d, but the answer was cut after %d bytes or is too large.", a.Status, len(a.Body))
	default:
		end.Outcome = word
		end.Detail = fmt.Sprintf("The provider answered %d%s: %s.", a.Status, named(a.Status), why)
	}
	return end, true
}

// meaning is the table for everything but 2xx.
func meaning(a Answer, notProcessed []int) (outcome.Outcome, string) {
	s := a.Status
	switch {
	case slices.Contains(notProcessed, s):
		return outcome.NotProcessed, "by its documentation it did not act on the request"
	case s == 421 || s == 425 || s == 429:
		return outcome.NotProcessed, "it did not act on the request"
	case s >= 300 && s < 400:
		return outcome.Rejected, "it points elsewhere, and kwit follows no redirect; correct the address"
	case s == 409 && speaksOfKey(a):
		return outcome.ServerError, "a request with this key is under way there"
	case permanent(s):
		return outcome.Rejected, "it refuses this request for good"
	default:
		return outcome.ServerError, "that does not say whether it acted on the request"
	}
}

// permanent lists the refusals that repeating does not change.
func permanent(s int) bool {
	switch {
	case s == 408:
		return false
	case s >= 400 && s <= 418:
		return true
	}
	return s == 422 || s == 426 || s == 428 || s == 431 || s == 451
}

// speaksOfKey tells whether a 409 answers to our idempotency key: then a
// request of ours is being worked on. It errs towards the doubt.
func speaksOfKey(a Answer) bool {
	text := bytes.ToLower(a.Body)
	for _, sign := range []string{"idempot", "in progress", "in_progress", "in-progress"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return !a.Whole
}

func named(status int) string {
	if text := http.StatusText(status); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// requestID is the provider's own name for the call, as far as it is one.
func requestID(h http.Header) string {
	for _, name := range []string{"X-Request-Id", "Request-Id"} {
		if id := strings.TrimSpace(h.Get(name)); id != "" && len(id) <= 255 {
			return id
		}
	}
	return ""
}

// ID reads a provider's own name out of its JSON: a text of at most 255 bytes,
// or a number as it is written. It reports false for anything else.
func ID(value json.RawMessage) (string, bool) {
	id := string(value)
	if strings.HasPrefix(id, `"`) {
		if json.Unmarshal(value, &id) != nil {
			return "", false
		}
	} else if strings.Trim(id, "0123456789") != "" {
		return "", false
	}
	id = strings.TrimSpace(id)
	return id, id != "" && len(id) <= 255 && !strings.ContainsRune(id, 0)
}
