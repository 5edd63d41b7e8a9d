package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestOperatorsSettleADoubt(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	act := func(attempt uuid.UUID, verb, body string) reply {
		t.Helper()
		return w.call(sam, "POST", "/attempts/"+attempt.String()+"/"+verb, body)
	}
	for name, c := range map[string]struct {
		verb, body, attempt, job string
	}{
		"cancelled":          {"cancel", `{"reason":"r","state":"unknown"}`, "cancelled", "failed"},
		"released":           {"release", `{"reason":"r","state":"unknown"}`, "released", "unknown"},
		"resolved as failed": {"resolve", `{"reason":"r","state":"unknown","status":"failed"}`, "failed", "failed"},
		"resolved as done":   {"resolve", `{"reason":"r","state":"unknown","status":"succeeded","result":{"summary":"1.50"}}`, "succeeded", "succeeded"},
		"whatever its state": {"cancel", `{"reason":"r"}`, "cancelled", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.newJob(w.ewa, strings.ReplaceAll(name, " ", "-"))
			a := w.doubt(w.ewa, id)
			if got := act(a.ID, c.verb, c.body).want(http.StatusOK).text("state"); got != c.attempt {
				t.Errorf("attempt %s, want %s", got, c.attempt)
			}
			if got := w.call(w.ewa, "GET", "/jobs/"+id, "").text("state"); got != c.job {
				t.Errorf("job %s, want %s", got, c.job)
			}
		})
	}
}

func TestTheSecondOperatorIsToldWhoWasFirst(t *testing.T) {
	w := newWorld(t)
	sam, ada := w.sam(), w.ada()
	a := w.doubt(w.ewa, w.newJob(w.ewa, "k"))
	path := "/attempts/" + a.ID.String()
	w.call(ada, "POST", path+"/cancel", `{"reason":"r","state":"unknown"}`).want(http.StatusOK)
	for _, c := range []struct{ verb, body string }{
		{"release", `{"reason":"r","state":"unknown"}`},
		{"cancel", `{"reason":"r","state":"unknown"}`},
		{"cancel", `{"reason":"r","state":"cancelled"}`}, // the state table does not allow it
		{"resolve", `{"reason":"r","status":"failed"}`},
	} {
		got := w.call(sam, "POST", path+"/"+c.verb, c.body).problem(http.StatusConflict, "attempt-changed")
		if got.text("state") != "cancelled" || got.text("by") != ada.Email || !strings.HasSuffix(got.text("at"), "Z") {
			t.Errorf("%s: %s", c.verb, got.raw)
		}
	}
}

func TestOperatorsCallsThatDoNotFit(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	a := w.doubt(w.ewa, w.newJob(w.ewa, "k"))
	path := "/attempts/" + a.ID.String()
	for name, c := range map[string]struct {
		verb, body string
		status     int
		code       string
		pointers   string
	}{
		"no reason":        {"cancel", `{"state":"unknown"}`, 422, "unprocessable", "/reason"},
		"empty reason":     {"release", `{"reason":" "}`, 422, "unprocessable", "/reason"},
		"long reason":      {"cancel", `{"reason":"` + strings.Repeat("a", 2001) + `"}`, 422, "unprocessable", "/reason"},
		"no state":         {"cancel", `{"reason":"r","state":"lost"}`, 422, "unprocessable", "/state"},
		"empty state":      {"cancel", `{"reason":"r","state":""}`, 422, "unprocessable", "/state"},
		"state of a type":  {"cancel", `{"reason":"r","state":1}`, 400, "malformed-request", ""},
		"foreign member":   {"cancel", `{"reason":"r","status":"failed"}`, 400, "malformed-request", ""},
		"no status":        {"resolve", `{"reason":"r"}`, 400, "malformed-request", ""},
		"odd status":       {"resolve", `{"reason":"r","status":"done"}`, 422, "unprocessable", "/status"},
		"no result":        {"resolve", `{"reason":"r","status":"succeeded"}`, 422, "unprocessable", "/result"},
		"surplus result":   {"resolve", `{"reason":"r","status":"failed","result":{}}`, 422, "unprocessable", "/result"},
		"broken contract":  {"resolve", `{"reason":"r","status":"succeeded","result":{"summary":1,"more":2}}`, 422, "result-invalid", "/more /summary"},
		"result of a type": {"resolve", `{"reason":"r","status":"succeeded","result":null}`, 422, "result-invalid", ""},
		"unknown verb":     {"revive", `{}`, 404, "not-found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(sam, "POST", path+"/"+c.verb, c.body).problem(c.status, c.code)
			if c.pointers != "" && got.pointers() != c.pointers {
				t.Errorf("pointers %q, want %q", got.pointers(), c.pointers)
			}
		})
	}
	w.call(sam, "POST", "/attempts/"+uuid.NewString()+"/cancel", `{"reason":"r"}`).problem(404, "not-found")
	if got := w.call(sam, "GET", "/attempts", "").data(); len(got) != 1 || got[0]["state"] != "unknown" {
		t.Errorf("it changed: %v", got)
	}
}

func TestReleaseIsForRepeatableWork(t *testing.T) {
	w := newWorld(t)
	order := w.submit(w.ewa, "k", `{"job_type":"order","input":{"copies":2}}`).want(201).text("id")
	a := w.doubt(w.ewa, order)
	w.call(w.sam(), "POST", "/attempts/"+a.ID.String()+"/release", `{"reason":"r"}`).problem(409, "not-repeatable")
}

func TestC14_AResolveThatFindsAWinnerIsLogged(t *testing.T) {
	w := newWorld(t)
	sam, ada := w.sam(), w.ada()
	id := w.newJob(w.ewa, "k")
	slow := w.doubt(w.ewa, id)
	w.call(sam, "POST", "/attempts/"+slow.ID.String()+"/release", `{"reason":"r"}`).want(200)
	w.call(w.ewa, "POST", "/jobs/"+id+"/attempts", `{"ordinal":2}`).want(201)
	winner := w.claim(w.ewa, id)
	w.answer(winner, `{"summary":"first"}`)

	got := w.call(sam, "POST", "/attempts/"+slow.ID.String()+"/resolve",
		`{"reason":"r","state":"released","status":"succeeded","result":{"summary":"second"}}`).want(200)
	if got.text("state") != "discarded" {
		t.Errorf("state %q", got.text("state"))
	}
	rows := w.call(ada, "GET", "/late-results", "").want(200).data()
	if len(rows) != 1 || rows[0]["attempt_id"] != slow.ID.String() || rows[0]["winner_attempt_id"] != winner.ID.String() ||
		rows[0]["why"] != "lost_race" || rows[0]["same_as_winner"] != false || len(rows[0]["sha256"].(string)) != 64 {
		t.Errorf("late results: %v", rows)
	}
	if _, told := rows[0]["usage"]; !told || rows[0]["job_id"] != id {
		t.Errorf("late results: %v", rows)
	}
	if result := w.job(w.ewa, id).Result; string(result) != `{"summary":"first"}` {
		t.Errorf("the result is %s", result)
	}
}

func TestListOfOpenAttempts(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	var want []string
	for i := range 3 {
		want = append(want, w.doubt(w.ewa, w.newJob(w.ewa, key(i))).ID.String())
	}
	var got []string
	for cursor := ""; ; {
		page := w.call(sam, "GET", "/attempts?state=unknown&limit=2&cursor="+cursor, "").want(200)
		for _, row := range page.data() {
			got = append(got, row["id"].(string))
			if row["owner"].(map[string]any)["email"] != w.ewa.Email || row["job_type"] != "summary" {
				t.Errorf("row: %v", row)
			}
		}
		if cursor = page.text("next_cursor"); cursor == "" {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("oldest first: got %v, want %v", got, want)
	}
	w.call(sam, "GET", "/attempts?state=failed", "").problem(400, "invalid-parameter")
}

func TestEventsTellWhoDidWhat(t *testing.T) {
	w := newWorld(t)
	ada := w.ada()
	id := w.newJob(w.ewa, "k")
	w.call(ada, "POST", "/jobs/"+id+"/cancel", `{"reason":"by mistake"}`, "X-Request-Id", "r-1").want(200)
	rows := w.call(ada, "GET", "/events?limit=200", "").want(200).data()
	found := false
	for _, row := range rows {
		actor := row["actor"].(map[string]any)
		if row["action"] != "job_cancelled" {
			continue
		}
		found = actor["kind"] == "user" && actor["email"] == ada.Email && row["reason"] == "by mistake" &&
			row["request_id"] == "r-1" && row["job_id"] == id && row["to"] == "cancelled"
	}
	if !found {
		t.Errorf("no such event: %v", rows)
	}
	page := w.call(ada, "GET", "/events?limit=1", "").want(200)
	next := w.call(ada, "GET", "/events?limit=1&cursor="+page.text("next_cursor"), "").want(200)
	if page.data()[0]["id"] == next.data()[0]["id"] {
		t.Error("the second page begins like the first")
	}
}
