// Package behaviour names the ways in which a pretended provider can behave.
// The simulator and the demo farm understand the same words; a job chooses one
// by the field "behaviour" of its input.
package behaviour

import (
	"encoding/json"
	"time"
)

// Behaviour is one way to behave.
type Behaviour string

// The behaviours, and how kwit understands each.
const (
	Normal      Behaviour = "normal"      // a result, in a realistic time
	Slow        Behaviour = "slow"        // a result, after a long while
	Silent      Behaviour = "silent"      // never answers: timeout
	Late        Behaviour = "late"        // a result, after the deadline
	Lost        Behaviour = "lost"        // does the work, the answer is cut: answer_lost
	Reset       Behaviour = "reset"       // does the work, resets the connection: connection_lost
	Refuse      Behaviour = "refuse"      // does not act, and says when to come back: not_processed
	Fail        Behaviour = "fail"        // fails by its own word
	Gateway     Behaviour = "gateway"     // a gateway's HTML page with 502: server_error
	Reject      Behaviour = "reject"      // refuses this input for good: rejected
	Broken      Behaviour = "broken"      // a result that breaks the output contract: contract
	Unavailable Behaviour = "unavailable" // cannot be reached: not_sent
	Accept      Behaviour = "accept"      // takes the work (202), and says what became of it when asked
	Callback    Behaviour = "callback"    // takes the work (202), and calls back
	Forget      Behaviour = "forget"      // never answers, and knows of nothing when asked: timeout
)

// All lists every behaviour, for a form's choice.
func All() []Behaviour {
	return []Behaviour{Normal, Slow, Silent, Late, Lost, Reset, Refuse, Fail, Gateway, Reject, Broken, Unavailable, Accept, Callback, Forget}
}

// Wish is what a request's body asks for.
type Wish struct {
	Behaviour Behaviour
	LateAfter time.Duration // of an answer, or of work that was accepted; 0 where the body does not say
}

// Of reads the wish out of a body: the fields "behaviour" and "late_after" (in
// seconds) of a JSON object. Without a word that is known it is Normal.
func Of(body []byte) Wish {
	var fields struct {
		Behaviour Behaviour `json:"behaviour"`
		LateAfter float64   `json:"late_after"`
	}
	// What cannot be read asks for nothing.
	_ = json.Unmarshal(body, &fields)
	wish := Wish{Behaviour: Normal}
	for _, known := range All() {
		if fields.Behaviour == known {
			wish.Behaviour = known
		}
	}
	if fields.LateAfter > 0 && fields.LateAfter < (24*time.Hour).Seconds() {
		wish.LateAfter = time.Duration(fields.LateAfter * float64(time.Second))
	}
	return wish
}
