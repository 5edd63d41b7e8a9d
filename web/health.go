package web

import (
	"io"
	"net/http"
	"time"
)

// healthz is GET /healthz: the process is alive.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	return writeText(w, "alive\n")
}

// readyz is GET /readyz: new requests are welcome here. It fails as soon as the
// server drains, so that a balancer turns away before the listener closes.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if s.draining.Load() {
		return refuse("not-ready", "This process is about to end.").after(5 * time.Second)
	}
	if s.o.Ready != nil {
		if err := s.o.Ready(r.Context()); err != nil {
			f := refuse("not-ready", "The database does not answer, or its schema is another version's.").after(5 * time.Second)
			f.cause = err
			return f
		}
	}
	return writeText(w, "ready\n")
}

// explainProblem is GET /problems/{code}: what the type of a problem document
// leads to.
func (s *Server) explainProblem(w http.ResponseWriter, r *http.Request) error {
	k, ok := kinds[r.PathValue("code")]
	if !ok {
		return errNoPage
	}
	return writeText(w, r.PathValue("code")+"\n\n"+k.title+". "+
		"The member \"detail\" of the answer says what to do.\n")
}

func writeText(w http.ResponseWriter, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	// An error here means that the client is gone.
	_, _ = io.WriteString(w, text)
	return nil
}
