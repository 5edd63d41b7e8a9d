package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/account"
	"kwit/contract"
	"kwit/db"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/views"
	"kwit/web"
)

// parts are what a node is put together from.
type parts struct {
	roles         roles
	configuration *configuration
	pool          *pgxpool.Pool
	baseURL       *url.URL
	demo          []views.DemoAccount // nil outside of a demo
	log           *slog.Logger
}

// node is one running kwit on a database that is ready.
type node struct {
	handler  http.Handler
	accounts *account.Accounts

	web      *web.Server          // nil without the role
	health   *health              // nil with the role web, which answers for itself
	worker   *dispatch.Dispatcher // nil without the role
	notifier *db.Notifier
	log      *slog.Logger

	stop       context.CancelFunc // ends what runs in the background
	background sync.WaitGroup
}

// assemble wires a node. Nothing runs yet; ctx bounds a look at the database.
func assemble(ctx context.Context, p parts) (*node, error) {
	n := &node{accounts: account.New(p.pool), notifier: db.NewNotifier(p.pool, p.log), log: p.log}
	waker, err := dispatch.NewWaker(p.pool)
	if err != nil {
		return nil, fmt.Errorf("set up the queue: %w", err)
	}
	book := ledger.New(p.pool, ledger.Options{Waker: waker, Changed: n.jobChanged})
	ready := &readiness{pool: p.pool}
	if p.roles.web {
		n.web = web.New(web.Options{
			Ledger: book, Accounts: n.accounts, JobTypes: p.configuration.jobTypes(), Providers: p.configuration.shown(),
			Timing: p.configuration.timing, BaseURL: p.baseURL, Demo: p.demo,
			BodyLimit: p.configuration.Limits.Body, Ready: ready.check, Logger: p.log,
		})
		n.handler = n.web.Handler()
	} else {
		n.health = &health{ready: ready.check, other: noPages}
		n.handler = n.health
	}
	if p.roles.worker {
		n.worker, err = n.newWorker(ctx, p, book)
	}
	return n, err
}

func (n *node) newWorker(ctx context.Context, p parts, book *ledger.Ledger) (*dispatch.Dispatcher, error) {
	callbacks, err := web.CallbackAddress(ctx, n.accounts, p.baseURL)
	if err != nil {
		return nil, fmt.Errorf("make the addresses for callbacks: %w", err)
	}
	versions := contract.NewVersions(func(ctx context.Context, digest string) ([]byte, error) {
		v, err := book.JobTypeVersion(ctx, digest)
		return v.Definition, err
	})
	return dispatch.New(dispatch.Options{
		Pool: p.pool, Ledger: book, Providers: p.configuration.providers,
		Timing: p.configuration.timing, Contract: versions.Contract, CallbackAddress: callbacks,
		Node: uuid.Must(uuid.NewV7()), Name: nodeName(), Log: p.log,
	})
}

// nodeName is for people who look for the process.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

// jobTypes are today's, for the pages.
func (c *configuration) jobTypes() []web.JobType {
	types := make([]web.JobType, len(c.JobTypes))
	for i, t := range c.JobTypes {
		types[i] = web.JobType{JobType: t, Contract: c.contracts[t.Name]}
	}
	return types
}

// shown are today's providers, for the pages and for callbacks.
func (c *configuration) shown() []web.Provider {
	list := make([]web.Provider, len(c.Providers))
	for i, p := range c.Providers {
		list[i] = web.Provider{Provider: p, Adapter: c.providers[p.Name].Provider}
	}
	return list
}

// timing is today's, also of old jobs. A job type that is gone has the defaults.
func (c *configuration) timing(jobType string) dispatch.Timing {
	if t, ok := c.JobType(jobType); ok {
		return dispatch.Timing{Timeout: t.Timeout, Linger: t.Linger, Attempts: t.Attempts}
	}
	return dispatch.Timing{Timeout: time.Minute, Linger: 10 * time.Minute, Attempts: 3}
}

// jobChanged is told by the ledger, and tells this process's live pages and
// those of the others.
func (n *node) jobChanged(owner, job uuid.UUID) {
	if n.web != nil {
		n.web.JobChanged(owner, job)
	}
	n.notifier.Changed(owner, job)
}

// start sets the node to work. ctx bounds the start only.
func (n *node) start(ctx context.Context) error {
	alive, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	n.background.Go(func() { n.notifier.Run(alive) })
	if n.web != nil {
		n.background.Go(func() { n.notifier.Listen(alive, n.web.JobChanged) })
		n.background.Go(func() { n.accounts.KeepClean(alive, n.log) })
	}
	if n.worker == nil {
		return nil
	}
	if err := n.worker.Start(ctx); err != nil {
		return errors.Join(fmt.Errorf("start the worker: %w", err), n.end(ctx))
	}
	return nil
}

// refuse makes /readyz fail and ends the live streams; all else is answered as
// before.
func (n *node) refuse() {
	if n.web != nil {
		n.web.Drain()
	} else {
		n.health.draining.Store(true)
	}
}

// finish takes no further attempts, and waits for those under way until ctx
// ends.
func (n *node) finish(ctx context.Context) error {
	if n.worker == nil {
		return nil
	}
	return n.worker.Stop(ctx)
}

// end stops what runs in the background, or leaves it behind when ctx ends.
func (n *node) end(ctx context.Context) error {
	n.stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.background.Wait()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
