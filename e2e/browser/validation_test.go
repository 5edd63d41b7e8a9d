package browser_test

import (
	"testing"

	"kwit/account"
)

// A form that cannot be accepted comes back as it was sent, says what is wrong
// where it is wrong, and leads there.
func TestRefusedFormKeepsWhatWasTyped(t *testing.T) {
	w := newDemo(t, quick, "10s")
	p := w.person(t, "ewa", account.RoleUser)
	p.open("/jobs/new/render")
	p.awaitPath(`/jobs/new/render\?form=.*`)
	key := p.value(keyField)
	typed := map[string]string{
		"[name='input.scene']":  "Not a scene!",
		"[name='input.frames']": "9007199254740993",
		"[name='input.scale']":  "0.50",
		"[name='input.notes']":  "  two lines\nand <b>markup</b>  ",
	}
	for field, text := range typed {
		p.fill(field, text)
	}
	p.click("[name='input.denoise']")
	p.click("button=Send")
	p.awaitText("Nothing was started yet. 2 things need a look; what you typed is kept.")
	p.want(keyField, key)
	for field, text := range typed {
		p.want(field, text)
	}
	p.await("!find(\"[name='input.denoise']\").checked")
	p.await("document.activeElement.matches('.banner-problem')")

	// Each fault stands with its field, and nowhere else.
	faulty := get[[]string](p.tab, "[...document.querySelectorAll('[aria-invalid=true]')].map((e) => e.name)")
	if len(faulty) != 2 || faulty[0] != "input.scene" || faulty[1] != "input.frames" {
		t.Errorf("marked as faulty are %v", faulty)
	}
	dangling := get[[]string](p.tab, `[...document.querySelectorAll("[aria-describedby]")]
		.flatMap((e) => e.getAttribute("aria-describedby").split(" ")).filter((id) => id && !document.getElementById(id))`)
	if len(dangling) != 0 {
		t.Errorf("descriptions lead to ids that are not there: %v", dangling)
	}
	p.await("words(document.getElementById('f-input.scene-fault')).length > 5")
	// The first link of the summary is one Tab away. It is clicked, since the
	// second half of a made-up Enter could reach the field that it leads to.
	p.press(tabs)
	p.await("document.activeElement.hash === '#f-input.scene'")
	p.click("[href='#f-input.scene']")
	p.await("document.activeElement.name === 'input.scene'")

	p.fill("[name='input.scene']", "harbour")
	p.fill("[name='input.frames']", "24")
	p.click("button=Send")
	job := p.job()
	w.awaitState(t, job, "succeeded")
	if got := p.oneJob(); got != job {
		t.Errorf("the page shows job %s, but there is %s", job, got)
	}
}

// Every control has a name that a screen reader speaks.
func TestEveryControlHasALabel(t *testing.T) {
	w := newDemo(t, quick, "10s")
	p := w.person(t, "ewa", account.RoleUser)
	for _, jobType := range []string{"summary", "order", "render", "label"} {
		p.open("/jobs/new/" + jobType)
		p.awaitPath(`/jobs/new/.*\?form=.*`)
		nameless := get[[]string](p.tab, `[...document.querySelectorAll("main input:not([type=hidden]), main select, main textarea")]
			.filter((e) => ![...e.labels].some((l) => words(l))).map((e) => e.name)`)
		if len(nameless) != 0 {
			t.Errorf("the form of %s has no label for %v", jobType, nameless)
		}
	}
}
