//go:build !linux

package embedded

import (
	"os/exec"
	"strconv"
	"strings"
)

// processesOf finds nothing where processes cannot be asked for their folder:
// what a killed postmaster has left behind ends by itself when it becomes idle.
func processesOf(string) []int { return nil }

// serves says whether the process is alive and a PostgreSQL of the
// cluster: its command line names the data directory.
func serves(pid int, data string) bool {
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	program, arguments, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	return err == nil && found && isServerProgram(program) && strings.Contains(arguments, data)
}
