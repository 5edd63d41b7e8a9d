package config

import (
	"fmt"
	"strings"
	"time"

	"kwit/exactjson"
)

// Config is a file without mistakes.
type Config struct {
	Providers []Provider // in the file's order
	JobTypes  []JobType  // in the file's order
	Limits    Limits

	secrets []string // the longest first
}

// String counts what the file holds and prints nothing that may be secret.
func (c Config) String() string {
	return fmt.Sprintf("%d providers, %d job types", len(c.Providers), len(c.JobTypes))
}

// GoString is String.
func (c Config) GoString() string { return c.String() }

// Limits bound what is accepted from outside.
type Limits struct {
	Body int64 // bytes of a request's body; 1 MiB by default
}

// OnUnknown says what happens to an attempt that is in doubt (2-ledger, "Who
// starts the next attempt").
type OnUnknown string

// Hold waits until the doubt is cleared. Release lets the system release the
// attempt after ReleaseAfter and start the next provider.
const (
	Hold    OnUnknown = "hold"
	Release OnUnknown = "release"
)

// JobType is one job type of the file, or of an older version of it
// ([ParseDefinition]).
type JobType struct {
	Name        string
	Title       string
	Description string          // empty: none
	Input       exactjson.Value // JSON Schema, members in the file's order
	Output      exactjson.Value // JSON Schema
	Route       []string        // providers' names; not empty, none twice
	Repeatable  bool            // running the work twice harms nobody
	OnUnknown   OnUnknown
	// ReleaseAfter counts from the first byte sent; set exactly with Release.
	ReleaseAfter time.Duration
	Prompt       *Prompt // nil: the input itself is what is sent
	Parameters   Parameters
	UnwrapFence  bool // one fence round a whole answer is taken off

	// Timeout, Linger and Attempts are no part of a version: they are today's
	// for old jobs as well, and zero in what ParseDefinition gives.
	Timeout  time.Duration // from the first byte sent until the attempt is unknown; 60 s by default
	Linger   time.Duration // how long to listen on after that; 10 min by default
	Attempts int           // automatic ones for each provider, the first one counted; 3 by default

	definition []byte
	places     places
}

// MistakeAt is a mistake at a place of the job type, by a JSON pointer into it
// such as /input/properties/text. Where nothing stands at the pointer, it is
// the nearest place around it.
func (t JobType) MistakeAt(pointer, text string) Mistake { return t.places.mistake(pointer, text) }

// Provider finds a provider by its name.
func (c *Config) Provider(name string) (Provider, bool) {
	for _, p := range c.Providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// JobType finds a job type by its name.
func (c *Config) JobType(name string) (JobType, bool) {
	for _, t := range c.JobTypes {
		if t.Name == name {
			return t, true
		}
	}
	return JobType{}, false
}

// Mask replaces every secret of the file that stands in a text: values of the
// environment, and headers that carry credentials.
func (c *Config) Mask(text string) string {
	for _, secret := range c.secrets {
		text = strings.ReplaceAll(text, secret, "•••")
	}
	return text
}
