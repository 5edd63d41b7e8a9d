package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// homeName is the home's name in the data directory.
const homeName = "postgres"

// layout is where the parts of one server lie.
type layout struct {
	// home holds the cluster, the socket and the log, and belongs to the user
	// whom the server runs as.
	home string
}

// layoutOf finds the home below the data directory, which may be a link: see
// prepare.
func layoutOf(dir string) layout {
	home := filepath.Join(dir, homeName)
	if target, err := filepath.EvalSymlinks(home); err == nil {
		home = target
	}
	return layout{home}
}

func (l layout) data() string    { return filepath.Join(l.home, "data") }
func (l layout) logFile() string { return filepath.Join(l.home, "server.log") }

// maxSocketPath is the longest path that fits into a socket's address
// (sun_path, 104 bytes on macOS and the BSDs, 108 on Linux, with a final NUL).
const maxSocketPath = 103

// socketDir is a folder in the home, or a short one in the temporary folder
// where the home's path is too long for a socket, or holds a comma, which stands
// between hosts in a database's address.
func (l layout) socketDir() string {
	dir := filepath.Join(l.home, "socket")
	if len(filepath.Join(dir, socketName)) <= maxSocketPath && !strings.Contains(dir, ",") {
		return dir
	}
	sum := sha256.Sum256([]byte(l.home))
	return filepath.Join(os.TempDir(), "kwit-"+hex.EncodeToString(sum[:6]))
}

// prepare makes the home. Where who cannot reach the data directory (below
// /root, say), the home is who.refuge and the data directory holds a link to it.
func (l layout) prepare(dir string, who identity) (layout, error) {
	link := filepath.Join(dir, homeName)
	info, err := os.Lstat(link)
	moved := err == nil && info.Mode().Type() == fs.ModeSymlink
	if who.refuge != "" && !moved {
		if err := moveHome(link, who); err != nil {
			return l, fmt.Errorf("the database has to be where %s can reach it: %w", who.name, err)
		}
		l.home = who.refuge
	}
	if err := os.MkdirAll(l.home, 0o700); err != nil {
		return l, err
	}
	return l, l.makeSocketDir()
}

// moveHome puts a link to the refuge into the place of the home. What ran as
// another user before moves along.
func moveHome(link string, who identity) error {
	if err := os.MkdirAll(filepath.Dir(who.refuge), 0o755); err != nil {
		return err
	}
	if err := os.Rename(link, who.refuge); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(who.refuge, link)
}

// makeSocketDir makes the folder, and refuses one that somebody else put there.
func (l layout) makeSocketDir() error {
	dir := l.socketDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if !info.IsDir() || os.Geteuid() != 0 && owner != os.Geteuid() {
		return fmt.Errorf("%s is not a folder of this user: remove it", dir)
	}
	return os.Chmod(dir, 0o700)
}

// own gives home and socket folder, with all that is in them, to who. It does
// nothing where they are who's already: only root can, and only root needs to,
// when the server ran as another user before.
func (l layout) own(who identity) error {
	for _, root := range []string{l.socketDir(), l.home} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a process of a killed server tidied up
			}
			if err != nil {
				return err
			}
			info, err := os.Lstat(path)
			if err != nil {
				return err
			}
			if int(info.Sys().(*syscall.Stat_t).Uid) == who.owner.uid {
				return nil
			}
			return os.Lchown(path, who.owner.uid, who.owner.gid)
		})
		if err != nil {
			return fmt.Errorf("cannot give PostgreSQL's files to %s: %w", who.name, err)
		}
	}
	return nil
}

// removeForeignSocket tidies the socket's folder away where it is not in home.
func (l layout) removeForeignSocket(dir string) {
	if filepath.Dir(dir) != l.home {
		_ = os.Remove(dir)
	}
}
