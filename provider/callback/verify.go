package callback

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Window is how far a callback's timestamp may lie from the clock, either way.
const Window = 5 * time.Minute

// What [Verify] refuses; each is a 401.
var (
	ErrNoSecret      = errors.New("no secret for callbacks is configured for this provider")
	ErrHeader        = errors.New("webhook-id, webhook-timestamp and webhook-signature must each stand once and be readable")
	ErrSignature     = errors.New("no signature fits the body and this provider's secret")
	ErrOutsideWindow = errors.New("the timestamp lies more than five minutes from the present")
)

// CheckSecret tells what is wrong with a secret: it is whsec_ and at least one
// byte in base64. The library beneath accepts an empty one, with which anybody
// could sign (7-facts, "Libraries").
func CheckSecret(secret string) error {
	_, err := open(secret)
	return err
}

func open(secret string) (*standardwebhooks.Webhook, error) {
	if secret == "" || secret == "whsec_" {
		return nil, ErrNoSecret
	}
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, errors.New("the secret for callbacks must be written in base64, as Standard Webhooks has it: whsec_…")
	}
	return w, nil
}

// Verify tells whether body was signed with secret, for any of its signatures
// (there are several while a provider changes its secret), and within [Window]
// of any of the clocks. It answers the webhook-id, which is 1 to 255 visible
// ASCII characters.
//
// Its errors are [ErrNoSecret], [ErrHeader], [ErrSignature] and
// [ErrOutsideWindow].
func Verify(secret string, header http.Header, body []byte, now ...time.Time) (id string, err error) {
	w, err := open(secret)
	if err != nil {
		return "", ErrNoSecret
	}
	id, at, err := headers(header)
	if err != nil {
		return "", err
	}
	if w.VerifyIgnoringTimestamp(body, header) != nil {
		return "", ErrSignature
	}
	if !slices.ContainsFunc(now, func(clock time.Time) bool { return clock.Sub(at).Abs() <= Window }) {
		return "", ErrOutsideWindow
	}
	return id, nil
}

// headers reads id and timestamp. A header that stands twice could be read in
// two ways.
func headers(h http.Header) (id string, at time.Time, err error) {
	for _, name := range []string{standardwebhooks.HeaderWebhookID, standardwebhooks.HeaderWebhookTimestamp, standardwebhooks.HeaderWebhookSignature} {
		if len(h.Values(name)) != 1 || h.Get(name) == "" {
			return "", at, ErrHeader
		}
	}
	id = h.Get(standardwebhooks.HeaderWebhookID)
	seconds, err := strconv.ParseInt(h.Get(standardwebhooks.HeaderWebhookTimestamp), 10, 64)
	if err != nil || len(id) > 255 {
		return "", at, ErrHeader
	}
	for _, c := range []byte(id) {
		if c < 0x21 || c > 0x7e {
			return "", at, ErrHeader
		}
	}
	return id, time.Unix(seconds, 0), nil
}

// Sign makes the headers of a callback, as a provider does.
func Sign(secret, id string, at time.Time, body []byte) (http.Header, error) {
	w, err := open(secret)
	if err != nil {
		return nil, err
	}
	signature, err := w.Sign(id, at, body)
	if err != nil {
		return nil, fmt.Errorf("sign a callback: %w", err)
	}
	h := http.Header{"Content-Type": {"application/json"}}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return h, nil
}
