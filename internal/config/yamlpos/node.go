package yamlpos

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Kind is the shape of a value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Scalar
	List
	Map
)

// A Node is a value of a configuration with its place.
type Node struct {
	Kind   Kind
	Name   string  // how a message calls it: its key, or "entry 2 of step_size"
	Text   string  // of a scalar
	Items  []*Node // of a list
	Fields []Field // of a map, in the order of the text
	Line   int     // from 1
	Column int     // from 1, in characters

	style  style
	source *source
}

// A Field is a key of a map with its value.
type Field struct {
	Key   *Node
	Value *Node
}

// Field returns the value of a key, or nil: a key left empty counts as not given.
// Of a key that is given twice, the first counts.
func (n *Node) Field(key string) *Node {
	if v := n.value(key); v != nil && v.Kind != Null {
		return v
	}
	return nil
}

// Empty reports whether a key is there and holds nothing.
func (n *Node) Empty(key string) bool {
	v := n.value(key)
	return v != nil && v.Kind == Null
}

// value is that of a key, even if that holds nothing, or nil.
func (n *Node) value(key string) *Node {
	if n == nil {
		return nil
	}
	for _, f := range n.Fields {
		if f.Key.Text == key {
			return f.Value
		}
	}
	return nil
}

// Key returns the key itself, or n where it has none such.
func (n *Node) Key(key string) *Node {
	for _, f := range n.Fields {
		if f.Key.Text == key {
			return f.Key
		}
	}
	return n
}

// Override is the key, such as sampler.swap.scheme, of the override of the command line that the
// node is of; ok is false for none.
func (n *Node) Override() (key string, ok bool) {
	return strings.TrimPrefix(n.source.name, "--set "), n.source.override
}

// quoted reports whether a scalar stood in quotes or in a block: it is no number.
func (n *Node) quoted() bool { return n.style != plain }

// String describes the value for a message: `the text "abc"`, `a list`, ….
func (n *Node) String() string {
	switch n.Kind {
	case Null:
		return "nothing"
	case List:
		return fmt.Sprintf("a list of %d", len(n.Items))
	case Map:
		return "a mapping"
	}
	return Text(n.Text)
}

// Text is text in quotation marks, cut to a readable length.
func Text(text string) string {
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// Problem returns a problem at the node.
func (n *Node) Problem(message string) Problem { return n.source.problem(n.Line, n.Column, message) }

// ProblemAt returns a problem at the byte offset of the scalar's text.
func (n *Node) ProblemAt(offset int, message string) Problem {
	line, column := n.place(offset)
	return n.source.problem(line, column, message)
}

// A style is how a scalar was written.
type style int

const (
	plain style = iota
	single
	double
	block
)

// A source is a text that nodes come from.
type source struct {
	name     string
	lines    []string
	override bool // an override of the command line: problems have no place
}

func newSource(name, text string) *source {
	return &source{name: name, lines: strings.Split(text, "\n")}
}

func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

func (s *source) problem(line, column int, message string) Problem {
	if s.override {
		return Problem{File: s.name, Message: message}
	}
	return Problem{File: s.name, Line: line, Column: column, Message: message, Source: s.line(line)}
}

// place follows the text of a scalar through its source up to the byte offset:
// over quotes, escapes and folded lines.
func (n *Node) place(offset int) (line, column int) {
	c := cursor{source: n.source, style: n.style}
	c.moveTo(n.Line, n.Column)
	if n.style == single || n.style == double {
		c.next()
	}
	if n.style == block {
		first := n.Line + 1
		for first < len(n.source.lines) && strings.TrimSpace(n.source.line(first)) == "" {
			first++
		}
		text := n.source.line(first)
		c.indent = len(text) - len(strings.TrimLeft(text, " ")) + 1
		c.moveTo(n.Line+1, c.indent)
	}
	for i, r := range n.Text {
		if i >= offset {
			break
		}
		c.over(r)
	}
	if offset < len(n.Text) || n.Text == "" {
		c.settle()
	}
	return c.line, c.column
}

// A cursor walks over a source.
type cursor struct {
	source *source
	style  style
	line   int
	column int
	rest   string // of the line, from column
	indent int    // the column where the lines of a block begin
	folded bool   // the cursor has just come to a new line
}

func (c *cursor) moveTo(line, column int) {
	c.line, c.column, c.rest = line, column, c.source.line(line)
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(c.rest)
		c.rest = c.rest[size:]
	}
}

func (c *cursor) next() {
	_, size := utf8.DecodeRuneInString(c.rest)
	c.rest = c.rest[size:]
	c.column++
}

// settle goes to the next line that has text if this one has none left.
func (c *cursor) settle() {
	for c.line < len(c.source.lines) && strings.TrimSpace(c.rest) == "" {
		c.moveTo(c.line+1, max(1, c.indent))
		if c.style != block {
			for strings.HasPrefix(c.rest, " ") || strings.HasPrefix(c.rest, "\t") {
				c.next()
			}
		}
		c.folded = true
	}
}

// over steps over the source of one character of the text.
func (c *cursor) over(r rune) {
	if r == ' ' || r == '\n' {
		if c.folded && !strings.HasPrefix(c.rest, " ") {
			return // a further break of the same fold
		}
		if strings.TrimSpace(c.rest) == "" || r == '\n' && !strings.HasPrefix(c.rest, `\`) {
			c.rest = ""
			c.settle()
			return
		}
	}
	if c.style == double && c.rest == `\` {
		c.rest = ""
		c.settle()
	}
	c.folded = false
	width := 1
	switch {
	case c.style == single && r == '\'':
		width = 2
	case c.style == double && strings.HasPrefix(c.rest, `\`):
		width = 2
		if len(c.rest) > 1 {
			width = map[byte]int{'x': 4, 'u': 6, 'U': 10}[c.rest[1]]
		}
		width = max(2, width)
	}
	for range width {
		if c.rest != "" {
			c.next()
		}
	}
}
