package main_test

import (
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/db/dbtest"
	"kwit/demo/farm"
	"kwit/e2e/kwittest"
)

// status asks an address of a server once; 0 means that nobody listens.
func status(t *testing.T, address string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

func simpleSite(t *testing.T) *kwittest.Site {
	t.Helper()
	return kwittest.NewSite(t, kwittest.Config("http://127.0.0.1:9", time.Minute))
}

func TestServeEndsWithZeroAtSIGTERM(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		server := simpleSite(t).Serve(kwittest.Options{Args: []string{"--drain", "1s"}})
		server.Signal(signal)
		if got := server.Wait(); got.Code != 0 {
			t.Errorf("%s: exit code %d, want 0\n%s", signal, got.Code, got.Stderr)
		}
	}
}

// During a drain /readyz fails while the listener is still open, an attempt
// under way ends, and then the process does.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	provider := kwittest.StartFarm(t, farm.Options{Hold: true})
	site := kwittest.NewSite(t, kwittest.Config(provider.URL, time.Minute))
	_, token := site.Person("ewa@example.org", account.RoleUser)
	server := site.Serve(kwittest.Options{Args: []string{"--drain", "30s"}})
	job := server.Client(token).Submit("k1", "order", map[string]any{"item": "poster"})
	kwittest.Await(t, "the request at the provider", func() bool { return len(provider.Held()) == 1 })
	if got := status(t, server.URL+"/readyz"); got != http.StatusOK {
		t.Fatalf("/readyz before the drain: %d", got)
	}

	server.Signal(syscall.SIGTERM)
	kwittest.Await(t, "/readyz to fail", func() bool { return status(t, server.URL+"/readyz") == http.StatusServiceUnavailable })
	if got := status(t, server.URL+"/healthz"); got != http.StatusOK {
		t.Errorf("/healthz during the drain: %d", got)
	}
	kwittest.Await(t, "the listener to close", func() bool { return status(t, server.URL+"/readyz") == 0 })
	select {
	case <-server.Ended():
		t.Fatal("it ended before the attempt did")
	default:
	}
	provider.ReleaseAll()
	if got := server.Wait(); got.Code != 0 {
		t.Errorf("exit code %d, want 0", got.Code)
	}

	other := site.Serve(kwittest.Options{Args: []string{"--role", "web", "--drain", "0s"}})
	if done := other.Client(token).Job(job.ID); done.State != "succeeded" {
		t.Errorf("the job of the drained process is %s", done.State)
	}
	if n := provider.Seen.Total(); n != 1 {
		t.Errorf("the provider saw %d requests", n)
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	provider := kwittest.StartFarm(t, farm.Options{Hold: true})
	site := kwittest.NewSite(t, kwittest.Config(provider.URL, time.Minute))
	_, token := site.Person("ewa@example.org", account.RoleUser)
	server := site.Serve(kwittest.Options{Args: []string{"--drain", "10m"}})
	server.Client(token).Submit("k1", "order", map[string]any{"item": "poster"})
	kwittest.Await(t, "the request at the provider", func() bool { return len(provider.Held()) == 1 })
	server.Signal(syscall.SIGTERM)
	server.AwaitStderr("draining")
	kwittest.Await(t, "its end", func() bool {
		server.Signal(syscall.SIGTERM)
		select {
		case <-server.Ended():
			return true
		default:
			return false
		}
	})
	got := server.Wait()
	if got.Code != 1 {
		t.Errorf("exit code %d, want 1", got.Code)
	}
	holds(t, got.Stderr, "ended at once")
}

// One wish to end may arrive twice: make and timeout pass a signal on to a
// process that got it already.
func TestSignalThatEchoesEndsInOrder(t *testing.T) {
	t.Parallel()
	server := simpleSite(t).Serve(kwittest.Options{Args: []string{"--drain", "1s"}})
	server.Signal(syscall.SIGTERM)
	server.Signal(syscall.SIGINT)
	got := server.Wait()
	if got.Code != 0 {
		t.Errorf("exit code %d, want 0", got.Code)
	}
	holds(t, got.Stderr, "stopped")
}

// A database that is away is waited for, and the process says so: alive, not
// ready.
func TestServeWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	server := dbtest.StartServer(t)
	site := kwittest.SiteAt(t, server.NewURL(), kwittest.Config("http://127.0.0.1:9", time.Minute))
	server.Stop()
	address := freeAddress(t)
	process := site.LaunchServe(kwittest.Options{Args: []string{"--addr", address, "--drain", "0s"}})
	process.AwaitStderr("waiting for the database")
	if alive, ready := status(t, "http://"+address+"/healthz"), status(t, "http://"+address+"/readyz"); alive != 200 || ready != 503 {
		t.Errorf("while it waits: /healthz %d, /readyz %d", alive, ready)
	}
	asksForPatience(t, "http://"+address)
	server.Start()
	process.AwaitListening()
	if ready := status(t, "http://"+address+"/readyz"); ready != http.StatusOK {
		t.Errorf("/readyz when it is there: %d", ready)
	}
}

// asksForPatience holds that a process which starts calls nothing missing: an
// application must not take its job for one that does not exist.
func asksForPatience(t *testing.T, address string) {
	t.Helper()
	for path, mediaType := range map[string]string{
		"/jobs": "text/plain; charset=utf-8", "/api/v1/jobs/" + uuid.NewString(): "application/problem+json",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" ||
			response.Header.Get("Content-Type") != mediaType {
			t.Errorf("while it waits: %s answers %d with %v", path, response.StatusCode, response.Header)
		}
	}
}

func TestServeToldToEndWhileItWaits(t *testing.T) {
	t.Parallel()
	process := kwittest.SiteAt(t, "postgres://127.0.0.1:1/kwit", kwittest.Config("http://127.0.0.1:9", time.Minute)).
		LaunchServe(kwittest.Options{})
	process.AwaitStderr("waiting for the database")
	if got := process.Stop(); got.Code != 0 {
		t.Errorf("exit code %d, want 0", got.Code)
	}
}

func TestServeEndsWhereWaitingCuresNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*url.URL){
		"no such database": func(u *url.URL) { u.Path = "/nobody_made_this" },
		"no such user":     func(u *url.URL) { u.User = url.User("nobody") },
		"empty schema":     func(u *url.URL) { u.Path = "/postgres" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, err := url.Parse(dbtest.NewURL(t))
			if err != nil {
				t.Fatal(err)
			}
			change(address)
			site := kwittest.SiteAt(t, address.String(), kwittest.Config("http://127.0.0.1:9", time.Minute))
			got := site.LaunchServe(kwittest.Options{}).Wait()
			if got.Code != 1 || strings.Contains(got.Stderr, "listening on") {
				t.Errorf("exit code %d\n%s", got.Code, got.Stderr)
			}
			oneLineOnly(t, got)
		})
	}
}

// migrate makes the schema that serve wants, and may be run again. The role that
// serves may be a weaker one.
func TestMigrateThenServe(t *testing.T) {
	t.Parallel()
	server := dbtest.StartServer(t)
	strong := server.NewURL()
	site := kwittest.SiteAt(t, asRole(t, strong, "counter"), kwittest.Config("http://127.0.0.1:9", time.Minute))
	owner := kwittest.SiteAt(t, strong, "")
	if _, err := owner.Pool.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE ROLE counter LOGIN"); err != nil {
		t.Fatal(err)
	}
	refused := owner.LaunchServe(kwittest.Options{Env: []string{"KWIT_CONFIG=" + site.Config}}).Wait()
	if refused.Code != 1 {
		t.Errorf("without a schema: exit code %d, want 1", refused.Code)
	}
	holds(t, refused.Stderr, "kwit migrate")
	for range 2 {
		got := asks(t, 0, kwittest.Options{Args: []string{"migrate"}, Env: []string{
			"DATABASE_URL=" + site.DatabaseURL, "KWIT_MIGRATE_DATABASE_URL=" + strong,
		}})
		holds(t, got.Stdout, "up to date")
	}
	_, token := site.Person("ewa@example.org", account.RoleUser)
	api := site.Serve(kwittest.Options{}).Client(token)
	job := api.Submit("k1", "note", map[string]any{"text": "A text that is long enough. It has two sentences."})
	api.AwaitState(job.ID, "succeeded")
}

func asRole(t *testing.T, address, role string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(role)
	return u.String()
}

// A worker has no pages, yet says whether it is alive and ready; what it does
// shows at the process that has them.
func TestRolesShareTheWork(t *testing.T) {
	t.Parallel()
	site := simpleSite(t)
	_, token := site.Person("ewa@example.org", account.RoleUser)
	pages := site.Serve(kwittest.Options{Args: []string{"--role", "web"}})
	api := pages.Client(token)
	job := api.Submit("k1", "note", map[string]any{"text": "A text that is long enough. It has two sentences."})
	worker := site.Serve(kwittest.Options{Args: []string{"--role", "worker"}})
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/": 404, "/api/v1/jobs": 404} {
		if got := status(t, worker.URL+path); got != want {
			t.Errorf("worker %s: %d, want %d", path, got, want)
		}
	}
	api.AwaitState(job.ID, "succeeded")
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	site := simpleSite(t)
	first := site.Serve(kwittest.Options{Args: []string{"--role", "web", "--drain", "0s"}})
	got := site.LaunchServe(kwittest.Options{Args: []string{"--addr", strings.TrimPrefix(first.URL, "http://")}}).Wait()
	if got.Code != 1 {
		t.Errorf("exit code %d, want 1", got.Code)
	}
	oneLineOnly(t, got)
	holds(t, got.Stderr, "choose another")
}

// A worker must not tell providers to call back where nobody takes callbacks.
func TestWorkerThatIsCalledBackNeedsTheAddress(t *testing.T) {
	t.Parallel()
	config := strings.Replace(kwittest.Config("http://127.0.0.1:9", time.Minute), "orders\", ",
		"orders\", callback_secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3, ", 1)
	site := kwittest.NewSite(t, config)
	got := site.LaunchServe(kwittest.Options{Args: []string{"--role", "worker"}}).Wait()
	if got.Code != 1 || !strings.Contains(got.Stderr, "KWIT_BASE_URL") {
		t.Errorf("exit code %d, stderr:\n%s", got.Code, got.Stderr)
	}
	site.Serve(kwittest.Options{Args: []string{"--role", "worker"}, Env: []string{"KWIT_BASE_URL=http://kwit.example"}})
}
