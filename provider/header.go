package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds Retry-After (3-interfaces, "Trying again by itself").
const longestWait = time.Hour

// RetryAfter reads how long a provider asks to wait, in seconds or as a date
// (RFC 9110, section 10.2.3), or in milliseconds where it says Retry-After-Ms,
// as the APIs of language models do: between 0 and an hour, and 0 for what
// cannot be read. A date counts from the answer's own Date where it has one, so
// that a clock that goes wrong on either side does no harm; else from now.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if wait, ok := count(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if wait, ok := count(text, time.Second); ok {
		return wait
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), longestWait)
}

// count reads a whole number of units, up to longestWait.
func count(text string, unit time.Duration) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > int64(longestWait/unit) {
		return longestWait, true
	}
	return time.Duration(n) * unit, true
}

// masked stands where a secret stood.
const masked = "•••"

// MaskHeader copies an answer's header and hides what must not be stored:
// cookies, and each of secrets wherever a provider echoes it.
func MaskHeader(h http.Header, secrets []string) http.Header {
	out := h.Clone()
	for name, values := range out {
		for i, value := range values {
			if name == "Set-Cookie" {
				values[i] = masked
				continue
			}
			values[i] = Mask(value, secrets)
		}
	}
	return out
}

// Mask hides each of secrets in a text that is to be stored.
func Mask(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= 6 { // a shorter one would blot out ordinary words
			text = strings.ReplaceAll(text, secret, masked)
		}
	}
	return text
}
