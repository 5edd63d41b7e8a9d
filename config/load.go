package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// maxFile is far beyond any file that a person writes.
const maxFile = 4 << 20 // bytes

// Load reads a file. env looks up a variable of the environment (os.LookupEnv).
// With mistakes the configuration is nil; they are sorted by place.
func Load(path string, env func(string) (string, bool)) (*Config, []Mistake) {
	data, err := read(path)
	if err != nil {
		return nil, []Mistake{{File: path, Line: 1, Column: 1, Text: "cannot be read: " + err.Error()}}
	}
	return Parse(path, data, env)
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unwrapPath(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return data, unwrapPath(err)
}

// unwrapPath leaves the path out, which each mistake names already.
func unwrapPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Parse is Load for a file that is already in memory; file names it in
// mistakes.
func Parse(file string, data []byte, env func(string) (string, bool)) (*Config, []Mistake) {
	r := &reader{file: file, env: env}
	root, err := r.document(data)
	if err != nil {
		return nil, []Mistake{*err}
	}
	c := r.config(root)
	if len(r.mistakes) > 0 {
		return nil, Sort(r.mistakes)
	}
	c.secrets = r.secretsLongestFirst()
	return c, nil
}

// document parses the YAML, with the parser's panics contained.
func (r *reader) document(data []byte) (root *yaml.Node, mistake *Mistake) {
	at := func(line int, text string) *Mistake { return &Mistake{File: r.file, Line: line, Column: 1, Text: text} }
	defer func() {
		if p := recover(); p != nil {
			root, mistake = nil, at(1, fmt.Sprintf("not YAML: the parser failed on it: %v", p))
		}
	}()
	if len(data) > maxFile {
		return nil, at(1, fmt.Sprintf("the file is larger than %d MiB", maxFile>>20))
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, at(1, `the file is empty: it needs "providers" and "job_types"`)
	}
	if err != nil {
		line, text := splitSyntaxError(err)
		return nil, at(line, "not YAML: "+text)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, at(second.Line, "a second document begins here: the file must hold one")
	case !errors.Is(err, io.EOF):
		line, text := splitSyntaxError(err)
		return nil, at(line, "not YAML: "+text)
	}
	return document.Content[0], nil
}

var (
	syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)
	// The library counts lines from 0 in the errors of its parser (these), and
	// from 1 in those of its scanner.
	parserError = regexp.MustCompile(`^did not find expected (key|node content|'-' indicator|',' or|<)`)
)

// splitSyntaxError takes the line out of a syntax error. The library tells it
// in the error's text only.
func splitSyntaxError(err error) (line int, text string) {
	parts := syntaxError.FindStringSubmatch(err.Error())
	if parts == nil {
		return 1, err.Error()
	}
	line, _ = strconv.Atoi(parts[1])
	if line > 0 && parserError.MatchString(parts[2]) {
		line++
	}
	return max(line, 1), parts[2]
}

// config reads the top of the file.
func (r *reader) config(root *yaml.Node) *Config {
	c := &Config{Limits: Limits{Body: 1 << 20}}
	var jobTypes *yaml.Node
	seen := r.object(root, "the file", nil, map[string]func(*yaml.Node){
		"providers": func(n *yaml.Node) { c.Providers = r.providers(n) },
		"job_types": func(n *yaml.Node) { jobTypes = n },
		"limits":    func(n *yaml.Node) { c.Limits = r.limits(n, c.Limits) },
	})
	for _, key := range []string{"providers", "job_types"} {
		if _, ok := seen[key]; !ok && root.Kind == yaml.MappingNode {
			r.mistake(root, "%q is missing", key)
		}
	}
	if jobTypes != nil {
		c.JobTypes = r.jobTypes(jobTypes, c.Providers) // whose routes name providers, wherever those stand
	}
	return c
}

func (r *reader) limits(n *yaml.Node, limits Limits) Limits {
	r.object(n, "limits", nil, map[string]func(*yaml.Node){
		"body": func(n *yaml.Node) { limits.Body = r.size(n, 1<<10, 64<<20) },
	})
	return limits
}

// secretsLongestFirst, so that a secret inside of another leaves no rest.
func (r *reader) secretsLongestFirst() []string {
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(r.secrets)
}
