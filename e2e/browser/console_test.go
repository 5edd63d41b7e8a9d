package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/e2e/kwittest"
)

func TestConsoleListsDoubtsOldestFirst(t *testing.T) {
	w := newWorld(t, holding, time.Second)
	_, token := w.Person("ewa@kwit.example", account.RoleUser)
	ewa := w.web.Client(token)
	var want []string
	for i := range 3 {
		job := ewa.Submit(uuid.NewString(), "order", map[string]any{"item": fmt.Sprint("poster ", i)})
		ewa.AwaitState(job.ID, "unknown")
		want = append(want, fmt.Sprintf("%d · attempt 1 · shop", job.Number))
	}
	p := w.person(t, "tomek", account.RoleSupport)
	if text := get[string](p.tab, `words(find('nav a[href="/console"]'))`); !strings.HasPrefix(text, "Doubts 3 · oldest ") {
		t.Errorf("the way to the console says %q", text)
	}
	p.click(`nav a[href="/console"]`)
	p.awaitPath("/console")
	got := get[[]string](p.tab, "[...document.querySelectorAll('article h2')].map(words)")
	if !slices.Equal(got, want) {
		t.Errorf("the console lists %q, not %q", got, want)
	}
	p.awaitText("no answer within 1 s")
	p.awaitText("Not for this job type: its work must not run twice")
}

// Two colleagues act on one attempt: the second is told who was first, and what
// they typed is kept.
func TestConsoleTellsTheSecondPersonWhoWasFirst(t *testing.T) {
	w := newWorld(t, holding, time.Second)
	_, token := w.Person("ewa@kwit.example", account.RoleUser)
	job := w.web.Client(token).Submit("a-key", "render", map[string]any{"scene": "harbour"}).ID
	w.web.Client(token).AwaitState(job, "unknown")
	first, second := w.person(t, "tomek", account.RoleSupport), w.person(t, "hania", account.RoleSupport)
	third := w.person(t, "piotr", account.RoleSupport)
	for _, p := range []*person{first, second, third} {
		p.open("/console")
	}
	first.act(w, job, "release", "the farm is slow")
	first.click(form(w, job, "release") + " button")
	first.awaitText("is released. It may still win")

	second.act(w, job, "release", "it hangs")
	second.click(form(w, job, "release") + " button")
	second.awaitText("this attempt is released now, by tomek@kwit.example")
	second.awaitText("it hangs")

	third.act(w, job, "resolve", "the farm's log says so")
	third.click(form(w, job, "resolve") + " [value=succeeded]")
	third.fill(form(w, job, "resolve")+" textarea", `{"render_id": "r1"}`)
	third.click(form(w, job, "resolve") + " button")
	third.awaitText("this attempt is released now, by tomek@kwit.example")
	third.want(form(w, job, "resolve")+" [name=reason]", "the farm's log says so")
	third.want(form(w, job, "resolve")+" textarea", `{"render_id": "r1"}`)
	third.await(fmt.Sprintf("find(%q).checked", form(w, job, "resolve")+" [value=succeeded]"))
	third.click(form(w, job, "resolve") + " button") // drawn for the new state
	third.awaitText("is resolved, and ticket")
	w.awaitState(t, job, "succeeded")
}

// A result that breaks the contract, and a reason that is missing, are refused
// beside the form.
func TestConsoleRefusesAResultThatBreaksTheContract(t *testing.T) {
	w := newWorld(t, holding, time.Second)
	_, token := w.Person("ewa@kwit.example", account.RoleUser)
	job := w.web.Client(token).Submit("a-key", "order", map[string]any{"item": "poster"}).ID
	w.web.Client(token).AwaitState(job, "unknown")
	p := w.person(t, "tomek", account.RoleSupport)
	p.open("/console")
	p.act(w, job, "resolve", "it is in the shop's list")
	resolve := form(w, job, "resolve")
	p.click(resolve + " [value=succeeded]")
	p.fill(resolve+" textarea", `{"order": 1}`)
	p.click(resolve + " button")
	p.await(fmt.Sprintf("find(%q)", resolve+" .faults"))
	p.want(resolve+" [name=reason]", "it is in the shop's list")
	p.want(resolve+" textarea", `{"order": 1}`)
	p.fill(resolve+" textarea", `{"order_id": "o1"}`)
	p.click(resolve + " button")
	p.awaitText("is resolved, and ticket")
}

// The answer of a cancelled attempt is dropped, and an admin sees that it came.
func TestC14_AdminSeesTheLateResult(t *testing.T) {
	w := newWorld(t, holding, time.Second)
	_, token := w.Person("ewa@kwit.example", account.RoleUser)
	ewa := w.web.Client(token)
	job := ewa.Submit("a-key", "order", map[string]any{"item": "poster"})
	ewa.AwaitState(job.ID, "unknown")
	p := w.person(t, "ola", account.RoleAdmin)
	p.open("/admin/late-results")
	p.awaitText("No answer has come too late so far.")
	p.open("/console")
	p.act(w, job.ID, "cancel", "the shop is closed")
	p.click(form(w, job.ID, "cancel") + " button")
	p.awaitText("is cancelled.")
	w.farm.Release(w.held(t, job.ID, 1), nil)
	kwittest.Await(t, "the late result", func() bool {
		p.open("/admin/late-results")
		return get[bool](p.tab, "shown().includes('the attempt had been ended')")
	})
	p.click(fmt.Sprintf("link=%d", job.Number))
	p.awaitPath("/console/jobs/.*")
	p.awaitText("Late results")
	p.awaitText("the shop is closed")
	if now := ewa.Job(job.ID); now.Result != nil && string(now.Result) != "null" {
		t.Errorf("the late answer became the result: %s", now.Result)
	}
}
