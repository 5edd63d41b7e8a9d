// Package kwittest runs the real kwit as child processes: the binary is built
// once, and each process has a free port, a database and a configuration of its
// own. Nothing that a test starts outlives it.
package kwittest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"kwit/db/dbtest"
)

// Faultpoints is the build tag that makes the marks of package faultpoint live.
const Faultpoints = "faultpoints"

var builds sync.Map // tags -> func() (string, error)

// Binary builds kwit from this tree, with build tags if there are any, and
// returns its path. All test binaries of a user share the file, so only the
// first of a run waits for the linker.
func Binary(t testing.TB, tags ...string) string {
	t.Helper()
	list := strings.Join(tags, ",")
	once, _ := builds.LoadOrStore(list, sync.OnceValues(func() (string, error) { return build(list) }))
	path, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func build(tags string) (string, error) {
	dir := filepath.Join(dbtest.SharedDir(), "bin")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, strings.Trim("kwit-"+strings.ReplaceAll(tags, ",", "-"), "-"))
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close() // and with it goes the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	// go build leaves a file alone that is up to date.
	cmd := exec.Command("go", "build", "-tags", tags, "-o", path, "kwit/cmd/kwit")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build kwit: %w\n%s", err, output.String())
	}
	return path, nil
}
