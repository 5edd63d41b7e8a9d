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
// (RFC 9110, section 10.2.3): between 0 and an hour, and 0 for what cannot be
// read. A date counts from the answer's own Date where it has one, so that a
// clock that goes wrong on either side does no harm; else from now.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds > int(longestWait/time.Second) {
			return longestWait
		}
		return time.Duration(seconds) * time.Second
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
			for _, secret := range secrets {
				if len(secret) >= 6 { // a shorter one would blot out ordinary words
					value = strings.ReplaceAll(value, secret, masked)
				}
			}
			values[i] = value
		}
	}
	return out
}
