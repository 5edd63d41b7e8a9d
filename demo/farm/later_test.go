package farm_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/provider/callback"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func do(t *testing.T, request *http.Request) reply {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return reply{status: answer.StatusCode, body: string(text), err: err}
}

func ask(t *testing.T, method, url string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, request)
}

// becomes asks until the work is not running any more.
func becomes(t *testing.T, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if got := ask(t, http.MethodGet, url); !strings.Contains(got.body, `"running"`) {
			return got.body
		}
	}
	t.Fatalf("%s: running for ever", url)
	return ""
}

// TestAcceptedWorkIsAskedFor tells the life of accepted work: running, finished
// or cancelled, and too late for a cancel after that.
func TestAcceptedWorkIsAskedFor(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farm.Options{Orders: -1, Renders: time.Hour})
	if got := post(t, server.URL+"/renders", "a-00000001", `{"behaviour":"accept"}`); got.status != 202 || got.body != `{"id":"work-00000001"}` {
		t.Fatalf("accepted with %+v", got)
	}
	at := server.URL + "/renders/a-00000001"
	if got := ask(t, http.MethodGet, at); got.status != 200 || got.body != `{"attempt_id":"a-00000001","status":"running"}` {
		t.Errorf("running: %+v", got)
	}
	if again := post(t, server.URL+"/renders", "a-00000001", `{"behaviour":"accept"}`); again.status != http.StatusConflict {
		t.Errorf("the same key: %+v", again)
	}
	if !server.Finish("a-00000001", farm.Reply{Body: []byte(`{"file":"a<b"}`)}) || server.Finish("a-00000001", farm.Reply{}) || server.Finish("nobody", farm.Reply{}) {
		t.Error("Finish does not say whose work it ended")
	}
	if got := becomes(t, at); got != `{"attempt_id":"a-00000001","status":"succeeded","result":{"file":"a<b"}}` {
		t.Errorf("finished: %s", got)
	}
	if got := ask(t, http.MethodDelete, at); got.status != http.StatusConflict {
		t.Errorf("cancelled too late: %+v", got)
	}
	post(t, server.URL+"/renders", "b", `{"behaviour":"accept"}`)
	if got := ask(t, http.MethodDelete, server.URL+"/renders/b"); got.status != 200 {
		t.Errorf("cancelled: %+v", got)
	}
	if got := becomes(t, server.URL+"/renders/b"); got != `{"attempt_id":"b","status":"failed","error":"cancelled on request"}` {
		t.Errorf("after the cancel: %s", got)
	}
	for _, unknown := range []string{"/renders/nobody", "/orders/b"} {
		if got := ask(t, http.MethodGet, server.URL+unknown); got.status != 404 {
			t.Errorf("%s: %+v", unknown, got)
		}
	}
	if asked := server.Asked.All(); asked[0].AttemptID != "a-00000001" || asked[0].Method != http.MethodGet || server.Seen.Total() != 3 {
		t.Errorf("asked %+v; seen %d", asked[0], server.Seen.Total())
	}
}

func TestWhatBecameOfEachBehaviour(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farmtest.Quick)
	for behaviour, want := range map[string]string{
		"normal": `"succeeded"`, "lost": `"succeeded"`, "reset": `"succeeded"`, "broken": `"succeeded"`, "accept": `"succeeded"`,
		"fail": `"error":"the work failed half-way"`, "reject": `"error":"this input is not accepted"`,
		"refuse": "no such work", "gateway": "no such work",
	} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			post(t, server.URL+"/orders", behaviour, `{"behaviour":"`+behaviour+`"}`)
			if got := becomes(t, server.URL+"/orders/"+behaviour); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestCancelEndsWorkUnderWay: whoever waits for it is answered.
func TestCancelEndsWorkUnderWay(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farm.Options{Orders: time.Hour})
	answer := make(chan reply, 1)
	go func() { answer <- post(t, server.URL+"/orders", "a", `{}`) }()
	if err := server.Seen.WaitFor(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, http.MethodDelete, server.URL+"/orders/a"); got.status != 200 {
		t.Errorf("the cancel: %+v", got)
	}
	if got := <-answer; got.status != http.StatusGone {
		t.Errorf("the answer: %+v", got)
	}
}

// called is one callback as it arrived.
type called struct {
	path, body string
	id         string
	err        error // of its verification
}

// receiver takes callbacks, and answers each with what answer says.
func receiver(t *testing.T, answer func(nth int) int) (address string, calls chan called) {
	t.Helper()
	calls = make(chan called, 20)
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		id, err := callback.Verify(secret, r.Header, body, time.Now())
		w.WriteHeader(answer(int(n.Add(1))))
		calls <- called{r.URL.Path, string(body), id, err}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/call/a", calls
}

// order is a request that carries an address to call back.
func order(t *testing.T, farmURL, key, body, address string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, farmURL+"/orders", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", key)
	request.Header.Set("X-Kwit-Callback", address)
	return request
}

// TestCallsBackUntilItIsTaken: signed, and under one webhook-id.
func TestCallsBackUntilItIsTaken(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farm.Options{Orders: -1, CallbackSecret: secret, CallAgain: time.Millisecond})
	address, calls := receiver(t, func(nth int) int {
		if nth < 3 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	if got := do(t, order(t, server.URL, "a", `{"behaviour":"callback","quantity":2}`, address)); got.status != 202 {
		t.Fatalf("accepted with %+v", got)
	}
	first := <-calls
	for range 2 {
		if again := <-calls; again != first {
			t.Errorf("first %+v, then %+v", first, again)
		}
	}
	if first.err != nil || first.path != "/call/a" || !strings.Contains(first.body, `"attempt_id":"a","status":"succeeded","result":{"order_id"`) {
		t.Errorf("called back %+v", first)
	}
	if again := post(t, server.URL+"/orders", "a", `{"behaviour":"callback","quantity":2}`); again.status != 200 || !again.replayed {
		t.Errorf("the same key afterwards: %+v", again)
	}
}

// TestCallsByHand: a test may send any callback, right or wrong, also while the
// request is still held.
func TestCallsByHand(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farm.Options{Hold: true, CallbackSecret: secret})
	address, calls := receiver(t, func(int) int { return http.StatusTeapot })
	held := order(t, server.URL, "a", `{}`, address)
	go do(t, held)
	if err := server.Seen.WaitFor(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		call  farm.Call
		right bool
	}{
		"as it is":       {farm.Call{AttemptID: "a", Body: []byte(`{"status":"failed"}`)}, true},
		"another secret": {farm.Call{AttemptID: "a", Secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}, false},
		"too old":        {farm.Call{AttemptID: "a", At: time.Now().Add(-time.Hour)}, false},
		"of nobody":      {farm.Call{URL: address, ID: "msg_1", Body: []byte(`nonsense`)}, true},
	} {
		got, err := server.Call(t.Context(), test.call)
		if err != nil || got.Status != http.StatusTeapot {
			t.Errorf("%s: answered %+v, %v", name, got, err)
			continue
		}
		arrived := <-calls
		if (arrived.err == nil) != test.right || test.call.Body != nil && arrived.body != string(test.call.Body) {
			t.Errorf("%s: arrived %+v", name, arrived)
		}
		if test.call.ID != "" && arrived.id != test.call.ID {
			t.Errorf("%s: the id is %q", name, arrived.id)
		}
	}
	for _, nowhere := range []farm.Call{{AttemptID: "nobody"}, {URL: "http://127.0.0.1:1", Secret: "whsec_!"}, {URL: "http://127.0.0.1:1"}, {URL: ":"}} {
		if got, err := server.Call(t.Context(), nowhere); err == nil {
			t.Errorf("%+v was answered %+v", nowhere, got)
		}
	}
}

// TestCloseGivesUpAcceptedWork: nothing goes on after the end.
func TestCloseGivesUpAcceptedWork(t *testing.T) {
	t.Parallel()
	server, err := farm.Listen("127.0.0.1:0", farm.Options{Orders: time.Hour, CallbackSecret: secret, CallAgain: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	address, calls := receiver(t, func(int) int { return http.StatusServiceUnavailable })
	do(t, order(t, server.URL, "long", `{"behaviour":"accept"}`, address))
	do(t, order(t, server.URL, "not-taken", `{"behaviour":"callback"}`, address))
	server.Finish("not-taken", farm.Reply{})
	<-calls
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}
