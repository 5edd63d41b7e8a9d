package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// killOrphans ends what a killed postmaster has left behind: a process that is
// busy does not notice that its postmaster is gone. None of them can commit any
// more what a client would hear of, and PostgreSQL's recovery expects no less.
func killOrphans(data string) {
	processes, _ := filepath.Glob("/proc/[0-9]*") // fails on a bad pattern only
	for _, proc := range processes {
		pid, err := strconv.Atoi(filepath.Base(proc))
		if err == nil && serves(pid, data) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // or it has just ended
		}
	}
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
	if real, err := filepath.EvalSymlinks(data); err == nil {
		data = real
	}
	return cwd == data
}
