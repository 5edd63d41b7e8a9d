package browser_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/account"
	"kwit/demo/farm"
	"kwit/e2e/kwittest"
)

// password is that of everybody on a kwittest.Site.
const password = "correct horse"

// jobPath and formPath are what addresses look like.
const (
	jobPath  = `/jobs/[0-9a-f-]{36}`
	formPath = `/jobs/new/order\?form=[0-9a-f-]{36}`
)

// world is a running kwit with its provider.
type world struct {
	*kwittest.Site
	t    *testing.T
	farm *farm.Server
	web  *kwittest.Server // that the browsers visit
}

// quick is a farm that answers at once.
var quick = farm.Options{Orders: -1, Renders: -1}

// newWorld starts kwit with the job types of kwittest.Config.
func newWorld(t *testing.T, o farm.Options, timeout time.Duration) *world {
	t.Helper()
	w := newSite(t, o, timeout)
	w.web = w.serve()
	return w
}

// serve starts a process of the site with further arguments.
func (w *world) serve(args ...string) *kwittest.Server {
	w.t.Helper()
	return w.Serve(kwittest.Options{Args: args})
}

// newSite is a world in which no process runs yet.
func newSite(t *testing.T, o farm.Options, timeout time.Duration) *world {
	t.Helper()
	t.Parallel()
	runningChromium(t) // before anything is built, so that a skip is cheap
	f := kwittest.StartFarm(t, o)
	return &world{Site: kwittest.NewSite(t, kwittest.Config(f.URL, timeout)), t: t, farm: f}
}

// newDemo starts kwit with the demo's job types, whose deadlines are cut short.
func newDemo(t *testing.T, o farm.Options, timeout string) *world {
	t.Helper()
	t.Parallel()
	runningChromium(t)
	text, err := os.ReadFile("../../demo/kwit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f := kwittest.StartFarm(t, o)
	config := regexp.MustCompile(`timeout: \d+s`).ReplaceAllString(string(text), "timeout: "+timeout)
	config = strings.ReplaceAll(config, "${KWIT_DEMO_SECRET}", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3")
	config = regexp.MustCompile(`\$\{KWIT_DEMO_\w+\}`).ReplaceAllString(config, f.URL)
	w := &world{Site: kwittest.NewSite(t, config), t: t, farm: f}
	w.web = w.serve()
	return w
}

// person is somebody with a browser.
type person struct {
	*tab
	world *world
	email string
	id    uuid.UUID
	token string
}

// person adds somebody to the site, who signs in with a browser of their own.
func (w *world) person(t *testing.T, name string, role account.Role) *person {
	t.Helper()
	p := w.stranger(t, name, role)
	p.open("/sign-in")
	p.signIn(p.email)
	p.awaitPath("/jobs")
	return p
}

// stranger is a person who has not signed in yet.
func (w *world) stranger(t *testing.T, name string, role account.Role) *person {
	t.Helper()
	email := name + "@kwit.example"
	user, token := w.Person(email, role)
	return &person{tab: openTab(t, w.web.URL), world: w, email: email, id: user.ID, token: token}
}

// signIn fills in the sign-in page.
func (b *tab) signIn(email string) {
	b.t.Helper()
	b.fill("#email", email)
	b.fill("#password", password)
	b.click("button=Sign in")
}

// jobs are the ids of the person's jobs, oldest first.
func (p *person) jobs() []uuid.UUID {
	p.t.Helper()
	rows, err := p.world.Pool.Query(p.t.Context(), "SELECT id FROM jobs WHERE owner_id = $1 ORDER BY number", p.id)
	if err != nil {
		p.t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		p.t.Fatal(err)
	}
	return ids
}

// oneJob holds the person to one job with one attempt that was sent once, and
// returns it.
func (p *person) oneJob() uuid.UUID {
	p.t.Helper()
	jobs := p.jobs()
	if len(jobs) != 1 {
		p.t.Fatalf("there are %d jobs, not 1", len(jobs))
	}
	if got := p.world.requestsOf(jobs[0]); got != 1 {
		p.t.Errorf("the provider got %d requests of the job, not 1", got)
	}
	return jobs[0]
}

// number is a job's ticket number.
func (p *person) number(job uuid.UUID) int64 {
	p.t.Helper()
	return p.api().Job(job).Number
}

// api speaks JSON in the person's name.
func (p *person) api() *kwittest.Client { return p.world.web.Client(p.token) }

// keyOf is the key under which a job was submitted.
func (w *world) keyOf(job uuid.UUID) string {
	w.t.Helper()
	var key string
	if err := w.Pool.QueryRow(w.t.Context(), "SELECT idempotency_key FROM jobs WHERE id = $1", job).Scan(&key); err != nil {
		w.t.Fatal(err)
	}
	return key
}

// awaitLateResults waits until so many answers came too late.
func (w *world) awaitLateResults(t *testing.T, n int) {
	t.Helper()
	kwittest.Await(t, "the late results", func() bool {
		var now int
		err := w.Pool.QueryRow(t.Context(), "SELECT count(*) FROM late_results").Scan(&now)
		return err == nil && now == n
	})
}

// requestsOf counts what reached the farm for a job.
func (w *world) requestsOf(job uuid.UUID) int {
	n := 0
	for _, r := range w.farm.Seen.All() {
		if r.JobID == job.String() {
			n++
		}
	}
	return n
}

// held waits until the farm holds a request of a job, and returns its attempt.
func (w *world) held(t *testing.T, job uuid.UUID, nth int) string {
	t.Helper()
	var attempt string
	kwittest.Await(t, "a request at the farm", func() bool {
		n := 0
		for _, r := range w.farm.Seen.All() {
			if r.JobID == job.String() {
				n, attempt = n+1, r.AttemptID
			}
		}
		return n == nth
	})
	return attempt
}

// job is the job whose page a tab shows.
func (b *tab) job() uuid.UUID {
	b.t.Helper()
	path := b.awaitPath(jobPath)
	return uuid.MustParse(strings.TrimPrefix(path, "/jobs/"))
}

// order opens the form of an order and fills it in.
func (b *tab) order(item string) {
	b.t.Helper()
	b.open("/jobs/new/order")
	b.awaitPath(formPath)
	b.fill("[name='input.item']", item)
}
