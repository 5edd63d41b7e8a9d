package provider

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Mistake is one option of a provider that is wrong.
type Mistake struct {
	Field string // as the configuration file calls it, "headers.NAME" for one header
	Err   error
}

// Mistakes are all of them, so that a person sees every one at once. It is the
// error of each adapter's constructor.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, one := range m {
		lines[i] = one.Field + ": " + one.Err.Error()
	}
	return strings.Join(lines, "\n")
}

// Add notes a mistake in field; a nil err is none.
func (m *Mistakes) Add(field string, err error) {
	if err != nil {
		*m = append(*m, Mistake{Field: field, Err: err})
	}
}

// Wire makes the connection's settings out of what is configured, and notes a
// mistake in proxy; an empty proxy is none.
func (m *Mistakes) Wire(proxy string, trust *tls.Config) *Wire {
	var u *url.URL
	if proxy != "" {
		var err error
		if u, err = url.Parse(proxy); err != nil {
			m.Add("proxy", err)
			return nil
		}
	}
	w, err := NewWire(u, trust)
	m.Add("proxy", err)
	return w
}

// CheckURL tells what is wrong with the address of a provider.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return err
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return fmt.Errorf("%q is no address; write it as https://HOST/PATH", text)
	case u.User != nil:
		return errors.New("it holds a user; a secret has a key of its own")
	}
	return nil
}

// CheckStatuses notes each of statuses that is no status of an error.
func (m *Mistakes) CheckStatuses(field string, statuses []int) {
	for _, s := range statuses {
		if s < 400 || s > 599 {
			m.Add(field, fmt.Errorf("%d is no status of an error; name some of 400 to 599", s))
		}
	}
}
