package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// run carries out one command line and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return report(stderr, cmd, err)
}

func rootCommand() *cobra.Command {
	root := group(&cobra.Command{
		Use:   "kwit",
		Short: "One click, one job, one result",
		Long: "kwit is the counter for work that is done on other people's servers:\n" +
			"one click, one job, one result, whatever the network, the browser, a worker or a provider does.",
		Example: "  kwit demo                      try it, with everything included\n" +
			"  kwit serve --config kwit.yaml  serve, on the PostgreSQL at DATABASE_URL",
		Version:       version(),
		SilenceErrors: true, // report writes them
		SilenceUsage:  true,
	},
		demoCommand(), serveCommand(), migrateCommand(), userCommand(), tokenCommand(),
		configCommand(), verifyCommand(), versionCommand())
	root.SetVersionTemplate("kwit {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(helpCommand())
	return root
}

// group makes a command that only holds others.
func group(cmd *cobra.Command, under ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs // so that RunE can say what is wrong with them
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return wrongUsage("a command is missing")
		}
		return unknownCommand(cmd, args[0])
	}
	cmd.AddCommand(under...)
	return cmd
}

func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2
	if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
		return wrongUsage("there is no command %q, did you mean %q?", name, similar[0])
	}
	return wrongUsage("there is no command %q", name)
}

// helpCommand is cobra's, but a topic that is not there is wrong usage.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  kwit help serve",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// noArguments refuses any argument.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrongUsage("the argument %q is one too many", args[0])
	}
	return nil
}

// exactly refuses any other arguments than those that are named.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return wrongUsage("%s is missing", names[len(args)])
		case len(args) > len(names):
			return wrongUsage("the argument %q is one too many", args[len(names)])
		}
		return nil
	}
}

// printf writes to a command's standard output.
func printf(cmd *cobra.Command, format string, args ...any) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format, args...)
	return err
}
