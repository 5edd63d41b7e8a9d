package e2e

import (
	"syscall"
	"testing"
	"time"

	"kwit/db/dbtest"
	"kwit/demo/farm"
	"kwit/e2e/kwittest"
)

// A worker is killed at each instant between two statements of an attempt's
// life. Another takes over. The provider has seen the attempt at most once, and
// the job is never lost: done where that can be known, unknown where it cannot.
func TestC11_WorkerKilledBetweenStatements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mark     string
		state    string
		outcome  string
		requests int
	}{
		{"claim:begun", "succeeded", "succeeded", 1},
		{"claim:locked", "succeeded", "succeeded", 1},
		{"claim:before-commit", "succeeded", "succeeded", 1},
		{"claim:committed", "unknown", "worker_lost", 0},
		{"send:claimed", "unknown", "worker_lost", 0},
		{"send:answered", "unknown", "worker_lost", 1},
		{"send:kept", "succeeded", "succeeded", 1},
		{"complete:begun", "succeeded", "succeeded", 1},
		{"complete:locked", "succeeded", "succeeded", 1},
		{"complete:before-commit", "succeeded", "succeeded", 1},
		{"complete:committed", "succeeded", "succeeded", 1},
	} {
		t.Run(c.mark, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, farm.Options{Orders: -1}, time.Minute)
			web := w.web().Client(w.token)
			victim := w.worker(c.mark + "=kill")
			job := web.Submit("k1", "order", order)
			w.ended(victim.Process)
			w.worker("")
			job = web.AwaitState(job.ID, c.state)
			if len(job.Attempts) != 1 || *job.Attempts[0].Outcome != c.outcome {
				t.Errorf("attempts %+v, want one with the outcome %s", job.Attempts, c.outcome)
			}
			if n := w.farm.Seen.Total(); n != c.requests {
				t.Errorf("the provider saw %d requests, want %d", n, c.requests)
			}
		})
	}
}

// kill -9 in the middle of the call itself: nobody can know, and nobody asks
// again. A person says what happened.
func TestC09_WorkerKilledDuringTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, farm.Options{Hold: true}, time.Minute)
	web := w.web().Client(w.token)
	victim := w.worker("")
	job := web.Submit("k1", "order", order)
	if err := w.farm.Seen.WaitFor(t.Context(), job.Attempts[0].ID.String()); err != nil {
		t.Fatal(err)
	}
	victim.Kill()
	w.worker("")
	job = web.AwaitState(job.ID, "unknown")
	if got := *job.Attempts[0].Outcome; got != "worker_lost" || *job.BlockingAttempt != job.Attempts[0].ID {
		t.Errorf("outcome %s, blocking %v", got, job.BlockingAttempt)
	}
	if n := w.farm.Seen.Total(); n != 1 {
		t.Errorf("the provider saw %d requests", n)
	}
}

// A worker is stopped between claim and send for longer than its lease, and
// then goes on: it may not send what others have called unknown meanwhile.
func TestC11_StoppedWorkerDoesNotSendAfterItsLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t, farm.Options{Orders: -1}, time.Minute)
	web := w.web().Client(w.token)
	sleeper := w.worker("send:claimed=stop")
	job := web.Submit("k1", "order", order)
	w.worker("")
	job = web.AwaitState(job.ID, "unknown")
	sleeper.Signal(syscall.SIGCONT)
	// It shows that it is awake by sending what comes next. Both workers may
	// take it, so there is enough for both.
	for _, key := range []string{"k2", "k3", "k4", "k5"} {
		web.AwaitState(web.Submit(key, "order", order).ID, "succeeded")
	}
	if r := sleeper.Stop(); r.Code != 0 {
		t.Errorf("exit code %d; stderr:\n%s", r.Code, r.Stderr)
	}
	if n := w.farm.Seen.Count(job.Attempts[0].ID.String()); n != 0 {
		t.Errorf("the provider saw the attempt %d times after its lease was over", n)
	}
	if again := web.Job(job.ID); again.State != "unknown" || *again.Attempts[0].Outcome != "worker_lost" {
		t.Errorf("the job is %s, outcome %s", again.State, *again.Attempts[0].Outcome)
	}
}

// PostgreSQL is killed while attempts are under way, and comes back: no job is
// lost, nothing is sent twice, and answers that came meanwhile complete.
func TestC01_DatabaseKilledAndRestarted(t *testing.T) {
	t.Parallel()
	f := kwittest.StartFarm(t, farm.Options{Hold: true})
	server := dbtest.StartServer(t)
	w := inhabit(t, f, kwittest.SiteAt(t, server.NewURL(), kwittest.Config(f.URL, time.Minute)))
	kwit := w.Serve(kwittest.Options{})
	web := kwit.Client(w.token)
	var jobs []kwittest.Job
	for _, key := range []string{"k1", "k2", "k3"} {
		jobs = append(jobs, web.Submit(key, "order", order))
	}
	if err := f.Seen.Wait(t.Context(), len(jobs)); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	for _, j := range jobs {
		f.Release(j.Attempts[0].ID.String(), nil)
	}
	reply := web.MustCall("GET", "/jobs", nil)
	if reply.Status != 503 {
		t.Errorf("without a database the API answers %d", reply.Status)
	}
	server.Start()
	for _, j := range jobs {
		web.AwaitState(j.ID, "succeeded")
	}
	if n := f.Seen.Total(); n != len(jobs) {
		t.Errorf("the provider saw %d requests, want %d", n, len(jobs))
	}
	kwittest.Await(t, "kwit to be ready again", func() bool { return ready(t, kwit.URL) })
}

// A web process is killed at each instant of a submission. Whoever sends the
// same key again gets one job, and one request leaves.
func TestC04_WebProcessKilledDuringASubmission(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"submit:begun", "submit:before-commit", "submit:committed"} {
		t.Run(mark, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, farm.Options{Orders: -1}, time.Minute)
			victim := w.Serve(kwittest.Options{Args: []string{"--role", "web"}, Tags: []string{kwittest.Faultpoints},
				Env: []string{"KWIT_FAULTPOINT=" + mark + "=kill"}})
			_, err := victim.Client(w.token).Call("POST", "/jobs", map[string]any{"job_type": "order", "input": order},
				map[string]string{"Idempotency-Key": "k1"})
			if err == nil {
				t.Fatal("the victim answered")
			}
			w.ended(victim.Process)
			second := w.Serve(kwittest.Options{}).Client(w.token)
			job := second.AwaitState(second.Submit("k1", "order", order).ID, "succeeded")
			if n := w.farm.Seen.Total(); n != 1 || len(job.Attempts) != 1 {
				t.Errorf("%d requests, %d attempts", n, len(job.Attempts))
			}
		})
	}
}
