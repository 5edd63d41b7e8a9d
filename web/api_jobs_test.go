package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"kwit/web"
)

func TestC02_ASubmissionWithoutAKeyMakesNothing(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		keys  []string
		query string
		code  string
	}{
		"missing":            {nil, "", "idempotency-key-missing"},
		"in the query":       {nil, "?idempotency_key=k", "idempotency-key-missing"},
		"in both":            {[]string{"k"}, "?Idempotency-Key=k", "idempotency-key-invalid"},
		"twice":              {[]string{"k", "k"}, "", "idempotency-key-invalid"},
		"empty":              {[]string{""}, "", "idempotency-key-invalid"},
		"empty quotes":       {[]string{`""`}, "", "idempotency-key-invalid"},
		"half quoted":        {[]string{`"k`}, "", "idempotency-key-invalid"},
		"half quoted behind": {[]string{`k"`}, "", "idempotency-key-invalid"},
		"one quote":          {[]string{`"`}, "", "idempotency-key-invalid"},
		"open escape":        {[]string{`"k\"`}, "", "idempotency-key-invalid"},
		"a space":            {[]string{"a b"}, "", "idempotency-key-invalid"},
		"not ASCII":          {[]string{"żółw"}, "", "idempotency-key-invalid"},
		"256 characters":     {[]string{strings.Repeat("k", 256)}, "", "idempotency-key-invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustRequest(t, "POST", w.url+"/api/v1/jobs"+c.query, summary("a"))
			r.Header.Set("Authorization", "Bearer "+w.ewa.token)
			r.Header.Set("Content-Type", "application/json")
			r.Header["Idempotency-Key"] = c.keys
			w.do(r).problem(http.StatusBadRequest, c.code)
		})
	}
	if n := w.jobs(); n != 0 {
		t.Errorf("%d jobs, want none", n)
	}
}

func TestC02_QuotesOfTheDraftAreNoPartOfTheKey(t *testing.T) {
	w := newWorld(t)
	plain := w.submit(w.ewa, `abc`, summary("a")).want(http.StatusCreated)
	quoted := w.submit(w.ewa, `"abc"`, summary("a")).want(http.StatusOK)
	if plain.text("id") != quoted.text("id") || plain.text("idempotency_key") != "abc" {
		t.Errorf("two jobs: %s and %s", plain.raw, quoted.raw)
	}
	w.submit(w.ewa, strings.Repeat("k", 255), summary("a")).want(http.StatusCreated)
}

func TestC03_TheKeyBelongsToTheOwner(t *testing.T) {
	w := newWorld(t)
	first := w.submit(w.ewa, "k", summary("a")).want(http.StatusCreated)

	second, _, err := w.accounts.CreateToken(t.Context(), w.ewa.ID, "another device")
	if err != nil {
		t.Fatal(err)
	}
	same := w.submit(person{w.ewa.User, second}, "k", summary("a")).want(http.StatusOK)
	if same.text("id") != first.text("id") {
		t.Error("the same person with another token got another job")
	}
	ola := w.person("ola@example.com", "user")
	other := w.submit(ola, "k", summary("something else")).want(http.StatusCreated)
	if other.text("id") == first.text("id") {
		t.Error("two owners share a job")
	}
}

func TestC05_TwoHundredAtOnceAtTwoServersMakeOneJob(t *testing.T) {
	w := newWorld(t)
	servers := []*world{w, secondServer(w, types)}
	var all sync.WaitGroup
	replies := make([]reply, 200)
	for i := range replies {
		all.Go(func() { replies[i] = servers[i%2].submit(w.ewa, "k", summary("a")) })
	}
	all.Wait()
	created := 0
	for _, r := range replies {
		if r.text("id") != replies[0].text("id") {
			t.Fatalf("another job: %s", r.raw)
		}
		if r.status == http.StatusCreated {
			created++
		} else if r.want(http.StatusOK).header.Get("Idempotent-Replayed") != "true" {
			t.Error("a repeated answer does not say so")
		}
	}
	if created != 1 || w.jobs() != 1 || w.attempts() != 1 {
		t.Errorf("%d times created, %d jobs, %d attempts; want one of each", created, w.jobs(), w.attempts())
	}
}

func TestC06_AnotherIntentUnderTheKeyIsAConflict(t *testing.T) {
	w := newWorld(t)
	const sent = `{"job_type":"summary","input":{"text":"a","size":9007199254740993}}`
	first := w.submit(w.ewa, "k", sent).want(http.StatusCreated)
	for name, c := range map[string]struct {
		body string
		same bool
	}{
		"order and white space": {`{ "input": {"size":9007199254740993.0, "text":"a"}, "job_type":"summary" }`, true},
		"the whole route named": {`{"job_type":"summary","input":{"text":"a","size":9007199254740993},"route":["inkjet","laser"]}`, true},
		"a text":                {`{"job_type":"summary","input":{"text":"b","size":9007199254740993}}`, false},
		"a number beyond 2^53":  {`{"job_type":"summary","input":{"text":"a","size":9007199254740992}}`, false},
		"another job type":      {`{"job_type":"order","input":{"text":"a","size":9007199254740993}}`, false},
		"no job type at all":    {`{"job_type":"nothing","input":{"text":"a","size":9007199254740993}}`, false},
		"another route":         {`{"job_type":"summary","input":{"text":"a","size":9007199254740993},"route":["inkjet"]}`, false},
		"what does not fit":     {`{"job_type":"summary","input":{}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.submit(w.ewa, "k", c.body)
			if c.same {
				if got.want(http.StatusOK).text("id") != first.text("id") {
					t.Error("another job")
				}
				return
			}
			if got.problem(http.StatusConflict, "idempotency-key-conflict").text("existing_job") != first.text("id") {
				t.Errorf("existing_job: %s", got.raw)
			}
		})
	}
	if w.jobs() != 1 || w.attempts() != 1 {
		t.Errorf("%d jobs, %d attempts", w.jobs(), w.attempts())
	}
}

// What can be read is looked up before it is judged by today's configuration.
func TestC07_AJobOutlivesItsJobType(t *testing.T) {
	w := newWorld(t)
	first := w.submit(w.ewa, "k", summary("a")).want(http.StatusCreated)
	_, without, _ := strings.Cut(types, "  order:")
	providers, _, _ := strings.Cut(types, "job_types:")
	later := secondServer(w, providers+"job_types:\n  order:"+without)
	same := later.submit(w.ewa, "k", summary("a")).want(http.StatusOK)
	if same.text("id") != first.text("id") {
		t.Error("another job")
	}
	later.submit(w.ewa, "k", summary("b")).problem(http.StatusConflict, "idempotency-key-conflict")
	if got := later.submit(w.ewa, "new", summary("a")).problem(http.StatusUnprocessableEntity, "unprocessable").pointers(); got != "/job_type" {
		t.Errorf("pointers %q", got)
	}
}

// secondServer is another server, with other job types, on the same database.
func secondServer(w *world, yaml string) *world {
	w.t.Helper()
	later := &world{t: w.t, pool: w.pool, ledger: w.ledger, accounts: w.accounts, ewa: w.ewa, node: w.node}
	later.url = startServer(w.t, later, yaml)
	return later
}

func TestAJobComesBackExactly(t *testing.T) {
	w := newWorld(t)
	const input = `{"text":"<b>&\u00e9\ud83d\ude00 9007199254740993","size":1.10e0}`
	made := w.submit(w.ewa, "k", `{"job_type":"summary","input":`+input+`}`).want(http.StatusCreated)
	id := made.text("id")
	if made.header.Get("Location") != "/api/v1/jobs/"+id {
		t.Errorf("Location %q", made.header.Get("Location"))
	}
	a := w.claim(w.ewa, id)
	w.answer(a, `{"summary":"9007199254740993 <i>","cost":0.10000000000000000001}`)

	got := w.call(w.ewa, "GET", "/jobs/"+id, "").want(http.StatusOK)
	for _, want := range []string{`"size":1.10e0`, `"result":{"summary":"9007199254740993 <i>","cost":0.10000000000000000001}`,
		`"state":"succeeded"`, `"completed_by":"` + a.ID.String() + `"`, `"outcome":"succeeded"`, `"blocking_attempt":null`} {
		if !strings.Contains(string(got.raw), want) {
			t.Errorf("no %s in %s", want, got.raw)
		}
	}
	if !strings.HasSuffix(got.text("created_at"), "Z") || !strings.HasSuffix(got.text("completed_at"), "Z") {
		t.Errorf("times not in UTC: %s", got.raw)
	}
	if got.header.Get("Cache-Control") != "no-store" {
		t.Error("the answer may be stored")
	}
	w.call(w.ewa, "GET", "/jobs/"+id, "", "If-None-Match", got.header.Get("ETag")).want(http.StatusNotModified)
	w.call(w.ewa, "HEAD", "/jobs/"+id, "").want(http.StatusOK)
}

func TestWhoseJobItIs(t *testing.T) {
	w := newWorld(t)
	id := w.newJob(w.ewa, "k")
	ola, sam := w.person("ola@example.com", "user"), w.sam()
	w.call(ola, "GET", "/jobs/"+id, "").problem(http.StatusNotFound, "not-found")
	w.call(ola, "POST", "/jobs/"+id+"/cancel", "{}").problem(http.StatusNotFound, "not-found")
	w.call(ola, "POST", "/jobs/"+id+"/attempts", `{"ordinal":2}`).problem(http.StatusNotFound, "not-found")
	w.call(sam, "GET", "/jobs/"+id, "").want(http.StatusOK)
	for _, bad := range []string{"x", "00000000-0000-0000-0000-000000000000", strings.ReplaceAll(id, "-", ""), "urn:uuid:" + id, "%00"} {
		w.call(sam, "GET", "/jobs/"+bad, "").problem(http.StatusNotFound, "not-found")
	}
	if got := w.call(sam, "POST", "/jobs/"+id+"/cancel", "{}").problem(http.StatusUnprocessableEntity, "unprocessable").pointers(); got != "/reason" {
		t.Errorf("pointers %q", got)
	}
	w.call(sam, "POST", "/jobs/"+id+"/cancel", `{"reason":"asked on the phone"}`).want(http.StatusOK)
	w.call(w.ewa, "POST", "/jobs/"+id+"/cancel", "").want(http.StatusOK) // it stays cancelled
}

func TestListOfJobs(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.newJob(w.ewa, key(i))
	}
	w.submit(w.ewa, "order", `{"job_type":"order","input":{"copies":2}}`).want(http.StatusCreated)
	cancelled := w.newJob(w.ewa, "c")
	w.call(w.ewa, "POST", "/jobs/"+cancelled+"/cancel", "{}").want(http.StatusOK)

	seen, cursor := 0, ""
	for pages := 0; ; pages++ {
		got := w.call(w.ewa, "GET", "/jobs?limit=3&job_type=summary&cursor="+cursor, "").want(http.StatusOK)
		seen += len(got.data())
		if cursor = got.text("next_cursor"); cursor == "" {
			if pages != 1 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
	}
	if seen != 6 {
		t.Errorf("%d summaries on all pages, want 6", seen)
	}
	if rows := w.call(w.ewa, "GET", "/jobs?state=cancelled", "").data(); len(rows) != 1 || rows[0]["id"] != cancelled {
		t.Errorf("cancelled: %v", rows)
	}
	ola, sam := w.person("ola@example.com", "user"), w.sam()
	if rows := w.call(ola, "GET", "/jobs", "").data(); len(rows) != 0 {
		t.Errorf("somebody else's jobs: %v", rows)
	}
	for _, owner := range []string{w.ewa.ID.String(), "Ewa@example.com"} {
		if rows := w.call(sam, "GET", "/jobs?owner="+owner, "").want(http.StatusOK).data(); len(rows) != 7 {
			t.Errorf("owner=%s: %d jobs", owner, len(rows))
		}
	}
	w.call(ola, "GET", "/jobs?owner="+w.ewa.ID.String(), "").problem(http.StatusForbidden, "forbidden")
	w.call(sam, "GET", "/jobs?owner=nobody@example.com", "").problem(http.StatusUnprocessableEntity, "unprocessable")
}

func TestACursorHoldsForItsListAlone(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.newJob(w.ewa, key(i))
	}
	next := w.call(w.ewa, "GET", "/jobs?limit=1", "").text("next_cursor")
	flipped := []byte(next)
	flipped[len(flipped)-1] ^= 1
	ola := w.person("ola@example.com", "user")
	for name, got := range map[string]reply{
		"tampered":       w.call(w.ewa, "GET", "/jobs?cursor="+string(flipped), ""),
		"no base64":      w.call(w.ewa, "GET", "/jobs?cursor=***", ""),
		"short":          w.call(w.ewa, "GET", "/jobs?cursor=AAAA", ""),
		"other filter":   w.call(w.ewa, "GET", "/jobs?state=failed&cursor="+next, ""),
		"another person": w.call(ola, "GET", "/jobs?cursor="+next, ""),
	} {
		t.Run(name, func(*testing.T) { got.problem(http.StatusBadRequest, "invalid-cursor") })
	}
	for _, query := range []string{"limit=0", "limit=201", "limit=x", "state=lost", "limit=1&limit=2", "state=%ff", "a=%zz"} {
		w.call(w.ewa, "GET", "/jobs?"+query, "").problem(http.StatusBadRequest, "invalid-parameter")
	}
}

func TestTheLimitOfABody(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.BodyLimit = 1000 })
	long := summary(strings.Repeat("a", 1000))
	w.submit(w.ewa, "k", long).problem(http.StatusRequestEntityTooLarge, "body-too-large")
	chunked, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/api/v1/jobs", struct{ *strings.Reader }{strings.NewReader(long)})
	if err != nil {
		t.Fatal(err)
	}
	chunked.ContentLength = -1
	chunked.Header.Set("Authorization", "Bearer "+w.ewa.token)
	chunked.Header.Set("Content-Type", "application/json")
	chunked.Header.Set("Idempotency-Key", "k")
	w.do(chunked).problem(http.StatusRequestEntityTooLarge, "body-too-large")
	if w.jobs() != 0 {
		t.Error("a job was made")
	}
}
