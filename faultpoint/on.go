//go:build faultpoints

package faultpoint

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Hit kills (NAME=kill) or stops (NAME=stop) the process at the mark that
// KWIT_FAULTPOINT names. A stopped process goes on at SIGCONT.
func Hit(name string) {
	mark, how, ok := strings.Cut(os.Getenv("KWIT_FAULTPOINT"), "=")
	if !ok || mark != name {
		return
	}
	fmt.Fprintf(os.Stderr, "faultpoint %s: %s\n", name, how)
	signal := syscall.SIGKILL
	if how == "stop" {
		os.Setenv("KWIT_FAULTPOINT", "") // once
		signal = syscall.SIGSTOP
	}
	if err := syscall.Kill(os.Getpid(), signal); err != nil {
		panic(err)
	}
	if how != "stop" {
		select {} // SIGKILL is on its way
	}
}
