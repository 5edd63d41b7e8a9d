package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"kwit/account"
)

// look is one way to look at a page.
type look struct {
	theme  string
	width  int64
	height int64
}

var looks = []look{{"light", 1100, 860}, {"dark", 1100, 860}, {"light", 390, 844}, {"dark", 390, 844}}

// narrowest is the width at which nothing may have to be scrolled sideways, in
// CSS pixels.
const narrowest = 360

// Every page, in light and dark, wide and narrow: axe finds nothing serious, and
// nothing has to be scrolled sideways. With KWIT_SCREENSHOTS=DIR the pages are
// left there as pictures.
func TestPagesAreAccessible(t *testing.T) {
	w := newDemo(t, holding, "2s")
	axe, err := os.ReadFile("../../node_modules/axe-core/axe.min.js")
	if err != nil {
		lacking(t, "axe-core is not in node_modules: run npm ci")
	}
	ewa, ola := w.person(t, "ewa", account.RoleUser), w.person(t, "ola", account.RoleAdmin)
	jobs := w.manyStates(t, ewa, ola)
	visit := func(who *person, name, path string, prepare ...func(*tab)) {
		t.Run(name, func(t *testing.T) {
			who.open(path)
			for _, step := range prepare {
				step(who.tab)
			}
			for _, l := range looks {
				who.wear(l)
				who.picture(t, name, l)
				who.wantNoViolations(t, string(axe), l)
			}
			who.wantNoSidewaysScroll(t)
		})
	}
	for _, jobType := range []string{"summary", "order", "render", "label"} {
		visit(ewa, "form-"+jobType, "/jobs/new/"+jobType)
	}
	visit(ewa, "form-refused", "/jobs/new/render", func(b *tab) {
		b.fill("[name='input.scene']", "Not a scene!")
		b.fill("[name='input.frames']", "many")
		b.click("button=Send")
		b.awaitText("Nothing was started yet")
	})
	visit(ewa, "choose", "/jobs/new")
	visit(ewa, "jobs", "/jobs")
	visit(ewa, "jobs-none", "/jobs?q=999999")
	visit(ewa, "not-found", "/jobs/nothing")
	visit(ewa, "forbidden", "/console")
	visit(ewa, "account", "/account")
	for state, job := range jobs {
		visit(ewa, "job-"+state, "/jobs/"+job.String())
	}
	visit(ewa, "job-cancel", "/jobs/"+jobs["unknown"].String(), func(b *tab) { b.click("button=Cancel the job") })
	visit(ewa, "conflict", "/jobs/new/order?form="+w.keyOf(jobs["succeeded"]), func(b *tab) {
		b.awaitText("This form was sent already")
		b.fill("[name='input.message']", "Happy birthday, dear Jan")
		b.click("button=Send")
		b.await("find('.sides')")
	})
	visit(ola, "console", "/console")
	visit(ola, "console-open", "/console", func(b *tab) { b.click("summary:has(+ form[action$=resolve])") })
	visit(ola, "console-released", "/console?state=released")
	for state, job := range jobs {
		visit(ola, "console-job-"+state, "/console/jobs/"+job.String())
	}
	visit(ola, "late-results", "/admin/late-results")
	visit(ola, "events", "/admin/events")
	ewa.click("button=Sign out")
	ewa.awaitPath("/sign-in")
	visit(ewa, "sign-in", "/sign-in")
	visit(ewa, "sign-in-refused", "/sign-in", func(b *tab) {
		b.fill("#email", "ewa@kwit.example")
		b.fill("#password", "wrong")
		b.click("button=Sign in")
		b.awaitText("is wrong")
	})
}

// manyStates makes a job of each state, with a late result among them.
func (w *world) manyStates(t *testing.T, ewa, ola *person) map[string]uuid.UUID {
	t.Helper()
	api, support := ewa.api(), ola.api()
	submit := func(jobType string, input map[string]any) uuid.UUID {
		return api.Submit(uuid.NewString(), jobType, input).ID
	}
	order := map[string]any{"item": "photo-book", "quantity": 2, "message": "Happy birthday"}
	jobs := map[string]uuid.UUID{}

	jobs["failed"] = submit("order", order)
	w.refuse(t, w.held(t, jobs["failed"], 1))
	jobs["succeeded"] = submit("order", order)
	w.farm.Release(w.held(t, jobs["succeeded"], 1), nil)
	jobs["cancelled"] = submit("order", order)
	late := w.held(t, jobs["cancelled"], 1)
	api.AwaitState(jobs["cancelled"], "unknown")
	api.MustCall("POST", "/jobs/"+jobs["cancelled"].String()+"/cancel", map[string]any{})
	support.MustCall("POST", "/attempts/"+late+"/cancel", map[string]any{"reason": "the customer phoned"})
	w.farm.Release(late, nil)
	scene := map[string]any{"scene": "harbour-at-dawn", "frames": 24, "notes": "Keep the fog.\nThe second camera."}
	jobs["released"] = submit("render", scene)
	slow := w.held(t, jobs["released"], 1)
	api.AwaitState(jobs["released"], "unknown")
	support.MustCall("POST", "/attempts/"+slow+"/release", map[string]any{"reason": "the farm is slow"})
	jobs["race"] = submit("render", scene)
	primary := w.held(t, jobs["race"], 1)
	api.AwaitState(jobs["race"], "unknown")
	support.MustCall("POST", "/attempts/"+primary+"/release", map[string]any{"reason": "the farm is slow"})
	api.MustCall("POST", "/jobs/"+jobs["race"].String()+"/attempts", map[string]any{"ordinal": 2})
	w.farm.Release(w.held(t, jobs["race"], 2), nil)
	api.AwaitState(jobs["race"], "succeeded")
	w.farm.Release(primary, nil)
	jobs["unknown"] = submit("order", order)
	for name, state := range map[string]string{
		"failed": "failed", "succeeded": "succeeded", "cancelled": "cancelled", "released": "unknown", "unknown": "unknown",
	} {
		api.AwaitState(jobs[name], state)
	}
	w.awaitLateResults(t, 2)
	return jobs
}

// wear emulates a theme and a size.
func (b *tab) wear(l look) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	b.size(l.width, l.height)
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
}

// picture leaves a picture of the whole page, where they are wanted.
func (b *tab) picture(t *testing.T, name string, l look) {
	t.Helper()
	dir := os.Getenv("KWIT_SCREENSHOTS")
	if dir == "" {
		return
	}
	whole := true
	shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &whole})
	path := filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, l.width, l.theme))
	if err := os.WriteFile(path, shot.Data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// violation is a finding of axe.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	HTML   string `json:"html"`
}

// wantNoViolations runs axe in the page. It comes in through the debugger, since
// the page's own policy lets no foreign script in.
func (b *tab) wantNoViolations(t *testing.T, axe string, l look) {
	t.Helper()
	found := get[[]violation](b, `(async () => { if (!window.axe) { `+axe+` }
		const { violations, passes } = await axe.run(document);
		if (passes.length < 10) throw new Error("axe looked at nothing");
		return violations.filter((v) => v.impact === "serious" || v.impact === "critical")
			.map((v) => ({ id: v.id, impact: v.impact, help: v.help, html: v.nodes.map((n) => n.html).join("\n").slice(0, 1000) }));
	})()`, chromedp.EvalAwaitPromise)
	for _, v := range found {
		t.Errorf("%s at %d: %s (%s): %s\n%s", l.theme, l.width, v.ID, v.Impact, v.Help, v.HTML)
	}
}

func (b *tab) wantNoSidewaysScroll(t *testing.T) {
	t.Helper()
	b.size(narrowest, 800)
	wide := get[[]string](b, `document.documentElement.scrollWidth <= innerWidth ? [] :
		[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll"))
			.map((e) => e.outerHTML.slice(0, 120))`)
	for _, html := range wide {
		t.Errorf("at %d pixels this is too wide: %s", narrowest, html)
	}
}
