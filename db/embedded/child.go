package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// maxLogSize is the size in bytes from which on the log is put aside at a start.
const maxLogSize = 8 << 20

// launchChild starts the server. Its messages go to a file and not through this
// process, which it may outlive. The terminal's Ctrl-C does not reach it, so
// that kwit can finish its own work before it stops the server.
func launchChild(p programs, who identity, l layout, o Options) (postmaster, error) {
	if info, err := os.Stat(l.logFile()); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(l.logFile(), l.logFile()+".old"); err != nil {
			return postmaster{}, err
		}
	}
	log, err := os.OpenFile(l.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return postmaster{}, err
	}
	defer func() { _ = log.Close() }()

	cmd := who.command(context.Background(), p.postgres, serverArguments(l, o)...)
	cmd.Dir = l.data()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return postmaster{}, fmt.Errorf("cannot start %s: %w", p.postgres, err)
	}
	go func() {
		_ = cmd.Wait() // how it ended stands in its log
	}()
	return postmaster{pid: cmd.Process.Pid, socketDir: l.socketDir()}, nil
}

// serverArguments are given at each start, so that they follow kwit and not the
// day on which the cluster was made.
func serverArguments(l layout, o Options) []string {
	settings := []string{
		"listen_addresses=",
		"port=" + port,
		`unix_socket_directories="` + strings.ReplaceAll(l.socketDir(), `"`, `""`) + `"`, // a list
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
