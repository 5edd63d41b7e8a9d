package simulator_test

import (
	"encoding/json"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/behaviour"
	"kwit/provider/providertest"
	"kwit/provider/seen"
	"kwit/provider/simulator"
)

func TestPlausible(t *testing.T) {
	t.Parallel()
	tests := []struct{ body, want string }{
		{`{"text":"One. Two! Three and four. Five, six, seven and eight."}`, `{"summary":"One. Two! Three and four.","words":10}`},
		{`{"text":"no end in sight, nowhere at all"}`, `{"summary":"no end in sight …","words":7}`},
		{`{"text":"Word"}`, `{"summary":"Wo","words":1}`},
		{`{"text":"ż"}`, `{"summary":"","words":1}`},
		{`{"text":"a < b & c. And much more."}`, `{"summary":"a < b & …","words":8}`},
		{`{"frames":9007199254740993}`, `{"done":true,"input":{"frames":9007199254740993}}`},
		{`{"text":7}`, `{"done":true,"input":{"text":7}}`},
		{`[1, 2]`, `{"done":true,"input":[1,2]}`},
	}
	for _, test := range tests {
		got, err := simulator.Plausible([]byte(test.body))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.body, got, err, test.want)
		}
	}
	for _, body := range []string{`{"text":" "}`, `{`} {
		if got, err := simulator.Plausible([]byte(body)); err == nil {
			t.Errorf("%s was accepted: %s", body, got)
		}
	}
}

func TestBrokenIsJSONWithASurplusMember(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{"a":1}`, ` { } `, `{}`, `[1]`, `"text"`, `null`} {
		var got map[string]any
		if err := json.Unmarshal(simulator.Broken([]byte(result)), &got); err != nil || got["note_from_the_provider"] == nil {
			t.Errorf("%s: %v, %v", result, got, err)
		}
	}
}

func TestWorkIsChosen(t *testing.T) {
	t.Parallel()
	log := seen.NewLog(0)
	p := simulator.New(simulator.Options{
		Latency: simulator.Range{Min: 1, Max: 1},
		Work:    func([]byte) ([]byte, error) { return []byte(`"painted"`), nil },
		Log:     log,
	})
	end := p.Send(providertest.Patience(t), provider.NewGate(nil, nil), providertest.Ask("a", []byte(`{}`)), nil)
	if end.Outcome != outcome.Succeeded || string(end.Result) != `"painted"` {
		t.Errorf("got %q %s (%s)", end.Outcome, end.Result, end.Detail)
	}
	want := seen.Request{AttemptID: "a", JobID: "job-of-a", Key: "a", Behaviour: string(behaviour.Normal), Count: 1}
	got := log.All()[0]
	want.At = got.At
	if got != want {
		t.Errorf("the log says %+v", got)
	}
}
