package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"kwit/account"
	"kwit/views"
)

// mostGrace is how long the listener stays open at most after /readyz has begun
// to fail, so that a load balancer notices.
const mostGrace = 3 * time.Second

// server is one run of `kwit serve` or `kwit demo`.
type server struct {
	addr          string
	baseURL       *url.URL // nil: the address that is listened on
	roles         roles
	source        source
	migrate       bool
	configuration *configuration
	drain         time.Duration // for all of it
	grace         time.Duration // of that, for balancers to turn away

	demo    []views.DemoAccount
	prepare func(context.Context, *account.Accounts) error // before it answers; may be nil
	welcome func(addr *url.URL)                            // once it answers; may be nil

	stderr  io.Writer
	log     *slog.Logger // of starting and stopping
	workLog *slog.Logger // of all that happens between
}

// run serves until ctx ends, then drains. That it was told to end while it was
// starting is no error either.
func (s *server) run(ctx context.Context) error {
	err := s.serve(ctx)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

func (s *server) serve(ctx context.Context) error {
	front, err := listen(s.addr, s.roles)
	if err != nil {
		return err
	}
	defer front.close(ended())
	database, err := s.source.open(ctx, "kwit "+s.roles.String(), s.log)
	if err != nil {
		return err
	}
	defer database.close()
	if err := s.reach(ctx, database); err != nil {
		return err
	}
	node, err := assemble(ctx, parts{
		roles: s.roles, configuration: s.configuration, pool: database.pool,
		baseURL: cmp.Or(s.baseURL, urlOf(front.addr)), demo: s.demo, log: s.workLog,
	})
	if err != nil {
		return err
	}
	if s.prepare != nil {
		if err := s.prepare(ctx, node.accounts); err != nil {
			return err
		}
	}
	if err := node.start(ctx); err != nil {
		return err
	}
	front.show(node.handler)
	if s.welcome != nil {
		s.welcome(urlOf(front.addr))
	}
	fmt.Fprintf(s.stderr, "listening on http://%s\n", front.addr)
	select {
	case <-ctx.Done():
	case err = <-front.failed:
	}
	s.leave(front, node)
	return err
}

// leave drains: first /readyz fails, then the listener closes, and meanwhile
// attempts under way may end.
func (s *server) leave(front *front, node *node) {
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	s.log.Info("draining", "at_most", s.drain)
	node.refuse()
	var worker sync.WaitGroup
	worker.Go(func() {
		if err := node.finish(ctx); err != nil {
			s.log.Error("the worker was not stopped in order", "error", err)
		}
	})
	pause(ctx, s.grace)
	front.close(ctx)
	worker.Wait()
	last, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	if err := node.end(last); err != nil {
		s.log.Error("something in the background did not end in time", "error", err)
	}
	s.log.Info("stopped")
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// ended is a context that has ended already.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
