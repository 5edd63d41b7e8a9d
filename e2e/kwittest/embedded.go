package kwittest

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"kwit/db/embedded"
)

// DataDir is a folder for kwit's own PostgreSQL. A server that a killed process
// left in it is stopped at the end of the test.
func DataDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kwit-data-") // t.TempDir is too long a path for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := embedded.StopUnused(ctx, dir, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))); err != nil {
			t.Errorf("stop what was left in %s: %v", dir, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
