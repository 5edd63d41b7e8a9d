// Package views draws kwit's pages: templ components and the words on them.
// A component takes the few values that it shows; it knows no request and no
// database. Sentences stand in words.go, times in when.go, the picture of a
// job's attempts in timeline.go.
package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
)

// Site is what every component needs to know: where the pages live, and what
// time it is.
type Site struct {
	Prefix string    // path of the public address, "" or "/kwit", without a slash at its end
	Now    time.Time // the moment that relative times count from
}

// To is the address of a path within the site. The arguments are formatted
// into the path and must be safe in one: ids, numbers, names of job types.
func (s Site) To(format string, args ...any) templ.SafeURL {
	return templ.SafeURL(s.Prefix + fmt.Sprintf(format, args...))
}

// Viewer is the person who looks at a page.
type Viewer struct {
	ID       uuid.UUID
	Name     string
	Email    string
	RoleName string
	Support  bool // sees the console; true for admins too
	Admin    bool
}

// called is the name, or the address where there is none.
func (v Viewer) called() string {
	if v.Name != "" {
		return v.Name
	}
	return v.Email
}

// Doubts is the count beside the console's link.
type Doubts struct {
	Count  int // 1000 stands for 1000 or more
	Oldest time.Time
}

// Page is what the layout round a page shows.
type Page struct {
	Site
	Title   string  // what stands in the browser's tab, before the site's name
	Path    string  // of the page, without the prefix: marks where one is
	Viewer  *Viewer // nil for somebody who is not signed in
	Doubts  Doubts  // for support
	Notice  string  // what has just been done, in a sentence
	Problem string  // what could not be done, in a sentence
}

// at tells whether the page lies under one of the paths; a later entry that
// begins with "!" takes a part out.
func (p Page) at(paths ...string) bool {
	here := false
	for _, path := range paths {
		if out, ok := strings.CutPrefix(path, "!"); ok && within(p.Path, out) {
			return false
		}
		here = here || within(p.Path, path)
	}
	return here
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// title is the whole title of the browser's tab.
func (p Page) title() string {
	if p.Title == "" {
		return "kwit"
	}
	return p.Title + " · kwit"
}

// quiet is the page without messages, for one that shows them itself.
func (p Page) quiet() Page {
	p.Notice, p.Problem = "", ""
	return p
}

// count is the number of doubts as the badge shows it.
func (d Doubts) count() string {
	if d.Count >= 1000 {
		return "1000+"
	}
	return fmt.Sprint(d.Count)
}
