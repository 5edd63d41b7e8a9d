package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kwit/outcome"
	"kwit/provider"
)

func TestJudgeJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		cut        bool
		want       outcome.Outcome
	}{
		{"object", `{"a":1}`, false, outcome.Succeeded},
		{"null", `null`, false, outcome.Succeeded},
		{"number beyond a double", `9007199254740993`, false, outcome.Succeeded},
		{"space around", " [1]\n", false, outcome.Succeeded},
		{"NUL in a string", `"\u0000"`, false, outcome.Succeeded},
		{"doubled member", `{"a":1,"a":1}`, false, outcome.Contract},
		{"doubled by an escape", `{"a":1,"\u0061":1}`, false, outcome.Contract},
		{"lone surrogate", `"\ud800"`, false, outcome.Contract},
		{"too deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), false, outcome.Contract},
		{"empty", ``, false, outcome.AnswerLost},
		{"only space", ` `, false, outcome.AnswerLost},
		{"cut", `{"a":1}`, true, outcome.AnswerLost},
		{"doubled and unfinished", `{"a":1,"a":1`, false, outcome.AnswerLost},
		{"two values", `{}{}`, false, outcome.AnswerLost},
		{"not UTF-8", "\"\xff\"", false, outcome.AnswerLost},
		{"HTML", `<html>`, false, outcome.AnswerLost},
		{"a fence", "```json\n{}\n```", false, outcome.AnswerLost},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			end := provider.JudgeJSON(provider.Answer{Status: 200, Body: []byte(test.body), Whole: !test.cut}, nil)
			if end.Outcome != test.want {
				t.Errorf("got %q, want %q (%s)", end.Outcome, test.want, end.Detail)
			}
			if end.Outcome == outcome.Succeeded && string(end.Result) != test.body {
				t.Errorf("the result is not as it arrived: %q", end.Result)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	tests := []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"0", "", 0},
		{" 30 ", "", 30 * time.Second},
		{"3601", "", time.Hour},
		{"99999999999999999999999", "", time.Hour},
		{"-5", "", 0},
		{"1.5", "", 0},
		{"soon", "", 0},
		{date(90 * time.Second), "", 90 * time.Second},
		{date(-time.Minute), "", 0},
		{date(48 * time.Hour), "", time.Hour},
		{date(2 * time.Hour), date(2*time.Hour - time.Minute), time.Minute}, // a clock two hours ahead
		{date(time.Minute), "yesterday", time.Minute},
	}
	for _, test := range tests {
		h := http.Header{"Retry-After": {test.value}, "Date": {test.date}}
		if got := provider.RetryAfter(h, now); got != test.want {
			t.Errorf("Retry-After: %s: got %v, want %v", test.value, got, test.want)
		}
	}
}

func TestRetryAfterInMilliseconds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		ms, seconds string
		want        time.Duration
	}{
		{"250", "9", 250 * time.Millisecond},
		{"3600001", "", time.Hour},
		{"99999999999999999999999", "", time.Hour},
		{"-1", "9", 9 * time.Second},
		{"1e3", "9", 9 * time.Second},
		{"NaN", "", 0},
		{"", "9", 9 * time.Second},
	}
	for _, test := range tests {
		h := http.Header{"Retry-After-Ms": {test.ms}, "Retry-After": {test.seconds}}
		if got := provider.RetryAfter(h, time.Now()); got != test.want {
			t.Errorf("Retry-After-Ms: %s, Retry-After: %s: got %v, want %v", test.ms, test.seconds, got, test.want)
		}
	}
}

func TestMaskHeader(t *testing.T) {
	t.Parallel()
	h := http.Header{
		"Set-Cookie":   {"session=1"},
		"X-Echo":       {"Bearer sesame-opens", "nothing"},
		"Content-Type": {"application/json"},
	}
	got := provider.MaskHeader(h, []string{"sesame-opens", "json"})
	for name, want := range map[string]string{
		"Set-Cookie": "•••", "X-Echo": "Bearer •••", "Content-Type": "application/json",
	} {
		if got.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, got.Get(name), want)
		}
	}
	if h.Get("Set-Cookie") != "session=1" {
		t.Error("the answer's own header was changed")
	}
}
