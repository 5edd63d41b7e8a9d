package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"kwit/db"
	"kwit/db/dbtest"
)

// The role that serves can write the log and never change it, not even by
// switching its triggers off.
func TestServingRoleCannotChangeTheLog(t *testing.T) {
	t.Parallel()
	migrating := dbtest.New(t)
	role := "serving_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := migrating.Exec(t.Context(), `CREATE ROLE `+role+` LOGIN`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, sql := range []string{`DROP OWNED BY ` + role, `DROP ROLE ` + role} {
			if _, err := migrating.Exec(context.Background(), sql); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 { // a second migration finds everything in place
		if err := db.LetServe(t.Context(), migrating, role); err != nil {
			t.Fatal(err)
		}
	}
	as := func(sql string) error {
		tx, err := migrating.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		if _, err := tx.Exec(t.Context(), `SET LOCAL ROLE `+role); err != nil {
			t.Fatal(err)
		}
		_, err = tx.Exec(t.Context(), sql)
		return err
	}
	if err := as(`INSERT INTO events (owner_id, id, actor_kind, action) VALUES (gen_random_uuid(), gen_random_uuid(), 'system', 'x')`); err != nil {
		t.Errorf("the serving role cannot write the log: %v", err)
	}
	for _, sql := range []string{
		`UPDATE events SET reason = ''`, `DELETE FROM late_results`, `TRUNCATE events`,
		`ALTER TABLE events DISABLE TRIGGER ALL`, `DROP TABLE late_results`,
		`DELETE FROM job_type_versions`,
	} {
		var pg *pgconn.PgError
		err := as(sql)
		if !errors.As(err, &pg) || pg.Code != "42501" {
			t.Errorf("%s: %v, want it refused for want of privilege", sql, err)
		}
	}
	var owner string
	if err := migrating.QueryRow(t.Context(), `SELECT tableowner FROM pg_tables WHERE tablename = 'events'`).Scan(&owner); err != nil || owner != "kwit_log" {
		t.Errorf("the log belongs to %s (%v), want a role that nobody signs in as", owner, err)
	}
}
