package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// longestLine bounds what is read as a password.
const longestLine = 4096 // bytes

func passwordFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("password-stdin", false, "read the password from standard input: its first line")
}

// newPassword reads a password from standard input, or asks for it twice at a
// terminal. It never comes by the command line, which others can read.
func newPassword(cmd *cobra.Command) (string, error) {
	fromStdin, err := cmd.Flags().GetBool("password-stdin")
	if err != nil {
		return "", err
	}
	if fromStdin {
		return firstLine(cmd.InOrStdin())
	}
	terminal, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", wrongUsage("there is no terminal to ask for the password at: give --password-stdin")
	}
	password, err := ask(cmd, terminal, "New password: ")
	if err != nil {
		return "", err
	}
	again, err := ask(cmd, terminal, "The same again: ")
	if err != nil {
		return "", err
	}
	if again != password {
		return "", errors.New("the two passwords differ: nothing was changed")
	}
	return password, nil
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, longestLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

func ask(cmd *cobra.Command, terminal *os.File, prompt string) (string, error) {
	fmt.Fprint(cmd.ErrOrStderr(), prompt)
	password, err := term.ReadPassword(int(terminal.Fd()))
	fmt.Fprintln(cmd.ErrOrStderr())
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return string(password), nil
}
