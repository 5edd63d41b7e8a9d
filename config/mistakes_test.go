package config_test

import (
	"strings"
	"testing"

	"kwit/config"
)

const wanted = "input: {type: object}, output: {}, route: [p]"

const providersThenJobs = "providers: {p: {kind: simulator}, q: {kind: simulator}}\njob_types:\n  j: "

// TestMistakes holds each kind of mistake to its line, column and words. A file
// that begins with "JOB" is a job type's mapping in an otherwise right file,
// one that begins with "PROVIDER" a provider's.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, want string }{
		// The file as a whole.
		{"empty", "", `1:1: the file is empty: it needs "providers" and "job_types"`},
		{"only a comment", "# kwit\n", `1:1: the file is empty: it needs "providers" and "job_types"`},
		{"null", "---\n", `2:1: the file must be a mapping ("key: value" lines), is empty`},
		{"a list", "- a\n", `1:1: the file must be a mapping ("key: value" lines), is a list`},
		{"text", "hello", `1:1: the file must be a mapping ("key: value" lines), is a single value`},
		{"binary", "\x00\x01\x02", "1:1: not YAML: control characters are not allowed"},
		{"no UTF-8", "a: \xff\xff", "1:1: not YAML: invalid leading UTF-8 octet"},
		{"syntax", "providers:\n  a: [1,\njob_types: {}\n", "2:1: not YAML: did not find expected ',' or ']'"},
		{"two documents", smallest + "---\na: b\n", "6:1: a second document begins here: the file must hold one"},
		{"too large", strings.Repeat("#", 5<<20), "1:1: the file is larger than 4 MiB"},
		{"unknown keys, and missing ones", "provider: {}\nx: 1\n", `1:1: "job_types" is missing
1:1: "providers" is missing
1:1: unknown key "provider" in the file; did you mean "providers"?
2:1: unknown key "x" in the file; known are: job_types, limits, providers`},
		{"nothing in it", "providers: {}\njob_types: {}\n", "1:12: no provider is configured\n2:12: no job type is configured"},
		{"wrong types", "providers: 7\njob_types: []\nlimits:\n", `1:12: "providers" must be a mapping ("key: value" lines), is a single value
2:12: "job_types" must be a mapping ("key: value" lines), is a list
3:8: limits must be a mapping ("key: value" lines), is empty`},
		{"a size", "limits: {body: 1GB}\n" + smallest, "1:16: a size is written as 65536, 512KiB or 1MiB"},
		{"a size too small", "limits: {body: 10}\n" + smallest, "1:16: the size must be from 1 KiB to 64 MiB"},
		{"a size far too large", "limits: {body: 999999999MiB}\n" + smallest, "1:16: the size must be from 1 KiB to 64 MiB"},

		// YAML.
		{"a key twice", "PROVIDER {kind: simulator,\n max_concurrent: 1, kind: simulator}", `2:21: the key "kind" stands in line 1 already`},
		{"alias", "PROVIDER &a {kind: simulator, latency: *a}", "1:68: aliases (*a) are not supported: write the value out"},
		{"alias bomb", "JOB {" + wanted + ", title: &a [x,x], description: &b [*a,*a,*a,*a]}",
			"3:61: title must be a single value, is a list\n3:84: description must be a single value, is a list"},
		{"merge", "PROVIDER {<<: {kind: simulator}, kind: simulator}", "1:39: merge keys (<<) are not supported: write the members out"},
		{"tag", "JOB {" + wanted + ", title: !mine x}", "3:61: the tag !mine is not supported"},
		{"a key that is no text", "PROVIDER {kind: simulator, [a]: b, ~: c}", "1:56: a key must be text\n1:64: a key must be text"},

		// Names.
		{"names", "providers: {Ab: {kind: simulator}, a--b: {kind: simulator}, " + strings.Repeat("a", 41) + ": {kind: simulator}, a_b-1: {kind: simulator}}\njob_types:\n  -: {input: {type: object}, output: {}, route: [a_b-1]}",
			`1:13: the name "Ab" must be lower-case letters and digits, with single - or _ between them, at most 40 characters
1:36: the name "a--b" must be lower-case letters and digits, with single - or _ between them, at most 40 characters
1:61: the name "` + strings.Repeat("a", 41) + `" must be lower-case letters and digits, with single - or _ between them, at most 40 characters
3:3: the name "-" must be lower-case letters and digits, with single - or _ between them, at most 40 characters`},

		// Providers.
		{"no mapping", "PROVIDER simulator", `1:38: the provider x must be a mapping ("key: value" lines), is a single value`},
		{"no kind", "PROVIDER {}", "1:35: the provider x needs a kind: anthropic, http, openai, simulator"},
		{"empty kind", "PROVIDER {kind: }", "1:45: kind must not be empty"},
		{"unknown kind", "PROVIDER {kind: simulater}", `1:45: unknown kind "simulater"; did you mean "simulator"?`},
		{"http without url", "PROVIDER {kind: http}", `1:45: a provider of kind http needs "url"`},
		{"keys of another kind", "PROVIDER {kind: http, url: 'http://a/', latency: 1s}", `1:69: "latency" does not belong to a provider of kind http`},
		{"keys of the other kind", "PROVIDER {kind: simulator, url: 'http://a/', headers: {}}",
			"1:56: \"url\" does not belong to a provider of kind simulator\n1:74: \"headers\" does not belong to a provider of kind simulator"},
		{"urls", "PROVIDER {kind: http, url: 'ftp://a/', proxy: localhost}", `1:56: url must be a whole address that begins with http:// or https://
1:75: proxy must be a whole address that begins with http:// or https://`},
		{"url with a user", "PROVIDER {kind: http, url: 'http://u:p@a/'}", "1:56: url must not hold a user: send credentials by headers"},
		{"url with a fragment", "PROVIDER {kind: http, url: 'http://a/#x'}", "1:56: url must not have a fragment (#…)"},
		{"empty url", "PROVIDER {kind: http, url: ''}", "1:56: url must not be empty"},
		{"headers", "PROVIDER {kind: http, url: 'http://a/', headers: {'a b': x, X-A: 1, x-a: 2, X-B: '', X-C: \"a\\nb\", X-D: [1]}}",
			`1:79: "a b" is no name of a header
1:97: the header X-A stands twice
1:110: the header X-B must not be empty
1:119: the header X-C holds a character that a header may not hold
1:132: the header X-D must be a single value, is a list`},
		{"statuses", "PROVIDER {kind: http, url: 'http://a/', not_processed_statuses: [200, 503, x, 503]}",
			`1:94: a status must be a whole number from 400 to 599
1:104: a status must be a whole number from 400 to 599
1:107: the status 503 stands twice`},
		{"max_concurrent", "PROVIDER {kind: simulator, max_concurrent: 0}", "1:72: max_concurrent must be a whole number from 1 to 10000"},
		{"max_concurrent in octal", "PROVIDER {kind: simulator, max_concurrent: 010}", "1:72: max_concurrent must be a whole number from 1 to 10000"},
		{"latency", "PROVIDER {kind: simulator, latency: [2s, 1s], slow: [1s]}", `1:65: latency must be one time, or two with the smaller first: [1s, 2s]
1:81: slow must be one time, or two with the smaller first: [1s, 2s]`},

		// Secrets.
		{"unset variable", "PROVIDER {kind: http, url: 'http://a/${NOT_SET}', headers: {Authorization: '${NOT_SET}'}}", `1:56: url needs the environment variable NOT_SET, which is not set
1:104: the header Authorization needs the environment variable NOT_SET, which is not set`},
		{"empty variable", "PROVIDER {kind: http, url: 'http://a/', headers: {Authorization: 'Bearer ${EMPTY}'}, proxy: '${EMPTY}'}",
			"1:94: the header Authorization needs the environment variable EMPTY, which is empty"},
		{"no variable", "PROVIDER {kind: http, url: 'http://a/${}', proxy: 'http://${a-b}/'}",
			"1:56: url has a ${ that begins no variable: write ${NAME}, with letters, digits and _\n1:79: proxy has a ${ that begins no variable: write ${NAME}, with letters, digits and _"},
		{"a wrong address is not shown", "PROVIDER {kind: http, url: '${SECRET}'}", "1:56: url must be a whole address that begins with http:// or https://"},

		// Job types.
		{"nothing said", "JOB {}", `3:3: the job type j needs "input"
3:3: the job type j needs "output"
3:3: the job type j needs "route"`},
		{"keys of later in job types", "JOB {" + wanted + ", checks: [], wait_at_most: 1h, conformance: {}, quarantine: true}",
			`3:54: "checks" is not supported yet by this version
3:66: "wait_at_most" is not supported yet by this version
3:84: "conformance" is not supported yet by this version
3:101: "quarantine" is not supported yet by this version`},
		{"unknown key", "JOB {" + wanted + ", time_out: 5s}", `3:54: unknown key "time_out" in the job type j; did you mean "timeout"?`},
		{"title", "JOB {" + wanted + ", title: \"a\\nb\"}", "3:61: title must be one line of at most 100 characters"},
		{"empty title", "JOB {" + wanted + ", title: }", "3:61: title must not be empty"},
		{"route", "JOB {input: {type: object}, output: {}, route: [p, pp, p, '', 7]}", `3:53: the provider "pp" of the route is not configured; known are: p, q
3:57: the provider "p" stands twice in the route
3:60: a provider in the route must not be empty
3:64: the provider "7" of the route is not configured; known are: p, q`},
		{"empty route", "JOB {input: {type: object}, output: {}, route: []}", "3:49: the route must name at least one provider"},
		{"route as text", "JOB {input: {type: object}, output: {}, route: p}", "3:49: route must be a list, is a single value"},
		{"times", "JOB {" + wanted + ", timeout: 60, linger: -1s}", "3:63: timeout must be a time with its unit, such as 10s, 5m or 24h\n3:75: linger must be at least 0s"},
		{"times out of bounds", "JOB {" + wanted + ", timeout: 0s, linger: 1000h}", "3:63: timeout must be at least 1ms\n3:75: linger must be at most 720h"},
		{"attempts", "JOB {" + wanted + ", attempts: 1.5}", "3:64: attempts must be a whole number from 1 to 100"},
		{"repeatable", "JOB {" + wanted + ", repeatable: yes}", "3:66: repeatable must be true or false"},
		{"on_unknown", "JOB {" + wanted + ", on_unknown: free}", "3:66: on_unknown must be hold or release"},
		{"release without leave", "JOB {" + wanted + ", on_unknown: release, release_after: 10s}", `3:54: "on_unknown: release" needs "repeatable: true": it may run the work twice`},
		{"release without a time", "JOB {" + wanted + ", on_unknown: release, repeatable: true}", `3:54: "on_unknown: release" needs release_after, such as "release_after: 10s"`},
		{"release too late", "JOB {" + wanted + ", on_unknown: release, repeatable: true, release_after: 60s}", "3:93: release_after must be shorter than the timeout (1m0s)"},
		{"release_after alone", "JOB {" + wanted + ", release_after: 1s}", `3:54: release_after needs "on_unknown: release"`},

		// Schemas.
		{"schema", "JOB {input: text, output: [], route: [p]}", `3:14: input must be a mapping ("key: value" lines), is a single value
3:28: output must be a mapping ("key: value" lines), is a list`},
		{"numbers that nobody is sure of", "JOB {input: {type: object, enum: [0x10, 010, 1_000, .5, .inf, +1]}, output: {}, route: [p]}",
			`3:36: 0x10 is not how JSON writes a number: write it in decimal, or in quotes where text is meant
3:42: 010 is not how JSON writes a number: write it in decimal, or in quotes where text is meant
3:47: 1_000 is not how JSON writes a number: write it in decimal, or in quotes where text is meant
3:54: .5 is not how JSON writes a number: write it in decimal, or in quotes where text is meant
3:58: .inf is not how JSON writes a number: write it in decimal, or in quotes where text is meant
3:64: +1 is not how JSON writes a number: write it in decimal, or in quotes where text is meant`},
		{"a key twice in a schema", "JOB {input: {type: object, a: 1, a: 2}, output: {b: *x}, route: [p]}", "1:1: not YAML: unknown anchor 'x' referenced"},
		{"a schema too deep", "JOB {input: " + strings.Repeat("{a: ", 65) + "1" + strings.Repeat("}", 65) + ", output: {}, route: [p]}", "3:270: nested more than 64 deep"},
		{"NUL in a schema", "JOB {input: {type: object, title: \"a\\0\", \"b\\0\": 1}, output: {}, route: [p]}", "3:36: the text holds the character NUL\n3:43: a key must be text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := mistakesOf(test.file); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// mistakesOf parses a file as [TestMistakes] writes it, and gives its mistakes
// a line each.
func mistakesOf(file string) string {
	if job, ok := strings.CutPrefix(file, "JOB "); ok {
		file = providersThenJobs + job
	}
	if provider, ok := strings.CutPrefix(file, "PROVIDER "); ok {
		file = "providers: {p: {kind: simulator}, x: " + provider + "}\njob_types: {j: {" + wanted + "}}"
	}
	env := environment(map[string]string{"EMPTY": "", "SECRET": "do-not-print", "BRACES": "do-not-print-{x}"})
	c, mistakes := config.Parse("F", []byte(file), env)
	var lines []string
	for _, m := range mistakes {
		lines = append(lines, strings.TrimPrefix(m.String(), "F:"))
	}
	if c != nil {
		lines = append(lines, "the file was accepted")
	}
	return strings.Join(lines, "\n")
}
