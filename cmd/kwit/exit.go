package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes (3-interfaces, "Command line").
const (
	exitDone    = 0
	exitFailure = 1 // a finding, or what was asked for did not work
	exitUsage   = 2
)

// failure marks an error of a command that was called rightly. Every other one
// comes from reading the command line.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// usageError is wrong usage that only the command itself can tell.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func wrongUsage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errFound ends a command with 1 that has printed its findings already.
var errFound = errors.New("there are findings")

// does is the RunE of a command: it tells what the command ran into from wrong
// usage.
func does(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var usage usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return failure{err}
	}
}

// report writes an error as one line and returns the exit code that it means.
func report(stderr io.Writer, cmd *cobra.Command, err error) int {
	var ran failure
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFound):
		return exitFailure
	case errors.As(err, &ran):
		fmt.Fprintf(stderr, "kwit: %s\n", oneLine(ran.Error()))
		return exitFailure
	}
	fmt.Fprintf(stderr, "kwit: %s (see '%s --help')\n", oneLine(err.Error()), cmd.CommandPath())
	return exitUsage
}

// oneLine joins the lines of a text.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
