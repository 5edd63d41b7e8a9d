package web_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// browser is somebody's browser: it keeps cookies, and follows no redirect by
// itself.
type browser struct {
	w      *world
	client *http.Client
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// signedIn is a browser in which the person has just signed in.
func (w *world) signedIn(p person) *browser {
	w.t.Helper()
	b := w.browser()
	b.post("/sign-in", fields("email", p.Email, "password", password)).want(http.StatusSeeOther)
	return b
}

// cookie is the header that the browser sends.
func (b *browser) cookie() string {
	var all []string
	for _, c := range b.client.Jar.Cookies(parseURL(b.w.t, b.w.url)) {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// page is an answer to a browser.
type page struct {
	t      testing.TB
	status int
	header http.Header
	html   *html.Node
	raw    string
}

func (b *browser) get(path string, header ...string) page {
	b.w.t.Helper()
	return b.do(mustRequest(b.w.t, "GET", b.w.url+path, ""), header...)
}

func (b *browser) post(path string, form url.Values, header ...string) page {
	b.w.t.Helper()
	r := mustRequest(b.w.t, "POST", b.w.url+path, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(r, header...)
}

func (b *browser) do(r *http.Request, header ...string) page {
	b.w.t.Helper()
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := b.client.Do(r)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	tree, err := html.Parse(strings.NewReader(string(raw)))
	if err != nil {
		b.w.t.Fatal(err)
	}
	return page{t: b.w.t, status: res.StatusCode, header: res.Header, html: tree, raw: string(raw)}
}

func (p page) want(status int) page {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("status %d, want %d: %s", p.status, status, p.words())
	}
	return p
}

// leads is where a 303 leads to.
func (p page) leads() string {
	p.t.Helper()
	return p.want(http.StatusSeeOther).header.Get("Location")
}

// says fails the test unless the page shows all these words.
func (p page) says(all ...string) page {
	p.t.Helper()
	for _, words := range all {
		if !strings.Contains(p.words(), words) {
			p.t.Fatalf("the page does not say %q: %s", words, p.words())
		}
	}
	return p
}

// words is the text of the page, with white space folded.
func (p page) words() string {
	var text strings.Builder
	for n := range p.html.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			text.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// form is what the page's form with that action would send.
func (p page) form(action string) url.Values {
	p.t.Helper()
	for n := range p.html.Descendants() {
		if n.Data == "form" && strings.HasSuffix(attr(n, "action"), action) && attr(n, "method") == "post" {
			return valuesOf(n)
		}
	}
	p.t.Fatalf("no form for %s: %s", action, p.words())
	return nil
}

func valuesOf(form *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		switch name := attr(n, "name"); {
		case n.Data == "textarea":
			var text strings.Builder
			for c := range n.ChildNodes() {
				text.WriteString(c.Data)
			}
			values.Add(name, strings.TrimPrefix(text.String(), "\n"))
		case n.Data == "input" && name != "" && attr(n, "type") != "checkbox" && attr(n, "type") != "radio":
			values.Add(name, attr(n, "value"))
		}
	}
	return values
}

// open opens a job's form anew, as a click on its link does.
func (b *browser) open(jobType string) (form url.Values, path string) {
	b.w.t.Helper()
	path = strings.TrimPrefix(b.get("/jobs/new/"+jobType).leads(), parseURL(b.w.t, b.w.url).Path)
	return b.get(path).want(http.StatusOK).form("/jobs"), path
}

// links are the addresses that the page leads to or loads.
func (p page) links() []string {
	var list []string
	for n := range p.html.Descendants() {
		for _, name := range []string{"href", "action", "src", "hx-get", "hx-sse:connect"} {
			if address := attr(n, name); address != "" && !strings.HasPrefix(address, "#") {
				list = append(list, address)
			}
		}
	}
	return list
}
