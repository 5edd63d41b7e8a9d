package browser_test

import (
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// tabLog is what a tab sent and what went wrong in it.
type tabLog struct {
	mu       sync.Mutex
	requests []string // "METHOD URL"
	wrong    []string
	allowed  []string
}

// note takes an event of the browser.
func (l *tabLog) note(event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		l.requests = append(l.requests, e.Request.Method+" "+e.Request.URL)
	case *network.EventResponseReceived:
		// A refusal as a page is part of the story; a missing asset is not.
		if e.Response.Status >= 400 && e.Type != network.ResourceTypeDocument {
			l.wrong = append(l.wrong, fmt.Sprintf("%s answered %d", e.Response.URL, e.Response.Status))
		}
	case *log.EventEntryAdded:
		// The network's own lines are the answers above once more.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			l.wrong = append(l.wrong, fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			l.wrong = append(l.wrong, spoken(e.Args))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += ": " + e.ExceptionDetails.Exception.Description
		}
		l.wrong = append(l.wrong, text)
	}
}

func spoken(args []*runtime.RemoteObject) string {
	var text []string
	for _, a := range args {
		if a.Description != "" {
			text = append(text, a.Description)
		} else {
			text = append(text, string(a.Value))
		}
	}
	return strings.Join(text, " ")
}

// allow names what a test breaks on purpose.
func (l *tabLog) allow(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allowed = append(l.allowed, text)
}

// faults are what went wrong unexpectedly.
func (l *tabLog) faults() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var faults []string
next:
	for _, fault := range l.wrong {
		for _, text := range l.allowed {
			if strings.Contains(fault, text) {
				continue next
			}
		}
		faults = append(faults, fault)
	}
	return faults
}

// sent counts the requests of a method to addresses that contain a text.
func (l *tabLog) sent(method, address string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, r := range l.requests {
		if strings.HasPrefix(r, method+" ") && strings.Contains(r, address) {
			n++
		}
	}
	return n
}
