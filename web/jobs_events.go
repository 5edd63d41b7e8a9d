package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/ledger"
	"kwit/views"
)

const (
	streamWriteWithin = 10 * time.Second // for a client to take one event
	reconnectAfter    = 2 * time.Second
)

// streamJob is GET /jobs/{id}/events: the live part of the job's page as a
// server-sent event, whole at each connection and at each change, so that a lost
// event is made good by the next one. An event's id is the job's revision.
func (s *Server) streamJob(w http.ResponseWriter, r *http.Request) error {
	owner, id, err := s.pathJob(r)
	if err != nil {
		return err
	}
	t, wake, leave := s.hub.watch(ledger.JobRef{Owner: owner, Job: id})
	defer leave()
	mine := owner == userOf(r).ID
	draw := func() (picture, error) {
		return s.hub.picture(t, mine, func() (int64, []byte, error) { return s.drawJob(r, t.ref, mine) })
	}
	now, err := draw()
	if err != nil {
		return err
	}
	out := newEventStream(w)
	if wasHead(r) {
		return nil
	}
	out.send(now)
	s.follow(r, out, owner, wake, func() {
		next, err := draw()
		if err != nil {
			s.log.Warn("a live page could not be drawn", slog.String("request_id", requestID(r)), slog.Any("error", err))
			return // rereading wakes us again
		}
		if next.revision != now.revision {
			now = next
			out.send(now)
		}
	})
	return nil
}

// follow calls changed whenever the job may have, until the stream ends: the
// client is gone, its session is over, or the server drains.
func (s *Server) follow(r *http.Request, out *eventStream, owner uuid.UUID, wake <-chan struct{}, changed func()) {
	beat, recheck := time.NewTicker(s.o.Heartbeat), time.NewTicker(s.o.Recheck)
	defer beat.Stop()
	defer recheck.Stop()
	for out.err == nil {
		select {
		case <-r.Context().Done():
			return
		case <-s.drain:
			return
		case <-wake:
			changed()
		case <-beat.C:
			out.beat()
		case <-recheck.C:
			user, err := s.sessions.Recheck(r.Context())
			if errors.Is(err, account.ErrSignedOut) || err == nil && user.ID != owner && !isOperator(user) {
				return
			}
		}
	}
}

// drawJob draws the live part of a job's page.
func (s *Server) drawJob(r *http.Request, ref ledger.JobRef, mine bool) (int64, []byte, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
	defer cancel()
	job, history, err := s.jobWithHistory(ctx, ref)
	if err != nil {
		return 0, nil, err
	}
	var html bytes.Buffer
	err = views.JobLive(s.site(), job, s.typeTitle(job.JobType), history, mine).Render(ctx, &html)
	if err != nil {
		return 0, nil, &internalError{err}
	}
	return job.Revision, html.Bytes(), nil
}

// eventStream writes server-sent events. After an error it writes no more.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func newEventStream(w http.ResponseWriter) *eventStream {
	out := &eventStream{w: w, control: http.NewResponseController(w)}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would keep events back
	out.write([]byte(fmt.Sprintf("retry: %d\n\n", reconnectAfter.Milliseconds())))
	return out
}

// send writes the whole picture. A carriage return would end a line of the
// stream; in HTML it is a line end like any other.
func (e *eventStream) send(p picture) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\n", p.revision)
	html := bytes.ReplaceAll(p.html, []byte("\r\n"), []byte("\n"))
	html = bytes.ReplaceAll(html, []byte("\r"), []byte("\n"))
	for line := range bytes.SplitSeq(html, []byte("\n")) {
		b.WriteString("data: ")
		b.Write(line)
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	e.write(b.Bytes())
}

// beat keeps proxies from ending the connection, and tells the page's script,
// which sees no comments, that the stream lives.
func (e *eventStream) beat() { e.write([]byte("event: beat\ndata: .\n\n")) }

func (e *eventStream) write(b []byte) {
	if e.err != nil {
		return
	}
	// A connection without deadlines ends by its context alone.
	_ = e.control.SetWriteDeadline(time.Now().Add(streamWriteWithin))
	if _, e.err = e.w.Write(b); e.err == nil {
		e.err = e.control.Flush()
	}
}
