package httpjson

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"kwit/provider"
)

// Mistake is one option that is wrong.
type Mistake struct {
	Field string // as the configuration file calls it, "headers.NAME" for one header
	Err   error
}

// Mistakes are all of them, so that a person sees every one at once.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, one := range m {
		lines[i] = one.Field + ": " + one.Err.Error()
	}
	return strings.Join(lines, "\n")
}

func (m *Mistakes) add(field string, err error) {
	if err != nil {
		*m = append(*m, Mistake{Field: field, Err: err})
	}
}

// headers checks the configured ones and lists their values as secrets.
func (m *Mistakes) headers(configured map[string]string) (http.Header, []string) {
	h := http.Header{"User-Agent": {"kwit"}}
	var secrets []string
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		value := configured[name]
		if err := checkHeader(name, value); err != nil {
			m.add("headers."+name, err)
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

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return err
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return fmt.Errorf("%q is no address; write it as https://HOST/PATH", text)
	case u.User != nil:
		return errors.New("it holds a user; write an Authorization header instead")
	}
	return nil
}

// wire makes the connection's settings; an empty proxy is none.
func (m *Mistakes) wire(proxy string, trust *tls.Config) *provider.Wire {
	var u *url.URL
	if proxy != "" {
		var err error
		if u, err = url.Parse(proxy); err != nil {
			m.add("proxy", err)
			return nil
		}
	}
	w, err := provider.NewWire(u, trust)
	m.add("proxy", err)
	return w
}

func checkStatus(s int) error {
	if s < 400 || s > 599 {
		return fmt.Errorf("%d is no status of an error; name some of 400 to 599", s)
	}
	return nil
}
