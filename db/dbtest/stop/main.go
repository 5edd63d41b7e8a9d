// Command stop ends the PostgreSQL that the tests of this user share, if no
// test is using it.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"kwit/db/dbtest"
	"kwit/db/embedded"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	slog.SetLogLoggerLevel(slog.LevelWarn)
	if err := embedded.StopUnused(ctx, dbtest.SharedDir(), slog.Default()); err != nil {
		fmt.Fprintln(os.Stderr, "the tests' PostgreSQL could not be stopped:", err)
		os.Exit(1)
	}
}
