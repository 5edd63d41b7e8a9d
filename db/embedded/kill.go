package embedded

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// Kill ends all processes of the server by kill -9, as a crash of the machine
// would, and returns when they are gone. For tests of recovery. The server is
// still this process's until [Server.Stop].
func (s *Server) Kill(ctx context.Context) error {
	if err := s.signal(syscall.SIGKILL); err != nil {
		return err
	}
	if err := s.waitGone(ctx); err != nil {
		return fmt.Errorf("PostgreSQL (pid %d) survives kill -9: %w", s.post.pid, err)
	}
	return killOrphans(ctx, s.layout.data())
}

// killOrphans ends what a killed postmaster has left behind: its processes
// answer their clients for a moment longer, and one that is busy does not even
// notice. It returns when none is left.
func killOrphans(ctx context.Context, data string) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		orphans := processesOf(data)
		if len(orphans) == 0 {
			return nil
		}
		for _, pid := range orphans {
			_ = syscall.Kill(pid, syscall.SIGKILL) // or it has just ended
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("processes %v of a killed PostgreSQL do not end: %w", orphans, ctx.Err())
		case <-tick.C:
		}
	}
}
