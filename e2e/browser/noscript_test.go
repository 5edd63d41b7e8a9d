package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/e2e/kwittest"
)

// The whole of a user's path by plain forms and reload.
func TestWithoutScriptAUserGetsTheirResult(t *testing.T) {
	w := newWorld(t, holding, time.Minute)
	p := w.stranger(t, "ewa", account.RoleUser)
	p.withoutScript()
	p.open("/")
	p.awaitPath("/sign-in.*")
	p.signIn(p.email)
	p.awaitPath("/jobs")
	p.order("poster")
	p.fill("[name='input.quantity']", "many")
	p.click("button=Send")
	p.awaitText("Nothing was started yet.")
	p.want(itemField, "poster")
	p.want("[name='input.quantity']", "many")
	p.fill("[name='input.quantity']", "3")
	p.click("button=Send")
	job := p.job()
	p.reloadUntil("running")
	p.awaitText("This page shows how things stood when you opened it.")

	w.refuse(t, w.held(t, job, 1))
	p.reloadUntil("failed")
	p.mark()
	p.click("button=Try again")
	p.await("!window.marked && document.readyState === 'complete'") // a reload in between would drop the form
	p.reloadUntil("running")
	w.farm.Release(w.held(t, job, 2), nil)
	p.reloadUntil("succeeded")
	p.awaitText("Here is your result")
	p.awaitText("order-")
	if got := w.requestsOf(job); got != 2 {
		t.Errorf("the provider got %d requests, not 2", got)
	}

	p.order("poster")
	p.click("button=Send")
	second := p.job()
	p.back(1)
	p.awaitPath(formPath)
	p.fill(itemField, "another poster")
	p.click("button=Send")
	wantSides(t, p.tab, "poster", "another poster")
	p.click(fmt.Sprintf("link=Open ticket %d", p.number(second)))
	p.job()
	p.click("button=Cancel the job")
	p.click("#cancel-fold button")
	p.awaitState("cancelled")
	p.click("button=Sign out")
	p.awaitPath("/sign-in")
}

// Support settles attempts by plain forms.
func TestWithoutScriptSupportSettles(t *testing.T) {
	w := newWorld(t, holding, time.Second)
	_, token := w.Person("ewa@kwit.example", account.RoleUser)
	ewa := w.web.Client(token)
	submit := func(jobType, field string) uuid.UUID {
		job := ewa.Submit(uuid.NewString(), jobType, map[string]any{field: "poster"}).ID
		ewa.AwaitState(job, "unknown")
		return job
	}
	cancelled, resolved, released := submit("order", "item"), submit("order", "item"), submit("render", "scene")
	p := w.stranger(t, "tomek", account.RoleSupport)
	p.withoutScript()
	p.open("/console")
	p.signIn(p.email)
	p.awaitPath("/console")

	p.act(w, cancelled, "cancel", "the customer phoned")
	p.click(form(w, cancelled, "cancel") + " button")
	p.awaitText("is cancelled. Whatever shop still answers is dropped.")

	p.act(w, resolved, "resolve", "the shop has it")
	p.click(form(w, resolved, "resolve") + " [value=succeeded]")
	p.fill(form(w, resolved, "resolve")+" textarea", `{"order_id": "by-hand"}`)
	p.click(form(w, resolved, "resolve") + " button")
	p.awaitText("is resolved, and ticket")

	p.act(w, released, "release", "the farm is slow")
	p.click(form(w, released, "release") + " button")
	p.awaitText("is released. It may still win")
	for job, state := range map[uuid.UUID]string{cancelled: "failed", resolved: "succeeded", released: "unknown"} {
		w.awaitState(t, job, state)
	}
}

// reloadUntil loads the job's page anew until it shows a state.
func (b *tab) reloadUntil(state string) {
	b.t.Helper()
	b.job()
	kwittest.Await(b.t, "the state "+state, func() bool {
		b.reload()
		now, err := eval[string](b, "find('#job').dataset.state")
		return err == nil && now == state
	})
}

// form is the selector of an operator's form for a job's first attempt.
func form(w *world, job uuid.UUID, act string) string {
	return fmt.Sprintf("#attempt-%s [action$=%s]", w.firstAttempt(job), act)
}

func (w *world) firstAttempt(job uuid.UUID) uuid.UUID {
	w.t.Helper()
	var id uuid.UUID
	err := w.Pool.QueryRow(w.t.Context(), "SELECT id FROM attempts WHERE job_id = $1 AND ordinal = 1", job).Scan(&id)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// act folds an operator's form out and types the reason.
func (p *person) act(w *world, job uuid.UUID, act, reason string) {
	p.t.Helper()
	p.click(fmt.Sprintf("#attempt-%s summary:has(+ [action$=%s])", w.firstAttempt(job), act))
	p.fill(form(w, job, act)+" [name=reason]", reason)
}
