package views_test

import (
	"testing"

	. "kwit/views/htmlcheck"

	"kwit/ledger"
	"kwit/views"
	"kwit/views/internal/sample"
)

// TestC14_LateResultsList shows what came too late, why it lost, by how much,
// and against which winner.
func TestC14_LateResultsList(t *testing.T) {
	t.Parallel()
	late := sample.Find("late").Late
	late = append(late, late[0])
	late[1].Why, late[1].WinnerID = ledger.AfterFailure, nil
	check(t, views.LateResults(sample.Page(&sample.Admin, "/admin/late-results", ""), late, "7"),
		Count("tbody tr", 2),
		In("tbody tr", Text("^44 inkjet attempt 1 summary another attempt had won 4 s laser attempt 2 3,207 303132333435… 1 h ago$")),
		In("tbody", Text("the attempt had failed already 4 s none")),
		In(".more-link a", Attr("href", `/admin/late-results\?cursor=7`)))
	check(t, views.LateResults(sample.Page(&sample.Admin, "/admin/late-results", ""), nil, ""), In(".empty"), None("table"), None(".more-link"))
}

func TestEventsList(t *testing.T) {
	t.Parallel()
	c := sample.Find("late")
	check(t, views.Events(sample.Page(&sample.Admin, "/admin/events", ""), c.Events, ""),
		Count("tbody tr", len(c.Events)),
		In("tbody tr", Text("^12:04:22 UTC kwit attempt added 44 pending$"), In("a", Attr("href", "/console/jobs/.*"))))
	check(t, views.Events(sample.Page(&sample.Admin, "/admin/events", ""), nil, ""), In(".empty"))
	for why, words := range map[ledger.LateReason]string{ledger.LostRace: "another attempt had won lost_race", ledger.Fenced: "the attempt had been ended fenced"} {
		e := c.Events[0]
		e.Action, e.Reason = ledger.ActionLateResult, string(why)
		check(t, views.Events(sample.Page(&sample.Admin, "/admin/events", ""), []ledger.Event{e}, ""), In("tbody tr", Text(words+"$"), In("code", Text("^"+string(why)+"$"))))
	}
}

func TestJobsList(t *testing.T) {
	t.Parallel()
	p := sample.Page(&sample.User, "/jobs", "Jobs")
	jobs := []ledger.Job{*sample.Find("unknown").Job, *sample.Find("done").Job}
	check(t, views.Jobs(p, views.JobsFilter{State: ledger.JobUnknown, JobType: "summary"}, jobs, sample.Title, "43"),
		Count(".job-row", 2), In(".job-row", Text("^45 Summarise a text unknown 2 min ago$")),
		In(".chips [aria-current]", Text("^unknown$"), Attr("href", `/jobs\?job_type=summary&state=unknown`)), Count(".chip", 8),
		In(".more-link a", Attr("href", `/jobs\?cursor=43&job_type=summary&state=unknown`)),
		In("form[role=search]", Attr("action", "/jobs"), Attr("method", "get"), In("[name=q]")))
	check(t, views.Jobs(p, views.JobsFilter{State: ledger.JobFailed}, nil, sample.Title, ""), In(".empty", Text("Nothing here at the moment")))
	check(t, views.Jobs(p, views.JobsFilter{Query: "<999>"}, nil, sample.Title, ""), In(".empty", Text("called “<999>”")), In("#q", Attr("value", "<999>")))
}

func TestSignInAndAccount(t *testing.T) {
	t.Parallel()
	p := sample.Page(nil, "/sign-in", "Sign in")
	p.Problem = "That did not fit."
	demo := []views.DemoAccount{{Email: "user@example.com", Password: "demo", Role: "user", Can: "sends jobs"}}
	check(t, views.SignIn(p, "ewa@example.com", "/jobs/1", demo),
		Count("[role=alert]", 1), In(".narrow [role=alert]", Text("That did not fit")),
		In("form.card", Attr("action", "/sign-in"), Hidden("next", "/jobs/1"), In("#email", Attr("value", "ewa@example.com")), In("#password", Attr("autofocus", ""))),
		In(".demo form", Hidden("email", "user@example.com"), Hidden("password", "demo"), Hidden("next", "/jobs/1")))
	account := sample.Page(&sample.User, "/account", "Account")
	check(t, views.Account(account, nil, "", sample.Owner), None("#fresh-token"), In("section", Text("You have no token")),
		In("form[action=/account/password]", In("[name=current]"), In("[name=new]")))
	check(t, views.Account(account, nil, "kwit_secret", sample.Owner), In("#fresh-token", Text("^kwit_secret$")))
}
