// Package embedded runs kwit's own PostgreSQL: the real server, as a child
// process, for `kwit demo`, for commands given --embedded, and for all tests.
//
// Everything lives below one folder (Options.Dir, by default .kwit):
//
//	start.lock         held while a process starts or stops the server
//	users.lock         held, shared, by every process that uses the server
//	postgres/data      the cluster
//	postgres/socket    the server's only door, a Unix socket
//	postgres/server.log
//
// Whoever comes first starts the server, whoever comes later attaches to it,
// and the last to leave stops it. Both locks are the kernel's: a process that
// dies by kill -9 lets go of them, the server lives on, and the next process
// attaches to it and stops it at its own end.
//
// The server asks nobody for a password ("trust"). It listens on no network
// address, and its socket lies in a folder of mode 0700: only the user who runs
// kwit, and root, can reach it.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// database is the name of the database, and of its role.
const database = "kwit"

// Options say where the server lives and how it runs.
type Options struct {
	// Dir is the data directory. It is made when it is not there.
	Dir string
	// Log is told what happens, above all what takes longer than a moment.
	// The server's own messages go to postgres/server.log. Nil: no log.
	Log *slog.Logger
	// MaxConnections of the server, 200 if zero. It counts for the process that
	// starts the server.
	MaxConnections int
	// FastUnsafe trades durability for speed. A server that is started with it
	// begins with an empty cluster each time, since what a cluster without fsync
	// holds after a fault is anybody's guess. For tests that throw their data away.
	FastUnsafe bool
}

// Server is a running PostgreSQL that this process uses.
type Server struct {
	options  Options
	layout   layout
	users    *lock
	post     postmaster
	attached bool
}

// Start brings the server up, or attaches to the one that runs in o.Dir, and
// returns when it answers and the database is there. After a crash it waits for
// the end of recovery, however long that takes; ctx ends the waiting. The server
// itself outlives ctx, see [Server.Stop].
func Start(ctx context.Context, o Options) (*Server, error) {
	return start(ctx, o, identities())
}

// start is Start with the users to choose from, the preferred one first.
func start(ctx context.Context, o Options, whom []identity) (_ *Server, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 200
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	// Others may pass through to a home that is theirs, and see nothing.
	if err := os.MkdirAll(o.Dir, 0o711); err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL: cannot make its folder: %w", err)
	}
	starting, err := lockFile(ctx, filepath.Join(o.Dir, "start.lock"), exclusive)
	if err != nil {
		return nil, err
	}
	defer starting.release()

	s := &Server{options: o}
	if s.users, err = lockFile(ctx, filepath.Join(o.Dir, "users.lock"), shared); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.users.release()
		}
	}()
	if err := s.attachOrLaunch(ctx, whom); err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL in %s: %w", o.Dir, err)
	}
	return s, nil
}

func (s *Server) attachOrLaunch(ctx context.Context, whom []identity) error {
	s.layout = layoutOf(s.options.Dir)
	post, running, err := findPostmaster(s.layout.data())
	if err != nil {
		return err
	}
	if running {
		s.post, s.attached = post, true
		s.options.Log.Debug("using the PostgreSQL that runs already", "dir", s.layout.home, "pid", post.pid)
		if err := s.waitReady(ctx); err == nil || !s.gone() {
			return err
		}
		s.attached = false // it was just ending
	}
	return s.launch(ctx, whom)
}

// launch starts a server where none runs, making the cluster first if need be.
func (s *Server) launch(ctx context.Context, whom []identity) error {
	who, err := chooseIdentity(ctx, whom, s.options.Dir)
	if err != nil {
		return err
	}
	if s.layout, err = s.layout.prepare(s.options.Dir, who); err != nil {
		return err
	}
	s.options.Log.Info("starting PostgreSQL", "dir", s.layout.home, "as", who.name)
	if s.options.FastUnsafe {
		if err := os.RemoveAll(s.layout.data()); err != nil {
			return err
		}
	}
	programs, err := findPrograms(ctx, s.layout, s.options.Log)
	if err != nil {
		return err
	}
	if err := s.layout.own(who); err != nil {
		return err
	}
	if err := s.layout.initdb(ctx, programs, who, s.options); err != nil {
		return err
	}
	return s.run(ctx, programs, who)
}

// orphansEnd is how long a start is repeated while processes of a postmaster
// that was killed are still ending, where they cannot be found and ended here:
// PostgreSQL refuses to start beside them.
const orphansEnd = 10 * time.Second

// run starts the server and waits until it answers.
func (s *Server) run(ctx context.Context, p programs, who identity) error {
	crashed := s.layout.hasPostmasterFile()
	began := time.Now()
	for {
		err := killOrphans(ctx, s.layout.data())
		if err != nil {
			return err
		}
		if s.post, err = launchChild(p, who, s.layout, s.options); err != nil {
			return err
		}
		if err = s.waitReady(ctx); err == nil {
			return nil
		}
		if !s.gone() {
			return errors.Join(err, s.abandon())
		}
		if !crashed || time.Since(began) > orphansEnd {
			return err
		}
	}
}

// URL is the address of the kwit database on the server's socket.
func (s *Server) URL() string { return s.post.url(database) }

// Attached says whether the server ran already when this process came. It does
// not decide who stops it: the last to leave does.
func (s *Server) Attached() bool { return s.attached }

// PID is the process id of the postmaster, the server's first process.
func (s *Server) PID() int { return s.post.pid }

// LogFile is the path of the server's own messages.
func (s *Server) LogFile() string { return s.layout.logFile() }
