package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kwit/account"
)

const (
	itemField = "[name='input.item']"
	keyField  = "[name='idempotency_key']"
)

// Back shows the page as it was left, where the browser kept it, or fetches it
// anew. Both say that the form was sent already.
func TestC06_BackChangedResubmit(t *testing.T) {
	w := newWorld(t, quick, time.Minute)
	t.Run("PageKept", func(t *testing.T) { backChangedResubmit(t, w.person(t, "ewa", account.RoleUser), false) })
	t.Run("PageFetchedAnew", func(t *testing.T) { backChangedResubmit(t, w.person(t, "jan", account.RoleUser), true) })
}

func backChangedResubmit(t *testing.T, p *person, anew bool) {
	w := p.world
	p.order("a red poster")
	form := p.awaitPath(formPath)
	key := keyIn(t, p.tab, form)
	if anew {
		p.forgetPages()
	}
	p.click("button=Send")
	first := p.job()
	w.awaitState(t, first, "succeeded")

	p.back(1)
	if got := p.awaitPath(formPath); got != form {
		t.Fatalf("Back leads to %s, not to %s", got, form)
	}
	p.await(fmt.Sprintf("find(%q).value === 'a red poster'", itemField))
	p.want(keyField, key)
	p.awaitText("This form was sent already. Here is its ticket")
	p.want(itemField, "a red poster") // the page that was kept asked for no more than that
	p.click("button=Send")
	if again := p.job(); again != first {
		t.Errorf("the same text leads to job %s, not to %s", again, first)
	}
	p.oneJob()

	p.back(1)
	p.awaitPath(formPath)
	p.fill(itemField, "a blue poster")
	p.click("button=Send")
	p.awaitText("This form was already sent, with another text")
	p.awaitText("so nothing was started now")
	wantSides(t, p.tab, "a red poster", "a blue poster")
	p.oneJob()
	p.click(fmt.Sprintf("link=Open ticket %d", p.number(first)))
	if opened := p.job(); opened != first {
		t.Errorf("the link opens job %s, not %s", opened, first)
	}

	p.back(2) // over the conflict page, which cannot be had without sending again
	p.awaitPath(formPath)
	p.fill(itemField, "a green poster")
	p.click("button=Send")
	wantSides(t, p.tab, "a red poster", "a green poster")
	p.doubleClick("button=Submit this as a new job")
	second := p.job()
	w.awaitState(t, second, "succeeded")
	jobs := p.jobs()
	if len(jobs) != 2 || jobs[0] != first || jobs[1] != second {
		t.Fatalf("there are the jobs %v, not %s and %s", jobs, first, second)
	}
	if a, b := w.requestsOf(first), w.requestsOf(second); a != 1 || b != 1 {
		t.Errorf("the provider got %d and %d requests, not one for each job", a, b)
	}
	p.awaitText("a green poster")
}

// forgetPages keeps the browser from keeping pages for Back: it does not keep
// those that another window can reach.
func (b *tab) forgetPages() {
	b.t.Helper()
	get[bool](b, "window.open('/healthz') !== null")
}

// The key belongs to the opened form: it stays through a reload, and a link
// opens a new one.
func TestC02_EachOpenedFormHasItsKey(t *testing.T) {
	w := newWorld(t, quick, time.Minute)
	p := w.person(t, "ewa", account.RoleUser)
	p.open("/jobs/new")
	p.click("[href='/jobs/new/order']")
	form := p.awaitPath(formPath)
	key := keyIn(t, p.tab, form)
	p.fill(itemField, "poster")
	p.reload()
	p.awaitPath(formPath)
	p.want(keyField, key)

	p.click("link=New job")
	p.awaitPath("/jobs/new")
	p.click("[href='/jobs/new/order']")
	if fresh := keyIn(t, p.tab, p.awaitPath(formPath)); fresh == key {
		t.Error("the link opened the old form again")
	}
	p.want(itemField, "")
}

// keyIn is the key of the form that a tab shows: the one in its address.
func keyIn(t *testing.T, b *tab, path string) string {
	t.Helper()
	_, key, _ := strings.Cut(path, "?form=")
	b.want(keyField, key)
	return key
}

// wantSides waits for the conflict page, and for both texts on it.
func wantSides(t *testing.T, b *tab, then, now string) {
	t.Helper()
	b.await("find('.sides')")
	for i, text := range []string{then, now} {
		side := fmt.Sprintf("words(document.querySelectorAll('.sides dl')[%d])", i)
		if got := get[string](b, side); !strings.Contains(strings.ReplaceAll(got, " ", ""), strings.ReplaceAll(text, " ", "")) {
			t.Errorf("side %d shows %q, not %q", i+1, got, text)
		}
	}
}
