package account

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what a person may be called and may use as a password, in
// characters. RFC 5321, 4.5.3.1 bounds an address to 254.
const (
	maxEmail    = 254
	maxName     = 100
	minPassword = 8
	maxPassword = 256
)

// NormalizeEmail returns the one spelling under which an address is stored and
// looked up: trimmed, in lower case. Errors: *InvalidError.
func NormalizeEmail(email string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	switch {
	case email == "":
		return "", &InvalidError{Field: "email", Reason: "is missing"}
	case len(email) > maxEmail:
		return "", &InvalidError{Field: "email", Reason: "must not be longer than 254 characters"}
	case strings.ContainsFunc(email, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", &InvalidError{Field: "email", Reason: "must be plain ASCII without spaces, like ewa@example.org"}
	}
	if read, err := mail.ParseAddress(email); err != nil || read.Address != email {
		return "", &InvalidError{Field: "email", Reason: "must look like ewa@example.org"}
	}
	return email, nil
}

// cleanName trims a name of a person or token and refuses what no page could show.
func cleanName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", &InvalidError{Field: "name", Reason: "is missing"}
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", &InvalidError{Field: "name", Reason: "must be plain text on one line"}
	case utf8.RuneCountInString(name) > maxName:
		return "", &InvalidError{Field: "name", Reason: "must not be longer than 100 characters"}
	}
	return name, nil
}

// checkPassword follows NIST SP 800-63B: length counts, composition does not,
// and what is known about the person is no password.
func checkPassword(password, email, name string) error {
	length := utf8.RuneCountInString(password)
	first, _ := utf8.DecodeRuneInString(password)
	var reason string
	switch {
	case length < minPassword:
		reason = "must have at least 8 characters"
	case length > maxPassword:
		reason = "must not be longer than 256 characters"
	case strings.EqualFold(password, email) || strings.EqualFold(password, name):
		reason = "must not be the e-mail address or the name"
	case strings.Trim(password, string(first)) == "":
		reason = "must not be one character over and over"
	default:
		return nil
	}
	return &InvalidError{Field: "password", Reason: reason}
}
