package httpjson_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/httpjson"
	"kwit/provider/providertest"
)

// TestC18_ProviderSeesTheAttempt: whatever is configured, key, job and attempt
// reach the provider as they are.
func TestC18_ProviderSeesTheAttempt(t *testing.T) {
	t.Parallel()
	type arrived struct {
		method, path, body string
		header             http.Header
	}
	requests := make(chan arrived, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests <- arrived{r.Method, r.URL.RequestURI(), string(body), r.Header}
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, `{"ok":true}`)
	}))
	t.Cleanup(server.Close)
	p, err := httpjson.New(httpjson.Options{
		URL:     server.URL + "/renders?queue=1",
		Headers: map[string]string{"authorization": "Bearer sesame-opens", "User-Agent": "shop/1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	request := providertest.Ask("attempt-7", []byte(`{"n":9007199254740993}`))
	request.Header = http.Header{
		"traceparent":     {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		"Idempotency-Key": {"another"},
		"X-Kwit-Callback": {"https://kwit.example/callbacks/attempt-7"},
	}
	end := p.Send(providertest.Patience(t), provider.NewGate(nil, nil), request, nil)
	if end.Outcome != outcome.Succeeded {
		t.Fatalf("got %q (%s)", end.Outcome, end.Detail)
	}
	got := <-requests
	if got.method != http.MethodPost || got.path != "/renders?queue=1" || got.body != `{"n":9007199254740993}` {
		t.Errorf("the provider saw %s %s %s", got.method, got.path, got.body)
	}
	for name, want := range map[string]string{
		"Idempotency-Key": "attempt-7",
		"X-Kwit-Attempt":  "attempt-7",
		"X-Kwit-Job":      "job-of-attempt-7",
		"X-Kwit-Callback": "https://kwit.example/callbacks/attempt-7",
		"Traceparent":     "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"Content-Type":    "application/json",
		"Authorization":   "Bearer sesame-opens",
		"User-Agent":      "shop/1",
		"Accept-Encoding": "",
	} {
		if values := got.header[name]; strings.Join(values, ",") != want {
			t.Errorf("%s: got %q, want %q", name, values, want)
		}
	}
	if echo := end.Answer.Header.Get("X-Echo"); strings.Contains(echo, "sesame") {
		t.Errorf("the answer keeps a secret: %q", echo)
	}
}

// TestProxy: only the configured one, for plain addresses and through a tunnel.
func TestProxy(t *testing.T) {
	serverTLS, clientTLS := providertest.Certificate(t, "http/1.1")
	for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:1") // must not be asked
	}
	answer := says(head + "Content-Length: 2\r\n\r\n{}")
	secure := providertest.StartRaw(t, serverTLS, answer)
	plain := providertest.StartRaw(t, nil, answer)
	targets := make(chan string, 2)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		targets <- r.Method + " " + r.RequestURI + " " + r.Header.Get("Proxy-Authorization")
		if r.Method != http.MethodConnect {
			_, _ = io.WriteString(w, `{"by":"proxy"}`)
			return
		}
		join(t, w, r.RequestURI)
	}))
	t.Cleanup(proxy.Close)
	through := strings.Replace(proxy.URL, "http://", "http://ann:secret@", 1)
	const credentials = " Basic YW5uOnNlY3JldA=="
	tests := []struct {
		url, proxy, want, result string
	}{
		{"http://" + plain.Addr + "/x", "", "", "{}"},
		{"http://" + plain.Addr + "/x", through, "POST http://" + plain.Addr + "/x" + credentials, `{"by":"proxy"}`},
		{"https://" + secure.Addr + "/x", through, "CONNECT " + secure.Addr + credentials, "{}"},
	}
	for _, test := range tests {
		end := send(t, providertest.Patience(t), httpjson.Options{URL: test.url, Proxy: test.proxy, TLS: clientTLS})
		if end.Outcome != outcome.Succeeded || string(end.Result) != test.result {
			t.Errorf("%s by way of %q: %q %s (%s)", test.url, test.proxy, end.Outcome, end.Result, end.Detail)
			continue
		}
		if test.want == "" {
			continue
		}
		if got := <-targets; got != test.want {
			t.Errorf("the proxy saw %q, want %q", got, test.want)
		}
	}
	checkOnce(t, plain)
	checkOnce(t, secure)
}

// join makes the tunnel that CONNECT asks for.
func join(t *testing.T, w http.ResponseWriter, target string) {
	far, err := net.Dial("tcp", target)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = far.Close() }()
	w.WriteHeader(http.StatusOK)
	near, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = near.Close() }()
	done := make(chan struct{}, 2)
	go func() { _, _ = io.Copy(far, near); done <- struct{}{} }()
	go func() { _, _ = io.Copy(near, far); done <- struct{}{} }()
	<-done
}

func TestNewNamesEveryMistake(t *testing.T) {
	t.Parallel()
	_, err := httpjson.New(httpjson.Options{
		URL:                  "ftp://farm.example.com",
		Headers:              map[string]string{"bad name": "x", "X-Kwit-Job": "1", "Host": "h", "X-Line": "a\r\nb", "X-Fine": "1"},
		Proxy:                "socks5://127.0.0.1:1",
		NotProcessedStatuses: []int{503, 200},
	})
	var mistakes httpjson.Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatalf("New: %v", err)
	}
	var fields []string
	for _, mistake := range mistakes {
		fields = append(fields, mistake.Field)
	}
	slices.Sort(fields)
	want := []string{"headers.Host", "headers.X-Kwit-Job", "headers.X-Line", "headers.bad name", "not_processed_statuses", "proxy", "url"}
	if !slices.Equal(fields, want) {
		t.Errorf("got %q, want %q", fields, want)
	}
	for _, url := range []string{"", "farm.example.com", "http://", "https://u:p@farm.example.com", "http://%zz"} {
		if _, err := httpjson.New(httpjson.Options{URL: url}); err == nil {
			t.Errorf("the address %q was accepted", url)
		}
	}
}

// A job type with a prompt sends what was rendered; without one, the input goes
// as it is.
func TestRenderedPromptIsPosted(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- string(body)
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(server.Close)
	p, err := httpjson.New(httpjson.Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	request := providertest.Ask("attempt-8", []byte(`{"text":"…"}`))
	temperature := 0.2
	request.Prompt = &provider.Prompt{System: "Be brief.", User: "Summarise <this>",
		Parameters: provider.Parameters{Temperature: &temperature}}
	if end := p.Send(providertest.Patience(t), provider.NewGate(nil, nil), request, nil); end.Outcome != outcome.Succeeded {
		t.Fatalf("got %q (%s)", end.Outcome, end.Detail)
	}
	const want = `{"system":"Be brief.","user":"Summarise \u003cthis\u003e","parameters":{"temperature":0.2}}`
	if got := <-bodies; got != want {
		t.Errorf("posted %s, want %s", got, want)
	}
}

// A provider that echoes a secret in a fault leaves none in what is stored; a
// result is kept to the byte, whatever stands in it.
func TestSecretsAreMaskedInWhatIsStored(t *testing.T) {
	t.Parallel()
	for status, masked := range map[int]bool{http.StatusBadGateway: true, http.StatusOK: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"you sent":"`+r.Header.Get("Authorization")+`"}`)
		}))
		t.Cleanup(server.Close)
		p, err := httpjson.New(httpjson.Options{URL: server.URL, Headers: map[string]string{"Authorization": "Bearer sesame-opens"}})
		if err != nil {
			t.Fatal(err)
		}
		var kept string
		p.Send(providertest.Patience(t), provider.NewGate(nil, nil), providertest.Ask("a", []byte(`{}`)), func(a provider.Answer) error {
			kept = string(a.Body)
			return nil
		})
		if !strings.HasPrefix(kept, `{"you sent":"`) || strings.Contains(kept, "sesame-opens") == masked {
			t.Errorf("%d: kept %s, masked should be %v", status, kept, masked)
		}
	}
}
