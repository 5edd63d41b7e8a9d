package modelapi_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/modelapi"
)

// TestWriteTakesOneRequestAndSendsNone: whatever the library does with the pen.
func TestWriteTakesOneRequestAndSendsNone(t *testing.T) {
	t.Parallel()
	ask := func(p *modelapi.Pen, body string) error {
		r, err := http.NewRequest(http.MethodPost, "http://127.0.0.1:1/v1", strings.NewReader(body))
		if err != nil {
			return err
		}
		_, err = p.Do(r)
		return err
	}
	fault := errors.New("the library does not like it")
	tests := map[string]struct {
		call func(*modelapi.Pen) error
		body string // of what was written
		err  string
	}{
		"writes":             {func(p *modelapi.Pen) error { return ask(p, "{}") }, "{}", ""},
		"would write again":  {func(p *modelapi.Pen) error { return errors.Join(ask(p, "{}"), ask(p, "{}")) }, "{}", ""},
		"refuses":            {func(*modelapi.Pen) error { return fault }, "", fault.Error()},
		"writes nothing":     {func(*modelapi.Pen) error { return nil }, "", "wrote nothing"},
		"panics":             {func(*modelapi.Pen) error { panic("a bug") }, "", "a bug"},
		"panics when it has": {func(p *modelapi.Pen) error { _ = ask(p, "{}"); panic("a bug") }, "", "a bug"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written, err := modelapi.Write(test.call)
			switch {
			case test.err != "" && (err == nil || written != nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("got %v and %v, want %q", written, err, test.err)
			case test.err == "" && (err != nil || string(written.Body) != test.body || written.URL != "http://127.0.0.1:1/v1"):
				t.Errorf("got %+v and %v", written, err)
			}
		})
	}
}

func TestUnwrittenIsNotSent(t *testing.T) {
	t.Parallel()
	gate := provider.NewGate(nil, nil)
	end := modelapi.Unwritten(gate, errors.New("no ink"))
	if end.Outcome != outcome.NotSent || !gate.Sealed() || !strings.Contains(end.Detail, "no ink") {
		t.Errorf("got %+v", end)
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" a\r\n b\t":             "a b",
		"\xff":                   "�",
		strings.Repeat("ż", 400): strings.Repeat("ż", 300) + "…",
	} {
		if got := modelapi.Quoted(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
