package dbtest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// plant makes a database named like a test's, and returns its folder.
func plant(t *testing.T, s *Server, conn *pgx.Conn, name string) string {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	var oid uint32
	if err := conn.QueryRow(t.Context(), "SELECT oid FROM pg_database WHERE datname = $1", name).Scan(&oid); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(s.options.Dir, "postgres", "data", "base", strconv.FormatUint(uint64(oid), 10))
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

func TestOnlyForgottenDatabasesAreDropped(t *testing.T) {
	t.Parallel()
	s := StartServer(t)
	conn := connect(t, s.running.URL())
	const old, young, inUse, other = "testdb_tpl_0_inst_old", "testdb_tpl_0_inst_young", "testdb_tpl_0_inst_in_use", "precious"
	for _, name := range []string{old, inUse, other} {
		version := filepath.Join(plant(t, s, conn, name), "PG_VERSION")
		longAgo := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(version, longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
	}
	plant(t, s, conn, young)
	address, err := pgx.ParseConfig(s.running.URL())
	if err != nil {
		t.Fatal(err)
	}
	address.Database = inUse
	user, err := pgx.ConnectConfig(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = user.Close(t.Context()) }()

	if err := dropForgotten(t.Context(), s.running.URL()); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "SELECT datname FROM pg_database")
	if err != nil {
		t.Fatal(err)
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(left, old) {
		t.Error("a forgotten database is still there")
	}
	for _, name := range []string{young, inUse, other} {
		if !slices.Contains(left, name) {
			t.Errorf("%s was dropped", name)
		}
	}
}

func TestTheSharedFolderMustBeOurs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shared")
	for range 2 {
		if err := claimFolder(dir); err != nil {
			t.Fatalf("a folder of our own: %v", err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if claimFolder(link) == nil {
		t.Error("a link to somewhere was taken")
	}
}
