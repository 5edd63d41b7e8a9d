package main_test

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"kwit/account"
	"kwit/demo"
	"kwit/e2e/kwittest"
)

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func startDemo(t *testing.T, dir string) *kwittest.Server {
	t.Helper()
	return kwittest.Launch(t, kwittest.Options{
		Args: []string{"demo", "--addr", "127.0.0.1:0"},
		Env:  []string{"KWIT_DATA_DIR=" + dir, "DATABASE_URL=postgres://127.0.0.1:1/not-used"},
	}).AwaitListening()
}

// tokenAt makes a token beside a running demo, on whose PostgreSQL the command
// finds itself.
func tokenAt(t *testing.T, dir string) string {
	t.Helper()
	got := asks(t, 0, kwittest.Options{
		Args: []string{"token", "create", demo.Accounts()[0].Email, "--name", "test", "--embedded"},
		Env:  []string{"KWIT_DATA_DIR=" + dir},
	})
	return strings.TrimSpace(got.Stdout)
}

// The demo keeps its data: through Ctrl-C, and through kill -9.
func TestDemoKeepsItsJobs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it makes a cluster and starts it three times")
	}
	dir := kwittest.DataDir(t)
	first := startDemo(t, dir)
	token := tokenAt(t, dir)
	text := map[string]any{"text": "The shop hands out tickets. Nobody pays twice.", "language": "en"}
	api := first.Client(token)
	done := api.Submit("k1", "summary", text)
	api.AwaitState(done.ID, "succeeded")
	label := api.Submit("k2", "label", map[string]any{"to": map[string]any{"name": "Ewa", "city": "Łódź"}, "parcels": 1})
	api.AwaitState(label.ID, "succeeded")
	order := api.Submit("k3", "order", map[string]any{"item": "poster", "quantity": 2})
	api.AwaitState(order.ID, "succeeded")

	first.Signal(syscall.SIGINT)
	if got := first.Wait(); got.Code != 0 || !strings.Contains(got.Stderr, "PostgreSQL is stopped") {
		t.Fatalf("Ctrl-C: exit code %d\n%s", got.Code, got.Stderr)
	}
	second := startDemo(t, dir)
	if got := second.Client(token).Job(done.ID); got.State != "succeeded" {
		t.Errorf("after Ctrl-C the job is %s", got.State)
	}
	api = second.Client(token)
	silent := api.Submit("k4", "order", map[string]any{"item": "canvas", "quantity": 1, "behaviour": "silent"})
	api.AwaitState(silent.ID, "running", "unknown")
	second.Kill()

	third := startDemo(t, dir)
	api = third.Client(token)
	for key, id := range map[string]string{"k1": done.ID.String(), "k4": silent.ID.String()} {
		reply := api.MustCall(http.MethodGet, "/jobs/"+id, nil)
		if reply.Status != http.StatusOK {
			t.Errorf("after kill -9 the job of %s answers %d", key, reply.Status)
		}
	}
	if attempts := api.Job(silent.ID).Attempts; len(attempts) != 1 {
		t.Errorf("the job that was under way has %d attempts", len(attempts))
	}
	verified := asks(t, 0, kwittest.Options{Args: []string{"verify", "--embedded"}, Env: []string{"KWIT_DATA_DIR=" + dir}})
	holds(t, verified.Stdout, "hold")
	if got := third.Stop(); got.Code != 0 {
		t.Errorf("exit code %d", got.Code)
	}
}

// The demo shows its passwords, so it answers to this machine's own names only.
func TestDemoAnswersToThisMachineOnly(t *testing.T) {
	t.Parallel()
	dir := kwittest.DataDir(t)
	server := startDemo(t, dir)
	kwittest.Await(t, "the password on stdout", func() bool { return strings.Contains(server.Stdout(), demo.Password) })
	for host, want := range map[string]int{"": 200, "localhost": 200, "rebound.example.org": 421} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/sign-in", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("host %q: %d, want %d", host, response.StatusCode, want)
		}
	}
	for _, a := range demo.Accounts() {
		signIn(t, server.URL, a.Email, a.Password)
	}
}

func signIn(t *testing.T, base, email, password string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(base+"/sign-in", url.Values{"email": {email}, "password": {password}})
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Errorf("%s signs in: %d", email, response.StatusCode)
	}
}

// What a demo leaves behind must not be served to others.
func TestServeGuardsAgainstTheDemosAccounts(t *testing.T) {
	t.Parallel()
	site := simpleSite(t)
	for _, a := range demo.Accounts() {
		if _, err := account.New(site.Pool).Add(t.Context(), a.NewPerson); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(o kwittest.Options) {
		t.Helper()
		got := site.LaunchServe(o).Wait()
		if got.Code != 1 {
			t.Errorf("exit code %d, want 1", got.Code)
		}
		holds(t, got.Stderr, "kwit user disable")
	}
	refused(kwittest.Options{Args: []string{"--addr", "0.0.0.0:0"}})
	refused(kwittest.Options{Env: []string{"KWIT_BASE_URL=https://kwit.example.org"}})
	site.Serve(kwittest.Options{Args: []string{"--drain", "0s"}}).AwaitStderr("everybody can read")
	for _, a := range demo.Accounts() {
		site.Run("user", "disable", a.Email)
	}
	site.Serve(kwittest.Options{Args: []string{"--addr", "0.0.0.0:0"}})
}
