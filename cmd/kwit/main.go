// Command kwit runs the claim-ticket counter for work done on other people's
// servers, and holds its tools. It wires the packages together and knows
// neither SQL nor HTML.
//
// Exit codes: 0 done, 1 a finding or a failure, 2 wrong usage. Errors go to
// stderr, one line that says what to do (3-interfaces, "Command line").
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := untilSignal(func() {
		fmt.Fprintln(os.Stderr, "kwit: ended at once by a second signal; kwit's own PostgreSQL, where there is one, runs on until the next start and stop")
		os.Exit(exitFailure)
	})
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// sameSignal is how long a signal may echo: make, timeout and some supervisors
// tell the process and its whole group, so that it arrives twice.
const sameSignal = 500 * time.Millisecond

// untilSignal returns a context that ends at the first SIGINT or SIGTERM. At the
// second one somebody is tired of waiting, and again is called.
func untilSignal(again func()) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		first := time.Now()
		for range signals {
			if time.Since(first) > sameSignal {
				again()
			}
		}
	}()
	return ctx, cancel
}
