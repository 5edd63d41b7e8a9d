package farm

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Server is a farm that listens.
type Server struct {
	*Farm
	URL string // http://HOST:PORT, without a path

	server *http.Server
	ended  chan struct{}
}

// Listen makes a farm and serves it on addr ("127.0.0.1:0" for any free port)
// until Close.
func Listen(addr string, o Options) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	farm := New(o)
	s := &Server{
		Farm:   farm,
		URL:    "http://" + listener.Addr().String(),
		server: &http.Server{Handler: farm, ReadHeaderTimeout: 10 * time.Second},
		ended:  make(chan struct{}),
	}
	go func() {
		defer close(s.ended)
		// It ends by Close alone, and then says so.
		_ = s.server.Serve(listener)
	}()
	return s, nil
}

// Shutdown stops listening and waits for the requests under way, until ctx
// ends; accepted work is given up.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.server.Shutdown(ctx)
	if err == nil {
		<-s.ended
	}
	s.Farm.Close()
	return err
}

// Close stops listening and cuts the requests under way.
func (s *Server) Close() error {
	err := s.server.Close()
	<-s.ended
	s.Farm.Close()
	return err
}
