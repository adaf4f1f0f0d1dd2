package dynamics

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// A DataError is one fault of a data file and where it is.
type DataError struct {
	File         string
	Line, Column int // from 1; the column counts bytes; 0 is unknown
	Text         string
}

// Error is file:line:column: text.
func (e *DataError) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// A ModelError is one fault of a model and the key of the configuration that it
// belongs to.
type ModelError struct {
	Path   []string // for instance model, equations, H
	Offset int      // in the text at that key, in bytes; −1 is unknown
	Err    error
}

// Error is the path and what is wrong.
func (e *ModelError) Error() string { return strings.Join(e.Path, ".") + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *ModelError) Unwrap() error { return e.Err }

// suggest returns `; did you mean "…"?` with the nearest of the names, or
// nothing if none is near.
func suggest(name string, names []string) string {
	if best, ok := expression.Nearest(name, names); ok {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// quoted lists names for a message, the first of many, each cut to a readable length.
func quoted(names []string) string {
	var q []string
	for i, n := range names {
		if i == patient {
			q = append(q, fmt.Sprintf("and %d more", len(names)-patient))
			break
		}
		q = append(q, quote(n))
	}
	return strings.Join(q, ", ")
}
