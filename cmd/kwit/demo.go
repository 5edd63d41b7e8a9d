package main

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"kwit/demo"
	"kwit/demo/farm"
	"kwit/views"
)

func demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try kwit: everything included, for this machine alone",
		Long: "Try kwit with its own PostgreSQL, simulated providers and accounts whose passwords everybody can read.\n" +
			"It answers to 127.0.0.1, localhost and [::1] only, and keeps its data under KWIT_DATA_DIR.",
		Example: "  kwit demo\n  kwit demo --addr 127.0.0.1:9000",
		Args:    noArguments,
		RunE:    does(runDemo),
	}
	textFlag(cmd.Flags(), "addr", "KWIT_ADDR", defaultAddr, "the address to listen on, of this machine alone")
	return cmd
}

func runDemo(cmd *cobra.Command, _ []string) error {
	addr, err := cmd.Flags().GetString("addr")
	if err != nil {
		return err
	}
	if err := checkAddr(addr); err != nil {
		return err
	}
	if !isLoopback(addr) {
		return wrongUsage("the demo does not listen on %q, since everybody can read its passwords: "+
			"give an address of this machine alone, such as %s, or use 'kwit serve'", addr, defaultAddr)
	}
	secret := callbackSecret()
	slow, err := startFarm(farm.Options{Slow: 8 * time.Second, LateAfter: 40 * time.Second, CallbackSecret: secret})
	if err != nil {
		return err
	}
	defer slow.Close()
	// So that an attempt which began second can come back first.
	quick, err := startFarm(farm.Options{Renders: 4 * time.Second, Slow: 4 * time.Second, LateAfter: 4 * time.Second})
	if err != nil {
		return err
	}
	defer quick.Close()
	s, err := demoServer(cmd, addr, demo.Surroundings{Farm: slow.URL, Reserve: quick.URL, Secret: secret})
	if err != nil {
		return err
	}
	return s.run(cmd.Context())
}

func startFarm(o farm.Options) (*farm.Server, error) {
	o.Keep = 10_000
	f, err := farm.Listen("127.0.0.1:0", o)
	if err != nil {
		return nil, fmt.Errorf("start the demo's HTTP provider: %w", err)
	}
	return f, nil
}

// callbackSecret is a secret for this run: farm and kwit share the process.
func callbackSecret() string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(rand.Text()))
}

func demoServer(cmd *cobra.Command, addr string, around demo.Surroundings) (*server, error) {
	stderr := cmd.ErrOrStderr()
	c, mistakes := demo.Load(around)
	right, mistakes := complete(c, mistakes)
	configuration, err := rightOrSay(stderr, "the demo's configuration", right, mistakes)
	if err != nil {
		return nil, err
	}
	if os.Getenv("DATABASE_URL") != "" {
		fmt.Fprintln(stderr, "DATABASE_URL is not used: the demo runs its own PostgreSQL")
	}
	dir := dataDir()
	return &server{
		addr: addr, roles: roles{web: true, worker: true}, source: source{dir: dir}, migrate: true,
		configuration: configuration, drain: 5 * time.Second,
		demo: signInAccounts(), prepare: addDemoAccounts,
		welcome: func(at *url.URL) { welcome(cmd, at, dir) },
		stderr:  stderr, log: plainLog(stderr), workLog: quietLog(stderr),
	}, nil
}

// signInAccounts are those that the sign-in page offers.
func signInAccounts() []views.DemoAccount {
	var shown []views.DemoAccount
	for _, a := range demo.Accounts() {
		shown = append(shown, views.DemoAccount{Email: a.Email, Password: a.Password, Role: string(a.Role), Can: a.Can})
	}
	return shown
}

// welcome says how to go on.
func welcome(cmd *cobra.Command, at *url.URL, dir string) {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "\n  Open     %s\n", at)
	for i, a := range demo.Accounts() {
		label := "         "
		if i == 0 {
			label = "Sign in  "
		}
		fmt.Fprintf(out, "  %s%-20s %-8s %s\n", label, a.Email, a.Role, a.Can)
	}
	fmt.Fprintf(out, "  Password %s\n\n  Ctrl-C stops everything. The data stays in %s.\n\n", demo.Password, dir)
}
