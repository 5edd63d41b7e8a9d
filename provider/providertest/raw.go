package providertest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// Raw is a server below HTTP: it reads requests, counts them, and does with
// the connection what a test says. It shows what no well-behaved server does.
type Raw struct {
	Addr string

	listener    net.Listener
	requests    atomic.Int64
	connections atomic.Int64

	mu   sync.Mutex
	open []net.Conn
	wg   sync.WaitGroup
}

// Requests is how many whole requests were read.
func (r *Raw) Requests() int64 { return r.requests.Load() }

// Connections is how many connections were accepted.
func (r *Raw) Connections() int64 { return r.connections.Load() }

// Talk is one connection of a raw server.
type Talk struct {
	net.Conn
	raw    *Raw
	reader *bufio.Reader
}

// Request reads one whole request and counts it.
func (c *Talk) Request() (*http.Request, bool) {
	request, _, ok := c.Read()
	return request, ok
}

// Read is Request with the request's body.
func (c *Talk) Read() (request *http.Request, body []byte, ok bool) {
	request, err := http.ReadRequest(c.reader)
	if err != nil {
		return nil, nil, false
	}
	if body, err = io.ReadAll(request.Body); err != nil {
		return nil, nil, false
	}
	c.raw.requests.Add(1)
	return request, body, true
}

// Count notes a request that the test has read by itself.
func (c *Talk) Count() { c.raw.requests.Add(1) }

// Say writes text as it is.
func (c *Talk) Say(text string) {
	// A peer that has gone away already is part of the test.
	_, _ = io.WriteString(c.Conn, text)
}

// Drain reads until the peer closes.
func (c *Talk) Drain() { _, _ = io.Copy(io.Discard, c.reader) }

// Reset makes the close that follows an RST.
func (c *Talk) Reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// StartRaw listens on loopback until the test ends; serve is called for each
// connection, which is closed when it returns. config may be nil for no TLS.
func StartRaw(t testing.TB, config *tls.Config, serve func(*Talk)) *Raw {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Raw{Addr: listener.Addr().String(), listener: listener}
	r.wg.Add(1)
	go r.accept(config, serve)
	t.Cleanup(r.close)
	return r
}

func (r *Raw) accept(config *tls.Config, serve func(*Talk)) {
	defer r.wg.Done()
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.connections.Add(1)
		r.mu.Lock()
		r.open = append(r.open, conn)
		r.mu.Unlock()
		r.wg.Add(1)
		go func() {
			defer r.wg.Done()
			defer func() { _ = conn.Close() }()
			talk := conn
			if config != nil {
				talk = tls.Server(conn, config)
			}
			serve(&Talk{Conn: talk, raw: r, reader: bufio.NewReader(talk)})
		}()
	}
}

func (r *Raw) close() {
	_ = r.listener.Close()
	r.mu.Lock()
	for _, conn := range r.open {
		_ = conn.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
}
