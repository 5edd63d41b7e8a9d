package farm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"kwit/provider/callback"
)

// calls is how often a callback is sent until it is taken.
const calls = 5

// callUntilTaken calls back about work that is over, under one webhook-id.
func (f *Farm) callUntilTaken(key string) {
	again := f.o.CallAgain
	id := newID()
	for range calls {
		reply, err := f.Call(f.quit, Call{AttemptID: key, ID: id})
		if errors.Is(err, errNowhere) || err == nil && reply.Status < 300 {
			return
		}
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
		case <-f.quit.Done():
			timer.Stop()
			return
		}
		again *= 2
	}
}

// Call is a callback that is sent by hand. An empty field is as the farm itself
// would have it.
type Call struct {
	AttemptID string    // whose address and whose result; needed unless URL and Body are given
	URL       string    // where to; the request's X-Kwit-Callback
	Secret    string    // signs; the farm's
	ID        string    // webhook-id; a new one
	At        time.Time // webhook-timestamp; now
	Body      []byte    // what became of the work
}

var errNowhere = errors.New("the farm has no secret, or the request carried no address to call back")

// Call sends a callback, once, and gives back what it was answered.
func (f *Farm) Call(ctx context.Context, c Call) (Reply, error) {
	e, _ := f.look(c.AttemptID)
	c.URL = cmp.Or(c.URL, e.callback)
	c.Secret = cmp.Or(c.Secret, f.o.CallbackSecret)
	c.ID = cmp.Or(c.ID, newID())
	if c.URL == "" || c.Secret == "" {
		return Reply{}, errNowhere
	}
	if c.At.IsZero() {
		c.At = time.Now()
	}
	if c.Body == nil {
		c.Body = e.word(c.AttemptID)
	}
	header, err := callback.Sign(c.Secret, c.ID, c.At, c.Body)
	if err != nil {
		return Reply{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(c.Body))
	if err != nil {
		return Reply{}, fmt.Errorf("call back: %w", err)
	}
	request.Header = header
	answer, err := f.client.Do(request)
	if err != nil {
		return Reply{}, fmt.Errorf("call back: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return Reply{}, fmt.Errorf("read the answer to a callback: %w", err)
	}
	return Reply{Status: answer.StatusCode, Body: body, Header: answer.Header}, nil
}

// newID makes a webhook-id.
func newID() string { return "msg_" + rand.Text() }
