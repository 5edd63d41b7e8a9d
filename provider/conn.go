package provider

import (
	"bytes"
	"net"
	"sync/atomic"
	"time"
)

// meter counts what a socket took, below TLS.
type meter struct {
	net.Conn
	taken atomic.Int64
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	m.taken.Add(int64(n))
	return n, err
}

// guarded is the connection of one attempt, above TLS. What it writes of the
// request goes through the gate, and it notes what the provider's side did, so
// that a lost call is understood by what was seen and not by an error's text.
type guarded struct {
	net.Conn        // the plain side: the socket, or TLS over it
	socket   *meter // what carries it
	gate     *Gate

	out *requestFrames // nil over HTTP/1
	in  *replyFrames   // nil over HTTP/1

	opening []byte      // the first bytes that were read
	alien   atomic.Bool // they are not those of HTTP/1
	ended   atomic.Bool // the provider's side closed or reset
}

// guard puts the gate before conn, which is carried by socket.
func guard(conn net.Conn, socket *meter, gate *Gate, http2 bool) *guarded {
	g := &guarded{Conn: conn, socket: socket, gate: gate}
	if http2 {
		g.out, g.in = newRequestFrames(), newReplyFrames()
	}
	gate.attach(
		func() { _ = socket.SetWriteDeadline(time.Unix(1, 0)) },
		func() { _ = socket.Close() },
	)
	return g
}

// Write sends p through the gate, unless HTTP/2 speaks of the connection alone.
func (g *guarded) Write(p []byte) (int, error) {
	if g.out != nil && !g.out.in(p) {
		return g.Conn.Write(p)
	}
	return g.gate.Pass(p, g.send)
}

// send counts by the socket where TLS fails in the middle: it then reports
// none of a record of which a part may have left.
func (g *guarded) send(p []byte) (int, error) {
	before := g.socket.taken.Load()
	n, err := g.Conn.Write(p)
	if err != nil {
		n = max(n, min(len(p), int(g.socket.taken.Load()-before)))
	}
	return n, err
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if n > 0 {
		g.note(p[:n])
	}
	if err != nil {
		g.ended.Store(true)
	}
	return n, err
}

func (g *guarded) note(p []byte) {
	if g.in != nil {
		g.in.read(p)
		return
	}
	const http1 = "HTTP/"
	if len(g.opening) < len(http1) {
		g.opening = append(g.opening, p[:min(len(p), len(http1)-len(g.opening))]...)
		g.alien.Store(!bytes.HasPrefix([]byte(http1), g.opening))
	}
}

// Close ends the socket at once: TLS's farewell would wait for room to write.
func (g *guarded) Close() error { return g.socket.Close() }

// refused tells whether HTTP/2 said that our stream was not and will not be
// acted on.
func (g *guarded) refused() bool { return g.in != nil && g.in.refused.Load() }

// garbled tells whether something came that is no answer in HTTP, rather than
// nothing or the beginning of one.
func (g *guarded) garbled() bool {
	if g.in != nil && g.in.reset.Load() {
		return false
	}
	return g.alien.Load() || !g.ended.Load()
}
