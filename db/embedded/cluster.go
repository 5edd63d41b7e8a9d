package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// unfinished is the pattern of the folders in which clusters are made.
const unfinished = "initdb-*"

// clusterVersion is the major version that made the cluster, "" without one.
func (l layout) clusterVersion() (string, error) {
	text, err := os.ReadFile(filepath.Join(l.data(), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(l.data()); err == nil {
			return "", fmt.Errorf("%s is there, but holds no PostgreSQL cluster: move it away", l.data())
		}
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// initdb makes the cluster if there is none. It is made under another name and
// renamed when it is whole, so a cluster whose making was interrupted is never
// taken for one: its remains are removed here.
func (l layout) initdb(ctx context.Context, p programs, who identity, o Options) error {
	remains, err := filepath.Glob(filepath.Join(l.home, unfinished))
	if err != nil {
		return err
	}
	for _, dir := range remains {
		o.Log.Info("removing a database that was left half made", "dir", dir)
		if err := os.RemoveAll(dir); err != nil {
			o.Log.Warn("an initdb that outlived its kwit is still writing there", "error", err)
		}
	}
	version, err := l.clusterVersion()
	if err != nil || version != "" {
		return err
	}
	o.Log.Info("making the database files, this takes a few seconds")
	dir, err := os.MkdirTemp(l.home, unfinished)
	if err != nil {
		return err
	}
	if err := os.Lchown(dir, who.owner.uid, who.owner.gid); err != nil {
		return err
	}
	if err := runInitdb(ctx, p, who, dir, o); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return os.Rename(dir, l.data())
}

func runInitdb(ctx context.Context, p programs, who identity, dir string, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := []string{
		"--pgdata=" + dir, "--username=" + database, "--auth=trust",
		"--encoding=UTF8", "--locale=" + locale(), "--no-instructions",
	}
	if o.FastUnsafe {
		args = append(args, "--no-sync")
	}
	cmd := who.command(ctx, p.initdb, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb failed: %w\n%s", err, out)
	}
	return nil
}

// locale sorts by code point and knows the letters of all languages, where the
// system has such a one.
func locale() string {
	if runtime.GOOS == "linux" {
		return "C.UTF-8"
	}
	return "C"
}
