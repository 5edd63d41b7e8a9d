package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db"
)

// giveUp bounds the wait for what must happen.
const giveUp = 30 * time.Second

// line is a network between a pool and PostgreSQL that can fail at the worst
// moment: a COMMIT.
type line struct {
	t       testing.TB
	address string
	backend *pgconn.Config
	door    net.Listener
	mu      sync.Mutex
	fault   func(c *call, commit []byte) // at the next COMMIT; nil: none
	stays   bool                         // the fault meets every COMMIT
	away    bool                         // nobody can connect any more
	calls   sync.WaitGroup
}

// call is one connection through the line.
type call struct {
	*line
	client, server net.Conn
	muted          atomic.Bool // what the server says is not heard
}

// newLine opens a pool that goes through a line to the database at address.
func newLine(t testing.TB, address string) (*line, *pgxpool.Pool) {
	t.Helper()
	cfg, err := pgconn.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{t: t, address: address, backend: cfg, door: door}
	l.calls.Go(l.accept)
	u := url.URL{Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password), Host: door.Addr().String(),
		Path: "/" + cfg.Database, RawQuery: "sslmode=disable"}
	pool, err := db.Open(t.Context(), db.PoolOptions{URL: u.String(), Application: "line", MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pool.Close()
		_ = door.Close()
		l.calls.Wait()
	})
	return l, pool
}

func (l *line) accept() {
	for {
		client, err := l.door.Accept()
		if err != nil {
			return
		}
		if l.isAway() {
			_ = client.Close()
			continue
		}
		network, address := pgconn.NetworkAddress(l.backend.Host, l.backend.Port)
		server, err := net.Dial(network, address)
		if err != nil { // as while the server is killed
			l.t.Logf("the line does not reach PostgreSQL: %v", err)
			_ = client.Close()
			continue
		}
		c := &call{line: l, client: client, server: server}
		l.calls.Go(c.forth)
		l.calls.Go(c.back)
	}
}

func (l *line) isAway() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.away
}

// setAway lets nobody connect any more, or again.
func (l *line) setAway(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

// onCommit sets what the next COMMIT meets.
func (l *line) onCommit(fault func(c *call, commit []byte)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = fault
}

func (l *line) takeFault() func(*call, []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fault := l.fault
	if !l.stays {
		l.fault = nil
	}
	return fault
}

// met tells whether the fault has happened.
func (l *line) met() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fault == nil
}

// commitMessage is the simple query "commit" on the wire.
var commitMessage = []byte("Q\x00\x00\x00\x0bcommit\x00")

// forth carries the client's messages to the server. On loopback a message as
// short as COMMIT arrives in one piece.
func (c *call) forth() {
	defer func() { _ = c.server.Close() }()
	message := make([]byte, 64<<10)
	for {
		n, err := c.client.Read(message)
		if err != nil {
			return
		}
		if bytes.Equal(message[:n], commitMessage) {
			if fault := c.takeFault(); fault != nil {
				fault(c, message[:n])
				return
			}
		}
		if _, err := c.server.Write(message[:n]); err != nil {
			return
		}
	}
}

func (c *call) back() {
	answer := make([]byte, 64<<10)
	for {
		n, err := c.server.Read(answer)
		if c.muted.Load() {
			return // the client is cut off when the fault says so
		}
		if err == nil {
			_, err = c.client.Write(answer[:n])
		}
		if err != nil {
			_ = c.client.Close()
			return
		}
	}
}

// cutBefore cuts the connection: the server never hears of the COMMIT.
func cutBefore(c *call, _ []byte) { _ = c.client.Close() }

// cutAfter lets the server commit, and swallows its answer.
func cutAfter(c *call, commit []byte) {
	c.deliver(commit)
	c.watch(`SELECT count(*) = 0 FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'line' AND backend_xid IS NOT NULL`)
	_ = c.client.Close()
}

// cutInFlight cuts the client off, and lets the COMMIT reach the server only
// when somebody waits for its transaction.
func cutInFlight(c *call, commit []byte) {
	c.muted.Store(true)
	_ = c.client.Close()
	c.watch(`SELECT count(*) > 0 FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'line' AND wait_event_type = 'Lock'`)
	c.deliver(commit)
}

func (c *call) deliver(commit []byte) {
	c.muted.Store(true)
	if _, err := c.server.Write(commit); err != nil {
		c.t.Errorf("the line cannot deliver COMMIT: %v", err)
	}
}

// watch asks the database, past the line, until it says yes.
func (c *call) watch(question string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), giveUp)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.address)
	if err != nil {
		c.t.Errorf("the line cannot watch the database: %v", err)
		return
	}
	defer func() { _ = conn.Close(ctx) }()
	for yes := false; !yes; {
		if err := conn.QueryRow(ctx, question).Scan(&yes); err != nil {
			c.t.Errorf("the line waits in vain: %v", errors.Join(err, ctx.Err()))
			return
		}
	}
}
