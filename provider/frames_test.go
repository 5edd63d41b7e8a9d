package provider

import (
	"bytes"
	"errors"
	"testing"

	"golang.org/x/net/http2"
)

// opening is what a client writes before its request.
func opening(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(http2.ClientPreface)
	f := http2.NewFramer(&b, nil)
	if err := f.WriteSettings(http2.Setting{ID: http2.SettingEnablePush}); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteWindowUpdate(0, 1<<20); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRequestFramesAreFoundInEveryCut(t *testing.T) {
	t.Parallel()
	var request, control bytes.Buffer
	f := http2.NewFramer(&request, nil)
	if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: make([]byte, 40), EndHeaders: true}); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteData(1, true, []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	f = http2.NewFramer(&control, nil)
	if err := f.WriteSettingsAck(); err != nil {
		t.Fatal(err)
	}
	if err := f.WritePing(true, [8]byte{}); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteWindowUpdate(1, 7); err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < request.Len(); cut++ {
		frames := newRequestFrames()
		if frames.in(opening(t)) || frames.in(control.Bytes()) {
			t.Fatal("the connection's own frames were taken for a request")
		}
		if !frames.in(request.Bytes()[:cut]) || !frames.in(request.Bytes()[cut:]) {
			t.Fatalf("cut after %d bytes, a part of the request was not found", cut)
		}
		if frames.in(control.Bytes()) {
			t.Fatal("what follows the request was taken for a part of it")
		}
	}
}

func TestReplyFramesAreReadByteByByte(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		write   func(*http2.Framer) error
		refused bool
	}{
		{"refused", func(f *http2.Framer) error { return f.WriteRSTStream(1, http2.ErrCodeRefusedStream) }, true},
		{"after the answer began", func(f *http2.Framer) error {
			return errors.Join(
				f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}}),
				f.WriteRSTStream(1, http2.ErrCodeRefusedStream))
		}, false},
		{"another stream", func(f *http2.Framer) error { return f.WriteRSTStream(3, http2.ErrCodeRefusedStream) }, false},
		{"another code", func(f *http2.Framer) error { return f.WriteRSTStream(1, http2.ErrCodeProtocol) }, false},
		{"below", func(f *http2.Framer) error { return f.WriteGoAway(0, http2.ErrCodeNo, []byte("debug data")) }, true},
		{"at", func(f *http2.Framer) error { return f.WriteGoAway(1, http2.ErrCodeNo, nil) }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			f := http2.NewFramer(&b, nil)
			if err := f.WriteData(5, false, bytes.Repeat([]byte("d"), 300)); err != nil {
				t.Fatal(err)
			}
			if err := test.write(f); err != nil {
				t.Fatal(err)
			}
			reply := newReplyFrames()
			for _, c := range b.Bytes() {
				reply.read([]byte{c})
			}
			if got := reply.refused.Load(); got != test.refused {
				t.Errorf("refused: %v", got)
			}
		})
	}
}
