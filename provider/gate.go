package provider

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrSealed is what a write meets at a gate that was sealed: nothing of it left.
var ErrSealed = errors.New("the connection was sealed before this was written")

// firstWrite bounds the first write of a request. That many bytes always fit
// an empty socket buffer, so the first byte is reported when it leaves, and
// not only when a peer that reads slowly has made room for the whole request.
const firstWrite = 4096

// Gate guards the first byte of one attempt and counts all of them.
//
// It exists because nothing in net/http can say for certain that a request
// did not leave (7-facts, "Sending exactly once with Go"). A gate that was
// sealed with a count of zero proves it: the claim's 15 s rule and the
// heartbeat that finds its attempt ended both rest on that.
//
// A gate serves one attempt and one connection. All methods may be called at
// any time from any goroutine, but not from within allow or sent.
type Gate struct {
	allow func() error
	sent  func(at time.Time)

	mu      sync.Mutex // held during every write: who holds it knows the exact count
	opened  bool       // allow has agreed
	refusal error      // or what it answered instead
	written atomic.Int64

	sealed atomic.Bool
	line   atomic.Pointer[line]
}

// line is how a gate interrupts the connection that writes through it.
type line struct {
	hurry func() // makes a write that blocks return
	hang  func() // ends the connection
}

// NewGate makes the gate of one attempt. Both functions may be nil.
//
// allow is asked once, right before the first byte, with the write lock held:
// an error seals the gate, and nothing is written. It must not block.
//
// sent is called once, right after the first byte left, with the moment (it
// carries Go's monotonic clock) from which the attempt's timeout counts. It
// holds up the rest of the request, so it must not block either.
func NewGate(allow func() error, sent func(at time.Time)) *Gate {
	return &Gate{allow: allow, sent: sent}
}

// Seal ends the writing: after it returned no further byte leaves. It returns
// the exact count of bytes that did. A write in progress is cut short.
//
// An answer may still arrive after a request that left whole over HTTP/1.
// Over HTTP/2 the connection needs to write while it reads, so seal it when
// nobody listens any more.
func (g *Gate) Seal() (written int64) {
	g.sealed.Store(true)
	g.interrupt(false)
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.written.Load()
	if n == 0 {
		g.interrupt(true)
	}
	return n
}

// SealUnsent seals the gate if nothing has been written yet, and tells whether
// it is now sealed with a count of zero. Otherwise it changes nothing.
func (g *Gate) SealUnsent() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.written.Load() != 0 {
		return false
	}
	g.sealed.Store(true)
	g.interrupt(true)
	return true
}

// Written is the count of bytes that have left so far. It is exact once the
// gate is sealed.
func (g *Gate) Written() int64 { return g.written.Load() }

// Sealed tells whether the gate is sealed.
func (g *Gate) Sealed() bool { return g.sealed.Load() }

// Refusal is the error with which allow refused the first byte, if it did.
func (g *Gate) Refusal() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refusal
}

// Pass lets write send p, or the first part of it, through the gate: it asks
// first, counts after, and tells when the first byte has left. A provider that
// is no connection (the simulator) sends through it too.
//
// write answers as [io.Writer] does; what it says it wrote is what counts.
func (g *Gate) Pass(p []byte, write func([]byte) (int, error)) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.ask(); err != nil {
		return 0, err
	}
	total := 0
	if g.written.Load() == 0 && len(p) > firstWrite {
		n, err := g.count(p[:firstWrite], write)
		if total += n; err != nil {
			return total, err
		}
	}
	n, err := g.count(p[total:], write)
	return total + n, err
}

// ask puts the first byte to allow; the lock is held.
func (g *Gate) ask() error {
	if g.sealed.Load() {
		return ErrSealed
	}
	if g.opened || g.allow == nil {
		return nil
	}
	if err := g.allow(); err != nil {
		g.refusal = err
		g.sealed.Store(true)
		return errors.Join(ErrSealed, err)
	}
	g.opened = true
	return nil
}

// count writes p, adds what left, and reports the first byte; the lock is held.
func (g *Gate) count(p []byte, write func([]byte) (int, error)) (int, error) {
	if g.sealed.Load() {
		return 0, ErrSealed
	}
	at := time.Now()
	n, err := write(p)
	if n > 0 && g.written.Add(int64(n)) == int64(n) && g.sent != nil {
		g.sent(at)
	}
	return n, err
}

// attach tells the gate how to interrupt the connection that writes through
// it. Where the gate was sealed before, the connection ends at once.
func (g *Gate) attach(hurry, hang func()) {
	g.line.Store(&line{hurry: hurry, hang: hang})
	if g.sealed.Load() {
		hang()
	}
}

// interrupt makes a write that blocks return, or ends the whole connection.
func (g *Gate) interrupt(hang bool) {
	l := g.line.Load()
	switch {
	case l == nil:
	case hang:
		l.hang()
	default:
		l.hurry()
	}
}
