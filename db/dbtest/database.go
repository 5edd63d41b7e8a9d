package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver that pgtestdb opens
	"github.com/peterldowns/pgtestdb"

	"kwit/db"
)

// newDatabase copies the template of the server at address, which the first
// caller makes.
func newDatabase(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("the test database's address cannot be read: %v", err)
	}
	password, _ := u.User.Password()
	password = url.QueryEscape(password)
	made := pgtestdb.Custom(t, pgtestdb.Config{
		DriverName:                "pgx",
		Host:                      u.Hostname(),
		Port:                      u.Port(),
		User:                      u.User.Username(),
		Password:                  password,
		Database:                  u.Path[min(1, len(u.Path)):],
		Options:                   u.RawQuery,
		TestRole:                  &pgtestdb.Role{Username: u.User.Username(), Password: password},
		ForceTerminateConnections: true,
	}, migrator{address: address})
	u.Path = "/" + made.Database
	return u.String()
}

// migrator makes the template by [db.Migrate].
type migrator struct{ address string }

// Hash names the template. pgtestdb remembers in the process, for all servers,
// which templates are made, so the server's address is a part of the name.
func (m migrator) Hash() (string, error) {
	digest, err := db.SchemaDigest()
	return digest + " " + m.address, err
}

// Migrate implements [pgtestdb.Migrator].
func (migrator) Migrate(ctx context.Context, _ *sql.DB, template pgtestdb.Config) error {
	pool, err := db.Open(ctx, db.PoolOptions{URL: template.URL(), Application: "dbtest", MaxConns: poolSize})
	if err != nil {
		return err
	}
	defer pool.Close()
	return db.Migrate(ctx, pool)
}

// Databases of tests that failed or were killed stay for an hour, so that
// somebody can look at them. Those in use are left alone.
const forgotten = `
	SELECT datname FROM pg_database d
	WHERE datname LIKE 'testdb\_tpl\_%\_inst\_%'
	  AND (pg_stat_file('base/' || oid || '/PG_VERSION', true)).modification < now() - interval '1 hour'
	  AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = d.datname)`

// SQLSTATEs of a database that another process dropped, or began to use, first.
const (
	invalidCatalogName = "3D000"
	objectInUse        = "55006"
)

// dropForgotten drops the databases of tests of long ago.
func dropForgotten(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, forgotten)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		_, err := conn.Exec(ctx, "DROP DATABASE "+pgx.Identifier{name}.Sanitize())
		answer := new(pgconn.PgError)
		if errors.As(err, &answer) && (answer.Code == invalidCatalogName || answer.Code == objectInUse) {
			continue
		}
		if err != nil {
			return fmt.Errorf("drop a forgotten test database: %w", err)
		}
	}
	return nil
}
