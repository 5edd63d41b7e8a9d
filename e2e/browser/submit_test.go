package browser_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/account"
	"kwit/e2e/kwittest"
)

// Each way of sending a form twice. No answer comes before both were sent: the
// table of jobs is locked until then. With the script the second one does not
// even leave; without it both arrive, one after the other, since Chromium makes
// one of what comes in the same instant.
func TestC05_DoubleClickMakesOneJob(t *testing.T) {
	w := newWorld(t, quick, time.Minute)
	tests := []struct {
		name   string
		script bool
		press  func(p *person, x, y float64, nth int64) // the button at a place
	}{
		{"DoubleClick", true, func(p *person, x, y float64, nth int64) { p.clickAt(x, y, nth) }},
		{"EnterTwice", true, func(p *person, _, _ float64, _ int64) { p.press(enter) }},
		{"DoubleClickWithoutScript", false, func(p *person, x, y float64, nth int64) { p.clickAt(x, y, nth) }},
		{"EnterTwiceWithoutScript", false, func(p *person, _, _ float64, _ int64) { p.press(enter) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := w.person(t, tt.name, account.RoleUser)
			if !tt.script {
				p.withoutScript()
			}
			p.order("poster")
			x, y := p.at("button=Send")
			p.click(itemField)
			unlock := w.lockJobs(t)
			tt.press(p, x, y, 1)
			arrived := func(n int) func() bool { return func() bool { return p.log.sent("POST", "/jobs") == n } }
			kwittest.Await(t, "the form to be sent", arrived(1))
			tt.press(p, x, y, 2)
			want := 1
			if !tt.script {
				want = 2
				kwittest.Await(t, "the form to be sent again", arrived(2))
			}
			unlock()
			job := p.job()
			w.awaitState(t, job, "succeeded")
			if got := p.oneJob(); got != job {
				t.Errorf("the page shows job %s, but there is %s", job, got)
			}
			if got := p.log.sent("POST", "/jobs"); got != want {
				t.Errorf("the browser sent the form %d times, not %d", got, want)
			}
		})
	}
}

// A restored tab beside the first one shows the same form under the same key.
func TestC05_TwoTabsMakeOneJob(t *testing.T) {
	w := newWorld(t, quick, time.Minute)
	p := w.person(t, "ewa", account.RoleUser)
	p.order("poster")
	second := p.another()
	second.open(p.awaitPath(formPath))
	second.fill("[name='input.item']", "poster")
	unlock := w.lockJobs(t)
	p.click("button=Send")
	second.click("button=Send")
	kwittest.Await(t, "both tabs to send the form", func() bool {
		return p.log.sent("POST", "/jobs") == 1 && second.log.sent("POST", "/jobs") == 1
	})
	unlock()
	job := p.job()
	if other := second.job(); other != job {
		t.Errorf("the tabs show the jobs %s and %s", job, other)
	}
	w.awaitState(t, job, "succeeded")
	p.oneJob()
}

// lockJobs keeps every submission waiting until the lock is given back.
func (w *world) lockJobs(t *testing.T) (unlock func()) {
	t.Helper()
	tx, err := w.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // it is no error after the commit
	if _, err := tx.Exec(t.Context(), "LOCK TABLE jobs IN EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) awaitState(t *testing.T, job uuid.UUID, state string) {
	t.Helper()
	kwittest.Await(t, "job "+job.String()+" to be "+state, func() bool {
		var now string
		err := w.Pool.QueryRow(t.Context(), "SELECT state FROM jobs WHERE id = $1", job).Scan(&now)
		return err == nil && now == state
	})
}
