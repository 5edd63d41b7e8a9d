package ledger_test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kwit/ledger"
	"kwit/outcome"
)

// What a provider or a person wrote never breaks a transition.
func TestForeignTextNeverBreaksATransition(t *testing.T) {
	t.Parallel()
	long := make([]byte, 20_000)
	_, _ = rand.Read(long)
	texts := map[string]string{
		"NUL":           "a\x00b",
		"invalid UTF-8": "a\xff\xfe\xc0\x80",
		"surrogates":    "\xed\xa0\x80",
		"long":          hex.EncodeToString(long),
		"quotes":        `'"\; DROP TABLE jobs; --`,
		"empty":         "",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			huge := int64(1<<63 - 1)
			call := ledger.Call{Sent: true, ProviderRequestID: text, Usage: []byte(text), Evidence: ledger.Evidence{
				BytesWritten: &huge, Status: -1, AnswerBytes: huge, MediaType: text, Late: text}}
			actor := ledger.Actor{Kind: ledger.ByProvider, RequestID: text}
			for i, act := range []func(a ledger.Attempt) error{
				func(a ledger.Attempt) error {
					c := w.completion(a, `1`)
					c.Call, c.MediaType, c.Actor = call, text, actor
					_, err := w.Complete(t.Context(), c)
					return err
				},
				func(a ledger.Attempt) error {
					w.cancel(a)
					c := w.completion(a, `1`)
					c.Call, c.MediaType, c.Actor = call, text, actor
					_, err := w.Complete(t.Context(), c)
					return err
				},
				func(a ledger.Attempt) error {
					f := w.failure(a, outcome.Rejected)
					f.Call, f.Detail, f.Actor = call, text, actor
					_, err := w.Fail(t.Context(), f)
					return err
				},
				func(a ledger.Attempt) error {
					_, err := w.Doubt(t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp,
						Outcome: outcome.AnswerLost, Detail: text, Call: call, Actor: actor})
					return err
				},
				func(a ledger.Attempt) error {
					_, err := w.Accept(t.Context(), a.OwnerID, a.ID, call)
					return err
				},
				func(a ledger.Attempt) error {
					act := w.act(a)
					act.Reason, act.Actor.RequestID = "r"+text, text
					_, err := w.Cancel(t.Context(), act)
					return err
				},
				func(a ledger.Attempt) error {
					return w.KeepAnswer(t.Context(), ledger.Answer{Owner: a.OwnerID, Attempt: a.ID, MediaType: text,
						Header: map[string][]string{text: {text}}, Body: []byte(text), Whole: true})
				},
			} {
				_, a := w.running(fmt.Sprint("k", i))
				if err := act(a); err != nil {
					t.Errorf("act %d: %v", i, err)
				}
			}
			s := w.submission("request-id", `{}`)
			s.Actor.RequestID = text
			if _, err := w.Submit(t.Context(), s); err != nil {
				t.Errorf("submit: %v", err)
			}
		})
	}
}

// Usage is kept as the provider told it, where it is JSON that PostgreSQL takes.
func TestUsageIsKeptAsTold(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":[`, 4_990) + strings.Repeat("]}", 4_990)
	deeper := strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)
	cases := []struct{ told, kept string }{
		{`{"tokens": 7,  "b": 1e400}`, `{"tokens": 7,  "b": 1e400}`},
		{`{"n": 123456789012345678901234567890.5}`, `{"n": 123456789012345678901234567890.5}`},
		{`{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{`{"nul":"\u0000","half":"\ud800"}`, `{"nul":"\u0000","half":"\ud800"}`},
		{`null`, `null`},
		{`{"cut":`, ``},
		{"\"\xff\"", ``},
		{``, ``},
		{deep, deep},
		{deeper, ``},
	}
	w := newWorld(t)
	for i, c := range cases {
		_, a := w.running(fmt.Sprint("k", i))
		answer := w.completion(a, `1`)
		answer.Call.Usage = json.RawMessage(c.told)
		if _, err := w.Complete(t.Context(), answer); err != nil {
			t.Errorf("usage %.40q: %v", c.told, err)
			continue
		}
		if got := w.attempt(a); string(got.Usage) != c.kept {
			t.Errorf("usage %.40q is kept as %.40q", c.told, got.Usage)
		}
	}
}

func TestResultsAreKeptToTheByte(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 3<<20) + `"`
	w := newWorld(t)
	for i, result := range []string{
		`null`, `0`, `-0.0`, `9007199254740993`, `1E400`, `""`, "\"\\u0000\"", "\"\xff\"", " {\"b\":1,\n\"a\":2,\"a\":3} \r\n",
		"\ufeff{}", big,
	} {
		job, a := w.running(fmt.Sprint("k", i))
		w.complete(a, result)
		if got := w.job(job); string(got.Result) != result {
			t.Errorf("%.40q is kept as %.40q", result, got.Result)
		}
	}
}

// Evidence adds up: what a later transition knows does not wipe out what an
// earlier one saw.
func TestEvidenceAddsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	written := int64(120)
	d := ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp, Outcome: outcome.Timeout,
		Call: ledger.Call{Sent: true, ProviderRequestID: "p-1", Evidence: ledger.Evidence{BytesWritten: &written, Sealed: true}}}
	if _, err := w.Doubt(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	c := w.completion(a, `1`)
	c.Call.Evidence = ledger.Evidence{Status: 200, MediaType: "application/json"}
	if _, err := w.Complete(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	got := w.attempt(a)
	var e ledger.Evidence
	if err := json.Unmarshal(got.Evidence, &e); err != nil || *e.BytesWritten != 120 || !e.Sealed || e.Status != 200 || got.ProviderRequestID != "p-1" {
		t.Errorf("evidence %s, id %q, %v", got.Evidence, got.ProviderRequestID, err)
	}
}
