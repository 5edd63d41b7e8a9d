package provider

import (
	"encoding/binary"
	"sync/atomic"
)

// What is needed of HTTP/2's framing (RFC 9113, sections 4.1, 6 and 7).
const (
	prefaceLength     = 24 // "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", once, from the client
	frameHeaderLength = 9
	frameWanted       = 8 // bytes of a payload that hold all we look for

	frameData         = 0x0
	frameHeaders      = 0x1
	frameReset        = 0x3
	frameGoAway       = 0x7
	frameContinuation = 0x9

	codeRefusedStream = 0x7
)

// frame is the header of an HTTP/2 frame, with the first bytes of its payload.
type frame struct {
	kind   byte
	stream uint32
	start  []byte
}

// frames reads along one direction of an HTTP/2 connection. It keeps its place
// between calls, and never delays or changes a byte.
type frames struct {
	skip int // bytes to pass over: the preface, the rest of a payload
	have []byte
	need int
}

// newFrames starts with lead bytes that are no frame.
func newFrames(lead int) *frames {
	return &frames{skip: lead, need: frameHeaderLength}
}

// scan reads p and shows each frame once its header and the start of its
// payload are there.
func (f *frames) scan(p []byte, show func(frame)) {
	for len(p) > 0 {
		if f.skip > 0 {
			n := min(f.skip, len(p))
			f.skip -= n
			p = p[n:]
			continue
		}
		n := min(f.need-len(f.have), len(p))
		f.have = append(f.have, p[:n]...)
		p = p[n:]
		if len(f.have) == f.need {
			f.complete(show)
		}
	}
}

// complete is called with a frame's header in have, and again with the start
// of the payload behind it.
func (f *frames) complete(show func(frame)) {
	h := f.have
	length := int(h[0])<<16 | int(h[1])<<8 | int(h[2])
	wanted := min(length, frameWanted)
	if f.need == frameHeaderLength && wanted > 0 {
		f.need += wanted
		return
	}
	show(frame{
		kind:   h[3],
		stream: binary.BigEndian.Uint32(h[5:9]) &^ (1 << 31),
		start:  h[frameHeaderLength:],
	})
	f.skip, f.have, f.need = length-wanted, f.have[:0], frameHeaderLength
}

// requestFrames tells which writes carry a part of a request. Settings, their
// acknowledgement, pings and window updates are the connection's own affair:
// a server that got nothing else has no request to act on.
type requestFrames struct {
	frames *frames
	inside bool // the frame that is being written belongs to a request
}

func newRequestFrames() *requestFrames {
	return &requestFrames{frames: newFrames(prefaceLength)}
}

// in tells whether p holds a byte of a request's frame, or one that might be:
// a write that ends inside a frame whose kind is not known yet.
func (r *requestFrames) in(p []byte) bool {
	found := r.inside && r.frames.skip > 0
	r.frames.scan(p, func(f frame) {
		r.inside = f.kind == frameHeaders || f.kind == frameData || f.kind == frameContinuation
		found = found || r.inside
	})
	return found || len(r.frames.have) > 0
}

// replyFrames notes what a server said about the one stream of a connection.
type replyFrames struct {
	frames *frames

	answered atomic.Bool // its header frame came
	reset    atomic.Bool // RST_STREAM came
	refused  atomic.Bool // REFUSED_STREAM, or GOAWAY below our stream, and no header before it
}

func newReplyFrames() *replyFrames { return &replyFrames{frames: newFrames(0)} }

// ourStream is the id of a connection's first and only request.
const ourStream = 1

func (r *replyFrames) read(p []byte) {
	r.frames.scan(p, func(f frame) {
		switch {
		case f.kind == frameHeaders && f.stream == ourStream:
			r.answered.Store(true)
		case f.kind == frameReset && f.stream == ourStream && len(f.start) >= 4:
			r.reset.Store(true)
			r.refuse(binary.BigEndian.Uint32(f.start) == codeRefusedStream)
		case f.kind == frameGoAway && f.stream == 0 && len(f.start) >= 4:
			last := binary.BigEndian.Uint32(f.start) &^ (1 << 31)
			r.refuse(last < ourStream)
		}
	})
}

// refuse: a refusal counts only while no answer has begun. A server that began
// to answer has acted, whatever it says afterwards.
func (r *replyFrames) refuse(refused bool) {
	if refused && !r.answered.Load() {
		r.refused.Store(true)
	}
}
