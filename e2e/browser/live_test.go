package browser_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kwit/account"
	"kwit/demo/farm"
)

var holding = farm.Options{Orders: -1, Renders: -1, Hold: true}

// The page goes through all states without being loaded again.
func TestLivePageFollowsTheJob(t *testing.T) {
	w := newSite(t, holding, time.Minute)
	w.web = w.serve("--role", "web")
	p := w.person(t, "ewa", account.RoleUser)
	p.order("poster")
	p.click("button=Send")
	job := p.job()
	p.awaitState("queued")
	p.mark()
	w.serve("--role", "worker")
	p.awaitState("running")
	attempt := w.held(t, job, 1)
	p.awaitText("We sent it to shop")
	w.farm.Release(attempt, nil)
	p.awaitState("succeeded")
	p.awaitText("Here is your result")
	p.awaitText("order-")
	p.wantMark()
}

// The web process dies and another takes its address; what happened in between
// is made good.
func TestLivePageCatchesUpAfterALostConnection(t *testing.T) {
	w := newSite(t, holding, time.Minute)
	w.web = w.serve("--role", "web")
	w.serve("--role", "worker")
	p := w.person(t, "ewa", account.RoleUser)
	p.order("poster")
	p.click("button=Send")
	job := p.job()
	p.awaitState("running")
	p.mark()
	p.log.allow("network error")
	p.log.allow("Failed to fetch")
	p.log.allow("answered 503") // the other one, while it starts
	p.log.allow("failed with status 503")
	w.web.Kill()
	w.farm.Release(w.held(t, job, 1), nil)
	w.awaitState(t, job, "succeeded")
	w.web = w.serve("--role", "web", "--addr", strings.TrimPrefix(w.web.URL, "http://"))
	p.awaitState("succeeded")
	p.awaitText("order-")
	p.wantMark()
}

func TestLivePageWorksByPolling(t *testing.T) {
	w := newWorld(t, holding, time.Minute)
	p := w.person(t, "ewa", account.RoleUser)
	p.block("/jobs/:id/events")
	p.log.allow("Failed to fetch")
	p.order("poster")
	p.click("button=Send")
	job := p.job()
	p.mark()
	p.awaitState("running")
	w.farm.Release(w.held(t, job, 1), nil)
	p.awaitState("succeeded")
	p.awaitText("order-")
	p.wantMark()
}

// What was swapped in works as what was loaded did.
func TestLivePageButtonsWorkAfterSwaps(t *testing.T) {
	w := newWorld(t, holding, time.Minute)
	p := w.person(t, "ewa", account.RoleUser)
	p.order("poster")
	p.click("button=Send")
	job := p.job()
	p.awaitState("running")
	w.refuse(t, w.held(t, job, 1))
	p.awaitState("failed")
	p.doubleClick("button=Try again")
	p.awaitState("running")
	w.refuse(t, w.held(t, job, 2))
	p.awaitState("failed")
	p.click("button=Try again")
	p.awaitState("running")
	w.held(t, job, 3)
	p.click("button=Cancel the job")
	p.awaitText("This cannot be undone")
	p.click("#cancel-fold button")
	p.awaitState("cancelled")
	p.awaitText("The job was cancelled")
	if got := w.requestsOf(job); got != 3 {
		t.Errorf("the provider got %d requests, not 3", got)
	}
}

// Support types a reason while the job goes on.
func TestLivePageLeavesTypedTextAlone(t *testing.T) {
	w := newSite(t, holding, time.Minute)
	w.web = w.serve("--role", "web")
	_, token := w.Person("ewa@kwit.example", account.RoleUser)
	job := w.web.Client(token).Submit("a-key", "order", map[string]any{"item": "poster"})
	p := w.person(t, "tomek", account.RoleSupport)
	p.open("/jobs/" + job.ID.String())
	p.awaitState("queued")
	p.mark()
	p.click("button=Cancel the job")
	p.fill("#cancel-reason", "the customer phoned")
	w.serve("--role", "worker")
	p.awaitState("running")
	p.await("document.activeElement === find('#cancel-reason') && find('#cancel-fold').open")
	p.press(", twice")
	p.want("#cancel-reason", "the customer phoned, twice")
	p.wantMark()
	p.press(enter)
	p.awaitPath("/console/jobs/.*")
	w.awaitState(t, job.ID, "cancelled")
	p.awaitText("the customer phoned, twice")
}

// refuse answers a held request so that its attempt has failed for good.
func (w *world) refuse(t *testing.T, attempt string) {
	t.Helper()
	if !w.farm.Release(attempt, &farm.Reply{Status: http.StatusUnprocessableEntity, Body: []byte(`{"error":"no"}`)}) {
		t.Fatalf("the farm does not hold attempt %s", attempt)
	}
}

// awaitState waits until the job's page shows a state.
func (b *tab) awaitState(state string) {
	b.t.Helper()
	b.await("find('#job')?.dataset.state === " + quote(state))
}

// mark leaves a mark that a page keeps until another is loaded.
func (b *tab) mark() {
	b.t.Helper()
	get[bool](b, "window.marked = true")
}

func (b *tab) wantMark() {
	b.t.Helper()
	if !get[bool](b, "window.marked === true") {
		b.t.Error("the page was loaded anew")
	}
}
