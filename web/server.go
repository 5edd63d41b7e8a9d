package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/config"
	"kwit/contract"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/provider"
	"kwit/views"
)

const defaultBodyLimit = 1 << 20

// JobType is a job type of today's configuration with its compiled contract.
type JobType struct {
	config.JobType
	Contract *contract.Contract
}

// Provider is a provider of today's configuration, and what it is spoken to by.
type Provider struct {
	config.Provider
	Adapter provider.Provider
}

// jobType is a job type with the digest of its version, which every submission
// names.
type jobType struct {
	JobType
	digest string
}

// Options are what a web server needs. Zero times stand for their defaults.
type Options struct {
	Ledger   *ledger.Ledger
	Accounts *account.Accounts
	JobTypes []JobType // in the order in which they are offered
	// Providers are today's, in the order in which they are shown.
	Providers []Provider
	// Timing is what today's configuration says of a job type, of one that is
	// gone too: what a callback settles is tried again by it.
	Timing  func(jobType string) dispatch.Timing
	BaseURL *url.URL // the public address; a path is a prefix of every route

	// Demo makes it a demo: its accounts stand on the sign-in page, and requests
	// for any other host than this machine's own names are refused.
	Demo []views.DemoAccount

	BodyLimit int64 // of a request's body, in bytes; 1 MiB by default
	// Ready tells whether the database answers and its schema is right; nil
	// means always.
	Ready  func(context.Context) error
	Logger *slog.Logger     // the default logger if nil
	Now    func() time.Time // the node's clock; time.Now if nil

	Timeout   time.Duration // of a request's work, its body's arrival included; 20 s
	Heartbeat time.Duration // between signs of life on a stream; 15 s
	Recheck   time.Duration // between looks at a stream's session; 30 s
	Reread    time.Duration // between looks at the revisions of watched jobs; 2 s
}

// Server answers requests. Its methods may be called at the same time.
type Server struct {
	o         Options
	prefix    string // of the public address's path, without a slash at its end
	log       *slog.Logger
	sessions  *account.Sessions
	types     map[string]jobType
	providers map[string]Provider
	versions  *contract.Versions // that old jobs live under
	settler   *dispatch.Judge    // of attempts that are called back about
	hub       *hub
	handler   http.Handler

	drain    chan struct{}
	draining atomic.Bool
}

// New sets up a server. It touches neither network nor database.
func New(o Options) *Server {
	if o.BodyLimit == 0 {
		o.BodyLimit = defaultBodyLimit
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	orDefault(&o.Timeout, 20*time.Second)
	orDefault(&o.Heartbeat, 15*time.Second)
	orDefault(&o.Recheck, 30*time.Second)
	orDefault(&o.Reread, 2*time.Second)
	s := &Server{o: o, log: o.Logger, prefix: strings.TrimRight(o.BaseURL.Path, "/"),
		types: make(map[string]jobType, len(o.JobTypes)), providers: make(map[string]Provider, len(o.Providers)),
		drain: make(chan struct{})}
	for _, t := range o.JobTypes {
		s.types[t.Name] = jobType{JobType: t, digest: t.Digest()}
	}
	for _, p := range o.Providers {
		s.providers[p.Name] = p
	}
	s.sessions = o.Accounts.Sessions(account.SessionOptions{BaseURL: o.BaseURL, Fail: s.sessionFailed})
	s.versions = contract.NewVersions(s.definition)
	s.settler = &dispatch.Judge{Ledger: o.Ledger, Contract: s.contractOfVersion, Timing: o.Timing}
	s.hub = newHub(o.Ledger, o.Reread, s.drain, s.log)
	s.handler = s.middleware(s.routes())
	return s
}

func orDefault(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}

// Handler answers every request.
func (s *Server) Handler() http.Handler { return s.handler }

// JobChanged tells the live pages of a job that it changed. It may be told from
// anywhere (this process's ledger, a notification of the database), any number
// of times, and does not block.
func (s *Server) JobChanged(owner, job uuid.UUID) {
	s.hub.changed(ledger.JobRef{Owner: owner, Job: job})
}

// Drain makes /readyz fail, and ends the live streams, which connect again
// elsewhere. Other requests are answered as before.
func (s *Server) Drain() {
	if s.draining.CompareAndSwap(false, true) {
		close(s.drain)
	}
}

// NewHTTPServer is an http.Server whose limits fit the handler of this package.
// It has no WriteTimeout, which would end streams: each request has its own
// deadline.
func NewHTTPServer(addr string, h http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // of headers and body
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}
