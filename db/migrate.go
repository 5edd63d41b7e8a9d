package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrSchema says that the database's schema is not the one this build knows.
var ErrSchema = errors.New("the database schema is not the one this build of kwit knows")

// Migrate brings the schema up to date: kwit's own tables, then River's. Two
// that run at once take turns by a session lock.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	own, err := provider(pool)
	if err != nil {
		return err
	}
	defer own.Close()
	if _, err := own.Up(ctx); err != nil {
		return fmt.Errorf("migrate kwit's tables: %w", err)
	}
	river, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	if _, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the queue's tables: %w", err)
	}
	return nil
}

// CheckSchema returns an error that wraps ErrSchema unless the schema is the
// one that this build was made for; another error means that the database did
// not answer.
func CheckSchema(ctx context.Context, pool *pgxpool.Pool) error {
	own, err := provider(pool)
	if err != nil {
		return err
	}
	defer own.Close()
	current, target, err := own.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current != target {
		return fmt.Errorf("%w: it is at version %d, this build needs %d: run 'kwit migrate' of this build",
			ErrSchema, current, target)
	}
	river, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	checked, err := river.Validate(ctx, nil)
	if err != nil {
		return fmt.Errorf("read the queue schema's version: %w", err)
	}
	if !checked.OK {
		return fmt.Errorf("%w: the queue's tables are not up to date: run 'kwit migrate' of this build", ErrSchema)
	}
	return nil
}

func provider(pool *pgxpool.Pool) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(pool), files, goose.WithSessionLocker(locker))
}
