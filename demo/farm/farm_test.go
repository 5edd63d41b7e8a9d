package farm_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kwit/demo/farm"
	"kwit/demo/farm/farmtest"
	"kwit/provider/seen"
)

// reply is what a client sees of one request.
type reply struct {
	status   int
	body     string
	replayed bool
	err      error // of the call, or of reading the body
}

func post(t *testing.T, url, key, body string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.GetBody = nil
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
		request.Header.Set("X-Kwit-Enquiry", "1") // these tests repeat on purpose
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, string(text), answer.Header.Get("Idempotent-Replayed") == "true", err}
}

func TestOrdersAndRenders(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farmtest.Quick)
	tests := []struct {
		path, body string
		status     int
		want       string
	}{
		{"/orders", `{"item":"poster","quantity":3}`, 200, `{"order_id":"order-00000000","item":"poster","quantity":3,"amount":59.70,"currency":"EUR"}`},
		{"/orders", `{}`, 200, `{"order_id":"order-00000000","item":"print","quantity":1,"amount":19.90,"currency":"EUR"}`},
		{"/orders", `{"quantity":0}`, 422, ""},
		{"/orders", `no JSON`, 422, ""},
		{"/renders", `{"scene":"harbour","frames":24}`, 200, `{"render_id":"render-00000000","scene":"harbour","frames":24,"file":"render-00000000.mp4"}`},
		{"/renders", `{"frames":-1}`, 422, ""},
		{"/elsewhere", `{}`, 404, ""},
		{"/orders", strings.Repeat(" ", 5<<20), 400, ""},
	}
	for i, test := range tests {
		key := string(rune('a'+i)) + "-00000000"
		got := post(t, server.URL+test.path, key, test.body)
		if got.status != test.status || test.want != "" && got.body != test.want {
			t.Errorf("%s %.40s: got %d %s", test.path, test.body, got.status, got.body)
		}
	}
}

// TestKeyIsHonoured: work is done once for a key, whether or not its first
// answer arrived; what was not acted on may be sent again.
func TestKeyIsHonoured(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farmtest.Quick)
	tests := map[string]struct {
		first          int // 0: the answer is lost
		second         int
		secondReplayed bool
	}{
		"normal":  {200, 200, true},
		"slow":    {200, 200, true},
		"late":    {200, 200, true},
		"broken":  {200, 200, true},
		"lost":    {0, 200, true},
		"reset":   {0, 200, true},
		"fail":    {500, 500, true},
		"reject":  {422, 422, true},
		"refuse":  {503, 503, false},
		"gateway": {502, 502, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"behaviour":"` + name + `"}`
			first := post(t, server.URL+"/orders", name, body)
			if (first.err != nil) != (test.first == 0) || first.err == nil && first.status != test.first || first.replayed {
				t.Errorf("first: %+v", first)
			}
			second := post(t, server.URL+"/orders", name, body)
			if second.err != nil || second.status != test.second || second.replayed != test.secondReplayed {
				t.Errorf("second: %+v", second)
			}
			if other := post(t, server.URL+"/orders", name, `{"behaviour":"normal","item":"other"}`); test.secondReplayed && other.status != 422 {
				t.Errorf("another request under the key: %+v", other)
			}
		})
	}
}

func TestHeldRequestsAreReleasedOneByOne(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farm.Options{Orders: -1, Hold: true})
	answers := map[string]chan reply{"a": make(chan reply, 1), "b": make(chan reply, 1), "c": make(chan reply, 1)}
	for key, answer := range answers {
		go func() { answer <- post(t, server.URL+"/orders", key, `{}`) }()
	}
	if err := server.Seen.Wait(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if held := server.Held(); !slices.Equal(held, []string{"a", "b", "c"}) {
		t.Fatalf("held: %v", held)
	}
	if again := post(t, server.URL+"/orders", "a", `{}`); again.status != http.StatusConflict {
		t.Errorf("the same key while the first is in progress: %+v", again)
	}
	if !server.Release("b", &farm.Reply{Status: 418, Body: []byte(`"teapot"`)}) || server.Release("nobody", nil) {
		t.Error("Release does not say who was held")
	}
	if got := <-answers["b"]; got.status != 418 || got.body != `"teapot"` {
		t.Errorf("b: %+v", got)
	}
	server.Release("c", nil)
	if got := <-answers["c"]; got.status != 200 {
		t.Errorf("c: %+v", got)
	}
	server.ReleaseAll()
	if got := <-answers["a"]; got.status != 200 {
		t.Errorf("a: %+v", got)
	}
	if got := post(t, server.URL+"/orders", "d", `{}`); got.status != 200 {
		t.Errorf("after ReleaseAll: %+v", got)
	}
}

func TestSeenIsShown(t *testing.T) {
	t.Parallel()
	server := farmtest.Start(t, farmtest.Quick)
	post(t, server.URL+"/orders", "k", `{"behaviour":"refuse"}`)
	answer, err := http.Get(server.URL + "/seen")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var got struct {
		Total    int
		Requests []seen.Request
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Total != 1 || got.Requests[0].Key != "k" || got.Requests[0].Path != "/orders" || got.Requests[0].Behaviour != "refuse" {
		t.Errorf("got %+v", got)
	}
}

func TestShutdownWaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	server, err := farm.Listen("127.0.0.1:0", farm.Options{Orders: -1, Hold: true})
	if err != nil {
		t.Fatal(err)
	}
	answer := make(chan reply, 1)
	go func() { answer <- post(t, server.URL+"/orders", "a", `{}`) }()
	if err := server.Seen.WaitFor(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	server.ReleaseAll()
	if err := server.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got.status != 200 {
		t.Errorf("got %+v", got)
	}
	if _, err := farm.Listen("256.0.0.1:0", farm.Options{}); err == nil {
		t.Error("an address that cannot be was accepted")
	}
}
