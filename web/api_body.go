package web

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"kwit/exactjson"
)

// body is the JSON object of a call, read strictly: what cannot be read is 400.
type body struct{ object exactjson.Value }

// readBody reads a call's body, which may have these members and no other. An
// empty body is an object without members.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, members ...string) (body, error) {
	raw, err := s.readUpTo(w, r, s.o.BodyLimit)
	if err != nil {
		return body{}, err
	}
	if len(raw) == 0 {
		return body{}, nil
	}
	if err := wantMediaType(r, "application/json"); err != nil {
		return body{}, err
	}
	object, err := exactjson.Parse(raw, exactjson.Limits{})
	var fault *exactjson.Error
	if errors.As(err, &fault) {
		return body{}, refuse("malformed-request", "The body is refused: %s. Nothing was done.", fault).with("pointer", fault.Pointer)
	}
	if object.Kind() != exactjson.Object {
		return body{}, refuse("malformed-request", "The body must be a JSON object. Nothing was done.").with("pointer", "")
	}
	for _, m := range object.Members() {
		if !slices.Contains(members, m.Name) {
			return body{}, malformed(m.Name, fmt.Sprintf("is no member of this call, which takes: %s", strings.Join(members, ", ")))
		}
	}
	return body{object}, nil
}

func (s *Server) readUpTo(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return nil, refuse("malformed-request", "The body did not arrive whole. Nothing was done.")
	}
	return raw, err
}

// wantMediaType refuses a body of another type than the wanted one.
func wantMediaType(r *http.Request, wanted string) error {
	got, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err == nil && got == wanted && (charset == "" || charset == "utf-8") && r.Header.Get("Content-Encoding") == "" {
		return nil
	}
	return refuse("unsupported-media-type", "Send %s in UTF-8, not compressed, and say so in Content-Type. Nothing was done.", wanted)
}

func malformed(member, what string) error {
	pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(member)
	return refuse("malformed-request", "%q %s. Nothing was done.", member, what).with("pointer", pointer)
}

// member is a member of the wanted type. It reports false where it is absent.
func (b body) member(name string, kind exactjson.Kind) (exactjson.Value, bool, error) {
	v, there := b.object.Get(name)
	if there && v.Kind() != kind {
		return v, true, malformed(name, fmt.Sprintf("must be of type %s, not %s", kind, v.Kind()))
	}
	return v, there, nil
}

// need is a member that must be there.
func (b body) need(name string, kind exactjson.Kind) (exactjson.Value, error) {
	v, there, err := b.member(name, kind)
	if err == nil && !there {
		return v, malformed(name, "is missing")
	}
	return v, err
}

// text is a string that may be absent.
func (b body) text(name string) (string, error) {
	v, _, err := b.member(name, exactjson.String)
	return v.Text(), err
}

// names is a list of strings that may be absent, which is nil.
func (b body) names(name string) ([]string, error) {
	v, there, err := b.member(name, exactjson.Array)
	if err != nil || !there {
		return nil, err
	}
	list := make([]string, 0, len(v.Items()))
	for _, item := range v.Items() {
		if item.Kind() != exactjson.String {
			return nil, malformed(name, "must be a list of strings")
		}
		list = append(list, item.Text())
	}
	return list, nil
}

// ordinal is the positive integer that says which attempt is meant.
func (b body) ordinal() (int32, error) {
	v, err := b.need("ordinal", exactjson.Number)
	if err != nil {
		return 0, err
	}
	n, ok := parseOrdinal(string(exactjson.Canonical(v)))
	if !ok {
		return 0, malformed("ordinal", "must be a positive integer")
	}
	return n, nil
}

// parseOrdinal reads a positive integer in canonical form. One that no job will
// ever reach is the greatest, which the ledger answers with the next one.
func parseOrdinal(text string) (int32, bool) {
	mantissa, exponent, huge := strings.Cut(text, "e+")
	if huge {
		text = mantissa + exponent
		text = strings.Replace(text, ".", "", 1)
	}
	if text == "" || text[0] < '1' || text[0] > '9' || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || huge {
		return math.MaxInt32, true
	}
	return int32(n), true
}
