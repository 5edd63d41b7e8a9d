package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"kwit/ledger"
)

func TestAnAdminPausesAProviderAndResumesIt(t *testing.T) {
	w := newWorld(t)
	ada := w.ada()
	b := w.signedIn(ada)
	id := w.newJob(w.ewa, "k")
	form := b.get("/admin/providers").want(http.StatusOK).says("inkjet", "laser", "attempts go to it").form("/admin/providers/inkjet/pause")
	b.post("/admin/providers/inkjet/pause", form).want(http.StatusUnprocessableEntity).says("Say why")
	form.Set("reason", "toner is being changed")
	if to := b.post("/admin/providers/inkjet/pause", form).leads(); to != "/admin/providers" {
		t.Errorf("led to %s", to)
	}
	paused := b.get("/admin/providers").says("paused", ada.Email, "toner is being changed")
	_, _, err := w.ledger.Claim(t.Context(), ledger.Claim{Owner: w.ewa.ID, Attempt: w.job(w.ewa, id).OpenAttempt().ID, Node: w.node, Stamp: uuid.New()})
	if err != ledger.ErrWait {
		t.Fatalf("a claim at a paused provider: %v", err)
	}
	w.signedIn(w.ewa).get("/jobs/" + id).says("inkjet is paused; your request waits and is not lost")
	w.signedIn(w.sam()).get("/console?state=pending").says("inkjet is paused by " + ada.Email + ": toner is being changed")
	b.get("/admin/events").says("provider paused", "inkjet: toner is being changed", ada.Email)

	b.post("/admin/providers/inkjet/resume", paused.form("/admin/providers/inkjet/resume")).leads()
	w.claim(w.ewa, id)
	b.get("/admin/providers").says("1 of 64 at once")
}

// TestAPauseIsMeantForTheStateThatWasSeen: of two who pause one is told by whom
// it is paused, and a stale page does not lift a pause that it never showed.
func TestAPauseIsMeantForTheStateThatWasSeen(t *testing.T) {
	w := newWorld(t)
	ada := w.ada()
	b := w.signedIn(ada)
	var both sync.WaitGroup
	statuses := make([]int, 2)
	for i, reason := range []string{"first", "second"} {
		both.Go(func() { statuses[i] = b.post("/admin/providers/laser/pause", fields("reason", reason)).status })
	}
	both.Wait()
	if statuses[0]+statuses[1] != http.StatusSeeOther+http.StatusConflict {
		t.Errorf("answered %v", statuses)
	}
	b.post("/admin/providers/laser/pause", fields("reason", "third")).want(http.StatusConflict).
		says("is paused now, by "+ada.Email, "third")

	stale := b.get("/admin/providers").form("/admin/providers/laser/resume")
	b.post("/admin/providers/laser/resume", stale).leads()
	b.post("/admin/providers/laser/resume", stale).want(http.StatusConflict).says("laser is not paused now")
	b.post("/admin/providers/laser/pause", fields("reason", "smoke")).leads()
	b.post("/admin/providers/laser/resume", stale).want(http.StatusConflict).says("smoke")
	b.post("/admin/providers/laser/resume", fields("since", "yesterday")).want(http.StatusBadRequest)
	b.post("/admin/providers/nothing/pause", fields("reason", "r")).want(http.StatusNotFound)
	b.post("/admin/providers/laser/pause", fields("reason", strings.Repeat("a", 2001))).want(http.StatusUnprocessableEntity)
	for _, p := range []person{w.ewa, w.sam()} {
		w.signedIn(p).get("/admin/providers").want(http.StatusForbidden)
		w.signedIn(p).post("/admin/providers/laser/resume", stale).want(http.StatusForbidden)
	}
}

// fewer is the tests' configuration after inkjet and the job type are gone.
const fewer = `
providers:
  laser: {kind: simulator}
job_types:
  other:
    title: Something else
    input: {type: object, properties: {}}
    output: {type: object}
    route: [laser]
`

// TestAProviderThatIsGone: its attempt says so in words, and can be cancelled or
// resolved (2-ledger, "When the world changes under an open job").
func TestAProviderThatIsGone(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	pending, doubt := w.newJob(w.ewa, "pending"), w.newJob(w.ewa, "doubt")
	a := w.doubt(w.ewa, doubt)
	w.exec(`INSERT INTO provider_pauses (provider, paused_by, reason) SELECT 'plotter', id, 'no paper' FROM users LIMIT 1`)
	later := secondServer(w, fewer)
	user, support := later.signedIn(w.ewa), later.signedIn(sam)

	user.get("/jobs/" + pending).want(http.StatusOK).says("inkjet is no longer set up here, so your request is not sent there")
	user.get("/jobs/"+doubt).want(http.StatusOK).says("inkjet is no longer set up here, so it cannot be asked", "may have been charged")
	support.get("/console?state=pending").says("inkjet is no longer configured, so it is not sent")
	support.get("/console").says("there is nobody to ask")
	later.call(sam, "POST", "/attempts/"+a.ID.String()+"/enquire", "{}").problem(http.StatusConflict, "cannot-enquire")
	later.signedIn(w.ada()).get("/admin/providers").says("inkjet", "no longer configured", "plotter", "no paper")

	waiting := w.job(w.ewa, pending).Attempts[0].ID.String()
	form := support.get("/console/jobs/" + pending).form("/console/attempts/" + waiting + "/cancel")
	form.Set("reason", "it does not come back")
	support.post("/console/attempts/"+waiting+"/cancel", form).leads()
	later.call(sam, "POST", "/attempts/"+a.ID.String()+"/resolve", `{"reason":"r","status":"succeeded","result":{"summary":"found"}}`).want(http.StatusOK)
}

// TestAJobTypeThatIsGone takes no new jobs; its old ones are shown and settled.
func TestAJobTypeThatIsGone(t *testing.T) {
	w := newWorld(t)
	id := w.newJob(w.ewa, "k")
	a := w.claim(w.ewa, id)
	later := secondServer(w, fewer)
	later.submit(w.ewa, "new", summary("a")).problem(http.StatusUnprocessableEntity, "unprocessable")
	later.submit(w.ewa, "k", summary("a text for k")).want(http.StatusOK)
	later.signedIn(w.ewa).get("/jobs/new/summary").want(http.StatusNotFound)
	w.answer(a, `{"summary":"s"}`)
	later.signedIn(w.ewa).get("/jobs/" + id).want(http.StatusOK).says("Here is your result")
}
