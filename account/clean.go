package account

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// cleanEvery is how often ended rows go. What has ended counts no more from the
// moment it ends, so this only saves space.
const cleanEvery = 10 * time.Minute

// Clean deletes the sessions and drafts that have ended.
func (a *Accounts) Clean(ctx context.Context) error {
	return errors.Join(
		a.queries.DeleteEndedSessions(ctx, a.pool),
		a.queries.DeleteOldDrafts(ctx, a.pool),
	)
}

// KeepClean cleans at once and every ten minutes, until the context ends. Any
// number of processes may do so.
func (a *Accounts) KeepClean(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(cleanEvery)
	defer tick.Stop()
	for {
		if err := a.Clean(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "ended sessions and drafts could not be deleted; kwit tries again", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
