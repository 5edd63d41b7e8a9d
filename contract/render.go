package contract

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"kwit/config"
	"kwit/exactjson"
)

// Prompt is what a language model is asked, rendered from one job's input.
type Prompt struct {
	System     string // empty: none
	User       string
	Parameters config.Parameters
}

// RenderError says why a prompt cannot be rendered. Nothing was sent then, and
// nothing else would come of trying again (2-ledger, "What a provider call's
// end means").
type RenderError struct {
	Part   string // system or user; empty where the input cannot be read
	Line   int    // of the template; 0 where no single line is at fault
	Detail string
}

// Error is a line that an attempt's detail can show.
func (e *RenderError) Error() string {
	where := ""
	switch {
	case e.Line > 0:
		where = fmt.Sprintf("%s, line %d: ", e.Part, e.Line)
	case e.Part != "":
		where = e.Part + ": "
	}
	return "the prompt cannot be rendered: " + where + e.Detail
}

// longestRendered bounds a rendered text.
const longestRendered = 4 << 20 // bytes

var errTooLong = fmt.Errorf("it grows beyond %d MiB", longestRendered>>20)

// Render renders the job type's prompt with an input. Numbers stand in it as
// they were typed and texts as they are, also where they look like a template.
// It gives nil where the job type has no prompt, so that the input itself is
// what is sent. Its error is a [*RenderError].
func (c *Contract) Render(input []byte) (*Prompt, error) {
	if c.prompt == nil {
		return nil, nil
	}
	v, err := exactjson.Parse(input, outputLimits)
	if err != nil {
		return nil, &RenderError{Detail: "the input cannot be read: " + err.Error()}
	}
	data := map[string]any{"input": plain(v)}
	p := &Prompt{Parameters: c.parameters}
	if c.prompt.system != nil {
		if p.System, err = c.prompt.system.render(data); err != nil {
			return nil, err
		}
	}
	if p.User, err = c.prompt.user.render(data); err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.User) == "" {
		return nil, &RenderError{Part: "user", Detail: "nothing comes of it with this input"}
	}
	return p, nil
}

// render runs the template, with the library's panics contained.
func (p *part) render(data any) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			text, err = "", &RenderError{Part: p.name, Detail: fmt.Sprint(r)}
		}
	}()
	var out strings.Builder
	err = p.compiled.Execute(&bounded{out: &out, left: longestRendered}, data)
	var known *RenderError
	switch {
	case err == nil:
		return out.String(), nil
	case errors.As(err, &known):
		return "", known
	}
	if found := templateError.FindStringSubmatch(err.Error()); found != nil {
		line, _ := strconv.Atoi(found[1]) // digits
		return "", &RenderError{Part: p.name, Line: line, Detail: found[2]}
	}
	return "", &RenderError{Part: p.name, Detail: err.Error()}
}

// bounded writes as long as there is room left.
type bounded struct {
	out  io.Writer
	left int // bytes
}

func (b *bounded) Write(text []byte) (int, error) {
	if len(text) > b.left {
		return 0, errTooLong
	}
	b.left -= len(text)
	return b.out.Write(text)
}

// null is JSON's null: false in an if, and other than what is missing.
type null struct{}

// digits is a number that int64 does not write in the same way. It is no
// string and has no methods, which templates could call.
type digits string

// plain gives a value to templates: string, bool, int64 or digits, []any,
// map[string]any, *null.
func plain(v exactjson.Value) any {
	switch v.Kind() {
	case exactjson.Bool:
		return v.Bool()
	case exactjson.String:
		return v.Text()
	case exactjson.Number:
		n, err := strconv.ParseInt(v.Text(), 10, 64)
		if err == nil && strconv.FormatInt(n, 10) == v.Text() {
			return n
		}
		return digits(v.Text())
	case exactjson.Array:
		items := make([]any, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = plain(item)
		}
		return items
	case exactjson.Object:
		members := make(map[string]any, len(v.Members()))
		for _, m := range v.Members() {
			members[m.Name] = plain(m.Value)
		}
		return members
	}
	return (*null)(nil)
}

// numberText writes a number of the input as it was typed, and one of the
// template in decimal.
func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case digits:
		return string(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}
