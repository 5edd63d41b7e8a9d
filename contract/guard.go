package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"kwit/exactjson"
)

// guard walks a parsed template. It refuses what a prompt has no use for, and
// puts each value that is written or gone through past a function of ours, so
// that nothing is ever written that is no text, number, true or false: Go's own
// way of printing (<no value>, map[a:1]) would be sent to a model unnoticed.
type guard struct {
	part     *part
	text     string
	input    exactjson.Value // the schema
	mistakes []Mistake
}

// list visits what stands in a row. atTop tells whether the dot is still the
// template's whole data.
func (g *guard) list(l *parse.ListNode, atTop bool) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		g.node(n, atTop)
	}
}

func (g *guard) node(n parse.Node, atTop bool) {
	switch n := n.(type) {
	case *parse.ActionNode:
		g.pipe(n.Pipe, atTop)
		if len(n.Pipe.Decl) == 0 {
			g.pass(n.Pipe, "show")
		}
	case *parse.IfNode:
		g.branch(&n.BranchNode, atTop, atTop)
	case *parse.WithNode:
		g.branch(&n.BranchNode, atTop, false)
	case *parse.RangeNode:
		g.branch(&n.BranchNode, atTop, false)
		g.pass(n.Pipe, "each")
	case *parse.TemplateNode:
		g.mistake(int(n.Position()), "template and block are not supported: a prompt is one text")
	}
}

func (g *guard) branch(n *parse.BranchNode, atTop, insideAtTop bool) {
	g.pipe(n.Pipe, atTop)
	g.list(n.List, insideAtTop)
	g.list(n.ElseList, atTop)
}

func (g *guard) pipe(p *parse.PipeNode, atTop bool) {
	for _, command := range p.Cmds {
		for _, argument := range command.Args {
			g.argument(argument, atTop)
		}
	}
}

func (g *guard) argument(n parse.Node, atTop bool) {
	switch n := n.(type) {
	case *parse.IdentifierNode:
		if !slices.Contains(allowed, n.Ident) {
			g.mistake(int(n.Position()), fmt.Sprintf("the function %q is not available in prompts; there are %s", n.Ident, strings.Join(allowed, ", ")))
		}
	case *parse.FieldNode:
		if atTop {
			g.field(n, n.Ident)
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			g.field(n, n.Ident[1:])
		}
	case *parse.ChainNode:
		g.argument(n.Node, atTop)
	case *parse.PipeNode:
		g.pipe(n, atTop)
	}
}

// field checks what is taken from the template's data: .input, and in it what
// the schema knows where it says that there is nothing else.
func (g *guard) field(n parse.Node, path []string) {
	if path[0] != "input" {
		g.mistake(int(n.Position()), fmt.Sprintf("there is no %s: a prompt knows .input", n))
		return
	}
	names, closed := fieldsNamed(g.input)
	if closed && len(path) > 1 && !slices.Contains(names, path[1]) {
		g.mistake(int(n.Position()), fmt.Sprintf("the input has no field %q; it has %s", path[1], strings.Join(names, ", ")))
	}
}

// pass appends a call to the end of a pipeline, as html/template does to escape
// what it writes.
func (g *guard) pass(p *parse.PipeNode, function string) {
	at := p.Position()
	number := int64(len(g.part.uses))
	commands := make([]string, len(p.Cmds)) // without what the pipeline declares
	for i, command := range p.Cmds {
		commands[i] = command.String()
	}
	g.part.uses = append(g.part.uses, use{line: lineAt(g.text, int(at)), source: strings.Join(commands, " | ")})
	p.Cmds = append(p.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{
		parse.NewIdentifier(function).SetPos(at),
		&parse.NumberNode{NodeType: parse.NodeNumber, Pos: at, IsInt: true, Int64: number},
	}})
}

func lineAt(text string, offset int) int {
	return strings.Count(text[:min(offset, len(text))], "\n") + 1
}

func (g *guard) mistake(offset int, text string) {
	pointer := "/prompt/" + g.part.name + "/" + strconv.Itoa(lineAt(g.text, offset))
	g.mistakes = append(g.mistakes, Mistake{pointer, text})
}
