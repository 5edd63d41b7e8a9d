package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
)

// child is the server as a child of this process.
type child struct {
	cmd       *exec.Cmd
	socketDir string
	done      chan struct{} // closed when it has ended
}

// maxLogSize is the size in bytes from which on the log is put aside at a start.
const maxLogSize = 8 << 20

// launchChild starts the server. Its messages go to a file and not through this
// process, which it may outlive. The terminal's Ctrl-C does not reach it, so
// that kwit can finish its own work before it stops the server.
func launchChild(p programs, who identity, l layout, o Options) (*child, error) {
	if info, err := os.Stat(l.logFile()); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(l.logFile(), l.logFile()+".old"); err != nil {
			return nil, err
		}
	}
	log, err := os.OpenFile(l.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()

	cmd := who.command(context.Background(), p.postgres, serverArguments(l, o)...)
	cmd.Dir = l.data()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", p.postgres, err)
	}
	c := &child{cmd: cmd, socketDir: l.socketDir(), done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended stands in its log
		close(c.done)
	}()
	return c, nil
}

// serverArguments are given at each start, so that they follow kwit and not the
// day on which the cluster was made.
func serverArguments(l layout, o Options) []string {
	settings := []string{
		"listen_addresses=",
		"port=" + port,
		"unix_socket_directories=" + l.socketDir(),
		"unix_socket_permissions=0700",
		"max_connections=" + strconv.Itoa(o.MaxConnections),
		"timezone=UTC",
		"log_timezone=UTC",
		"log_destination=stderr",
		"logging_collector=off",
		"log_line_prefix=%m [%p] %q%a ",
	}
	if o.FastUnsafe {
		settings = append(settings,
			"fsync=off", "synchronous_commit=off", "full_page_writes=off",
			"wal_level=minimal", "max_wal_senders=0", "autovacuum=off")
	}
	args := []string{"-D", l.data()}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return args
}

func (c *child) postmaster() postmaster {
	return postmaster{pid: c.cmd.Process.Pid, socketDir: c.socketDir}
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// tail is the end of the server's log, for an error.
func (l layout) tail() string {
	text, err := os.ReadFile(l.logFile())
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}
