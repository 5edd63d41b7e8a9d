package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked by another process")

const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
)

// lock is a lock on a file (flock). It ends with release or with the process,
// however that ends, and no child process inherits it.
type lock struct{ file *os.File }

// tryLockFile takes the lock or answers errLocked at once.
func tryLockFile(path string, how int) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the lock file: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return &lock{file}, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errLocked
	}
	return nil, fmt.Errorf("cannot lock %s: %w", path, err)
}

// lockFile waits for the lock until ctx ends.
func lockFile(ctx context.Context, path string, how int) (*lock, error) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		l, err := tryLockFile(path, how)
		if !errors.Is(err, errLocked) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("another process holds %s: %w", path, ctx.Err())
		case <-tick.C:
		}
	}
}

// release lets go of the lock. Releasing twice does no harm. Closing the file
// would not be enough: a process that is just being forked has a copy of it
// until it runs its own program.
func (l *lock) release() {
	if _, err := l.file.Stat(); err != nil {
		return // released before
	}
	_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	_ = l.file.Close()
}
