package dbtest

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/db/embedded"
)

// Server is a durable PostgreSQL of one test, which may kill it. Its databases
// keep their addresses when it is started again.
type Server struct {
	t       testing.TB
	options embedded.Options
	running *embedded.Server
}

// StartServer starts a server that ends with the test.
func StartServer(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "kwit-own-") // t.TempDir is too long a path for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil { // the server may run as another user
		t.Fatal(err)
	}
	s := &Server{t: t, options: embedded.Options{
		Dir: dir, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}}
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

// New returns a pool to a fresh, migrated database on this server.
func (s *Server) New() *pgxpool.Pool {
	s.t.Helper()
	return open(s.t, s.NewURL())
}

// NewURL returns the address of a fresh, migrated database on this server.
func (s *Server) NewURL() string {
	s.t.Helper()
	return newDatabase(s.t, s.running.URL())
}

// PID is the process id of the postmaster.
func (s *Server) PID() int { return s.running.PID() }

// Kill ends all processes of the server by kill -9, as a crash of its machine
// would, and returns when they are gone.
func (s *Server) Kill() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := s.running.Kill(ctx); err != nil {
		s.t.Fatal(err)
	}
	s.Stop()
}

// Start starts the server again after [Server.Kill] or [Server.Stop], and
// returns when it has recovered.
func (s *Server) Start() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	running, err := embedded.Start(ctx, s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.running = running
}

// Stop stops the server in order: its clients are disconnected.
func (s *Server) Stop() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := s.running.Stop(ctx); err != nil {
		s.t.Error(err)
	}
}
