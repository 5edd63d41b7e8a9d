package views_test

import (
	"testing"
	"time"

	. "kwit/views/htmlcheck"

	"kwit/views"
	"kwit/views/internal/sample"
)

// TestC06_ConflictPage shows both texts, with what differs marked, and offers
// the two ways on.
func TestC06_ConflictPage(t *testing.T) {
	t.Parallel()
	job := sample.Find("unknown").Job
	typed := []byte(`{"words":120,"language":"Polish","text":"The user clicks the button. Thirty seconds\nof silence.","tone":"warm","urgent":true}`)
	check(t, views.Conflict(sample.Page(&sample.User, "/jobs", "Conflict"), job, typed, sample.Form(sample.Typed())),
		In("h1", Text("^This form was already sent, with another text$")),
		In(".lead", Text(`^Ticket 45 was made from it 2 min ago and it is not known yet whether it was done\. A ticket never changes what it stands for, so nothing was started now\. What you typed is kept below\.$`)),
		In(".sides section[aria-labelledby=side-a]", In("h2", Text("^Ticket 45 unknown$")), Count("mark", 1), In("mark", Text("^Ten$")), Text("Tone not filled in")),
		In(".sides section[aria-labelledby=side-b]", Count("mark", 2), In("mark", Text("^Thirty$")), Text("Tone Warm")),
		In(".actions a.primary", Text("^Open ticket 45$"), Attr("href", "/jobs/"+job.ID.String())),
		In(".actions form[action=/jobs]", Hidden("idempotency_key", "0190b2c4-key"), Hidden("job_type", "summary"),
			Hidden("input.words", "120"), In("button", Text("^Submit this as a new job$"))))
}

func TestConflictOfAnotherKindAndOfAPurgedJob(t *testing.T) {
	t.Parallel()
	job := sample.Find("done").Job
	job.Input, job.JobType = nil, "order"
	check(t, views.Conflict(sample.Page(&sample.User, "/jobs", ""), job, []byte(sample.Input), sample.Form(sample.Typed())),
		In("main", Text("another kind of job: order, and now summary"), Text("Its text was removed"), Text("and is done\\.")))
}

func TestOutcomeUnknownSendsTheSameAgain(t *testing.T) {
	t.Parallel()
	f := sample.Form(sample.Typed())
	check(t, views.OutcomeUnknown(sample.Page(&sample.User, "/jobs", ""), f, 3*time.Second),
		In("h1", Text("We do not know whether it was stored")),
		In("form[action=/jobs]", Attr("data-resend", "3"), Hidden("idempotency_key", f.Key), Hidden("input.language", "Polish"),
			In("button", Text("Send the same again"))),
		In(".values", Text("Language Polish")))
	check(t, views.OutcomeUnknown(sample.Page(&sample.User, "/jobs", ""), f, 0), In("form", Attr("action", "/sign-out")),
		In("form[data-resend=1]"))
}

func TestErrorPage(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 403, 404, 405, 413, 429, 500, 503} {
		title, text := views.ErrorWords(status)
		check(t, views.Error(sample.Page(nil, "/x", title), status, title, text, "/jobs?state=failed", "req-1"),
			In("main", Text(title), Text("req-1")), In("main a[href=/jobs?state=failed]", Text("Go back")))
	}
	check(t, views.Error(sample.Page(nil, "/x", ""), 404, "x", "y", "", ""), None("#request-id"), Count("main .actions a", 1))
}
