package web_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"kwit/db/dbtest"
	"kwit/ledger"
	"kwit/provider/callback"
	"kwit/web"
)

const (
	farmSecret = "whsec_dGhlIGZhcm0ncyBvd24gc2VjcmV0"
	inkSecret  = "whsec_dGhlIGlua2pldCdzIG93biBzZWNyZXQ="
)

// callable is the configuration of the tests of callbacks: two providers with
// secrets of their own, and one that has none.
const callable = `
providers:
  farm: {kind: http, url: "https://farm.example.com", callback_secret: ` + farmSecret + `, price: {per_call: 0.02, currency: EUR}}
  inkjet: {kind: http, url: "https://inkjet.example.com", callback_secret: ` + inkSecret + `}
  laser: {kind: simulator}
job_types:
  summary:
    title: Summarise a text
    input: {type: object, properties: {text: {type: string}}, required: [text]}
    output: {type: object, properties: {summary: {type: string}}, required: [summary]}
    route: [farm, inkjet, laser]
    repeatable: true
`

func callableWorld(t *testing.T, change ...func(*web.Options)) *world {
	t.Helper()
	t.Parallel()
	return worldOn(t, dbtest.New(t), callable, change...)
}

// callbackOf is a callback as a provider sends it.
type callbackOf struct {
	attempt, query string
	secret         string // empty: the farm's
	id             string // of the webhook
	at             time.Time
	body           string
	spoil          func(http.Header)
}

const succeeded = `{"status":"succeeded","result":{"summary":"by callback"},"usage":{"pages":3}}`

// callBack sends a callback; what is empty has its ordinary value.
func (w *world) callBack(c callbackOf) reply {
	w.t.Helper()
	if c.secret == "" {
		c.secret = farmSecret
	}
	if c.id == "" {
		c.id = "msg_" + uuid.NewString()
	}
	if c.at.IsZero() {
		c.at = time.Now()
	}
	if c.body == "" {
		c.body = succeeded
	}
	header, err := callback.Sign(c.secret, c.id, c.at, []byte(c.body))
	if err != nil {
		w.t.Fatal(err)
	}
	if c.spoil != nil {
		c.spoil(header)
	}
	r := mustRequest(w.t, "POST", w.url+"/api/v1/callbacks/"+c.attempt+c.query, c.body)
	r.Header = header
	return w.do(r)
}

// late counts what is logged as late.
func (w *world) late() int { w.t.Helper(); return w.count(`SELECT count(*) FROM late_results`) }

func TestACallbackSettlesItsAttempt(t *testing.T) {
	w := callableWorld(t)
	for name, c := range map[string]struct {
		prepare func(job string) *ledger.Attempt
		body    string
		attempt string
		job     string
	}{
		"accepted by a 202":                   {w.accepted, "", "succeeded", "succeeded"},
		"before our own request has returned": {func(job string) *ledger.Attempt { return w.claim(w.ewa, job) }, "", "succeeded", "succeeded"},
		"in doubt":                            {func(job string) *ledger.Attempt { return w.doubt(w.ewa, job) }, "", "succeeded", "succeeded"},
		"it failed":                           {w.accepted, `{"status":"failed","error":{"message":"out of toner"}}`, "failed", "waiting"},
		"it breaks the contract":              {w.accepted, `{"status":"succeeded","result":{"summary":1}}`, "failed", "waiting"},
	} {
		t.Run(name, func(t *testing.T) {
			job := w.newJob(w.ewa, strings.ReplaceAll(name, " ", "-"))
			a := c.prepare(job)
			got := w.callBack(callbackOf{attempt: a.ID.String(), body: c.body}).want(http.StatusOK)
			if got.text("attempt_id") != a.ID.String() || got.json["duplicate"] != false {
				t.Errorf("answered %s", got.raw)
			}
			now := w.job(w.ewa, job)
			if string(now.Attempts[0].State) != c.attempt || string(now.State) != c.job {
				t.Errorf("attempt %s, job %s", now.Attempts[0].State, now.State)
			}
			if c.attempt == "succeeded" && string(now.Result) != `{"summary":"by callback"}` {
				t.Errorf("the result is %s", now.Result)
			}
		})
	}
}

// accepted does a worker's part up to the provider's 202.
func (w *world) accepted(job string) *ledger.Attempt {
	w.t.Helper()
	a := w.claim(w.ewa, job)
	taken, err := w.ledger.Accept(w.t.Context(), a.OwnerID, a.ID, ledger.Call{Sent: true, Timeout: time.Minute, ProviderRequestID: "render-7"})
	if err != nil || !taken {
		w.t.Fatal(taken, err)
	}
	return a
}

func TestTheAnswerOfARequestThatWasCalledBackAboutIsNoSecondOne(t *testing.T) {
	w := callableWorld(t)
	job := w.newJob(w.ewa, "k")
	a := w.claim(w.ewa, job)
	w.callBack(callbackOf{attempt: a.ID.String()}).want(http.StatusOK)
	if v := w.answer(a, `{"summary":"by callback"}`); v.State != ledger.Succeeded || v.Late != "" || w.late() != 0 {
		t.Errorf("the same answer again: %+v, %d late results", v, w.late())
	}
	if taken, err := w.ledger.Accept(t.Context(), a.OwnerID, a.ID, ledger.Call{}); err != nil || taken {
		t.Errorf("a 202 that comes after the callback was taken: %v, %v", taken, err)
	}
}

// TestC11_ACallbackProvesAForgottenSend: the attempt is pending, so this
// database does not know that it was sent; it is settled, and never sent.
func TestC11_ACallbackProvesAForgottenSend(t *testing.T) {
	w := callableWorld(t)
	job := w.newJob(w.ewa, "k")
	a := w.job(w.ewa, job).OpenAttempt()
	w.callBack(callbackOf{attempt: a.ID.String()}).want(http.StatusOK)
	if now := w.job(w.ewa, job); now.State != ledger.JobSucceeded {
		t.Errorf("the job is %s", now.State)
	}
	if n := w.count(`SELECT count(*) FROM events WHERE action = 'forgotten_send' AND actor_kind = 'provider'`); n != 1 {
		t.Errorf("%d events tell of it", n)
	}
	if _, _, err := w.ledger.Claim(t.Context(), ledger.Claim{Owner: a.OwnerID, Attempt: a.ID, Node: w.node, Stamp: uuid.New()}); err == nil {
		t.Error("it can still be sent")
	}
}

// TestC14_ACallbackThatComesTooLateIsLogged once, and its bytes are not kept.
func TestC14_ACallbackThatComesTooLateIsLogged(t *testing.T) {
	w := callableWorld(t)
	sam := w.sam()
	job := w.newJob(w.ewa, "k")
	a := w.accepted(job)
	w.call(sam, "POST", "/attempts/"+a.ID.String()+"/cancel", `{"reason":"r"}`).want(http.StatusOK)
	for range 2 { // under two webhook-ids, but an identical answer
		w.callBack(callbackOf{attempt: a.ID.String()}).want(http.StatusOK)
	}
	if now := w.job(w.ewa, job); now.Attempts[0].State != ledger.Cancelled || now.Result != nil || w.late() != 1 {
		t.Errorf("attempt %s, result %s, %d late results", now.Attempts[0].State, now.Result, w.late())
	}
	row := w.call(w.ada(), "GET", "/late-results", "").data()[0]
	if row["why"] != "fenced" || row["attempt_id"] != a.ID.String() || row["usage"].(map[string]any)["pages"] != json.Number("3") {
		t.Errorf("logged: %v", row)
	}
}

func TestADuplicateCallbackChangesNothing(t *testing.T) {
	w := callableWorld(t)
	job, other := w.newJob(w.ewa, "k"), w.newJob(w.ewa, "other")
	a, b := w.accepted(job), w.accepted(other)
	first := callbackOf{attempt: a.ID.String(), id: "msg_1"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { w.callBack(first).want(http.StatusOK) })
	}
	all.Wait()
	revision := w.job(w.ewa, job).Revision
	if got := w.callBack(first).want(http.StatusOK); got.json["duplicate"] != true {
		t.Errorf("answered %s", got.raw)
	}
	if now := w.job(w.ewa, job).Revision; now != revision || w.late() != 0 {
		t.Errorf("revision %d, was %d; %d late results", now, revision, w.late())
	}
	first.body = `{"status":"failed"}` // whatever it says now
	w.callBack(first).want(http.StatusOK)
	w.callBack(callbackOf{attempt: b.ID.String(), id: "msg_1"}).problem(http.StatusUnprocessableEntity, "unprocessable")
	if now := w.job(w.ewa, other); now.State != ledger.JobRunning {
		t.Errorf("another attempt's webhook-id settled this one: %s", now.State)
	}
}

// TestACallbackIsNotedOnlyOnceItIsStored: were the id noted first, a crash in
// between would make the provider's next try a duplicate, and lose the answer.
func TestACallbackIsNotedOnlyOnceItIsStored(t *testing.T) {
	w := callableWorld(t)
	job := w.newJob(w.ewa, "k")
	a := w.accepted(job)
	c := callbackOf{attempt: a.ID.String(), id: "msg_1"}
	w.exec(`ALTER TABLE jobs RENAME TO jobs_away`)
	if got := w.callBack(c); got.status < 500 {
		t.Fatalf("answered %d though nothing was stored: %s", got.status, got.raw)
	}
	w.exec(`ALTER TABLE jobs_away RENAME TO jobs`)
	if n := w.count(`SELECT count(*) FROM webhook_ids`); n != 0 {
		t.Fatal("what was not stored is noted as seen")
	}
	// Stored, and the process dies before the id is noted: the next try does no harm.
	w.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)
	w.exec(`CREATE TRIGGER refuse BEFORE INSERT ON webhook_ids FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if got := w.callBack(c); got.status < 500 {
		t.Fatalf("answered %d though its id was not noted: %s", got.status, got.raw)
	}
	w.exec(`DROP TRIGGER refuse ON webhook_ids`)
	if now := w.job(w.ewa, job); now.State != ledger.JobSucceeded {
		t.Fatalf("the job is %s", now.State)
	}
	w.callBack(c).want(http.StatusOK)
	if w.late() != 0 || w.count(`SELECT count(*) FROM webhook_ids`) != 1 {
		t.Errorf("%d late results", w.late())
	}
}

func (w *world) exec(sql string) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

func TestCallbacksThatAreRefused(t *testing.T) {
	w := callableWorld(t)
	job := w.newJob(w.ewa, "k")
	a := w.accepted(job)
	id, mine, nobody := a.ID.String(), w.ewa.ID.String(), uuid.NewString()
	atLaser := w.claimAt(w.newJob(w.ewa, "at-laser"), "laser")
	drop := func(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }
	twice := func(name string) func(http.Header) { return func(h http.Header) { h.Add(name, h.Get(name)) } }
	for name, c := range map[string]struct {
		callbackOf
		status   int
		code     string
		pointers string
	}{
		"another provider's secret": {callbackOf{secret: inkSecret}, 401, "callback-not-signed", ""},
		"no secret is configured":   {callbackOf{attempt: atLaser.ID.String()}, 401, "callback-not-signed", ""},
		"no id":                     {callbackOf{spoil: drop("webhook-id")}, 401, "callback-not-signed", ""},
		"no timestamp":              {callbackOf{spoil: drop("webhook-timestamp")}, 401, "callback-not-signed", ""},
		"no signature":              {callbackOf{spoil: drop("webhook-signature")}, 401, "callback-not-signed", ""},
		"two ids":                   {callbackOf{spoil: twice("webhook-id")}, 401, "callback-not-signed", ""},
		"another id than signed":    {callbackOf{spoil: func(h http.Header) { h.Set("webhook-id", "msg_x") }}, 401, "callback-not-signed", ""},
		"too old":                   {callbackOf{at: time.Now().Add(-6 * time.Minute)}, 401, "callback-not-signed", ""},
		"from the future":           {callbackOf{at: time.Now().Add(6 * time.Minute)}, 401, "callback-not-signed", ""},
		"a wrong t":                 {callbackOf{query: "?owner=" + mine + "&t=AAAA"}, 401, "callback-not-signed", ""},
		"a wrong t without owner":   {callbackOf{query: "?t=AAAA"}, 401, "callback-not-signed", ""},
		"an empty t":                {callbackOf{query: "?t="}, 401, "callback-not-signed", ""},
		"another's t":               {callbackOf{query: w.addressOf(atLaser)}, 401, "callback-not-signed", ""},
		"no such attempt":           {callbackOf{attempt: nobody}, 404, "not-found", ""},
		"no id of an attempt":       {callbackOf{attempt: "x"}, 404, "not-found", ""},
		"another owner":             {callbackOf{query: "?owner=" + nobody}, 404, "not-found", ""},
		"an owner that is no id":    {callbackOf{query: "?owner=ewa"}, 404, "not-found", ""},
		"an empty owner":            {callbackOf{query: "?owner="}, 404, "not-found", ""},
		"owner twice":               {callbackOf{query: "?owner=" + mine + "&owner=" + mine}, 400, "invalid-parameter", ""},
		"no JSON":                   {callbackOf{body: "done"}, 422, "unprocessable", ""},
		"a doubled member":          {callbackOf{body: `{"status":"failed","status":"failed"}`}, 422, "unprocessable", ""},
		"no status":                 {callbackOf{body: `{}`}, 422, "unprocessable", "/status"},
		"still running":             {callbackOf{body: `{"status":"running"}`}, 422, "unprocessable", "/status"},
		"done without a result":     {callbackOf{body: `{"status":"succeeded"}`}, 422, "unprocessable", "/result"},
		"a foreign member":          {callbackOf{body: `{"status":"failed","state":1}`}, 422, "unprocessable", "/state"},
		"about another attempt":     {callbackOf{body: `{"attempt_id":"` + nobody + `","status":"failed"}`}, 422, "unprocessable", "/attempt_id"},
		"about no attempt":          {callbackOf{body: `{"attempt_id":"x","status":"failed"}`}, 422, "unprocessable", "/attempt_id"},
		"too large":                 {callbackOf{body: `{"status":"succeeded","result":{"summary":"` + strings.Repeat("a", 9<<20) + `"}}`}, 413, "body-too-large", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.id = "msg_" + base64.RawURLEncoding.EncodeToString([]byte(name))
			if c.attempt == "" {
				c.attempt = id
			}
			got := w.callBack(c.callbackOf).problem(c.status, c.code)
			if c.pointers != "" && got.pointers() != c.pointers {
				t.Errorf("pointers %q, want %q", got.pointers(), c.pointers)
			}
			if scheme := got.header.Get("WWW-Authenticate"); (scheme != "") != (c.status == 401) || strings.Contains(scheme, "Bearer") {
				t.Errorf("WWW-Authenticate: %q", scheme)
			}
			// A refused callback does not use up its id.
			if n := w.count(`SELECT count(*) FROM webhook_ids`); n != 0 {
				t.Errorf("%d ids are noted", n)
			}
		})
	}
	if now := w.job(w.ewa, job); now.State != ledger.JobRunning || w.late() != 0 {
		t.Errorf("something was stored: %s", now.State)
	}
	w.callBack(callbackOf{attempt: id, body: `{"attempt_id":"` + strings.ToUpper(id) + `","status":"succeeded","result":{"summary":"s"}}`}).want(http.StatusOK)
}

// claimAt runs the job's second attempt, at that provider.
func (w *world) claimAt(job, provider string) *ledger.Attempt {
	w.t.Helper()
	w.fail(w.ewa, job)
	_, _, err := w.ledger.TryAgain(w.t.Context(), ledger.NewAttempt{Ordinal: 2, Provider: provider, JobAct: ledger.JobAct{
		Owner: w.ewa.ID, Job: uuid.MustParse(job), Reason: "r", Actor: ledger.Actor{Kind: ledger.ByUser, ID: w.ewa.ID, Operator: true}}})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.claim(w.ewa, job)
}

// addressOf is the query of the address that a provider is given.
func (w *world) addressOf(a *ledger.Attempt) string {
	w.t.Helper()
	address, err := web.CallbackAddress(w.t.Context(), w.accounts, parseURL(w.t, w.url))
	if err != nil {
		w.t.Fatal(err)
	}
	return "?" + parseURL(w.t, address(a.OwnerID, a.ID)).RawQuery
}

func TestTheAddressThatAProviderIsGiven(t *testing.T) {
	w := callableWorld(t, func(o *web.Options) { o.BaseURL.Path = "/shop/kwit" })
	address, err := web.CallbackAddress(t.Context(), w.accounts, parseURL(t, w.url))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(url.Values){
		"whole":         func(url.Values) {},
		"without t":     func(q url.Values) { q.Del("t") },
		"without owner": func(q url.Values) { q.Del("owner") },
		"bare":          func(q url.Values) { q.Del("owner"); q.Del("t") },
	} {
		t.Run(name, func(t *testing.T) {
			a := w.accepted(w.newJob(w.ewa, strings.ReplaceAll(name, " ", "-")))
			to := parseURL(t, address(a.OwnerID, a.ID))
			if !strings.HasPrefix(to.String(), w.url+"/api/v1/callbacks/"+a.ID.String()+"?") {
				t.Fatalf("the address is %s", to)
			}
			query := to.Query()
			change(query)
			w.callBack(callbackOf{attempt: a.ID.String(), query: "?" + query.Encode()}).want(http.StatusOK)
		})
	}
}

// TestEitherClockMayBeRight: a node that is an hour behind shuts no provider out.
func TestEitherClockMayBeRight(t *testing.T) {
	behind := func() time.Time { return time.Now().Add(-time.Hour) }
	w := callableWorld(t, func(o *web.Options) { o.Now = behind })
	for name, c := range map[string]struct {
		at     time.Time
		status int
	}{
		"by the database's": {time.Now(), http.StatusOK},
		"by the node's":     {behind(), http.StatusOK},
		"by neither":        {time.Now().Add(-30 * time.Minute), http.StatusUnauthorized},
	} {
		a := w.accepted(w.newJob(w.ewa, strings.ReplaceAll(name, " ", "-")))
		if got := w.callBack(callbackOf{attempt: a.ID.String(), at: c.at}); got.status != c.status {
			t.Errorf("%s: answered %d: %s", name, got.status, got.raw)
		}
	}
}

// TestACallbackThatMeetsABusyDatabase is to be sent again, and says when.
func TestACallbackThatMeetsABusyDatabase(t *testing.T) {
	w := callableWorld(t, func(o *web.Options) { o.Timeout = 300 * time.Millisecond })
	a := w.accepted(w.newJob(w.ewa, "k"))
	tx, err := w.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `LOCK TABLE webhook_ids`); err != nil {
		t.Fatal(err)
	}
	got := w.callBack(callbackOf{attempt: a.ID.String()}).problem(http.StatusServiceUnavailable, "overloaded")
	if got.header.Get("Retry-After") == "" {
		t.Error("it does not say when")
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.callBack(callbackOf{attempt: a.ID.String()}).want(http.StatusOK)
}

// TestCallbacksOfAProviderThatIsGone: nobody can tell any more whose they are.
func TestCallbacksOfAProviderThatIsGone(t *testing.T) {
	w := callableWorld(t)
	a := w.accepted(w.newJob(w.ewa, "k"))
	later := secondServer(w, types)
	later.callBack(callbackOf{attempt: a.ID.String()}).problem(http.StatusUnauthorized, "callback-not-signed")
}
