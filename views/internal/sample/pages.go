package sample

import (
	"net/url"
	"sort"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"kwit/account"
	"kwit/contract"
	"kwit/ledger"
	"kwit/views"
)

// User, Support and Admin are people who look at pages.
var (
	User    = views.Viewer{ID: Owner, Name: "Ewa Lis", Email: "ewa@example.com", RoleName: "user"}
	Support = views.Viewer{ID: id(9, 1), Name: "Jan Nowak", Email: "jan@example.com", RoleName: "support", Support: true}
	Admin   = views.Viewer{ID: id(9, 2), Name: "Ola Maj", Email: "ola@example.com", RoleName: "admin", Support: true, Admin: true}
)

// Page is the frame of a page for a person; nil is nobody.
func Page(viewer *views.Viewer, path, title string) views.Page {
	p := views.Page{Site: views.Site{Now: Now}, Title: title, Path: path, Viewer: viewer}
	if viewer != nil && viewer.Support {
		p.Doubts = views.Doubts{Count: 7, Oldest: Now.Add(-18 * time.Minute)}
	}
	return p
}

// Title names the samples' job type.
func Title(string) string { return "Summarise a text" }

// Typed is what stands in a filled form.
func Typed() url.Values {
	return url.Values{"input.language": {"Polish"}, "input.text": {"The user clicks the button. Thirty seconds\nof silence."},
		"input.words": {"120"}, "input.urgent": {"true"}}
}

// Form is the form of the samples' job type.
func Form(values url.Values, faults ...contract.Fault) views.JobForm {
	return views.JobForm{JobType: "summary", Title: Title(""), Key: "0190b2c4-key", Draft: "mac", Fields: Fields(), Values: values, Faults: faults}
}

// Pages are all pages in typical states, by name.
func Pages() map[string]templ.Component {
	pages := map[string]templ.Component{
		"sign-in": views.SignIn(with(Page(nil, "/sign-in", "Sign in"), "", "That e-mail address and password do not belong together."), "ewa@example.com", "/jobs", []views.DemoAccount{
			{Email: "user@example.com", Password: "demo-user", Role: "user", Can: "sends jobs and watches them"},
			{Email: "support@example.com", Password: "demo-support", Role: "support", Can: "clears doubts"},
			{Email: "admin@example.com", Password: "demo-admin", Role: "admin", Can: "sees the log"}}),
		"jobs":            views.Jobs(Page(&User, "/jobs", "Jobs"), views.JobsFilter{}, jobs(), Title, "40"),
		"jobs-empty":      views.Jobs(Page(&User, "/jobs", "Jobs"), views.JobsFilter{}, nil, Title, ""),
		"jobs-none-found": views.Jobs(Page(&User, "/jobs", "Jobs"), views.JobsFilter{Query: "999"}, nil, Title, ""),
		"new": views.ChooseType(Page(&User, "/jobs/new", "New job"), []views.TypeChoice{
			{Name: "summary", Title: "Summarise a text", Note: "Ten lines out of ten pages."}, {Name: "order", Title: "Order prints"}}),
		"new-form":        views.NewJob(Page(&User, "/jobs/new/summary", "Summarise a text"), Form(url.Values{}), nil),
		"new-faults":      views.NewJob(Page(&User, "/jobs/new/summary", "Summarise a text"), Form(Typed(), faults()...), nil),
		"new-sent":        views.NewJob(Page(&User, "/jobs/new/summary", "Summarise a text"), Form(Typed()), Find("running").Job),
		"conflict":        views.Conflict(Page(&User, "/jobs/new", "Already sent"), Find("running").Job, typedJSON, Form(Typed())),
		"not-found":       views.Error(Page(&User, "/x", "Not found"), 404, "There is nothing here", "The address may be mistyped, or it belongs to somebody else.", "/jobs", "01JDZ3"),
		"outcome-unknown": views.OutcomeUnknown(Page(&User, "/jobs/new", "Not known"), Form(Typed()), 5*time.Second),
		"account":         views.Account(Page(&User, "/account", "Account"), tokens(), "kwit_7hG2example", id(9, 3)),
	}
	for _, c := range Cases() {
		pages["job-"+c.Name] = views.Job(Page(&User, "/jobs/"+c.Job.ID.String(), "Ticket"), c.Job, Title(""), Fields(), c.History(), true)
	}
	addOperators(pages)
	return pages
}

func addOperators(pages map[string]templ.Component) {
	cases := OpenCases()
	refused := &views.ActForm{Attempt: cases[1].ID, Act: "resolve", Status: "succeeded", Result: `{"words": 3}`, Reason: "the log of the farm says so",
		Faults: []contract.Fault{{Pointer: "/summary", Detail: "is required"}}}
	pages["console"] = views.Console(Page(&Support, "/console", "Attempts in doubt"), ledger.Unknown, cases, nil, "next")
	pages["console-refused"] = views.Console(with(Page(&Support, "/console", "Attempts in doubt"), "", "Nothing was changed: the result does not keep the output contract."), ledger.Unknown, cases, refused, "")
	pages["console-empty"] = views.Console(with(Page(&Support, "/console", "Attempts in doubt"), "Attempt 1 of ticket 45 is cancelled.", ""), ledger.Unknown, nil, nil, "")
	for _, name := range []string{"racing", "unknown", "late", "paused", "gone", "accepted", "asked", "replayed"} {
		c := Find(name)
		pages["console-job-"+name] = views.ConsoleJob(Page(&Admin, "/console/jobs/x", "Ticket"), c.Job, Title(""),
			views.Owner{Name: User.Name, Email: User.Email}, Fields(), c.History(), true, nil)
	}
	var late []ledger.LateResult
	var events []ledger.Event
	for _, c := range Cases() {
		late, events = append(late, c.Late...), append(events, c.Events...)
	}
	addProviders(pages)
	pages["late-results"] = views.LateResults(Page(&Admin, "/admin/late-results", "Late results"), late, "12")
	pages["events"] = views.Events(Page(&Admin, "/admin/events", "Events"), events, "200")
}

func addProviders(pages map[string]templ.Component) {
	known := Find("paused").History().Providers
	farm := known["farm"]
	farm.Asking, farm.CallsBack = views.AskStatus, true
	list := []views.Provider{known["inkjet"], known["laser"], farm, known.Of("plotter")}
	loads := []ledger.Load{
		{Provider: "farm", State: ledger.Running, Attempts: 3, Oldest: Now.Add(-time.Minute)},
		{Provider: "farm", State: ledger.Unknown, Attempts: 2, Oldest: Now.Add(-18 * time.Minute)},
		{Provider: "farm", State: ledger.Released, Attempts: 1, Oldest: Now.Add(-time.Hour)},
		{Provider: "laser", State: ledger.Pending, Attempts: 14, Oldest: Now.Add(-4 * time.Minute)},
		{Provider: "plotter", State: ledger.Pending, Attempts: 1, Oldest: Now.Add(-26 * time.Hour)},
	}
	page := Page(&Admin, "/admin/providers", "Providers")
	pages["providers"] = views.ProviderList(page, list, loads, nil)
	pages["providers-refused"] = views.ProviderList(with(page, "", "A reason is required."), list, loads,
		&views.ProviderForm{Provider: "farm", Reason: "", Problem: "Say why: the reason stands in the audit log."})
	pages["providers-none"] = views.ProviderList(page, nil, nil, nil)
}

// Names are the names of all pages, in order.
func Names() []string {
	var names []string
	for name := range Pages() {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func with(p views.Page, notice, problem string) views.Page {
	p.Notice, p.Problem = notice, problem
	return p
}

var typedJSON = []byte(`{"language":"Polish","text":"The user clicks the button. Thirty seconds\nof silence.","words":120,"urgent":true}`)

func faults() []contract.Fault {
	return []contract.Fault{
		{Pointer: "/text", Detail: "must have at least 100 characters"},
		{Pointer: "/tone", Detail: "is not one of the choices"},
		{Pointer: "/sender/name", Detail: "is required"},
		{Pointer: "/extra/list/0", Detail: "must be a string"},
	}
}

func jobs() []ledger.Job {
	var list []ledger.Job
	for _, c := range Cases() {
		list = append(list, *c.Job)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Number > list[j].Number })
	return list
}

// OpenCases are attempts in doubt as the console lists them.
func OpenCases() []views.Case {
	var list []views.Case
	for i, name := range []string{"worker-lost", "unknown"} {
		c := Find(name)
		open := ledger.OpenCase{Attempt: c.Job.Attempts[0], Number: c.Job.Number, JobType: c.Job.JobType,
			OwnerName: User.Name, OwnerMail: User.Email, Repeatable: i == 1}
		list = append(list, views.Case{OpenCase: open, Provider: Providers().Of(open.Attempt.Provider)})
	}
	return list
}

func tokens() []account.Token {
	used, gone := Now.Add(-3*time.Hour), Now.Add(-time.Hour)
	return []account.Token{
		{ID: uuid.MustParse("0190a700-0000-7000-8000-000000000001"), Name: "nightly", CreatedAt: Now.Add(-40 * 24 * time.Hour), LastUsedAt: &used},
		{ID: uuid.MustParse("0190a700-0000-7000-8000-000000000002"), Name: "laptop", CreatedAt: Now.Add(-2 * time.Hour), RevokedAt: &gone},
	}
}
