package embedded

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// begin starts a server that ends with the test.
func begin(t *testing.T, dir string, whom []identity) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := start(ctx, Options{Dir: dir, Log: logTo(t)}, whom)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, s) })
	return s
}

func end(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func logTo(t *testing.T) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// ask runs one statement and returns its one value.
func ask(t *testing.T, s *Server, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var answer string
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

const (
	remember = "CREATE TABLE memory AS SELECT 'acknowledged' AS what"
	recall   = "SELECT what FROM memory"
)

func run(t *testing.T, s *Server, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestAServerKeepsItsDataAndEndsWithItsLastUser(t *testing.T) {
	t.Parallel()
	dir := openTempDir(t)
	first := begin(t, dir, identities())
	if first.Attached() {
		t.Error("the first to come attached to something")
	}
	run(t, first, remember)

	second := begin(t, dir, identities())
	if !second.Attached() || second.PID() != first.PID() {
		t.Errorf("the second to come did not attach: pid %d, the first's %d", second.PID(), first.PID())
	}
	end(t, first)
	if got := ask(t, second, recall); got != "acknowledged" {
		t.Errorf("while one user is left the server answers %q", got)
	}
	end(t, second)
	if !first.gone() || !second.gone() {
		t.Error("the server outlived its last user")
	}

	third := begin(t, dir, identities())
	if third.Attached() {
		t.Error("attached to a server that was stopped")
	}
	if got := ask(t, third, recall); got != "acknowledged" {
		t.Errorf("after a restart: %q", got)
	}
}

func TestTheServerIsSetUpForKwit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openTempDir(t), "data")
	s := begin(t, dir, identities())
	for sql, want := range map[string]string{
		"SHOW listen_addresses":     "",
		"SHOW max_connections":      "200",
		"SHOW server_encoding":      "UTF8",
		"SHOW timezone":             "UTC",
		"SHOW fsync":                "on",
		"SHOW synchronous_commit":   "on",
		"SHOW full_page_writes":     "on",
		"SELECT current_user":       "kwit",
		"SELECT current_database()": "kwit",
		"SELECT string_agg(c, '' ORDER BY c) FROM unnest('{b,a,B,Z}'::text[]) c": "BZab",
	} {
		if got := ask(t, s, sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	for _, folder := range []string{"postgres", "postgres/data", "postgres/socket"} {
		info, err := os.Stat(filepath.Join(dir, folder))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o700 {
			t.Errorf("%s may be entered by others: %s", folder, info.Mode())
		}
	}
}

func TestALongPathHasItsSocketElsewhere(t *testing.T) {
	t.Parallel()
	s := begin(t, filepath.Join(openTempDir(t), strings.Repeat("long/", 20)), identities())
	if strings.HasPrefix(s.post.socketDir, s.layout.home) {
		t.Fatalf("socket in %s", s.post.socketDir)
	}
	if got := ask(t, s, "SELECT 'here'"); got != "here" {
		t.Error(got)
	}
	end(t, s)
	if _, err := os.Stat(s.post.socketDir); !os.IsNotExist(err) {
		t.Errorf("the socket's folder is left behind: %v", err)
	}
}

func TestAnyNameOfAFolderWillDo(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`a "b" %c?&d'ż`, "a,b"} {
		s := begin(t, filepath.Join(openTempDir(t), name), identities())
		if got := ask(t, s, "SELECT 'here'"); got != "here" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestFastUnsafeBeginsEmptyAndWithoutFsync(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := Options{Dir: openTempDir(t), Log: logTo(t), FastUnsafe: true, MaxConnections: 17}
	for range 2 {
		s, err := Start(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		run(t, s, remember) // fails where it was remembered
		if got := ask(t, s, "SHOW fsync") + ask(t, s, "SHOW max_connections"); got != "off17" {
			t.Error(got)
		}
		end(t, s)
	}
}

func TestAServerThatCannotStartShowsItsLog(t *testing.T) {
	t.Parallel()
	dir := openTempDir(t)
	s := begin(t, dir, identities())
	end(t, s)
	conf := filepath.Join(s.layout.data(), "postgresql.conf")
	if err := os.WriteFile(conf, []byte("no_such_setting = on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("%v", err)
	}
}
