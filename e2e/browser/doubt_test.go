package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kwit/account"
)

func TestC09_SilenceIsUnknownAndTheAnswerStillCounts(t *testing.T) {
	w := newWorld(t, holding, time.Second)
	p := w.person(t, "ewa", account.RoleUser)
	p.order("poster")
	p.click("button=Send")
	job := p.job()
	p.mark()
	p.awaitState("unknown")
	p.awaitText("We do not know yet whether it was done")
	p.awaitText("and it never answered. It may still be working, so nothing new is started while that is unclear.")
	p.awaitText("You can close this page.")
	p.awaitText("“Try again” opens when attempt 1 is settled.")
	p.await("find('#try-again').disabled && find('#' + find('#try-again').getAttribute('aria-describedby'))")

	attempt := w.held(t, job, 1)
	refusal := p.postAttempt(t, "/jobs/"+job.String()+"/attempts", "2")
	if !strings.HasPrefix(refusal, "409 ") || !strings.Contains(refusal, "attempt 1") {
		t.Errorf("a second attempt is answered with %.4000s, not with 409 and the attempt that blocks it", refusal)
	}

	w.farm.Release(attempt, nil)
	p.awaitState("succeeded")
	p.awaitText("Here is your result")
	p.awaitText("order-")
	p.wantMark()
	p.oneJob()
}

// postAttempt sends the form of "try again" as a page would that is out of date.
func (p *person) postAttempt(t *testing.T, path, ordinal string) string {
	t.Helper()
	js := "fetch(" + quote(path) + ", {method: 'POST', body: new URLSearchParams({ordinal: " + quote(ordinal) + "})})" +
		".then(async (r) => { const page = new DOMParser().parseFromString(await r.text(), 'text/html');" +
		" return r.status + ' ' + words(page.querySelector('main')); })"
	p.log.allow("answered 409")
	return get[string](p.tab, js, chromedp.EvalAwaitPromise)
}
