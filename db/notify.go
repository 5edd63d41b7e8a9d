package db

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgxlisten"
)

const (
	changedChannel = "kwit_changed"
	// A hint may wait this long for company: NOTIFY in every transaction would
	// put all commits in one line (5-targets, "Lessons").
	gatherFor = 10 * time.Millisecond
	// PostgreSQL takes 8,000 bytes; a pair of ids is 73.
	mostPairs = 100
	// What waits for the database to come back is bounded: hints may be lost.
	mostWaiting = 10_000
)

// Notifier tells other processes which jobs changed. It sends hints: one may be
// lost while a connection is down, so whoever must know reads again.
type Notifier struct {
	pool    *pgxpool.Pool
	log     *slog.Logger
	self    string // this process, which needs no hint of its own
	waiting chan string
}

// NewNotifier returns a notifier that sends once Run runs.
func NewNotifier(pool *pgxpool.Pool, log *slog.Logger) *Notifier {
	return &Notifier{pool: pool, log: log, self: uuid.NewString(), waiting: make(chan string, mostWaiting)}
}

// Changed notes that a job changed. It never blocks.
func (n *Notifier) Changed(owner, job uuid.UUID) {
	select {
	case n.waiting <- owner.String() + ":" + job.String():
	default:
	}
}

// Run sends what was noted, gathered, until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-n.waiting:
			n.send(ctx, n.gather(ctx, first))
		}
	}
}

func (n *Notifier) gather(ctx context.Context, first string) []string {
	pairs := []string{first}
	full := time.NewTimer(gatherFor)
	defer full.Stop()
	for len(pairs) < mostPairs {
		select {
		case p := <-n.waiting:
			pairs = append(pairs, p)
		case <-full.C:
			return pairs
		case <-ctx.Done():
			return pairs
		}
	}
	return pairs
}

func (n *Notifier) send(ctx context.Context, pairs []string) {
	err := New().Notify(ctx, n.pool, NotifyParams{Channel: changedChannel, Payload: n.self + " " + strings.Join(pairs, " ")})
	if err != nil && ctx.Err() == nil {
		n.log.Warn("could not tell other processes of changes; they read again by themselves", "error", err)
	}
}

// Listen calls changed for each job that another process changed, until ctx
// ends. It connects again by itself; what happened in between is lost.
func (n *Notifier) Listen(ctx context.Context, changed func(owner, job uuid.UUID)) {
	l := &pgxlisten.Listener{
		Connect: func(ctx context.Context) (*pgx.Conn, error) {
			return pgx.ConnectConfig(ctx, n.pool.Config().ConnConfig)
		},
		ReconnectDelay: time.Second,
		LogError: func(ctx context.Context, err error) {
			if ctx.Err() == nil {
				n.log.Warn("not listening to other processes; connecting again", "error", err)
			}
		},
	}
	l.Handle(changedChannel, pgxlisten.HandlerFunc(func(_ context.Context, msg *pgconn.Notification, _ *pgx.Conn) error {
		from, pairs, _ := strings.Cut(msg.Payload, " ")
		if from != n.self {
			eachPair(pairs, changed)
		}
		return nil
	}))
	// It ends with ctx only, whose error says nothing new.
	_ = l.Listen(ctx)
}

func eachPair(pairs string, changed func(owner, job uuid.UUID)) {
	for pair := range strings.FieldsSeq(pairs) {
		o, j, _ := strings.Cut(pair, ":")
		owner, err1 := uuid.Parse(o)
		job, err2 := uuid.Parse(j)
		if err1 == nil && err2 == nil {
			changed(owner, job)
		}
	}
}
