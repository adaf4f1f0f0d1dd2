package yamlpos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The largest text and the deepest nesting that are read.
const (
	maxBytes = 1 << 20
	maxDepth = 64
)

// ReadFile reads and parses a file. See [Parse].
func ReadFile(path string) (*Node, error) {
	text, err := Content(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Content reads a file, or a pipe. The error is of type [Problems].
func Content(path string) ([]byte, error) {
	text, err := read(path)
	if err == nil && len(text) > maxBytes {
		return nil, Problems{{File: path, Message: tooLarge}}
	}
	if err != nil {
		var cause *os.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return nil, Problems{{File: path, Message: "cannot read the configuration: " + err.Error()}}
	}
	return text, nil
}

// read reads a file, or a pipe, up to one byte more than is allowed.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder")
	}
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

const tooLarge = "larger than 1 MiB: this is no configuration"

// Parse parses a text that holds one YAML document, a mapping. CRLF line ends
// and a UTF-8 byte order mark are accepted. The error is of type [Problems];
// a key given twice, an alias and the like are reported all at once, broken
// syntax ends the parse at its first place. Where there is a mapping all the same, it is
// returned with the error.
func Parse(name string, text []byte) (*Node, error) {
	root, problems := parseValue(name, text)
	if len(problems) > 0 {
		if root != nil && root.Kind != Map {
			root = nil
		}
		return root, problems.Err()
	}
	if root.Kind == Null {
		return nil, Problems{{File: name, Line: 1, Column: 1, Message: "the file is empty: expected keys such as `name: flower`"}}
	}
	if root.Kind != Map {
		return nil, Problems{root.Problem("expected keys such as `name: flower`; found " + root.String())}
	}
	return root, nil
}

// parseValue parses a text that holds one YAML value of any kind.
func parseValue(name string, text []byte) (*Node, Problems) {
	clean, problem := cleanText(name, text)
	if problem != nil {
		return nil, Problems{*problem}
	}
	src := newSource(name, clean)
	file, err := parseYAML(clean)
	if err != nil {
		return nil, Problems{syntaxProblem(src, err)}
	}
	t := &tree{source: src}
	var root *Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, ok := doc.Body.(*ast.DirectiveNode); ok {
			continue
		}
		if root != nil {
			n := t.at(doc.Body, Null, "")
			t.problems = append(t.problems, n.Problem("a second document begins here; one configuration per file"))
			break
		}
		root = t.node(doc.Body, "the configuration", 0)
	}
	if root == nil {
		root = &Node{Kind: Null, Name: "the configuration", Line: 1, Column: 1, source: src}
	}
	return root, t.problems
}

// cleanText returns the text without byte order mark and with \n line ends.
func cleanText(name string, text []byte) (string, *Problem) {
	if len(text) > maxBytes {
		return "", &Problem{File: name, Message: tooLarge}
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return "", &Problem{File: name, Line: 1, Column: 1, Message: "the text is in UTF-16: save it as UTF-8"}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	clean := strings.ReplaceAll(string(text), "\r\n", "\n")
	line, column := 1, 1
	depth := 0
	for i, r := range clean {
		bad := ""
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(clean[i:], "\ufffd"):
			bad = "the text is not UTF-8 here"
		case r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\ufeff' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			bad = fmt.Sprintf("the character U+%04X has no place in a configuration", r)
		case r == '[' || r == '{':
			depth++
			if depth > 10_000 {
				bad = "too many brackets"
			}
		}
		if bad != "" {
			return "", &Problem{File: name, Line: line, Column: column, Message: bad}
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return clean, nil
}

// parseYAML is the YAML parser with its panics turned into errors.
func parseYAML(text string) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("this is not valid YAML")
		}
	}()
	return parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
}

// syntaxProblem turns an error of the YAML parser into a problem.
func syntaxProblem(src *source, err error) Problem {
	var syntax *yaml.SyntaxError
	if !errors.As(err, &syntax) || syntax.Token == nil || syntax.Token.Position == nil {
		return src.problem(1, 1, "this is not valid YAML")
	}
	at := syntax.Token.Position
	before, line := "", []rune(src.line(at.Line))
	if at.Column >= 1 && at.Column <= len(line) {
		before = string(line[:at.Column-1])
	}
	message := unquoted(syntax.Message, before)
	if i := slices.IndexFunc(words, func(w word) bool { return strings.Contains(syntax.Message, w.part) }); message == syntax.Message && i >= 0 {
		message = words[i].message
	}
	return src.problem(at.Line, max(1, at.Column), message)
}

// A word replaces a message of the YAML parser that contains part.
type word struct{ part, message string }

// words are tried in their order.
var words = []word{
	{"'\t'", "indent by spaces: YAML takes no tabs here"},
	{"tab character", "indent by spaces: YAML takes no tabs here"},
	{"mapping value is not allowed", "what is here goes on as a key: indent alike what belongs together, and put text that holds a colon in quotes"},
	{"value is not allowed in this context", "the value before this has ended: indent alike what belongs together, and put all of a text in quotes"},
	{"sequence end token", "this [ is not closed by a ]"},
	{"mapping end token", "this { is not closed by a }"},
	{"double-quoted text", `this " is never closed`},
	{"single-quoted text", "this ' is never closed"},
	{"or '}' must be specified", "a comma is missing before this, or a } before it"},
	{"or ']' must be specified", "a comma is missing before this, or a ] before it"},
	{"reserved character", "a text that begins with this sign is put in quotes"},
}

// unquoted adds to a message what is to be quoted, where text before its place tells.
func unquoted(message, before string) string {
	switch key, list := bracketed.FindStringSubmatch(before), listed.FindStringSubmatch(before); {
	case strings.Contains(message, "invalid key") && key != nil:
		return message + fmt.Sprintf(": in braces a name with brackets is quoted: %q", key[1])
	case list != nil && (strings.Contains(message, "not allowed in this context") || strings.Contains(message, "must be specified")):
		return fmt.Sprintf("something follows a list here: a formula that begins with [ is put in quotes, as in \"%s ~ …\"", list[1])
	case strings.Contains(message, "'`' is a reserved"):
		return "a formula that begins with a backquote is put in quotes"
	}
	return message
}

// listed is a list at the end of a text that begins a value.
var listed = regexp.MustCompile(`(?:^|:|-|,|\[|\{)\s*(\[[^\[\]]*\])\s*$`)

// bracketed is a name with brackets at the end of a text, in a map in braces.
var bracketed = regexp.MustCompile(`([^\s{,]+\[[^\[\]]*\])\s*$`)

// A tree is a syntax tree being turned into nodes.
type tree struct {
	source   *source
	problems Problems
}

// at returns an empty node at the place of a.
func (t *tree) at(a ast.Node, kind Kind, name string) *Node {
	n := &Node{Kind: kind, Name: name, Line: 1, Column: 1, source: t.source}
	switch m := a.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return t.at(m.Values[0].Key, kind, name)
		}
	case *ast.MappingValueNode:
		return t.at(m.Key, kind, name)
	}
	if tk := a.GetToken(); tk != nil && tk.Position != nil {
		n.Line, n.Column = max(1, tk.Position.Line), max(1, tk.Position.Column)
	}
	return n
}

func (t *tree) report(n *Node, format string, args ...any) *Node {
	t.problems = append(t.problems, n.Problem(fmt.Sprintf(format, args...)))
	return n
}

// node turns a into a node called name.
func (t *tree) node(a ast.Node, name string, depth int) *Node {
	n := t.at(a, Null, name)
	if depth > maxDepth {
		return t.report(n, "nested too deeply")
	}
	switch a := a.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		n.Kind = Map
		t.fields(n, a.Values, depth)
	case *ast.MappingValueNode:
		n.Kind = Map
		t.fields(n, []*ast.MappingValueNode{a}, depth)
	case *ast.SequenceNode:
		n.Kind = List
		for i, v := range a.Values {
			n.Items = append(n.Items, t.node(v, fmt.Sprintf("entry %d of %s", i+1, name), depth+1))
		}
		if a.IsFlowStyle {
			t.mend(n)
		}
	case *ast.AnchorNode, *ast.AliasNode:
		t.report(n, "anchors (&) and aliases (*) are not accepted: write the value out, or put text in quotes")
	case *ast.TagNode:
		t.report(n, "tags (!) are not accepted: drop it, or put text in quotes")
	case *ast.LiteralNode:
		n.Kind, n.style = Scalar, block
		if a.Value != nil {
			n.Text = a.Value.Value
		}
	case ast.ScalarNode:
		t.scalar(n, a)
	default:
		t.report(n, "expected a value, a list or a mapping")
	}
	return n
}

// scalar fills in a scalar.
func (t *tree) scalar(n *Node, a ast.ScalarNode) {
	n.Kind, n.Text = Scalar, a.GetToken().Value
	switch a.GetToken().Type {
	case token.DoubleQuoteType:
		n.style = double
	case token.SingleQuoteType:
		n.style = single
	}
}

// fields turns the entries of a mapping into fields.
func (t *tree) fields(n *Node, values []*ast.MappingValueNode, depth int) {
	first := map[string]*Node{}
	for _, v := range values {
		key := t.key(v.Key)
		if key == nil || t.cut(n, key) {
			continue
		}
		if before, ok := first[key.Text]; ok {
			t.report(key, "key %q is given twice, first on line %d", key.Text, before.Line)
			continue
		}
		first[key.Text] = key
		value := t.node(v.Value, key.Text, depth+1)
		if value.Kind == Null {
			value.Line, value.Column = key.Line, key.Column
		}
		n.Fields = append(n.Fields, Field{key, value})
	}
}

// cut reports a key that is the end of the value of an entry before it, as in {a: normal(0, 1)},
// which commas cut.
func (t *tree) cut(n, key *Node) bool {
	if key.style != plain || !strings.Contains(key.Text, ")") {
		return false
	}
	text := key.Text
	for i := len(n.Fields) - 1; i >= 0; i-- {
		f := n.Fields[i]
		if f.Value.Kind == Null {
			text = f.Key.Text + ", " + text
			continue
		}
		if f.Value.Kind != Scalar || f.Value.style != plain || strings.Count(f.Value.Text, "(") <= strings.Count(f.Value.Text, ")") {
			return false
		}
		n.Fields = n.Fields[:i+1] // what was in between is a part of it
		t.report(f.Value, "a comma in braces begins another entry: put all of it in quotes: %q", f.Value.Text+", "+text)
		return true
	}
	return false
}

// key turns the key of a mapping into a scalar, or reports it and returns nil.
func (t *tree) key(k ast.MapKeyNode) *Node {
	n := t.at(k, Scalar, "")
	switch k := k.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		t.scalar(n, k.(ast.ScalarNode))
		n.Name = n.Text
		return n
	case *ast.MergeKeyNode:
		t.report(n, "merge keys (<<) are not accepted: write the keys out")
	default:
		t.report(n, "a key must be a plain word")
	}
	return nil
}
