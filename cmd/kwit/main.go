// Command kwit runs the claim-ticket counter for work done on other people's
// servers, and holds its tools. It wires the packages together and knows
// neither SQL nor HTML.
//
// Exit codes: 0 done, 1 a finding or a failure, 2 wrong usage. Errors go to
// stderr, one line that says what to do (3-interfaces, "Command line").
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := untilSignal(func() { os.Exit(exitFailure) })
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends at the first SIGINT or SIGTERM. At the
// second one somebody is tired of waiting, and again is called.
func untilSignal(again func()) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		again()
	}()
	return ctx, cancel
}
