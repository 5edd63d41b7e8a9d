package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kwit/account"
)

// The whole path without a mouse, each stop with a focus that one sees.
func TestKeyboardReachesEverything(t *testing.T) {
	w := newWorld(t, holding, time.Minute)
	p := w.stranger(t, "ewa", account.RoleUser)
	p.open("/sign-in")
	p.await("document.activeElement === find('#email')")
	p.press("ewa@kwit.example" + tabs)
	p.wantVisibleFocus("#password")
	p.press(password + enter)
	p.awaitPath("/jobs")

	p.press(tabs)
	p.wantVisibleFocus(".skip")
	p.await("find('.skip').getBoundingClientRect().top >= 0")
	p.press(enter)
	p.await("document.activeElement === find('#main')")
	p.press(tabs)
	p.wantVisibleFocus("main a.button")
	p.press(enter)
	p.awaitPath("/jobs/new")
	p.tabTo("[href='/jobs/new/order']")
	p.press(enter)
	p.awaitPath(formPath)
	p.tabTo(itemField)
	p.press("poster")
	p.tabTo("main form button")
	p.press(" ")
	job := p.job()
	p.awaitState("running")

	w.refuse(t, w.held(t, job, 1))
	p.awaitState("failed")
	p.tabTo("#try-again")
	p.press(enter)
	p.awaitState("running")
	w.held(t, job, 2)
	p.tabTo("#cancel-fold summary")
	p.press(enter)
	p.await("find('#cancel-fold').open")
	p.tabTo("#cancel-fold button")
	p.press(enter)
	p.awaitState("cancelled")
	p.shiftTabTo("[action='/sign-out'] button")
	p.press(enter)
	p.awaitPath("/sign-in")
}

// tabTo presses Tab until a control has the focus; every stop on the way must
// show it.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	b.walkTo(selector, func() { b.press(tabs) })
}

func (b *tab) shiftTabTo(selector string) {
	b.t.Helper()
	b.walkTo(selector, func() { b.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))) })
}

func (b *tab) walkTo(selector string, step func()) {
	b.t.Helper()
	b.at(selector)
	const stops = 60 // more than any page has
	for range stops {
		step()
		if fault := get[string](b, unseenFocus); fault != "" {
			b.t.Errorf("the focus is not to be seen on %s", fault)
		}
		if get[bool](b, "document.activeElement.matches("+quote(selector)+")") {
			return
		}
	}
	b.t.Fatalf("Tab does not come to %s", selector)
}

func (b *tab) wantVisibleFocus(selector string) {
	b.t.Helper()
	b.await("document.activeElement.matches(" + quote(selector) + ")")
	if fault := get[string](b, unseenFocus); fault != "" {
		b.t.Errorf("the focus is not to be seen on %s", fault)
	}
}

// unseenFocus is the element that has the focus without an outline, or "". The
// page as a whole needs none.
const unseenFocus = `(() => {
	const e = document.activeElement, style = getComputedStyle(e);
	if (e === document.body || e.id === "main") return "";
	return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 ? "" : e.outerHTML.slice(0, 200);
})()`
