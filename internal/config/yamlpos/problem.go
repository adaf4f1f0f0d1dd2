// Package yamlpos reads strict YAML and remembers where everything stood: every
// value knows its file, line and column, down to a character inside a quoted
// string, so that a problem can be shown at its place. It knows nothing of what
// the keys mean.
//
// Strict means: one document of mappings, lists and scalars, no anchors,
// aliases, tags or merge keys, no key twice, and no key that nobody asked for.
package yamlpos

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// A Problem is one thing wrong with a configuration, and where.
type Problem struct {
	File    string // as the user named it, or "--set a.b" for an override
	Line    int    // from 1; 0 where the problem has no place in a text
	Column  int    // from 1, in characters
	Message string // what is wrong, what was expected, what would do
	Source  string // the text of the line, shown with a caret under Column; "" shows none
}

// Error returns the problem as one line, or three with the source and a caret.
func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	s := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	if p.Source == "" {
		return s
	}
	text, column := window(p.Source, p.Column)
	return fmt.Sprintf("%s\n%5d | %s\n%s^", s, p.Line, text, strings.Repeat(" ", 8+column-1))
}

// window cuts a long line down to what surrounds the column. Tabs become
// spaces, one for one, so that the caret stands where it should.
func window(line string, column int) (string, int) {
	const before, after = 40, 30 // with the number of the line less than 80 columns
	r := []rune(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, line))
	from, to := 0, len(r)
	if len(r) > before+after {
		from, to = max(0, min(column-1-before, len(r))), min(len(r), column-1+after)
	}
	return string(r[from:to]), column - from
}

// Problems are all that is wrong with a configuration, in the order of the text.
type Problems []Problem

// patient is how many problems are printed.
const patient = 50

// Error prints the problems, the first of many, and how many there are.
func (p Problems) Error() string {
	var b strings.Builder
	for i, q := range p {
		if i == patient {
			fmt.Fprintf(&b, "and %d more\n", len(p)-patient)
			break
		}
		b.WriteString(q.Error())
		b.WriteByte('\n')
	}
	if len(p) == 1 {
		b.WriteString("1 problem; nothing was written.")
	} else {
		fmt.Fprintf(&b, "%d problems; nothing was written.", len(p))
	}
	return b.String()
}

// Err returns p in the order of the text as an error, or nil if there is none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		if a.File != b.File {
			return 0
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return p
}

// Suggest returns `; did you mean "…"?` with the candidate nearest to word, or
// `; <known> are a, b, c` if none is near.
func Suggest(word, known string, candidates []string) string {
	if best, ok := expression.Nearest(word, candidates); ok {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	if len(candidates) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s: %s", known, strings.Join(candidates, ", "))
}
