package farm

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strconv"
	"time"

	"kwit/provider/behaviour"
)

// Reply is an answer of the farm.
type Reply struct {
	Status int         // 200 where it is 0
	Body   []byte      // JSON, unless Header says otherwise
	Header http.Header // further headers
}

func (r Reply) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(r.Body)))
	w.WriteHeader(cmp.Or(r.Status, http.StatusOK))
	// A client that went away has lost its answer; that is what is tested.
	_, _ = w.Write(r.Body)
}

// part is one request that the farm has to act upon.
type part struct {
	key, attempt string
	body         []byte
	wish         behaviour.Wish
	takes        time.Duration
	work         func(key string, body []byte) Reply
	release      chan *Reply // not nil while a test holds the request
}

// play carries a request out in the way that it asks for. Work that has begun
// goes on when the client goes away, as it does at real providers.
func (f *Farm) play(w http.ResponseWriter, r *http.Request, p part) {
	reply, here := f.await(r.Context(), p.attempt, p.release)
	if !here {
		return
	}
	if reply != nil {
		held, _ := f.finish(p.key, *reply)
		held.write(w)
		return
	}
	switch p.wish.Behaviour {
	case behaviour.Refuse:
		f.refuse(w, p, http.StatusServiceUnavailable)
	case behaviour.Unavailable:
		f.refuse(w, p, http.StatusTooManyRequests)
	case behaviour.Gateway:
		f.forget(p.key)
		Reply{
			Status: http.StatusBadGateway,
			Body:   []byte("<html><h1>502 Bad Gateway</h1></html>"),
			Header: http.Header{"Content-Type": {"text/html"}},
		}.write(w)
	case behaviour.Silent, behaviour.Forget:
		<-r.Context().Done()
	case behaviour.Accept, behaviour.Callback:
		f.accept(w, p)
	default:
		f.act(w, r, p)
	}
}

// refuse does nothing, and says when to come back.
func (f *Farm) refuse(w http.ResponseWriter, p part, status int) {
	f.forget(p.key)
	w.Header().Set("Retry-After", strconv.Itoa(int(f.o.RetryAfter/time.Second)))
	writeProblem(w, status, "busy; nothing was done")
}

// act does the work, stores its answer, and delivers it as well as was wished.
func (f *Farm) act(w http.ResponseWriter, r *http.Request, p part) {
	takes := p.takes
	switch p.wish.Behaviour {
	case behaviour.Slow:
		takes = f.o.Slow
	case behaviour.Late:
		takes = cmp.Or(p.wish.LateAfter, f.o.LateAfter)
	}
	f.wait(r.Context(), p.key, takes)
	reply, _ := f.finish(p.key, f.result(p))
	switch p.wish.Behaviour {
	case behaviour.Lost:
		cut(w, reply)
	case behaviour.Reset:
		reset(w)
	default:
		reply.write(w)
	}
}

// result is what the work comes to.
func (f *Farm) result(p part) Reply {
	switch p.wish.Behaviour {
	case behaviour.Fail:
		return Reply{Status: http.StatusInternalServerError, Body: []byte(`{"error":"the work failed half-way"}`)}
	case behaviour.Reject:
		return Reply{Status: http.StatusUnprocessableEntity, Body: []byte(`{"error":"this input is not accepted"}`)}
	case behaviour.Broken:
		return Reply{Body: []byte(`{"note_from_the_farm":"Here you are","result":` + string(p.work(p.key, p.body).Body) + `}`)}
	}
	return p.work(p.key, p.body)
}

// cut delivers the first half of an answer and closes.
func cut(w http.ResponseWriter, reply Reply) {
	half := reply.Body[:len(reply.Body)/2]
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(reply.Body)))
	w.WriteHeader(cmp.Or(reply.Status, http.StatusOK))
	_, _ = w.Write(half)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// reset ends the connection by RST, or the stream where HTTP/2 is spoken.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// wait lets d pass, or less where ctx ends or the work is over before.
func (f *Farm) wait(ctx context.Context, key string, d time.Duration) {
	e, _ := f.look(key) // without a key there is nothing to end it
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.over:
	case <-ctx.Done():
	}
}
