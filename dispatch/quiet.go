package dispatch

import (
	"context"
	"log/slog"
)

// quiet passes on warnings and errors only: what River says of its ordinary
// work every few seconds is of no use to an operator of kwit.
type quiet struct{ slog.Handler }

// Enabled is true for warnings and errors.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// WithAttrs stays quiet.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup stays quiet.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
