package dispatch_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/contract"
	"kwit/db/dbtest"
	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/dispatch"
	"kwit/exactjson"
	"kwit/ledger"
	"kwit/outcome"
	"kwit/provider/httpjson"
)

const patience = 30 * time.Second

// world is a ledger, a dispatcher and a real HTTP provider.
type world struct {
	t      *testing.T
	pool   *pgxpool.Pool
	ledger *ledger.Ledger
	farm   *farm.Server
	owner  uuid.UUID
	d      *dispatch.Dispatcher
	o      dispatch.Options
	news   *news
}

type setup struct {
	farm   farm.Options
	timing dispatch.Timing
	output string // JSON Schema
	url    string // of the provider; the farm's by default
	slots  int    // its limit; 50 by default
	idle   bool   // the dispatcher is not started
	// provider adds to what is configured of the farm, at its address.
	provider func(o *httpjson.Options, farm string)
}

func newWorld(t *testing.T, s setup) *world {
	t.Helper()
	w := &world{t: t, pool: dbtest.New(t), farm: farmtest.Start(t, s.farm), owner: uuid.New(), news: newNews()}
	waker, err := dispatch.NewWaker(w.pool)
	if err != nil {
		t.Fatal(err)
	}
	w.ledger = ledger.New(w.pool, ledger.Options{Waker: waker, Changed: w.news.tell})
	if s.timing.Timeout == 0 {
		s.timing = dispatch.Timing{Timeout: patience, Linger: patience, Attempts: 3}
	}
	if s.output == "" {
		s.output = `{"type":"object","additionalProperties":true}`
	}
	rules, mistakes := contract.Compile(parse(t, `{"type":"object"}`), parse(t, s.output))
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	if s.url == "" {
		s.url = w.farm.URL + "/orders"
	}
	options := httpjson.Options{URL: s.url, NotProcessedStatuses: []int{503}}
	if s.provider != nil {
		s.provider(&options, w.farm.URL)
	}
	p, err := httpjson.New(options)
	if err != nil {
		t.Fatal(err)
	}
	w.o = dispatch.Options{
		Pool: w.pool, Ledger: w.ledger, Log: slog.New(slog.DiscardHandler),
		Providers: map[string]dispatch.Provider{"farm": {Provider: p, MaxConcurrent: cmp.Or(s.slots, 50)}},
		Timing:    func(string) dispatch.Timing { return s.timing },
		Contract:  func(context.Context, string) (*contract.Contract, error) { return rules, nil },
	}
	w.d = w.node("w1")
	if !s.idle {
		w.start(w.d)
	}
	t.Cleanup(w.sound)
	return w
}

// node is another node's dispatcher, not started.
func (w *world) node(name string) *dispatch.Dispatcher {
	w.t.Helper()
	o := w.o
	o.Node, o.Name = uuid.New(), name
	d, err := dispatch.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) start(d *dispatch.Dispatcher) {
	w.t.Helper()
	if err := d.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.stop(d) })
}

func (w *world) stop(d *dispatch.Dispatcher) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	w.farm.ReleaseAll()
	if err := d.Stop(ctx); err != nil {
		w.t.Errorf("stop: %v", err)
	}
}

func (w *world) sound() {
	found, err := w.ledger.Verify(context.Background(), 10)
	if err != nil {
		w.t.Errorf("verify: %v", err)
	}
	for _, f := range found {
		w.t.Errorf("broken invariant: %s", f)
	}
}

func parse(t testing.TB, text string) exactjson.Value {
	t.Helper()
	v, err := exactjson.Parse([]byte(text), exactjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (w *world) submit(key, input string) ledger.Job {
	w.t.Helper()
	r, err := w.ledger.Submit(w.t.Context(), ledger.Submission{
		Owner: w.owner, Key: key, Raw: []byte(input), RouteInForce: []string{"farm"},
		Intent: ledger.Intent{JobType: "order", Input: parse(w.t, input)}, Digest: "d1", Definition: []byte(`{}`),
		Actor: ledger.Actor{Kind: ledger.ByUser, ID: w.owner},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Job
}

// await returns the job once it is in the state.
func (w *world) await(j ledger.Job, state ledger.JobState) ledger.Job {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		changed := w.news.next()
		job, err := w.ledger.Job(ctx, j.OwnerID, j.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		if job.State == state {
			return *job
		}
		select {
		case <-changed:
		case <-ctx.Done():
			w.t.Fatalf("the job is %s after %s, want %s; attempts %+v", job.State, patience, state, job.Attempts)
		}
	}
}

// news tells waiting tests that some job changed.
type news struct {
	mu sync.Mutex
	ch chan struct{}
}

func newNews() *news { return &news{ch: make(chan struct{})} }

func (n *news) tell(uuid.UUID, uuid.UUID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.ch)
	n.ch = make(chan struct{})
}

func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ch
}

const order = `{"item":"poster","quantity":2}`

func with(behaviour string) string {
	return `{"item":"poster","quantity":2,"behaviour":"` + behaviour + `"}`
}

func TestC01_OneJobOneAttemptOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick})
	job := w.await(w.submit("k1", order), ledger.JobSucceeded)
	a := job.Attempts[0]
	if len(job.Attempts) != 1 || a.State != ledger.Succeeded || a.Outcome != outcome.Succeeded {
		t.Fatalf("attempts %+v", job.Attempts)
	}
	seen := w.farm.Seen.All()
	if len(seen) != 1 || seen[0].AttemptID != a.ID.String() || seen[0].Key != a.ID.String() || seen[0].JobID != job.ID.String() {
		t.Errorf("the provider saw %+v, want attempt %s of job %s once", seen, a.ID, job.ID)
	}
	if a.SentAt == nil || a.Deadline == nil || a.Deadline.Sub(*a.SentAt).Round(time.Second) != patience {
		t.Errorf("sent at %v, deadline %v: want the deadline %s after the first byte", a.SentAt, a.Deadline, patience)
	}
}

func TestC09_TimeoutIsUnknownAndTheLateAnswerCompletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farm.Options{Hold: true},
		timing: dispatch.Timing{Timeout: 100 * time.Millisecond, Linger: patience, Attempts: 3}})
	job := w.await(w.submit("k1", order), ledger.JobUnknown)
	a := job.Attempts[0]
	if a.State != ledger.Unknown || a.Outcome != outcome.Timeout {
		t.Fatalf("attempt %+v", a)
	}
	_, _, err := w.ledger.TryAgain(t.Context(), ledger.NewAttempt{Ordinal: 2,
		JobAct: ledger.JobAct{Owner: w.owner, Job: job.ID, Actor: ledger.Actor{Kind: ledger.ByUser, ID: w.owner}}})
	var open *ledger.OpenAttemptError
	if !errors.As(err, &open) || open.Blocking != a.ID {
		t.Errorf("try again: %v, want it blocked by %s", err, a.ID)
	}
	w.farm.Release(a.ID.String(), &farm.Reply{Body: []byte(`{"order":"late"}`)})
	job = w.await(job, ledger.JobSucceeded)
	if string(job.Result) != `{"order":"late"}` || w.farm.Seen.Total() != 1 {
		t.Errorf("result %s after %d requests", job.Result, w.farm.Seen.Total())
	}
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		behaviour string
		job       ledger.JobState
		outcome   outcome.Outcome
		requests  int
	}{
		{"lost", ledger.JobUnknown, outcome.AnswerLost, 1},
		{"reset", ledger.JobUnknown, outcome.ConnectionLost, 1},
		{"gateway", ledger.JobUnknown, outcome.ServerError, 1},
		{"reject", ledger.JobFailed, outcome.Rejected, 1},
		{"broken", ledger.JobFailed, outcome.Contract, 1},
		{"refuse", ledger.JobWaiting, outcome.NotProcessed, 1},
	} {
		t.Run(c.behaviour, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setup{farm: farm.Options{Orders: -1, RetryAfter: time.Hour},
				output: `{"type":"object","required":["order_id"],"properties":{"order_id":{"type":"string"},
					"item":{"type":"string"},"quantity":{"type":"integer"},"amount":{},"currency":{"type":"string"}}}`})
			job := w.await(w.submit("k1", with(c.behaviour)), c.job)
			if a := job.Attempts[0]; a.Outcome != c.outcome || a.Detail == "" {
				t.Errorf("outcome %s (%s), want %s", a.Outcome, a.Detail, c.outcome)
			}
			if n := w.farm.Seen.Total(); n != c.requests {
				t.Errorf("the provider saw %d requests, want %d", n, c.requests)
			}
		})
	}
}

// A verdict that the database refuses for its own state, as with a full disk, is
// told again until it is stored.
func TestVerdictOutlivesAFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, idle: true})
	w.exec(`CREATE SEQUENCE refusals`) // counts on, whatever is rolled back
	w.exec(`CREATE FUNCTION fill_the_disk() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF nextval('refusals') < 3 THEN RAISE 'No space left on device' USING ERRCODE = '53100'; END IF;
			RETURN NEW;
		END $$`)
	w.exec(`CREATE TRIGGER fill_the_disk BEFORE UPDATE ON attempts FOR EACH ROW
		WHEN (NEW.state = 'succeeded') EXECUTE FUNCTION fill_the_disk()`)
	w.start(w.d)
	w.await(w.submit("k1", order), ledger.JobSucceeded)
	if n := w.farm.Seen.Total(); n != 1 {
		t.Errorf("the provider saw %d requests", n)
	}
}

// What was surely not acted on is tried again at the same provider, as often as
// the job type says, each time as an attempt of the same job.
func TestRetriesAreAttemptsOfTheSameJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{farm: farmtest.Quick, url: "http://127.0.0.1:1/nobody",
		timing: dispatch.Timing{Timeout: patience, Linger: patience, Attempts: 2}})
	job := w.await(w.submit("k1", order), ledger.JobFailed)
	if len(job.Attempts) != 2 {
		t.Fatalf("%d attempts, want 2", len(job.Attempts))
	}
	for _, a := range job.Attempts {
		if a.State != ledger.Failed || a.Outcome != outcome.NotSent || !a.Automatic {
			t.Errorf("attempt %+v", a)
		}
	}
}

// The time from the commit of a submission to the request at the provider.
func TestCommitToRequestIsQuick(t *testing.T) {
	w := newWorld(t, setup{farm: farmtest.Quick})
	w.await(w.submit("warm", order), ledger.JobSucceeded)
	var took []time.Duration
	for i := range 20 {
		job := w.submit(uuid.NewString(), order)
		committed := time.Now()
		if err := w.farm.Seen.WaitFor(t.Context(), job.Attempts[0].ID.String()); err != nil {
			t.Fatal(err)
		}
		took = append(took, w.farm.Seen.All()[i+1].At.Sub(committed))
		w.await(job, ledger.JobSucceeded)
	}
	median := sortedMedian(took)
	t.Logf("commit to request at the provider, median of %d: %s", len(took), median)
	if median > time.Second {
		t.Errorf("median %s: it waits for a poll", median)
	}
}
