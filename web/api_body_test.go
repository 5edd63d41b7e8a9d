package web_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestABodyThatCannotBeReadMakesNothing(t *testing.T) {
	w := newWorld(t)
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for name, body := range map[string]string{
		"empty":               ` `,
		"no JSON":             `job`,
		"no object":           `[]`,
		"trailing data":       `{"job_type":"summary","input":{"text":"a"}} {}`,
		"a doubled member":    `{"job_type":"summary","input":{"text":"a","text":"b"}}`,
		"NUL":                 `{"job_type":"summary","input":{"text":"\u0000"}}`,
		"a lone surrogate":    `{"job_type":"summary","input":{"text":"\ud800"}}`,
		"invalid UTF-8":       "{\"job_type\":\"summary\",\"input\":{\"text\":\"\xff\"}}",
		"too deep":            `{"job_type":"summary","input":{"text":` + deep + `}}`,
		"a huge exponent":     `{"job_type":"summary","input":{"text":"a","size":1e9999999}}`,
		"an unknown member":   `{"job_type":"summary","input":{"text":"a"},"priority":1}`,
		"no job type":         `{"input":{"text":"a"}}`,
		"job type no string":  `{"job_type":1,"input":{"text":"a"}}`,
		"job type null":       `{"job_type":null,"input":{"text":"a"}}`,
		"no input":            `{"job_type":"summary"}`,
		"input no object":     `{"job_type":"summary","input":"a"}`,
		"route no list":       `{"job_type":"summary","input":{"text":"a"},"route":"inkjet"}`,
		"route of no strings": `{"job_type":"summary","input":{"text":"a"},"route":[1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w.submit(w.ewa, "k", body).problem(http.StatusBadRequest, "malformed-request")
		})
	}
	if n := w.jobs(); n != 0 {
		t.Errorf("%d jobs, want none", n)
	}
}

func TestWhatDoesNotFitSaysWhere(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct{ body, code, pointers string }{
		"missing":           {`{"job_type":"summary","input":{}}`, "input-invalid", "/text"},
		"another type":      {`{"job_type":"summary","input":{"text":1}}`, "input-invalid", "/text"},
		"surplus and short": {`{"job_type":"summary","input":{"text":"","more":1}}`, "input-invalid", "/more /text"},
		"job type unknown":  {`{"job_type":"poem","input":{"text":"a"}}`, "unprocessable", "/job_type"},
		"provider unknown":  {`{"job_type":"summary","input":{"text":"a"},"route":["inkjet","plotter"]}`, "unprocessable", "/route/1"},
		"provider twice":    {`{"job_type":"summary","input":{"text":"a"},"route":["inkjet","inkjet"]}`, "unprocessable", "/route/1"},
		"route empty":       {`{"job_type":"summary","input":{"text":"a"},"route":[]}`, "unprocessable", "/route"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.submit(w.ewa, "k", c.body).problem(http.StatusUnprocessableEntity, c.code)
			if got.pointers() != c.pointers {
				t.Errorf("pointers %q, want %q", got.pointers(), c.pointers)
			}
		})
	}
	if n := w.jobs(); n != 0 {
		t.Errorf("%d jobs, want none", n)
	}
}

func TestOtherMediaTypesAreRefused(t *testing.T) {
	w := newWorld(t)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", ";"} {
		w.submitAs(kind).problem(http.StatusUnsupportedMediaType, "unsupported-media-type")
	}
	w.submitAs("application/json", "Content-Encoding", "gzip").problem(http.StatusUnsupportedMediaType, "unsupported-media-type")
	w.submitAs("Application/JSON; charset=UTF-8").want(http.StatusCreated)
}

func (w *world) submitAs(kind string, header ...string) reply {
	header = append([]string{"Idempotency-Key", "k", "Content-Type", "", "Content-Type", kind}, header...)
	return w.call(w.ewa, "POST", "/jobs", summary("a"), header...)
}

func TestWhoMayCall(t *testing.T) {
	w := newWorld(t)
	sam := w.sam()
	id := w.newJob(w.ewa, "k")
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer nonsense", "Basic ZXdhOnB3", w.ewa.token} {
		got := w.call(person{}, "GET", "/jobs", "", "Authorization", authorization)
		if got.problem(http.StatusUnauthorized, "unauthenticated").header.Get("WWW-Authenticate") == "" {
			t.Error("no WWW-Authenticate")
		}
	}
	w.call(w.ewa, "GET", "/jobs", "", "Authorization", "Bearer "+w.ewa.token).problem(http.StatusUnauthorized, "unauthenticated")
	ola := w.person("ola@example.com", "user")
	if err := w.accounts.Disable(t.Context(), ola.ID); err != nil {
		t.Fatal(err)
	}
	w.call(ola, "GET", "/jobs", "").problem(http.StatusUnauthorized, "unauthenticated")
	for _, c := range []struct {
		who          person
		method, path string
		status       int
	}{
		{w.ewa, "GET", "/attempts", 403}, {w.ewa, "POST", "/attempts/" + id + "/cancel", 403},
		{w.ewa, "GET", "/late-results", 403}, {sam, "GET", "/late-results", 403}, {sam, "GET", "/events", 403},
		{sam, "GET", "/attempts", 200}, {w.ada(), "GET", "/events", 200},
	} {
		w.call(c.who, c.method, c.path, "").want(c.status)
	}
}

func TestARouteSaysWhichMethodsItTakes(t *testing.T) {
	w := newWorld(t)
	got := w.call(w.ewa, "DELETE", "/jobs", "").problem(http.StatusMethodNotAllowed, "method-not-allowed")
	for _, method := range []string{"GET", "HEAD", "POST"} {
		if !strings.Contains(got.header.Get("Allow"), method) {
			t.Errorf("Allow: %q lacks %s", got.header.Get("Allow"), method)
		}
	}
	if got := w.call(w.ewa, "GET", "/attempts/"+w.ewa.ID.String()+"/cancel", "").want(405).header.Get("Allow"); !strings.Contains(got, "POST") {
		t.Errorf("Allow: %q", got)
	}
	w.call(w.ewa, "GET", "/nothing", "").problem(http.StatusNotFound, "not-found")
	w.call(w.ewa, "GET", "/../../etc/passwd", "").want(http.StatusNotFound)
}

func TestARequestHasAnID(t *testing.T) {
	w := newWorld(t)
	got := w.call(w.ewa, "POST", "/jobs", summary("a"), "Idempotency-Key", "k", "X-Request-Id", "from-the-proxy.1").want(201)
	if got.header.Get("X-Request-Id") != "from-the-proxy.1" {
		t.Errorf("another id: %q", got.header.Get("X-Request-Id"))
	}
	if n := w.count(`SELECT count(*) FROM events WHERE request_id = 'from-the-proxy.1'`); n == 0 {
		t.Error("no event carries the request's id")
	}
	for _, bad := range []string{"a b", strings.Repeat("a", 65), "<script>", "-"} {
		if id := w.call(w.ewa, "GET", "/jobs", "", "X-Request-Id", bad).header.Get("X-Request-Id"); id == bad || id == "" {
			t.Errorf("id %q for %q", id, bad)
		}
	}
}

// Whatever arrives, the answer is the sender's fault, and nothing is stored but
// what was acknowledged.
func TestNonsenseIsNeverOurFault(t *testing.T) {
	w := newWorld(t)
	cookie := w.signedIn(w.ewa).cookie()
	host := "Host: " + parseURL(t, w.url).Host + "\r\nConnection: close\r\n"
	acknowledged := 0
	for _, c := range []struct {
		head, body string
		accepted   int
	}{
		{"POST /api/v1/jobs HTTP/1.1\r\n" + host + "Authorization: Bearer " + w.ewa.token + "\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n",
			`{"job_type":"summary","input":{"text":"a","size":1.5,"place":{"street":"b"}},"route":["inkjet"]}`, 201},
		{"POST /jobs HTTP/1.1\r\n" + host + "Cookie: " + cookie + "\r\nContent-Type: application/x-www-form-urlencoded\r\n",
			fields("idempotency_key", "f", "job_type", "summary", "input.text", "ą", "input.size", "1e3", "input.place.street", "b").Encode(), 303},
	} {
		acknowledged += w.mangle(c.head, c.body, c.accepted)
	}
	if made := w.jobs(); made > acknowledged {
		t.Errorf("%d jobs, of which %d were acknowledged", made, acknowledged)
	}
}

// mangle sends a request again and again, each time spoilt in another way, and
// counts how often it was accepted all the same.
func (w *world) mangle(good, body string, accepted int) (count int) {
	w.t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		head, sent := []byte(good), mangled(random, []byte(body))
		if random.IntN(3) == 0 {
			head = mangled(random, head)
		}
		status := w.speak(fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", head, len(sent), sent))
		if status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported {
			w.t.Errorf("%d for %q, %q", status, head, sent)
		}
		if status == accepted {
			count++
		}
	}
	return count
}

// mangled changes a few bytes, or cuts.
func mangled(random *rand.Rand, b []byte) []byte {
	b = append([]byte(nil), b...)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(b))
		switch random.IntN(4) {
		case 0:
			b[at] = byte(random.IntN(256))
		case 1:
			b = append(b[:at], b[min(at+1+random.IntN(8), len(b)):]...)
		case 2:
			b = append(b[:at], append([]byte(nonsense[random.IntN(len(nonsense))]), b[at:]...)...)
		default:
			b[at] ^= 1 << random.IntN(8)
		}
		if len(b) == 0 {
			return []byte(" ")
		}
	}
	return b
}

var nonsense = []string{`"`, `{`, `}`, `\u0000`, "\x00", "\r\n", `,"input":1`, `1e999`, "\xff\xfe", `\ud800`, `[[[[`, `null`, "\u202e", "%00", ": "}

// speak sends bytes and returns the status of the answer; 0 where there is none.
func (w *world) speak(request []byte) (status int) {
	w.t.Helper()
	conn, err := net.Dial("tcp", parseURL(w.t, w.url).Host)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = conn.Write(request) // the server may have hung up already
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = fmt.Fscanf(conn, "HTTP/1.1 %d", &status)
	return status
}
