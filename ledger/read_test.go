package ledger_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/ledger"
	"kwit/outcome"
)

func TestDoubtsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if n, oldest, err := w.Doubts(t.Context()); n != 0 || oldest != nil || err != nil {
		t.Errorf("without any: %d, %v, %v", n, oldest, err)
	}
	_, a := w.running("k1")
	w.doubt(a)
	_, b := w.running("k2")
	w.doubt(b)
	n, oldest, err := w.Doubts(t.Context())
	if err != nil || n != 2 || !oldest.Equal(w.attempt(a).StateAt) {
		t.Errorf("of two: %d, %v, %v", n, oldest, err)
	}
}

func numbers(jobs []ledger.Job) (all []int64) {
	for _, j := range jobs {
		all = append(all, j.Number)
	}
	return all
}

func TestJobsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var made []int64
	for i := range 6 {
		s := w.submission(fmt.Sprint("k", i), `{}`)
		if i%2 == 1 {
			s.JobType = "order"
		}
		r, err := w.Submit(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			w.cancelJob(r.Job)
		}
		made = append([]int64{r.Job.Number}, made...)
	}
	cases := []struct {
		filter ledger.JobFilter
		want   []int64
	}{
		{ledger.JobFilter{}, made},
		{ledger.JobFilter{Before: made[1]}, made[2:]},
		{ledger.JobFilter{Limit: 2}, made[:2]},
		{ledger.JobFilter{State: ledger.JobCancelled}, made[4:]},
		{ledger.JobFilter{State: ledger.JobCancelled, Before: made[4]}, made[5:]},
		{ledger.JobFilter{JobType: "order"}, []int64{made[0], made[2], made[4]}},
		{ledger.JobFilter{JobType: "order", Before: made[0], Limit: 1}, []int64{made[2]}},
		{ledger.JobFilter{JobType: "order", State: ledger.JobCancelled}, []int64{made[4]}},
		{ledger.JobFilter{State: ledger.JobFailed}, nil},
		{ledger.JobFilter{Owner: uuid.New()}, nil},
	}
	for _, c := range cases {
		f := c.filter
		if f.Owner == uuid.Nil {
			f.Owner = w.owner
		}
		if f.Limit == 0 {
			f.Limit = 100
		}
		jobs, err := w.Jobs(t.Context(), f)
		if err != nil || !slices.Equal(numbers(jobs), c.want) {
			t.Errorf("%+v: %v, %v; want %v", c.filter, numbers(jobs), err, c.want)
		}
	}
}

func TestOthersJobsAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	a, stranger := job.Attempts[0], uuid.New()
	_, err := w.Job(t.Context(), stranger, job.ID)
	wantIs(t, err, ledger.ErrNotFound)
	_, err = w.JobByKey(t.Context(), stranger, "k")
	wantIs(t, err, ledger.ErrNotFound)
	_, err = w.JobIDByNumber(t.Context(), stranger, job.Number)
	wantIs(t, err, ledger.ErrNotFound)
	_, err = w.Attempt(t.Context(), stranger, a.ID)
	wantIs(t, err, ledger.ErrNotFound)
	_, err = w.AnswerOf(t.Context(), stranger, a.ID)
	wantIs(t, err, ledger.ErrNotFound)
	_, err = w.OwnerOfJob(t.Context(), stranger)
	wantIs(t, err, ledger.ErrNotFound)
	_, err = w.OwnerOfAttempt(t.Context(), stranger)
	wantIs(t, err, ledger.ErrNotFound)
	_, err = w.JobTypeVersion(t.Context(), "no such digest")
	wantIs(t, err, ledger.ErrNotFound)
}

// Operators find the owner first, by whatever they were told.
func TestOperatorsFindTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	byJob, err1 := w.OwnerOfJob(t.Context(), job.ID)
	byAttempt, err2 := w.OwnerOfAttempt(t.Context(), job.Attempts[0].ID)
	id, err3 := w.JobIDByNumber(t.Context(), job.OwnerID, job.Number)
	if byJob != w.owner || byAttempt != w.owner || id != job.ID {
		t.Errorf("%s, %s, %s: %v, %v, %v", byJob, byAttempt, id, err1, err2, err3)
	}
	version, err := w.JobTypeVersion(t.Context(), job.JobTypeDigest)
	if err != nil || version.JobType != "summary" || !version.Repeatable || string(version.Definition) != `{}` {
		t.Errorf("%+v, %v", version, err)
	}
}

func TestOpenCasesOldestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []uuid.UUID
	for i := range 5 {
		_, a := w.running(fmt.Sprint("k", i))
		w.doubt(a)
		want = append(want, a.ID)
	}
	w.exec(`UPDATE attempts SET state_at = (SELECT min(state_at) FROM attempts)`) // all at one instant
	slices.SortFunc(want, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	var got []uuid.UUID
	var after ledger.CaseCursor
	for {
		page, err := w.OpenCases(t.Context(), ledger.Unknown, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, c := range page {
			got = append(got, c.ID)
			if c.OwnerMail != "ewa@example.com" || !c.Repeatable || c.Outcome != outcome.Timeout || c.Number == 0 || c.JobType != "summary" {
				t.Errorf("case %+v", c)
			}
		}
		after = ledger.CaseCursor{At: page[len(page)-1].StateAt, ID: page[len(page)-1].ID}
	}
	if !slices.Equal(got, want) {
		t.Errorf("cases %v, want %v", got, want)
	}
}

func TestLogsArePagedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, a := w.running("k")
	w.cancel(a)
	for i := range 3 {
		w.complete(a, fmt.Sprint(i))
	}
	newest, err := w.LateResults(t.Context(), 0, 2)
	if err != nil || len(newest) != 2 || newest[0].Seq < newest[1].Seq {
		t.Fatalf("%+v, %v", newest, err)
	}
	older, err := w.LateResults(t.Context(), newest[1].Seq, 9)
	if err != nil || len(older) != 1 || older[0].Seq >= newest[1].Seq {
		t.Errorf("%+v, %v", older, err)
	}
	events, err := w.Events(t.Context(), 0, 100)
	if err != nil || len(events) != 7 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if got := events[0].Number; got != newest[0].Number || got == 0 {
		t.Errorf("the event of ticket %d is one of ticket %d", newest[0].Number, got)
	}
	rest, err := w.Events(t.Context(), events[4].Seq, 100)
	if err != nil || len(rest) != 2 || rest[0].Seq != events[5].Seq {
		t.Errorf("%+v, %v", rest, err)
	}
}

// The change counter moves with every change of the job or its attempts, and
// with nothing else.
func TestRevisionMovesWithEveryChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit("k")
	a := job.Attempts[0]
	ref := ledger.JobRef{Owner: job.OwnerID, Job: job.ID}
	last := job.Revision
	moved := func(what string, want bool) {
		t.Helper()
		got, err := w.Revisions(t.Context(), []ledger.JobRef{ref, {Owner: w.owner, Job: uuid.New()}})
		if err != nil || len(got) != 1 || (got[ref] > last) != want {
			t.Errorf("%s: revisions %v after %d, %v", what, got, last, err)
		}
		last = got[ref]
	}
	moved("nothing", false)
	a = w.claim(a)
	moved("claim", true)
	if _, _, err := w.Beat(t.Context(), []ledger.Held{{Owner: a.OwnerID, Attempt: a.ID, Stamp: stampOf(a), Sent: true}}); err != nil {
		t.Fatal(err)
	}
	moved("heartbeat", false)
	if _, err := w.Accept(t.Context(), a.OwnerID, a.ID, ledger.Call{}); err != nil {
		t.Fatal(err)
	}
	moved("accept", true)
	w.doubt(a)
	moved("doubt", true)
	w.release(a)
	moved("release", true)
	b := w.again(job)
	moved("try again", true)
	w.complete(w.claim(b), `1`)
	moved("complete", true)
	w.complete(a, `2`)
	moved("a late result", true)
	w.complete(a, `2`)
	moved("the same late result", false)
}

// The hint tells of what was committed, and of nothing that was refused.
func TestChangedIsToldOfCommittedChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	told := map[uuid.UUID]int{}
	l := ledger.New(w.pool, ledger.Options{Waker: asleep{}, Changed: func(_, job uuid.UUID) { told[job]++ }})
	for range 2 {
		if _, err := l.Submit(t.Context(), w.submission("k", `{}`)); err != nil {
			t.Fatal(err)
		}
	}
	job, err := w.JobByKey(t.Context(), w.owner, "k")
	if err != nil || told[job.ID] != 1 {
		t.Fatalf("told %v of two submissions with one key, %v", told, err)
	}
	a := w.claim(job.Attempts[0])
	if _, err := l.Resolve(t.Context(), ledger.Resolution{AttemptAct: w.act(a)}); err == nil {
		t.Fatal("a running attempt was resolved")
	}
	if told[job.ID] != 1 {
		t.Error("told of a refusal")
	}
	if _, err := l.Complete(t.Context(), w.completion(a, `1`)); err != nil || told[job.ID] != 2 {
		t.Errorf("told %d times, %v", told[job.ID], err)
	}
}

func TestTimesAreTheDatabases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var before, after time.Time
	now := func(at *time.Time) {
		if err := w.pool.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(at); err != nil {
			t.Fatal(err)
		}
	}
	now(&before)
	job, a := w.running("k")
	w.complete(a, `1`)
	now(&after)
	j, got := w.job(job), w.attempt(a)
	order := []time.Time{before, j.CreatedAt, got.CreatedAt, *got.StartedAt, *j.CompletedAt, *got.EndedAt, after}
	if !slices.IsSortedFunc(order, time.Time.Compare) {
		t.Errorf("times out of order: %v", order)
	}
}
