// Package sample holds jobs in typical states, for the tests of the pages and
// for looking at them.
package sample

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"kwit/config"
	"kwit/contract"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/views"
)

// Now is the moment at which the samples are looked at.
var Now = time.Date(2026, 12, 1, 14, 4, 22, 0, time.UTC)

// Owner owns the samples' jobs.
var Owner = uuid.MustParse("0190a000-0000-7000-8000-000000000001")

// Case is a job with what its page shows beside it.
type Case struct {
	Name   string
	Job    *ledger.Job
	Events []ledger.Event
	Late   []ledger.LateResult
	Asked  []ledger.Enquiry
	Asking map[uuid.UUID]views.Asking
	Paused string // the name of a provider
}

// History is what the case's page knows beside its attempts.
func (c Case) History() views.History {
	known := Providers()
	if c.Paused != "" {
		p := known[c.Paused]
		p.Pause = &ledger.Pause{Provider: c.Paused, At: Now.Add(-4 * time.Minute), By: Admin.Email, Reason: "toner is being changed"}
		known[c.Paused] = p
	}
	return views.History{Events: c.Events, Late: c.Late, Enquiries: c.Asked, Asking: c.Asking, Providers: known}
}

// Providers are the samples' providers: one has a price for a call, one for
// tokens, one for nothing.
func Providers() views.Providers {
	c, mistakes := config.Parse("kwit.yaml", []byte(providers), func(string) (string, bool) { return "", false })
	if mistakes != nil {
		panic(fmt.Sprint("sample: ", mistakes))
	}
	known := views.Providers{}
	for _, p := range c.Providers {
		known[p.Name] = views.Provider{Name: p.Name, Kind: string(p.Kind), Limit: p.MaxConcurrent, Price: p.Price}
	}
	return known
}

const providers = `
providers:
  inkjet: {kind: http, url: "https://inkjet.example.com", max_concurrent: 8, price: {per_call: 0.04, currency: EUR}}
  laser:
    kind: openai
    base_url: https://laser.example.com/v1
    model: toner
    price: {per_million_input: 2, per_million_output: 8, currency: EUR}
  farm: {kind: http, url: "https://farm.example.com"}
job_types:
  summary: {title: Summarise a text, input: {type: object}, output: {type: object}, route: [inkjet], prompt: {user: "{{.input}}"}}
`

// Input is what the samples' owner asked for.
const Input = `{"language":"Polish","text":"The user clicks the button. Ten seconds\nof silence.","words":120,"urgent":true}`

// Result is an answer to it.
const Result = `{"summary":"A user clicks, waits ten seconds and hears nothing. The request may still be running at the provider, so the click is one job and stays one, whatever becomes of the answer.","words":31,"keywords":["timeout","retry","idempotency"]}`

// id makes the same id from the same numbers.
func id(kind, n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("0190a%03d-0000-7000-8000-%012d", kind, n))
}

// builder writes a job's story in seconds before or after its beginning.
type builder struct {
	Case
	start time.Time
}

func newCase(name string, number int64, asked time.Duration) *builder {
	start := Now.Add(-asked)
	return &builder{start: start, Case: Case{Name: name, Job: &ledger.Job{
		OwnerID: Owner, ID: id(1, int(number)), Number: number, IdempotencyKey: "form-" + name, JobType: "summary",
		JobTypeDigest: "digest", Input: []byte(Input), Route: []string{"inkjet", "laser"}, Version: 1, Revision: 3,
		CreatedAt: start,
	}}}
}

func (b *builder) at(seconds float64) *time.Time {
	t := b.start.Add(time.Duration(seconds * float64(time.Second)))
	return &t
}

// attempt adds one that was made at a time, and is pending.
func (b *builder) attempt(provider string, made float64) {
	n := len(b.Job.Attempts) + 1
	b.Job.Attempts = append(b.Job.Attempts, ledger.Attempt{
		OwnerID: Owner, ID: id(2, int(b.Job.Number)*10+n), JobID: b.Job.ID, Ordinal: int32(n), Provider: provider, Automatic: true,
		State: ledger.Pending, StateAt: *b.at(made), JobVersion: 1, CreatedAt: *b.at(made),
	})
	b.event(n, "attempt_added", "", ledger.Pending, made, "")
}

// run claims and sends the last attempt.
func (b *builder) run(claimed, sent, deadline float64) {
	a := &b.Job.Attempts[len(b.Job.Attempts)-1]
	a.State, a.StateAt, a.StartedAt = ledger.Running, *b.at(claimed), b.at(claimed)
	a.SentAt, a.Deadline = b.at(sent), b.at(deadline)
	b.event(int(a.Ordinal), "claimed", ledger.Pending, ledger.Running, claimed, "")
}

// turn brings an attempt into a further state.
func (b *builder) turn(n int, to ledger.AttemptState, at float64, o outcome.Outcome, reason string) *ledger.Attempt {
	a := &b.Job.Attempts[n-1]
	b.event(n, actions[to], a.State, to, at, reason)
	a.State, a.StateAt, a.Outcome = to, *b.at(at), o
	if to.Ended() {
		a.EndedAt = b.at(at)
	}
	return a
}

var actions = map[ledger.AttemptState]string{
	ledger.Unknown: "doubted", ledger.Released: "released", ledger.Succeeded: "completed",
	ledger.Failed: "failed", ledger.Discarded: "discarded", ledger.Cancelled: "cancelled",
}

func (b *builder) event(n int, action string, from, to ledger.AttemptState, at float64, reason string) {
	attempt := id(2, int(b.Job.Number)*10+n)
	e := ledger.Event{Seq: int64(len(b.Events) + 1), OwnerID: Owner, ID: id(3, int(b.Job.Number)*100+len(b.Events)),
		At: *b.at(at), ActorKind: ledger.BySystem, Action: action, JobID: &b.Job.ID, Number: b.Job.Number, AttemptID: &attempt,
		From: string(from), To: string(to), Reason: reason}
	if reason != "" {
		e.ActorKind, e.ActorMail = ledger.ByUser, "jan@example.com"
	}
	b.Events = append(b.Events, e)
}

// win completes the job by an attempt.
func (b *builder) win(n int, at float64) {
	a := b.turn(n, ledger.Succeeded, at, outcome.Succeeded, "")
	b.Job.State, b.Job.CompletedBy, b.Job.CompletedAt, b.Job.Result = ledger.JobSucceeded, &a.ID, b.at(at), []byte(Result)
	b.Job.Version++
}

// asked notes what a provider answered about an attempt, and when it is asked
// again.
func (b *builder) asked(n int, how views.Asking, next float64, at map[float64]string) {
	a := &b.Job.Attempts[n-1]
	for _, seconds := range slices.Sorted(maps.Keys(at)) {
		b.Asked = append(b.Asked, enquiry(a.ID, *b.at(seconds), how, at[seconds]))
		a.EnquiryCount++
	}
	a.NextEnquiryAt = b.at(next)
	if b.Asking == nil {
		b.Asking = map[uuid.UUID]views.Asking{}
	}
	b.Asking[a.ID] = how
}

func enquiry(attempt uuid.UUID, at time.Time, how views.Asking, told string) ledger.Enquiry {
	e := ledger.Enquiry{Attempt: attempt, At: at, Kind: string(how), Told: told}
	switch told {
	case "not_known":
		e.Status, e.Detail = 404, "The provider knows of no such request, which proves nothing."
	case "running":
		e.Status, e.Detail = 200, "The provider says that it is at work."
	default:
		e.Detail = "The connection was refused."
	}
	return e
}

// lose logs a late result of an attempt.
func (b *builder) lose(n int, at float64, why ledger.LateReason, by time.Duration) {
	a := b.Job.Attempts[n-1]
	l := ledger.LateResult{Seq: int64(len(b.Late) + 1), AttemptID: a.ID, JobID: b.Job.ID, Number: b.Job.Number,
		JobType: b.Job.JobType, Provider: a.Provider, Ordinal: a.Ordinal, Why: why, ReceivedAt: *b.at(at), LateBy: by,
		Bytes: 3207, SHA256: []byte("0123456789abcdef0123456789abcdef"), MediaType: "application/json"}
	if w := b.Job.Winner(); w != nil {
		l.WinnerID, l.WinnerProvider, l.WinnerOrdinal = &w.ID, w.Provider, w.Ordinal
	}
	b.Late = append(b.Late, l)
}

func evidence(e ledger.Evidence) json.RawMessage {
	raw, _ := json.Marshal(e) // plain fields only
	return raw
}

// Fields is the form of the samples' job type.
func Fields() []contract.Field {
	low, high := 10, 6000
	return []contract.Field{
		{Name: "input.language", Pointer: "/language", Kind: contract.Choice, Label: "Language", Required: true,
			Choices: []contract.Option{{Value: "Polish", Label: "Polish"}, {Value: "English", Label: "English"}}},
		{Name: "input.text", Pointer: "/text", Kind: contract.LongText, Label: "Text", Help: "What shall be summarised.",
			Required: true, MinLength: &low, MaxLength: &high, Placeholder: "Paste it here"},
		{Name: "input.words", Pointer: "/words", Kind: contract.Integer, Label: "Words", Help: "How long the summary may be.",
			Minimum: "10", Maximum: "500"},
		{Name: "input.tone", Pointer: "/tone", Kind: contract.Choice, Label: "Tone",
			Choices: []contract.Option{{Value: "plain", Label: "Plain"}, {Value: "warm", Label: "Warm"}}},
		{Name: "input.urgent", Pointer: "/urgent", Kind: contract.YesNo, Label: "Urgent", Help: "It goes first where there is a choice."},
		{Name: "input.sender", Pointer: "/sender", Kind: contract.Object, Label: "Sender", Fields: []contract.Field{
			{Name: "input.sender.name", Pointer: "/sender/name", Kind: contract.Text, Label: "Name"},
			{Name: "input.sender.due", Pointer: "/sender/due", Kind: contract.Text, Label: "Due", Format: "date"},
		}},
		{Name: "input.extra", Pointer: "/extra", Kind: contract.JSON, Label: "Extra", Help: "Anything else, as JSON."},
	}
}
