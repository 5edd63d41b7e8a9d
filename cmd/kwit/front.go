package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"

	"kwit/web"
)

// front is the HTTP server of a process. It answers from the first moment on: as
// alive and not ready, until show puts the rest of kwit behind it.
type front struct {
	addr    net.Addr
	server  *http.Server
	handler atomic.Pointer[http.Handler]
	failed  chan error // gets why it stopped by itself
}

// listen opens the address and begins to answer.
func listen(addr string, r roles) (*front, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s, choose another address with --addr or KWIT_ADDR: %w", addr, err)
	}
	f := &front{addr: listener.Addr(), failed: make(chan error, 1)}
	f.show(starting(r))
	f.server = web.NewHTTPServer(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*f.handler.Load()).ServeHTTP(w, r)
	}))
	go func() {
		if err := f.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			f.failed <- fmt.Errorf("the web server ended: %w", err)
		}
	}()
	return f, nil
}

// show makes h answer from now on.
func (f *front) show(h http.Handler) { f.handler.Store(&h) }

// close stops listening and waits for the requests under way until ctx ends;
// what is left then is cut.
func (f *front) close(ctx context.Context) {
	if err := f.server.Shutdown(ctx); err != nil {
		_ = f.server.Close() // it can only repeat that the listener is closed
	}
}
