package views_test

import (
	"net/url"
	"strings"
	"testing"

	. "kwit/views/htmlcheck"

	"kwit/contract"
	"kwit/views"
	"kwit/views/internal/sample"
)

func newJob(f views.JobForm) string { return "/jobs/new/" + f.JobType }

func TestFormFields(t *testing.T) {
	t.Parallel()
	f := sample.Form(url.Values{"input.text": {"\n two\nlines <b>"}, "input.urgent": {"on"}})
	check(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, nil),
		In("form[action=/jobs]", Attr("method", "post"), Attr("data-once", ""),
			Hidden("idempotency_key", "0190b2c4-key"), Hidden("job_type", "summary"), Hidden("draft", "mac"),
			Count("input[type=radio][name=input.language]", 2), None("input[checked][type=radio]"),
			In("textarea[name=input.text]", Attr("required", ""), Attr("aria-describedby", "f-input.text-help f-input.text-limits")),
			In("#f-input.text-limits", Text("^10 to 6,000 characters$"), Attr("data-max", "6000")),
			In("input[name=input.words]", Attr("inputmode", "numeric"), Attr("type", "text")),
			In("#f-input.words-limits", Text("^a whole number, 10 to 500$")),
			Count("select[name=input.tone] option", 3),
			In("input[name=input.urgent]", Attr("value", "true"), Attr("checked", "")),
			In("fieldset.group input[name=input.sender.due]", Attr("type", "date")),
			In("textarea.code[name=input.extra]", Attr("spellcheck", "false"))))
}

// TestTypedTextComesBackWhole: a browser drops the first line end of a text
// area, so one more stands there.
func TestTypedTextComesBackWhole(t *testing.T) {
	t.Parallel()
	const typed = "\n two\nlines <b>&amp;"
	f := sample.Form(url.Values{"input.text": {typed}})
	page := render(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, nil))
	if !strings.Contains(page, ">\n\n two\nlines &lt;b&gt;&amp;amp;</textarea>") {
		t.Error("the text area does not hold what was typed")
	}
	for _, page := range []string{
		render(t, views.OutcomeUnknown(sample.Page(&sample.User, "/jobs", ""), f, 0)),
		render(t, views.Conflict(sample.Page(&sample.User, "/jobs", ""), sample.Find("running").Job, []byte(`{}`), f)),
	} {
		if !strings.Contains(page, "name=\"input.text\" value=\"\n two\nlines &lt;b&gt;&amp;amp;\"") {
			t.Error("the hidden field does not hold what was typed")
		}
	}
}

func TestFaultsStandBesideTheirFields(t *testing.T) {
	t.Parallel()
	f := sample.Form(sample.Typed(),
		contract.Fault{Pointer: "/text", Detail: "must have at least 100 characters"},
		contract.Fault{Pointer: "/sender/name", Detail: "is required"},
		contract.Fault{Pointer: "/extra/list/0", Detail: "must be a string"},
		contract.Fault{Pointer: "", Detail: "is too large"},
		contract.Fault{Pointer: "/nobody", Detail: "is not a field of this form"})
	check(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, nil),
		In(".banner-problem[role=alert]", Text("^Nothing was started yet. 5 things need a look"), Count("li", 5),
			In("a[href=#f-input.text]", Text("^Text$")), In("a[href=#f-input.sender.name]"),
			Text("Extra must be a string \\(at /list/0\\)"), Text("The form as a whole is too large."), Text("/nobody is not a field")),
		In("#f-input.text", Attr("aria-invalid", "true"), Attr("aria-describedby", ".*f-input.text-fault")),
		In("#f-input.text-fault", Text("must have at least 100 characters")),
		In("#f-input.sender.name-fault", Text("is required")),
		None("#f-input.words-fault"),
		In("#f-input.words", Attr("value", "120")))
}

func TestOneFaultIsCountedAsOne(t *testing.T) {
	t.Parallel()
	f := sample.Form(sample.Typed(), contract.Fault{Pointer: "/text", Detail: "is required"})
	check(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, nil), In(".banner-problem", Text("One thing needs a look")))
}

func TestLimitsInWords(t *testing.T) {
	t.Parallel()
	n := func(n int) *int { return &n }
	for want, f := range map[string]contract.Field{
		"at most 200 characters":                   {Kind: contract.Text, MaxLength: n(200)},
		"at least 2 characters":                    {Kind: contract.Text, MinLength: n(2)},
		"a whole number, 3 or more":                {Kind: contract.Integer, Minimum: "3"},
		"0.5 or less":                              {Kind: contract.Number, Maximum: "0.5"},
		"more than 0 and at most 4":                {Kind: contract.Number, ExclusiveMinimum: "0", Maximum: "4"},
		"more than 0 and less than 1":              {Kind: contract.Number, ExclusiveMinimum: "0", ExclusiveMaximum: "1"},
		"a whole number, 0 to 100, in steps of 10": {Kind: contract.Integer, Minimum: "0", Maximum: "100", MultipleOf: "10"},
	} {
		f.Name, f.Label = "input.x", "X"
		form := views.JobForm{JobType: "x", Key: "k", Fields: []contract.Field{f}}
		check(t, views.NewJob(sample.Page(&sample.User, "/jobs/new/x", ""), form, nil), In(".limits", Text("^"+want+"$")))
	}
}

func TestSentAlready(t *testing.T) {
	t.Parallel()
	f := sample.Form(sample.Typed())
	job := sample.Find("running").Job
	check(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, job),
		In(".banner-notice", Text(`^This form was sent already\. Here is its ticket: ticket 42, running`), In("a", Attr("href", "/jobs/"+job.ID.String()))))
	check(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, nil), None(".banner"))
}

func TestWithoutADraftNoneIsCarried(t *testing.T) {
	t.Parallel()
	f := sample.Form(nil)
	f.Draft = ""
	check(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, nil), None("[name=draft]"))
}

// TestFaultsStandInTheOrderOfTheFields: whoever goes through the summary goes
// down the form.
func TestFaultsStandInTheOrderOfTheFields(t *testing.T) {
	t.Parallel()
	f := sample.Form(nil)
	for _, pointer := range []string{"", "/words", "/sender/due", "/text"} {
		f.Faults = append(f.Faults, contract.Fault{Pointer: pointer, Detail: "is wrong"})
	}
	page := render(t, views.NewJob(sample.Page(&sample.User, newJob(f), f.Title), f, nil))
	before := -1
	for _, place := range []string{`href="#f-input.text"`, `href="#f-input.words"`, `href="#f-input.sender.due"`, "The form as a whole"} {
		at := strings.Index(page, place)
		if at < before {
			t.Errorf("%s stands at %d, before what should precede it", place, at)
		}
		before = at
	}
}

// TestWhatIsKeptIsWhatWasTyped: fields that were left empty are no news, and what
// was typed stands in the order of the form.
func TestWhatIsKeptIsWhatWasTyped(t *testing.T) {
	t.Parallel()
	f := sample.Form(url.Values{"input.words": {"120"}, "input.text": {"a"}, "input.tone": {""}, "input.sender.name": {""}, "input.gone": {"b"}})
	check(t, views.OutcomeUnknown(sample.Page(&sample.User, "/jobs/new", ""), f, 0), In("dl.values", Text("^Text a Words 120 input.gone b$"), Count("dt", 3)))
}
