package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Mistake is something wrong in a file.
type Mistake struct {
	File         string
	Line, Column int // from 1
	Text         string
}

// String is the line that `kwit config check` prints: FILE:LINE:COLUMN: what is
// wrong.
func (m Mistake) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Text)
}

// Sort brings mistakes into the order of the file, each once.
func Sort(mistakes []Mistake) []Mistake {
	slices.SortFunc(mistakes, func(a, b Mistake) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Text, b.Text))
	})
	return slices.Compact(mistakes)
}

// places remembers where the parts of a provider or job type stand, by JSON
// pointer; "" is the whole.
type places struct {
	file string
	at   map[string]place
}

type place struct{ line, column int }

func newPlaces(file string, whole *yaml.Node) places {
	return places{file: file, at: map[string]place{"": {whole.Line, whole.Column}}}
}

func (p places) note(pointer string, node *yaml.Node) {
	p.at[pointer] = place{node.Line, node.Column}
}

func (p places) mistake(pointer, text string) Mistake {
	at, ok := p.at[pointer]
	for !ok && pointer != "" {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
		at, ok = p.at[pointer]
	}
	return Mistake{File: p.file, Line: at.line, Column: at.column, Text: text}
}
