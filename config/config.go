package config

import (
	"fmt"
	"log/slog"
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

// Kind says how a provider is spoken to.
type Kind string

// The kinds of this version.
const (
	HTTP      Kind = "http"      // anything that takes a POST of JSON
	Simulator Kind = "simulator" // part of kwit
)

// Provider is one provider of the file.
type Provider struct {
	Name          string
	Kind          Kind
	MaxConcurrent int // running attempts at once; 64 by default

	// Kind http only.
	URL                  string
	Headers              map[string]string
	Proxy                string // empty: none, whatever the environment says
	NotProcessedStatuses []int  // documented by the provider as "not acted on"

	// Kind simulator only; zero is the simulator's own default.
	Latency   Range         // until an ordinary answer
	Slow      Range         // until a slow answer
	LateAfter time.Duration // until a late answer

	places places
}

// Range is a time between two bounds, both included.
type Range struct{ Min, Max time.Duration }

// String names the provider and nothing that may be secret.
func (p Provider) String() string { return p.Name + " (" + string(p.Kind) + ")" }

// GoString is String: %#v must not print secrets either.
func (p Provider) GoString() string { return p.String() }

// LogValue is String, for slog.
func (p Provider) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MistakeAt is a mistake at one of the provider's fields, found by an adapter
// that understands its value better than this package: "url", or
// "headers.NAME" for one header.
func (p Provider) MistakeAt(field, text string) Mistake {
	return p.places.mistake("/"+strings.Replace(field, ".", "/", 1), text)
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
