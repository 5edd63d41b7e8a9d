package embedded

import (
	"os"
	"path/filepath"
	"strconv"
)

// isPostmaster says whether the process is alive and the postmaster of the
// cluster: a postmaster works in its data directory. A zombie has no working
// directory, so it counts as dead, as it should where nobody reaps.
func isPostmaster(pid int, data string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	program, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil || !isServerProgram(program) {
		return false
	}
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(data); err == nil {
		data = real
	}
	return cwd == data
}
