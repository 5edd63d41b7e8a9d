package kwittest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/account"
	"kwit/db"
	"kwit/db/dbtest"
	"kwit/demo/farm"
)

// Site is what several processes of one installation share: a database, a
// configuration, and people.
type Site struct {
	DatabaseURL string
	Config      string // path of the configuration file
	Pool        *pgxpool.Pool

	t testing.TB
}

// NewSite makes a site with a fresh, migrated database on the server that all
// tests share.
func NewSite(t testing.TB, config string) *Site {
	t.Helper()
	return SiteAt(t, dbtest.NewURL(t), config)
}

// SiteAt makes a site on a migrated database of the test's own.
func SiteAt(t testing.TB, databaseURL, config string) *Site {
	t.Helper()
	s := &Site{t: t, DatabaseURL: databaseURL, Config: filepath.Join(t.TempDir(), "kwit.yaml")}
	if err := os.WriteFile(s.Config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	s.Pool, err = db.Open(t.Context(), db.PoolOptions{URL: databaseURL, Application: t.Name(), MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Pool.Close)
	return s
}

// Run runs a command of kwit on the site to its end.
func (s *Site) Run(args ...string) Result {
	s.t.Helper()
	return Run(s.t, Options{Args: args, Env: s.env()})
}

func (s *Site) env() []string {
	return []string{"DATABASE_URL=" + s.DatabaseURL, "KWIT_CONFIG=" + s.Config}
}

// Server is a process that serves.
type Server struct {
	*Process
	URL string // http://HOST:PORT
}

// Serve starts `kwit serve` on a free port, with further arguments and whatever
// else o says, and returns when it answers.
func (s *Site) Serve(o Options) *Server {
	s.t.Helper()
	return s.LaunchServe(o).AwaitListening()
}

// LaunchServe is Serve for a process that is not expected to answer yet, or
// ever.
func (s *Site) LaunchServe(o Options) *Process {
	s.t.Helper()
	o.Args = append([]string{"serve", "--addr", "127.0.0.1:0"}, o.Args...)
	o.Env = append(s.env(), o.Env...)
	return Launch(s.t, o)
}

// AwaitListening waits until a server says that it answers.
func (p *Process) AwaitListening() *Server {
	p.t.Helper()
	_, url, _ := strings.Cut(p.AwaitStderr("listening on http://"), "listening on ")
	return &Server{Process: p, URL: url}
}

// Person adds a person to the site and returns a token of theirs.
func (s *Site) Person(email string, role account.Role) (account.User, string) {
	s.t.Helper()
	accounts := account.New(s.Pool)
	person, err := accounts.Add(s.t.Context(), account.NewPerson{Email: email, Role: role, Password: "correct horse"})
	if err != nil {
		s.t.Fatal(err)
	}
	token, _, err := accounts.CreateToken(s.t.Context(), person.ID, "test")
	if err != nil {
		s.t.Fatal(err)
	}
	return person, token
}

// StartFarm starts the HTTP provider in the test's own process, so that the test
// sees what reached it.
func StartFarm(t testing.TB, o farm.Options) *farm.Server {
	t.Helper()
	f, err := farm.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// Config is a configuration whose HTTP providers are a farm: the job types
// order (shop, not repeatable), render (farm, then reserve; repeatable) and note
// (simulator), all with the same timeout.
func Config(farmURL string, timeout time.Duration) string {
	return fmt.Sprintf(`providers:
  shop: {kind: http, url: "%[1]s/orders", not_processed_statuses: [503]}
  farm: {kind: http, url: "%[1]s/renders", not_processed_statuses: [503]}
  reserve: {kind: http, url: "%[1]s/renders", not_processed_statuses: [503]}
  sim: {kind: simulator, latency: 10ms, late_after: 1s}
job_types:
  order:
    input:
      type: object
      required: [item]
      properties:
        item: {type: string, minLength: 1}
        quantity: {type: integer, minimum: 1}
        behaviour: {type: string}
        late_after: {type: number}
    output:
      type: object
      required: [order_id]
      properties: {order_id: {type: string}, item: {type: string}, quantity: {type: integer}, amount: {type: number}, currency: {type: string}}
    route: [shop]
    timeout: %[2]s
    linger: 1m
  render:
    input:
      type: object
      required: [scene]
      properties:
        scene: {type: string, minLength: 1}
        frames: {type: integer, minimum: 1}
        behaviour: {type: string}
        late_after: {type: number}
    output:
      type: object
      required: [render_id]
      properties: {render_id: {type: string}, scene: {type: string}, frames: {type: integer}, file: {type: string}}
    route: [farm, reserve]
    timeout: %[2]s
    linger: 1m
    repeatable: true
  note:
    input: {type: object, required: [text], properties: {text: {type: string}, behaviour: {type: string}, late_after: {type: number}}}
    output: {type: object, required: [summary], properties: {summary: {type: string}, words: {type: integer}}}
    route: [sim]
    timeout: %[2]s
    linger: 1m
    repeatable: true
`, farmURL, timeout)
}
