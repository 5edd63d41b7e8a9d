package callback_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"kwit/provider/callback"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	other  = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

var (
	noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	body = []byte(`{"status":"failed"}`)
)

func sign(t *testing.T, secret, id string, at time.Time) http.Header {
	t.Helper()
	h, err := callback.Sign(secret, id, at, body)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The example of the Standard Webhooks specification, so that both ends are
// held against somebody else's arithmetic.
func TestSignatureIsTheStandards(t *testing.T) {
	t.Parallel()
	h, err := callback.Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Get("Webhook-Signature"); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("signed as %s", got)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	set := func(name string, values ...string) func(http.Header) {
		return func(h http.Header) { h[http.CanonicalHeaderKey(name)] = values }
	}
	signature := sign(t, secret, "msg_1", noon).Get("webhook-signature")
	tests := map[string]struct {
		secret string
		change func(http.Header)
		want   error
	}{
		"right":                    {secret, nil, nil},
		"without the prefix":       {strings.TrimPrefix(secret, "whsec_"), nil, nil},
		"another provider's":       {other, nil, callback.ErrSignature},
		"no secret":                {"", nil, callback.ErrNoSecret},
		"an empty secret":          {"whsec_", nil, callback.ErrNoSecret},
		"a secret that is no text": {"whsec_!", nil, callback.ErrNoSecret},
		"no id":                    {secret, set("webhook-id"), callback.ErrHeader},
		"an empty id":              {secret, set("webhook-id", ""), callback.ErrHeader},
		"two ids":                  {secret, set("webhook-id", "msg_1", "msg_2"), callback.ErrHeader},
		"a long id":                {secret, set("webhook-id", strings.Repeat("i", 256)), callback.ErrHeader},
		"an id that is no text":    {secret, set("webhook-id", "\xff"), callback.ErrHeader},
		"another id":               {secret, set("webhook-id", "msg_2"), callback.ErrSignature},
		"no timestamp":             {secret, set("webhook-timestamp"), callback.ErrHeader},
		"a date for a timestamp":   {secret, set("webhook-timestamp", noon.Format(time.RFC3339)), callback.ErrHeader},
		"another timestamp":        {secret, set("webhook-timestamp", "1793793601"), callback.ErrSignature},
		"no signature":             {secret, set("webhook-signature"), callback.ErrHeader},
		"an empty signature":       {secret, set("webhook-signature", ""), callback.ErrHeader},
		"half a signature":         {secret, set("webhook-signature", "v1,"), callback.ErrSignature},
		"another version":          {secret, set("webhook-signature", "v2"+signature[2:]), callback.ErrSignature},
		"several, one fits":        {secret, set("webhook-signature", "v1,AAAA v1a,x "+signature+" v1,BBBB"), nil},
		"several, none fits":       {secret, set("webhook-signature", "v1,AAAA v1,BBBB"), callback.ErrSignature},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sign(t, secret, "msg_1", noon)
			if test.change != nil {
				test.change(h)
			}
			id, err := callback.Verify(test.secret, h, body, noon)
			if !errors.Is(err, test.want) || (err == nil) != (id == "msg_1") {
				t.Errorf("got %q, %v, want %v", id, err, test.want)
			}
		})
	}
	if _, err := callback.Verify(secret, sign(t, secret, "msg_1", noon), []byte(`{"status":"failed" }`), noon); !errors.Is(err, callback.ErrSignature) {
		t.Errorf("another body: %v", err)
	}
	if _, err := callback.Verify(secret, sign(t, other, "msg_1", noon), body, noon); !errors.Is(err, callback.ErrSignature) {
		t.Errorf("signed by another: %v", err)
	}
}

// TestVerifyByEitherClock: within five minutes of the node's or the database's
// clock is right, on both sides (3-interfaces, "Callbacks").
func TestVerifyByEitherClock(t *testing.T) {
	t.Parallel()
	const edge = callback.Window
	tests := []struct {
		clocks []time.Duration // how far each is from the timestamp
		want   error
	}{
		{[]time.Duration{0}, nil},
		{[]time.Duration{edge}, nil},
		{[]time.Duration{-edge}, nil},
		{[]time.Duration{edge + time.Second}, callback.ErrOutsideWindow},
		{[]time.Duration{-edge - time.Second}, callback.ErrOutsideWindow},
		{[]time.Duration{time.Hour, 0}, nil},
		{[]time.Duration{0, -time.Hour}, nil},
		{[]time.Duration{time.Hour, -time.Hour}, callback.ErrOutsideWindow},
		{nil, callback.ErrOutsideWindow},
	}
	for _, test := range tests {
		var clocks []time.Time
		for _, off := range test.clocks {
			clocks = append(clocks, noon.Add(off))
		}
		if _, err := callback.Verify(secret, sign(t, secret, "msg_1", noon), body, clocks...); !errors.Is(err, test.want) {
			t.Errorf("%v: got %v, want %v", test.clocks, err, test.want)
		}
	}
	for _, far := range []string{"9223372036854775807", "-9223372036854775808", "0", "-1"} {
		h := sign(t, secret, "msg_1", noon)
		h.Set("webhook-timestamp", far)
		if _, err := callback.Verify(secret, h, body, noon); err == nil {
			t.Errorf("the timestamp %s was accepted", far)
		}
	}
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	for text, right := range map[string]bool{
		secret: true, "whsec_" + base64.StdEncoding.EncodeToString([]byte("x")): true,
		"": false, "whsec_": false, "whsec_not base64": false,
	} {
		if err := callback.CheckSecret(text); (err == nil) != right {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := callback.Sign(text, "msg_1", noon, body); (err == nil) != right {
			t.Errorf("signing with %q: %v", text, err)
		}
	}
}
