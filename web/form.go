package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// readForm reads a posted form: urlencoded, from the body alone. The address has
// no say in it.
func (s *Server) readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if err := wantMediaType(r, "application/x-www-form-urlencoded"); err != nil {
		return nil, err
	}
	if r.ContentLength > s.o.BodyLimit {
		return nil, &http.MaxBytesError{Limit: s.o.BodyLimit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.o.BodyLimit)
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, err
	case err != nil:
		return nil, refuse("malformed-request", "The form did not arrive as browsers send it. Nothing was started. Go back and send it again.")
	}
	return r.PostForm, nil
}

// field reads a field that a form has once; empty where it is absent. Text that
// the database could not hold is refused.
func field(form url.Values, name string) (string, error) {
	values := form[name]
	if len(values) > 1 {
		return "", refuse("malformed-request", "The form holds %s more than once. Open it anew.", name)
	}
	text := form.Get(name)
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return "", refuse("malformed-request", "What stands in %s is not text that can be kept.", name)
	}
	return text, nil
}

// fields reads several fields at once.
func fields(form url.Values, into map[string]*string) error {
	for name, value := range into {
		text, err := field(form, name)
		if err != nil {
			return err
		}
		*value = text
	}
	return nil
}

// typedInput is what a job's form says of the input, apart from what it carries
// along.
func typedInput(form url.Values) url.Values {
	typed := url.Values{}
	for name, values := range form {
		if name == "input" || strings.HasPrefix(name, "input.") {
			typed[name] = values
		}
	}
	return typed
}
