package browser_test

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kwit/e2e/kwittest"
)

// stepWithin bounds one command to the browser.
const stepWithin = 30 * time.Second

// tab is a tab of a browser context of its own. Its methods fail the test.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string // of the site
	log *tabLog
}

// openTab opens a tab in a new browser context: another person, or another
// device.
func openTab(t *testing.T, url string) *tab {
	t.Helper()
	return newTab(t, runningChromium(t), url, chromedp.WithNewBrowserContext())
}

// another opens a further tab of the same person.
func (b *tab) another() *tab {
	b.t.Helper()
	return newTab(b.t, b.ctx, b.url)
}

func newTab(t *testing.T, parent context.Context, url string, options ...chromedp.ContextOption) *tab {
	t.Helper()
	b := &tab{t: t, url: url, log: &tabLog{}}
	options = append(options, chromedp.WithListener(b.log.note))
	ctx, _ := chromedp.NewContext(parent, options...)
	b.ctx = ctx
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	t.Cleanup(b.close)
	// Tabs side by side all take themselves for the one in front.
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return b
}

func (b *tab) close() {
	for _, fault := range b.log.faults() {
		b.t.Errorf("the browser's console: %s", fault)
	}
	if b.t.Failed() {
		text, _ := eval[string](b, `location.href + "\n" + document.body.innerText`)
		b.t.Logf("the tab ended at %s", text)
	}
	ctx, cancel := context.WithTimeout(b.ctx, stepWithin)
	defer cancel()
	_ = chromedp.Cancel(ctx) // what it shows no longer matters
}

// call runs a command of the browser's protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepWithin)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// find.js is the function find(selector), which understands CSS, and the words
// on a control: "button=Send", "link=Jobs".
//
//go:embed testdata/find.js
var findJS string

// eval evaluates an expression in the page, in which find is known.
func eval[T any](b *tab, js string, options ...chromedp.EvaluateOption) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, stepWithin)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T]("(() => { "+findJS+"\nreturn ("+js+"); })()", options...))
}

func get[T any](b *tab, js string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	v, err := eval[T](b, js, options...)
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", js, err)
	}
	return v
}

// await waits until an expression is true in the page. While the page changes,
// it is not.
func (b *tab) await(js string) {
	b.t.Helper()
	kwittest.Await(b.t, js, func() bool {
		ok, err := eval[bool](b, "!!("+js+")")
		return err == nil && ok
	})
}

// awaitText waits until the page shows a text.
func (b *tab) awaitText(text string) {
	b.t.Helper()
	b.await(fmt.Sprintf("shown().includes(%s)", quote(text)))
}

// awaitPath waits until the address matches, and returns its path and query.
func (b *tab) awaitPath(pattern string) string {
	b.t.Helper()
	re := regexp.MustCompile("^" + pattern + "$")
	var path string
	kwittest.Await(b.t, "the address "+pattern, func() bool {
		path, _ = eval[string](b, `document.readyState === "complete" ? location.pathname + location.search : ""`)
		return re.MatchString(path)
	})
	return path
}

func quote(text string) string { return strconv.QuoteToASCII(text) }

// open loads an address of the site.
func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + path))
}

func (b *tab) reload() {
	b.t.Helper()
	b.do(chromedp.Reload())
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepWithin)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// back presses Back some times at once.
func (b *tab) back(times int64) {
	b.t.Helper()
	history := call(b, page.GetNavigationHistory, cdp.Empty{})
	entry := history.Entries[history.CurrentIndex-times]
	call(b, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID})
}

// at waits until a control can be clicked, and tells where.
func (b *tab) at(selector string) (x, y float64) {
	b.t.Helper()
	var place []float64
	kwittest.Await(b.t, selector+" to be clickable", func() bool {
		place, _ = eval[[]float64](b, fmt.Sprintf("place(find(%s))", quote(selector)))
		return len(place) == 2
	})
	return place[0], place[1]
}

// click clicks with the mouse.
func (b *tab) click(selector string) {
	b.t.Helper()
	x, y := b.at(selector)
	b.clickAt(x, y, 1)
}

// clickAt sends the nth click of a series.
func (b *tab) clickAt(x, y float64, nth int64) {
	b.t.Helper()
	for _, kind := range []input.DispatchMouseEventType{chromedp.MousePressed, chromedp.MouseReleased} {
		call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: nth,
		})
	}
}

// doubleClick clicks twice on the same spot, whatever the first click does.
func (b *tab) doubleClick(selector string) {
	b.t.Helper()
	x, y := b.at(selector)
	b.clickAt(x, y, 1)
	b.clickAt(x, y, 2)
}

// fill replaces the text of a field as typing does.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.click(selector)
	get[bool](b, fmt.Sprintf("(find(%s).select(), true)", quote(selector)))
	call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// press presses keys, one after the other.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// value is what stands in a field.
func (b *tab) value(selector string) string {
	b.t.Helper()
	return get[string](b, fmt.Sprintf("find(%s).value", quote(selector)))
}

// want holds a field to its value.
func (b *tab) want(selector, value string) {
	b.t.Helper()
	if got := b.value(selector); got != value {
		b.t.Errorf("%s holds %q, not %q", selector, got, value)
	}
}

// withoutScript switches JavaScript off for the pages to come.
func (b *tab) withoutScript() {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// block lets no request to an address of the site through.
func (b *tab) block(path string) {
	b.t.Helper()
	call(b, network.SetBlockedURLs, network.SetBlockedURLsParams{
		URLPatterns: []*network.BlockPattern{{URLPattern: b.url + path, Block: true}},
	})
}

const (
	enter = kb.Enter
	tabs  = kb.Tab
)
