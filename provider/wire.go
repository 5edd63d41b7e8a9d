package provider

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// ConnectTimeout is how long a connection may take to stand: name, socket,
// proxy and TLS together (3-interfaces, "Trying again by itself").
const ConnectTimeout = 10 * time.Second

// maxHeaderBytes bounds the header of an answer.
const maxHeaderBytes = 1 << 20

// Wire is how one provider is reached: a fresh connection for each attempt,
// straight or through the proxy that the configuration names, never through
// the environment's. It is safe for use by many attempts at once.
type Wire struct {
	proxy    *url.URL
	tls      *tls.Config
	dialer   net.Dialer
	patience time.Duration // ConnectTimeout
	http1    *http.Transport
	http2    *http.Transport
}

// NewWire makes the wire of a provider. proxy is nil for a straight
// connection; trust is nil for the system's certificates.
func NewWire(proxy *url.URL, trust *tls.Config) (*Wire, error) {
	if proxy != nil && (proxy.Scheme != "http" && proxy.Scheme != "https" || proxy.Host == "") {
		return nil, errors.New("write the proxy as http://HOST:PORT or https://HOST:PORT")
	}
	if trust == nil {
		trust = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	w := &Wire{proxy: proxy, tls: trust, patience: ConnectTimeout}
	w.http1 = w.transport()
	w.http1.Protocols.SetHTTP1(true)
	w.http2 = w.transport()
	w.http2.Protocols.SetUnencryptedHTTP2(true) // TLS, where there is any, is ours
	return w, nil
}

// transport speaks HTTP over a connection that connect has made. Nothing in it
// keeps, shares, retries or redirects.
func (w *Wire) transport() *http.Transport {
	return &http.Transport{
		Proxy:                  w.forwardProxy,
		DialContext:            handOver,
		DialTLSContext:         handOver,
		DisableKeepAlives:      true,
		DisableCompression:     true, // no answer is larger than it looks
		MaxResponseHeaderBytes: maxHeaderBytes,
		Protocols:              new(http.Protocols),
	}
}

// forwardProxy makes plain HTTP to a proxy name its whole target; a tunnel to
// an https target is made by connect.
func (w *Wire) forwardProxy(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "https" {
		return nil, nil
	}
	return w.proxy, nil
}

type connKey struct{}

// handOver gives the transport the connection that its context carries.
func handOver(ctx context.Context, _, _ string) (net.Conn, error) {
	conn, ok := ctx.Value(connKey{}).(net.Conn)
	if !ok {
		return nil, errors.New("no connection was made for this call")
	}
	return conn, nil
}

// open makes the attempt's one connection to target, guarded by gate, and the
// HTTP that is spoken over it.
func (w *Wire) open(ctx context.Context, gate *Gate, target *url.URL) (*http.ClientConn, *guarded, error) {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	gate.attach(func() {}, cancel)
	conn, err := w.connect(ctx, gate, target)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("no connection within %v, or the call was given up before: %w", w.patience, err)
		}
		return nil, nil, err
	}
	transport := w.http1
	if conn.in != nil {
		transport = w.http2
	}
	client, err := transport.NewClientConn(context.WithValue(ctx, connKey{}, net.Conn(conn)), target.Scheme, address(target))
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return client, conn, nil
}

func (w *Wire) connect(ctx context.Context, gate *Gate, target *url.URL) (*guarded, error) {
	first := target
	if w.proxy != nil {
		first = w.proxy
	}
	socket, err := w.dialer.DialContext(ctx, "tcp", address(first))
	if err != nil {
		return nil, err
	}
	metered := &meter{Conn: socket}
	conn, http2, err := w.layers(ctx, metered, target)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return guard(conn, metered, gate, http2), nil
}

// layers puts upon the socket what stands between it and HTTP: TLS to the
// proxy, the tunnel through it, TLS to the provider.
func (w *Wire) layers(ctx context.Context, conn net.Conn, target *url.URL) (_ net.Conn, http2 bool, err error) {
	if w.proxy != nil {
		if w.proxy.Scheme == "https" {
			if conn, _, err = w.handshake(ctx, conn, w.proxy.Hostname()); err != nil {
				return nil, false, fmt.Errorf("TLS with the proxy: %w", err)
			}
		}
		if target.Scheme == "https" {
			if err = w.tunnel(ctx, conn, address(target)); err != nil {
				return nil, false, fmt.Errorf("tunnel through the proxy: %w", err)
			}
		}
	}
	if target.Scheme != "https" {
		return conn, false, nil
	}
	return w.handshake(ctx, conn, target.Hostname(), "h2", "http/1.1")
}

func (w *Wire) handshake(ctx context.Context, conn net.Conn, name string, protocols ...string) (_ net.Conn, http2 bool, err error) {
	config := w.tls.Clone()
	config.NextProtos = protocols
	if config.ServerName == "" {
		config.ServerName = name
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, false, err
	}
	return secure, secure.ConnectionState().NegotiatedProtocol == "h2", nil
}

// tunnel asks the proxy for a connection to addr (RFC 9110, section 9.3.6).
func (w *Wire) tunnel(ctx context.Context, conn net.Conn, addr string) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	connect := &http.Request{
		Method: http.MethodConnect,
		URL:    &url.URL{Opaque: addr},
		Host:   addr,
		Header: http.Header{},
	}
	if user := w.proxy.User; user != nil {
		password, _ := user.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		connect.Header.Set("Proxy-Authorization", "Basic "+credentials)
	}
	if err := connect.Write(conn); err != nil {
		return err
	}
	// The provider does not speak before we do, so nothing is read too far.
	answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 1024), connect)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy answered %s", answer.Status)
	}
	if !stop() {
		return ctx.Err()
	}
	return nil
}

// address is the host and port of u, for a dialer.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
		if port == "" {
			port = "80"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
