package embedded

import (
	"os"
	"path/filepath"
	"strconv"
)

// processesOf lists the living processes of the cluster's server.
func processesOf(data string) (pids []int) {
	processes, _ := filepath.Glob("/proc/[0-9]*") // fails on a bad pattern only
	for _, proc := range processes {
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil && serves(pid, data) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// serves says whether the process is alive and one of the cluster's server: its
// postmaster and all others work in the data directory. A zombie has no working directory, so it
// counts as dead, as it should where nobody reaps.
func serves(pid int, data string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	program, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil || !isServerProgram(program) {
		return false
	}
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	if err != nil {
		return false
	}
	if target, err := filepath.EvalSymlinks(data); err == nil {
		data = target
	}
	return cwd == data
}
