package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// port is part of the socket's name and of nothing else.
	port       = "5432"
	socketName = ".s.PGSQL." + port

	postmasterFile = "postmaster.pid"
)

// postmaster is a running server: its first process and its door.
type postmaster struct {
	pid       int
	socketDir string
}

// url is the address of one of the server's databases.
func (p postmaster) url(name string) string {
	q := url.Values{"host": {p.socketDir}, "port": {port}}
	query := strings.ReplaceAll(q.Encode(), "+", "%20") // a plus is no space to PostgreSQL's clients
	u := url.URL{Scheme: "postgres", User: url.User(database), Path: "/" + name, RawQuery: query}
	return u.String()
}

// findPostmaster reads the cluster's postmaster.pid and says whether the process
// that it names is this cluster's postmaster.
//
// PostgreSQL takes a file that names any living process for a running server and
// refuses to start, though after a restart of the machine the number may be
// anybody's. Such a file is made harmless here: see disown.
func findPostmaster(data string) (_ postmaster, running bool, _ error) {
	path := filepath.Join(data, postmasterFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return postmaster{}, false, nil
	}
	if err != nil {
		return postmaster{}, false, fmt.Errorf("cannot see whether PostgreSQL runs: %w", err)
	}
	// The lines: pid, data directory, start time, port, socket directory, …
	// (PostgreSQL's src/include/utils/pidfile.h). While the server starts, the
	// later ones may be missing, so a postmaster is waited for until it names
	// its socket.
	lines := strings.Split(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || !serves(pid, data) {
		return postmaster{}, false, disown(path, lines)
	}
	p := postmaster{pid: pid, socketDir: layout{filepath.Dir(data)}.socketDir()}
	if len(lines) > 4 && lines[4] != "" {
		p.socketDir = lines[4]
	}
	return p, true, nil
}

// disown rewrites a dead server's postmaster.pid to name this process instead of
// the dead one. PostgreSQL knows that its own parent cannot be a postmaster, so
// it takes the file over; and it still reads from it which shared memory to look
// at, and refuses to start while a process of the dead server is alive.
func disown(path string, lines []string) error {
	lines[0] = strconv.Itoa(os.Getpid())
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")), info.Mode().Perm())
}

// hasPostmasterFile says whether the last server was killed: one that ends in
// order removes its file.
func (l layout) hasPostmasterFile() bool {
	_, err := os.Stat(filepath.Join(l.data(), postmasterFile))
	return err == nil
}
