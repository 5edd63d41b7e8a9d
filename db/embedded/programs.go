package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// leastVersion is the oldest major version of PostgreSQL that kwit runs on.
const leastVersion = 14

// programs are PostgreSQL's, of one version.
type programs struct {
	postgres, initdb string
	version          int // major
}

// usualPlaces are the folders where systems put PostgreSQL's programs without
// putting them into PATH.
var usualPlaces = []string{
	"/usr/lib/postgresql/*/bin",                          // Debian
	"/usr/pgsql-*/bin",                                   // Red Hat, from PostgreSQL's own packages
	"/usr/libexec/postgresql*",                           // Alpine
	"/opt/homebrew/opt/postgresql*/bin",                  // Homebrew on Apple silicon
	"/usr/local/opt/postgresql*/bin",                     // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",     // Homebrew on Linux
	"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
	"/usr/local/pgsql/bin",                               // built from source
}

// findPrograms finds the programs for the cluster: of its own version where
// there is a cluster, else the newest. Where none are installed they are
// downloaded.
func findPrograms(ctx context.Context, l layout, log *slog.Logger) (programs, error) {
	version, err := l.clusterVersion()
	if err != nil {
		return programs{}, err
	}
	found := installed(ctx, searchPath(ctx, l))
	if p, ok := choosePrograms(found, version); ok {
		return p, nil
	}
	log.Info("PostgreSQL's programs were not found on this machine, so they are downloaded", "version", version)
	dir, err := download(ctx, filepath.Join(l.home, "programs"), version, defaultRepository)
	if err != nil {
		return programs{}, missingError(found, version, err)
	}
	if p, ok := choosePrograms(installed(ctx, []string{dir}), version); ok {
		return p, nil
	}
	return programs{}, missingError(found, version, fmt.Errorf("what was downloaded to %s does not run here", dir))
}

func missingError(found []programs, version string, cause error) error {
	want := "PostgreSQL " + strconv.Itoa(leastVersion) + " or later"
	if version != "" {
		want = "PostgreSQL " + version + ", which made these database files,"
	}
	var have []string
	for _, p := range found {
		have = append(have, filepath.Dir(p.postgres))
	}
	if have == nil {
		have = []string{"nothing"}
	}
	return fmt.Errorf("%s is needed, found was %s, and the download failed: %w. Install it (on Debian: apt-get install postgresql), or set DATABASE_URL to a server of yours",
		want, strings.Join(have, ", "), cause)
}

// searchPath lists the folders to look in, without those that are not there.
func searchPath(ctx context.Context, l layout) []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range append(usualPlaces, filepath.Join(l.home, "programs", "*", "bin")) {
		matches, _ := filepath.Glob(pattern) // fails on a bad pattern only
		dirs = append(dirs, matches...)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// installed returns the programs in those of the folders that hold a server.
func installed(ctx context.Context, dirs []string) []programs {
	var found []programs
	for _, dir := range dirs {
		p := programs{postgres: filepath.Join(dir, "postgres"), initdb: filepath.Join(dir, "initdb")}
		if _, err := os.Stat(p.initdb); err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, p.postgres, "--version").Output()
		if err != nil {
			continue
		}
		if m := versionPattern.FindSubmatch(out); m != nil {
			p.version, _ = strconv.Atoi(string(m[1])) // digits, by the pattern
			found = append(found, p)
		}
	}
	return found
}

// choosePrograms takes the newest, or the ones of the cluster's version.
func choosePrograms(found []programs, version string) (best programs, ok bool) {
	for _, p := range found {
		if p.version < leastVersion || version != "" && strconv.Itoa(p.version) != version {
			continue
		}
		if p.version > best.version {
			best, ok = p, true
		}
	}
	return best, ok
}

// isServerProgram says whether a path is that of a PostgreSQL server. The kernel
// marks a program that was replaced by an update since it was started.
func isServerProgram(path string) bool {
	return filepath.Base(strings.TrimSuffix(path, " (deleted)")) == "postgres"
}
