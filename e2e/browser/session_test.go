package browser_test

import (
	"testing"
	"time"

	"kwit/account"
)

func TestDeadSessionKeepsWhatWasTyped(t *testing.T) {
	w := newWorld(t, quick, time.Minute)
	p := w.person(t, "ewa", account.RoleUser)
	p.order("a long text")
	form := p.awaitPath(formPath)
	w.endSessions(t)
	p.click("button=Send")
	p.awaitPath("/sign-in.*")
	p.awaitText("You were signed out. Sign in, and what you typed comes back.")
	p.signIn(p.email)
	if back := p.awaitPath(formPath); back != form {
		t.Errorf("signing in leads to %s, not to the form %s", back, form)
	}
	keyIn(t, p.tab, form)
	p.want(itemField, "a long text")
	if jobs := p.jobs(); len(jobs) != 0 {
		t.Fatalf("the form was submitted by itself: %v", jobs)
	}
	p.click("button=Send")
	job := p.job()
	w.awaitState(t, job, "succeeded")
	p.oneJob()
}

func TestDeadSessionOfAnotherPersonShowsNothing(t *testing.T) {
	w := newWorld(t, quick, time.Minute)
	p := w.person(t, "ewa", account.RoleUser)
	jan, _ := w.Person("jan@kwit.example", account.RoleUser)
	p.order("nobody else's business")
	w.endSessions(t)
	p.click("button=Send")
	p.awaitPath("/sign-in.*")
	p.signIn(jan.Email)
	p.awaitPath(formPath)
	p.want(itemField, "")
	if jobs := p.jobs(); len(jobs) != 0 {
		t.Errorf("the form was submitted: %v", jobs)
	}
}

// endSessions ends everybody's session, as the end of its time does.
func (w *world) endSessions(t *testing.T) {
	t.Helper()
	if _, err := w.Pool.Exec(t.Context(), "DELETE FROM sessions"); err != nil {
		t.Fatal(err)
	}
}
