// Package e2e shows what kwit promises on its real processes: two web servers
// and workers, a real PostgreSQL, a real provider that counts what reached it,
// and kill -9 at the worst instants.
package e2e

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"kwit/account"
	"kwit/demo/farm"
	"kwit/dispatch"
	"kwit/e2e/kwittest"
	"kwit/ledger"
)

// world is a site with its provider, one web process and a person.
type world struct {
	*kwittest.Site
	t     *testing.T
	farm  *farm.Server
	user  account.User
	token string
}

func newWorld(t *testing.T, o farm.Options, timeout time.Duration) *world {
	t.Helper()
	f := kwittest.StartFarm(t, o)
	return inhabit(t, f, kwittest.NewSite(t, kwittest.Config(f.URL, timeout)))
}

func inhabit(t *testing.T, f *farm.Server, site *kwittest.Site) *world {
	t.Helper()
	w := &world{Site: site, t: t, farm: f}
	w.user, w.token = site.Person("ewa@example.com", account.RoleUser)
	t.Cleanup(w.sound)
	return w
}

// sound looks for what breaks an invariant: in the database, and in the
// provider's own log.
func (w *world) sound() {
	w.Pool.Reset() // a test may have killed the server under it
	found, err := w.ledger().Verify(context.Background(), 10)
	if err != nil {
		w.t.Errorf("verify: %v", err)
	}
	for _, f := range found {
		w.t.Errorf("broken invariant: %s", f)
	}
	if twice := w.farm.Seen.Repeated(); len(twice) > 0 {
		w.t.Errorf("the provider saw these attempts more than once: %v", twice)
	}
}

// ledger looks into the site's database from the test.
func (w *world) ledger() *ledger.Ledger {
	w.t.Helper()
	waker, err := dispatch.NewWaker(w.Pool)
	if err != nil {
		w.t.Fatal(err)
	}
	return ledger.New(w.Pool, ledger.Options{Waker: waker})
}

func (w *world) web() *kwittest.Server {
	w.t.Helper()
	return w.Serve(kwittest.Options{Args: []string{"--role", "web"}})
}

// worker starts a worker that dies or stops at a mark, or never for "".
func (w *world) worker(faultpoint string) *kwittest.Server {
	w.t.Helper()
	o := kwittest.Options{Args: []string{"--role", "worker"}}
	if faultpoint != "" {
		o.Env, o.Tags = []string{"KWIT_FAULTPOINT=" + faultpoint}, []string{kwittest.Faultpoints}
	}
	return w.Serve(o)
}

// ended waits for a process that is expected to die.
func (w *world) ended(p *kwittest.Process) {
	w.t.Helper()
	select {
	case <-p.Ended():
	case <-time.After(time.Minute):
		w.t.Fatalf("the process lives on; stderr:\n%s", p.Stderr())
	}
}

var order = map[string]any{"item": "poster", "quantity": 2}

func TestMain(m *testing.M) {
	slog.SetLogLoggerLevel(slog.LevelWarn)
	os.Exit(m.Run())
}
