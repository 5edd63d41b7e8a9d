package providertest

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http/httptest"
	"testing"

	"golang.org/x/net/http2"
)

// Certificate makes the two ends' configurations of TLS for 127.0.0.1.
func Certificate(t testing.TB, protocols ...string) (server, client *tls.Config) {
	t.Helper()
	borrowed := httptest.NewUnstartedServer(nil)
	borrowed.StartTLS()
	defer borrowed.Close()
	pool := x509.NewCertPool()
	pool.AddCert(borrowed.Certificate())
	server = &tls.Config{Certificates: borrowed.TLS.Certificates, NextProtos: protocols}
	return server, &tls.Config{RootCAs: pool}
}

// Frames is a talk in HTTP/2, frame by frame.
type Frames struct {
	*http2.Framer
	talk *Talk
}

// HTTP2 answers the client's preface and settings, and reads on. It is for a
// connection with TLS that agreed on h2.
func (c *Talk) HTTP2() (*Frames, bool) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c.reader, preface); err != nil {
		return nil, false
	}
	f := &Frames{Framer: http2.NewFramer(c.Conn, c.reader), talk: c}
	return f, f.WriteSettings() == nil
}

// Request reads frames until a stream was opened and ended by the client, and
// counts it as a request.
func (f *Frames) Request() (stream uint32, ok bool) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return 0, false
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() && f.WriteSettingsAck() != nil {
				return 0, false
			}
		case *http2.DataFrame:
			if frame.StreamEnded() {
				f.talk.Count()
				return frame.StreamID, true
			}
		}
	}
}

// Drain reads until the client closes.
func (f *Frames) Drain() {
	for {
		if _, err := f.ReadFrame(); err != nil {
			return
		}
	}
}
