package modelapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Written is a request as a vendor's library wrote it. It was not sent.
type Written struct {
	URL    string
	Header http.Header
	Body   []byte
}

// Pen stands in the place of a vendor's HTTP client, and sends nothing.
type Pen struct {
	written *Written
}

var errNotSent = errors.New("the request is written; kwit sends it")

// Do takes the request out of the library's hands.
func (p *Pen) Do(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	p.written = &Written{URL: r.URL.String(), Header: r.Header, Body: body}
	return nil, errNotSent
}

// Write has a vendor's library write one request with the pen. A panic in the
// library is a request that could not be written.
func Write(call func(*Pen) error) (written *Written, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			written, err = nil, fmt.Errorf("the library failed: %v", fault)
		}
	}()
	var p Pen
	err = call(&p)
	if p.written == nil {
		if err == nil {
			err = errors.New("the library wrote nothing")
		}
		return nil, err
	}
	return p.written, nil
}
