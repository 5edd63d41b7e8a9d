package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/account"
	"kwit/config"
	"kwit/contract"
	"kwit/db/dbtest"
	"kwit/dispatch"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/provider/httpjson"
	"kwit/provider/simulator"
	"kwit/web"
)

// readTimeout is shorter than in earnest, so that a stream that it would end
// does so within a test.
const readTimeout = 300 * time.Millisecond

const password = "a good long password"

// types are the job types of the tests. What an order starts costs money.
const types = `
providers:
  inkjet: {kind: simulator}
  laser: {kind: simulator}
job_types:
  summary:
    title: Summarise a text
    input:
      type: object
      properties:
        text: {type: string, title: The text, minLength: 1, maxLength: 5000}
        size: {type: number, title: Size}
        place: {type: object, title: Place, properties: {street: {type: string, title: Street}}}
      required: [text]
      additionalProperties: false
    output: {type: object, properties: {summary: {type: string}}, required: [summary]}
    route: [inkjet, laser]
    repeatable: true
  order:
    title: Order a print
    input: {type: object, properties: {copies: {type: integer, title: Copies}}, required: [copies]}
    output: {type: object, properties: {accepted: {type: boolean}}, required: [accepted]}
    route: [inkjet]
`

// world is a server on a database of its own, with a ledger whose dispatcher
// sleeps: the tests do a worker's and a provider's part by hand.
type world struct {
	t        *testing.T
	pool     *pgxpool.Pool
	ledger   *ledger.Ledger
	accounts *account.Accounts
	server   *web.Server
	url      string
	ewa      person // a user
	node     uuid.UUID
	told     atomic.Bool // the server hears of changes
}

// person is somebody with an API token.
type person struct {
	account.User
	token string
}

type asleep struct{}

func (asleep) WakeAttempt(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string) error { return nil }
func (asleep) WakeJob(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, time.Duration) error {
	return nil
}

func newWorld(t *testing.T, change ...func(*web.Options)) *world {
	t.Helper()
	t.Parallel()
	return worldOn(t, dbtest.New(t), types, change...)
}

func worldOn(t *testing.T, pool *pgxpool.Pool, yaml string, change ...func(*web.Options)) *world {
	t.Helper()
	w := &world{t: t, pool: pool, accounts: account.New(pool), node: uuid.New()}
	w.told.Store(true)
	w.ledger = ledger.New(pool, ledger.Options{Waker: asleep{}, Changed: func(owner, job uuid.UUID) {
		if w.told.Load() {
			w.server.JobChanged(owner, job)
		}
	}})
	w.url = startServer(t, w, yaml, change...)
	t.Cleanup(w.sound)
	w.ewa = w.person("ewa@example.com", account.RoleUser)
	return w
}

// startServer serves the world's database, and returns its address.
func startServer(t *testing.T, w *world, yaml string, change ...func(*web.Options)) string {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	o := web.Options{Ledger: w.ledger, Accounts: w.accounts, JobTypes: jobTypes(t, yaml), Providers: providers(t, yaml), Timing: timing,
		BaseURL: parseURL(t, "http://"+listener.Listener.Addr().String()), Logger: quiet()}
	for _, f := range change {
		f(&o)
	}
	server := web.New(o)
	w.server = server
	listener.Config = web.NewHTTPServer("", server.Handler())
	listener.Config.ReadTimeout = readTimeout
	listener.Start()
	t.Cleanup(func() {
		server.Drain()
		listener.Close()
	})
	return listener.URL + o.BaseURL.Path
}

// quiet hides the log, unless a person wants to see it.
func quiet() *slog.Logger {
	if os.Getenv("KWIT_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

func configuration(t testing.TB, yaml string) *config.Config {
	t.Helper()
	c, mistakes := config.Parse("kwit.yaml", []byte(yaml), os.LookupEnv)
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	return c
}

// providers are those of a configuration, each with its adapter.
func providers(t testing.TB, yaml string) []web.Provider {
	t.Helper()
	var list []web.Provider
	for _, p := range configuration(t, yaml).Providers {
		made := web.Provider{Provider: p, Adapter: simulator.New(simulator.Options{})}
		if p.Kind == config.HTTP {
			adapter, err := httpjson.New(httpjson.Options{URL: p.URL, StatusURL: p.StatusURL,
				HonoursKey: p.HonoursIdempotencyKey, KeyLifetime: p.IdempotencyKeyLifetime})
			if err != nil {
				t.Fatal(err)
			}
			made.Adapter = adapter
		}
		list = append(list, made)
	}
	return list
}

func timing(string) dispatch.Timing { return dispatch.Timing{Timeout: time.Minute, Attempts: 3} }

func jobTypes(t testing.TB, yaml string) []web.JobType {
	t.Helper()
	c := configuration(t, yaml)
	contracts, mistakes := contract.CompileAll(c)
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	var list []web.JobType
	for _, jt := range c.JobTypes {
		list = append(list, web.JobType{JobType: jt, Contract: contracts[jt.Name]})
	}
	return list
}

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (w *world) person(email string, role account.Role) person {
	w.t.Helper()
	user, err := w.accounts.Add(w.t.Context(), account.NewPerson{Email: email, Role: role, Password: password})
	if err != nil {
		w.t.Fatal(err)
	}
	token, _, err := w.accounts.CreateToken(w.t.Context(), user.ID, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	return person{user, token}
}

func (w *world) sam() person { return w.person("sam@example.com", account.RoleSupport) }
func (w *world) ada() person { return w.person("ada@example.com", account.RoleAdmin) }

// count runs a query that answers with one number.
func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	if err := w.pool.QueryRow(w.t.Context(), sql, args...).Scan(&n); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

func (w *world) jobs() int     { w.t.Helper(); return w.count(`SELECT count(*) FROM jobs`) }
func (w *world) attempts() int { w.t.Helper(); return w.count(`SELECT count(*) FROM attempts`) }

// sound fails the test if it left behind what breaks an invariant.
func (w *world) sound() {
	found, err := w.ledger.Verify(context.Background(), 10)
	if err != nil {
		w.t.Errorf("verify: %v", err)
	}
	for _, f := range found {
		w.t.Errorf("broken invariant: %s", f)
	}
}

// job reads a job by its id in text.
func (w *world) job(owner person, id string) *ledger.Job {
	w.t.Helper()
	job, err := w.ledger.Job(w.t.Context(), owner.ID, uuid.MustParse(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return job
}

// claim does a worker's part: the job's open attempt is running then.
func (w *world) claim(owner person, job string) *ledger.Attempt {
	w.t.Helper()
	open := w.job(owner, job).OpenAttempt()
	_, claimed, err := w.ledger.Claim(w.t.Context(), ledger.Claim{Owner: owner.ID, Attempt: open.ID, Node: w.node,
		Stamp: uuid.New(), Timeout: time.Minute})
	if err != nil {
		w.t.Fatal(err)
	}
	return claimed
}

// doubt leaves the job's open attempt unknown.
func (w *world) doubt(owner person, job string) *ledger.Attempt {
	w.t.Helper()
	a := w.claim(owner, job)
	w.doubtOf(a)
	return a
}

// doubtOf leaves a running attempt unknown.
func (w *world) doubtOf(a *ledger.Attempt) {
	w.t.Helper()
	done, err := w.ledger.Doubt(w.t.Context(), ledger.Doubt{Owner: a.OwnerID, Attempt: a.ID, Stamp: *a.ClaimStamp,
		Outcome: outcome.Timeout, Detail: "no answer in time"})
	if err != nil || !done {
		w.t.Fatal(done, err)
	}
}

// answer does a provider's part.
func (w *world) answer(a *ledger.Attempt, result string) ledger.Verdict {
	w.t.Helper()
	v, err := w.ledger.Complete(w.t.Context(), ledger.Completion{Owner: a.OwnerID, Attempt: a.ID, Result: []byte(result),
		MediaType: "application/json", Actor: ledger.Actor{Kind: ledger.ByProvider}})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// fail ends the job's open attempt as refused for good.
func (w *world) fail(owner person, job string) {
	w.t.Helper()
	a := w.claim(owner, job)
	_, err := w.ledger.Fail(w.t.Context(), ledger.Failure{Owner: owner.ID, Attempt: a.ID, Outcome: outcome.Rejected, Detail: "no"})
	if err != nil {
		w.t.Fatal(err)
	}
}

// eventually waits until a condition holds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			w.t.Fatal("not within 20 s: " + what)
		}
	}
}

func key(n int) string { return fmt.Sprintf("key-%d", n) }

func fields(pairs ...string) url.Values {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return form
}

func mustRequest(t testing.TB, method, address, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
