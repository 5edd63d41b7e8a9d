package views

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"kwit/contract"
	"kwit/ledger"
	"kwit/outcome"
)

// ActForm is an operator's form that could not be accepted as it was: it is
// drawn open, with what was typed and what is wrong.
type ActForm struct {
	Attempt uuid.UUID
	Act     string // cancel, release, resolve, enquire
	Reason  string
	Status  string // of a resolve: succeeded or failed
	Result  string // of a resolve, as it was pasted
	Problem string // in a sentence; may be empty
	Faults  []contract.Fault
}

// of is the typed form if it is that of the attempt and the act, else an empty
// one.
func (f *ActForm) of(attempt uuid.UUID, act string) ActForm {
	if f == nil || f.Attempt != attempt || f.Act != act {
		return ActForm{}
	}
	return *f
}

func (f ActForm) open() bool { return f.Act != "" }

// Case is an attempt that has not ended, with what is known of its provider.
type Case struct {
	ledger.OpenCase
	Provider  Provider
	Asking    Asking
	Enquiries []ledger.Enquiry // the last one, if any
}

// askable tells whether there is anything to ask about an attempt.
func askable(a ledger.Attempt) bool {
	return a.State == ledger.Unknown || a.State == ledger.Released || a.State == ledger.Running && a.AcceptedAt != nil
}

// resolvable tells whether the state table lets an attempt be resolved.
func resolvable(s ledger.AttemptState) bool { return s == ledger.Unknown || s == ledger.Released }

// evidenceOf are the facts that were seen of a call, as rows: each of them that
// the line why, or what was noted, does not say already.
func evidenceOf(a ledger.Attempt, why string) []row {
	var rows []row
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, row{Name: name, Text: text})
		}
	}
	noted := a.Detail
	if strings.Contains(why, noted) || onlyTimeout(a) {
		noted = ""
	}
	add("noted", noted)
	var seen map[string]json.RawMessage
	if json.Unmarshal(a.Evidence, &seen) == nil && len(seen) > 0 {
		for _, r := range rowsOf(a.Evidence, nil) {
			if n, err := strconv.ParseInt(r.Text, 10, 64); err == nil && (hasFigure(why, n) || hasFigure(noted, n)) {
				continue
			}
			add(evidenceWord(r.Name), r.Text)
		}
	}
	return rows
}

// onlyTimeout tells whether what was noted of an attempt is no more than that
// nobody answered in time, which caseWhy says with its figures.
func onlyTimeout(a ledger.Attempt) bool {
	return a.Outcome == outcome.Timeout && !a.State.Ended() && strings.HasPrefix(a.Detail, "no answer ")
}

// hasFigure tells whether a number stands in a text, with its thousands apart or
// not.
func hasFigure(text string, n int64) bool {
	isFigure := func(c rune) bool { return c >= '0' && c <= '9' || c == ',' || c == '.' }
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return !isFigure(c) }) {
		if word = strings.TrimRight(word, ",."); word == strconv.FormatInt(n, 10) || word == count(n) {
			return true
		}
	}
	return false
}
