package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"kwit/config"
	"kwit/db"
)

const defaultDrain = 30 * time.Second

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve pages and API, and send attempts to their providers",
		Long: "Serve pages and API (role web), and send attempts to their providers (role worker).\n" +
			"SIGTERM drains: /readyz fails, the listener closes, attempts under way may end. A second one ends at once.",
		Example: "  kwit serve --embedded\n" +
			"  DATABASE_URL=postgres://kwit@db/kwit kwit serve --addr :8080 --role web",
		Args: noArguments,
		RunE: does(serve),
	}
	textFlag(cmd.Flags(), "addr", "KWIT_ADDR", defaultAddr, "the address to listen on")
	configFlag(cmd.Flags())
	cmd.Flags().String("role", "web,worker", "the parts to play: web, worker or both")
	cmd.Flags().Duration("drain", defaultDrain, "how long a drain may take")
	embeddedFlag(cmd.Flags())
	return cmd
}

func serve(cmd *cobra.Command, _ []string) error {
	s, path, err := serverOf(cmd)
	if err != nil {
		return err
	}
	if s.configuration, err = loadOrSay(cmd.ErrOrStderr(), path); err != nil {
		return err
	}
	if err := s.checkCallbackAddress(); err != nil {
		return err
	}
	return s.run(cmd.Context())
}

// checkCallbackAddress refuses a worker that would tell providers to call back
// at its own address, where nobody takes callbacks: a 404 is final to many.
func (s *server) checkCallbackAddress() error {
	if s.roles.web || s.baseURL != nil {
		return nil
	}
	for name, p := range s.configuration.providers {
		if p.Callbacks {
			return fmt.Errorf("provider %s calls back, and this process takes no callbacks: "+
				"set KWIT_BASE_URL to the address of those with the role web", name)
		}
	}
	return nil
}

// serverOf reads the command line and the environment.
func serverOf(cmd *cobra.Command) (s *server, path string, err error) {
	flags := cmd.Flags()
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	s = &server{stderr: cmd.ErrOrStderr(), log: log, workLog: log}
	s.prepare = s.guardDemoAccounts
	role, err1 := flags.GetString("role")
	addr, err2 := flags.GetString("addr")
	path, err3 := flags.GetString("config")
	drain, err4 := flags.GetDuration("drain")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, "", err
	}
	s.addr, s.drain, s.grace = addr, drain, min(drain/10, mostGrace)
	if drain < 0 {
		return nil, "", wrongUsage("--drain %s is negative", drain)
	}
	if err := checkAddr(addr); err != nil {
		return nil, "", err
	}
	if s.roles, err = parseRoles(role); err != nil {
		return nil, "", err
	}
	if s.baseURL, err = baseURL(os.Getenv("KWIT_BASE_URL")); err != nil {
		return nil, "", err
	}
	s.source, err = sourceOf(flags, "DATABASE_URL")
	s.migrate = s.source.url == "" // nobody else would
	return s, path, err
}

// loadOrSay loads the configuration, or says what is wrong with it.
func loadOrSay(stderr io.Writer, path string) (*configuration, error) {
	c, mistakes := load(path)
	return rightOrSay(stderr, path, c, mistakes)
}

func rightOrSay(stderr io.Writer, path string, c *configuration, mistakes []config.Mistake) (*configuration, error) {
	for _, m := range mistakes {
		fmt.Fprintln(stderr, m)
	}
	if len(mistakes) > 0 {
		return nil, fmt.Errorf("%s cannot be used: correct what stands above, 'kwit config check' shows it again", path)
	}
	return c, nil
}

// reach waits for the database, says so, and looks at its schema.
func (s *server) reach(ctx context.Context, d *database) error {
	err := db.Await(ctx, d.pool, func(err error) {
		s.log.Warn("waiting for the database, which cannot be reached", "error", oneLine(err.Error()))
	})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return cannotReach(err)
	}
	if s.migrate {
		return db.Migrate(ctx, d.pool)
	}
	return db.CheckSchema(ctx, d.pool)
}
