package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// poll is how often the state of a process or a lock is looked at, where the
// system offers no signal for it.
const poll = 10 * time.Millisecond

// Stop leaves the server. If no other process uses it, it is shut down: its
// clients are disconnected, what was committed is on disk, and Stop returns when
// the postmaster has ended. If ctx ends before that, the server is told to quit
// at once, which is as safe as a power cut: it recovers at its next start.
func (s *Server) Stop(ctx context.Context) error {
	starting, err := lockFile(ctx, filepath.Join(s.options.Dir, "start.lock"), exclusive)
	if err != nil {
		return err
	}
	defer starting.release()
	s.users.release()
	return s.stopUnused(ctx)
}

// StopUnused stops the server in dir if one runs and no living process uses it:
// the one that a killed process has left behind.
func StopUnused(ctx context.Context, dir string, log *slog.Logger) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s := &Server{options: Options{Dir: dir, Log: log}, layout: layoutOf(dir)}
	starting, err := lockFile(ctx, filepath.Join(dir, "start.lock"), exclusive)
	if err != nil {
		return err
	}
	defer starting.release()
	var running bool
	if s.post, running, err = findPostmaster(s.layout.data()); err != nil || !running {
		return err
	}
	return s.stopUnused(ctx)
}

// stopUnused needs the start lock.
func (s *Server) stopUnused(ctx context.Context) error {
	alone, err := tryLockFile(filepath.Join(s.options.Dir, "users.lock"), exclusive)
	if errors.Is(err, errLocked) {
		s.options.Log.Debug("leaving PostgreSQL to the other processes that use it", "pid", s.post.pid)
		return nil
	}
	if err != nil {
		return err
	}
	defer alone.release()
	defer s.layout.removeForeignSocket(s.post.socketDir)
	if s.gone() {
		return nil
	}
	if err := s.signal(syscall.SIGINT); err != nil {
		return err
	}
	if err := s.waitGone(ctx); err != nil {
		return errors.Join(
			fmt.Errorf("embedded PostgreSQL (pid %d) did not end in time and was told to quit at once: %w", s.post.pid, err),
			s.signal(syscall.SIGQUIT))
	}
	s.options.Log.Info("PostgreSQL is stopped")
	return nil
}

// abandon ends a server that did not come up.
func (s *Server) abandon() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if s.gone() {
		return nil
	}
	return errors.Join(s.signal(syscall.SIGQUIT), s.waitGone(ctx))
}

func (s *Server) signal(sig syscall.Signal) error {
	err := syscall.Kill(s.post.pid, sig)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return os.NewSyscallError("kill", err)
	}
	return nil
}

// gone says whether the postmaster has ended.
func (s *Server) gone() bool { return !serves(s.post.pid, s.layout.data()) }

func (s *Server) waitGone(ctx context.Context) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !s.gone() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
