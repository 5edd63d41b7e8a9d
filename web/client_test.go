package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// reply is an answer of the API.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	raw    []byte
	json   map[string]any
}

// call sends a request of the API as the person; header is pairs of names and
// values.
func (w *world) call(p person, method, path, body string, header ...string) reply {
	w.t.Helper()
	r := mustRequest(w.t, method, w.url+"/api/v1"+path, body)
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i+1] == "" {
			r.Header.Del(header[i])
			continue
		}
		r.Header.Add(header[i], header[i+1])
	}
	return w.do(r)
}

func (w *world) do(r *http.Request) reply {
	w.t.Helper()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	got := reply{t: w.t, status: res.StatusCode, header: res.Header, raw: raw}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if strings.Contains(res.Header.Get("Content-Type"), "json") && len(raw) > 0 {
		if err := decoder.Decode(&got.json); err != nil {
			w.t.Fatalf("%s %s: %v in %s", r.Method, r.URL, err, raw)
		}
	}
	return got
}

// submit sends a job.
func (w *world) submit(p person, key, body string) reply {
	w.t.Helper()
	return w.call(p, "POST", "/jobs", body, "Idempotency-Key", key)
}

// newJob sends a job that is accepted, and returns its id.
func (w *world) newJob(p person, key string) string {
	w.t.Helper()
	return w.submit(p, key, summary("a text for "+key)).want(http.StatusCreated).text("id")
}

func summary(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"job_type": "summary", "input": {"text": ` + string(quoted) + `}}`
}

// want fails the test unless the answer has the status.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.raw)
	}
	return r
}

// problem fails the test unless the answer is a problem document of that kind.
func (r reply) problem(status int, code string) reply {
	r.t.Helper()
	r.want(status)
	kind, _ := r.json["type"].(string)
	if r.header.Get("Content-Type") != "application/problem+json" || !strings.HasSuffix(kind, "/"+code) {
		r.t.Fatalf("%s, want a problem %q: %s", r.header.Get("Content-Type"), code, r.raw)
	}
	id := r.text("request_id")
	if id == "" || id != r.header.Get("X-Request-Id") || r.text("detail") == "" || r.text("title") == "" {
		r.t.Fatalf("the problem lacks its title, detail or request id: %s", r.raw)
	}
	return r
}

// text is a member of the answer, as text.
func (r reply) text(name string) string {
	text, _ := r.json[name].(string)
	return text
}

// pointers are the places of all faults.
func (r reply) pointers() string {
	var list []string
	faults, _ := r.json["errors"].([]any)
	for _, f := range faults {
		list = append(list, f.(map[string]any)["pointer"].(string))
	}
	return strings.Join(list, " ")
}

// data is the rows of a list.
func (r reply) data() []map[string]any {
	r.t.Helper()
	rows, ok := r.json["data"].([]any)
	if !ok {
		r.t.Fatalf("no list: %s", r.raw)
	}
	list := make([]map[string]any, len(rows))
	for i, row := range rows {
		list[i] = row.(map[string]any)
	}
	return list
}
