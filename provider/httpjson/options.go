package httpjson

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"kwit/provider"
)

// Mistakes is the error of [New].
type Mistakes = provider.Mistakes

// check notes what is wrong with addresses, paths and numbers.
func check(m *Mistakes, o Options) {
	m.Add("url", provider.CheckURL(o.URL))
	m.CheckStatuses("not_processed_statuses", o.NotProcessedStatuses)
	for _, address := range []struct{ field, value string }{{"status_url", o.StatusURL}, {"cancel_url", o.CancelURL}} {
		if address.value != "" {
			m.Add(address.field, checkAddress(address.value))
		}
	}
	for _, path := range []struct{ field, value string }{
		{"result_path", o.ResultPath}, {"id_path", o.IDPath}, {"usage_path", o.UsagePath},
	} {
		m.Add(path.field, provider.CheckPointer(path.value))
	}
	if o.KeyLifetime < 0 {
		m.Add("idempotency_key_lifetime", errors.New("a time cannot be below zero"))
	}
}

// headers checks the configured ones and lists their values as secrets.
func headers(m *Mistakes, configured map[string]string) (http.Header, []string) {
	h := http.Header{"User-Agent": {"kwit"}}
	var secrets []string
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		value := configured[name]
		if err := checkHeader(name, value); err != nil {
			m.Add("headers."+name, err)
			continue
		}
		h.Set(name, value)
		secrets = append(secrets, value)
		if _, token, found := strings.Cut(value, " "); found {
			secrets = append(secrets, token) // an echo may leave out the scheme
		}
	}
	return h, secrets
}

// reserved headers are kwit's own, or belong to the connection.
var reserved = []string{
	"Idempotency-Key", "Content-Type", "Accept", "Traceparent", "Tracestate",
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Te", "Trailer",
	"Expect", "Accept-Encoding", "Proxy-Authorization", "Proxy-Connection",
}

func checkHeader(name, value string) error {
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("this is no name of a header")
	case !httpguts.ValidHeaderFieldValue(value):
		return errors.New("the value holds a character that no header may hold")
	case slices.Contains(reserved, canonical) || strings.HasPrefix(canonical, "X-Kwit-"):
		return errors.New("kwit sets this header itself; take the line out")
	}
	return nil
}
