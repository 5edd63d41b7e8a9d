package web

import (
	"net/http"
	"strings"

	"kwit/ledger"
)

// idempotencyKey reads the header that every submission carries (C02). The
// quotes of the IETF draft (a structured field's string, RFC 9651, 3.3.3) are
// taken off.
func idempotencyKey(r *http.Request) (string, error) {
	inQuery := false
	for name := range r.URL.Query() {
		inQuery = inQuery || strings.EqualFold(strings.ReplaceAll(name, "_", "-"), "Idempotency-Key")
	}
	values := r.Header.Values("Idempotency-Key")
	switch {
	case len(values) == 0 && inQuery:
		return "", refuse("idempotency-key-missing", "The key belongs into the header Idempotency-Key, not into the address. Nothing was started.")
	case len(values) == 0:
		return "", refuse("idempotency-key-missing", "Send a header Idempotency-Key with a fresh value for each new job, "+
			"and the same one when you send the same job again. Nothing was started.")
	case inQuery:
		return "", refuse("idempotency-key-invalid", "Send the key in the header alone, not in the address too. Nothing was started.")
	case len(values) > 1:
		return "", refuse("idempotency-key-invalid", "Send the header once. Nothing was started.")
	}
	key, ok := unquoted(values[0])
	if !ok || !ledger.ValidKey(key) {
		return "", refuse("idempotency-key-invalid", "A key is 1 to 255 visible ASCII characters, with both quotes or none. Nothing was started.")
	}
	return key, nil
}

// unquoted takes a pair of quotes off. It reports false where one of them is
// missing, or where the quoted text is no string of RFC 9651.
func unquoted(value string) (string, bool) {
	if !strings.HasPrefix(value, `"`) {
		return value, !strings.HasSuffix(value, `"`)
	}
	if len(value) < 2 || !strings.HasSuffix(value, `"`) {
		return "", false
	}
	var key strings.Builder
	for inner := value[1 : len(value)-1]; inner != ""; inner = inner[1:] {
		if inner[0] == '"' {
			return "", false
		}
		if inner[0] == '\\' {
			if inner = inner[1:]; inner == "" || inner[0] != '"' && inner[0] != '\\' {
				return "", false
			}
		}
		key.WriteByte(inner[0])
	}
	return key.String(), true
}
