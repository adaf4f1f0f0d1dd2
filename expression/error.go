package expression

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// An Error is one fault in a source text. Offset and Length are in bytes;
// Length may be 0 at the end of the text.
type Error struct {
	Offset, Length int
	Message        string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Message) }

// Errors are all faults found in one source text, in its order. Every error
// about a source text that this package returns is of this type.
type Errors []*Error

func (e Errors) Error() string {
	s := make([]string, len(e))
	for i, x := range e {
		s[i] = x.Error()
	}
	return strings.Join(s, "\n")
}

// Unwrap returns the single errors.
func (e Errors) Unwrap() []error {
	s := make([]error, len(e))
	for i, x := range e {
		s[i] = x
	}
	return s
}

// nearest returns the candidate that name is most likely a misspelling of.
func nearest(name string, candidates []string) (string, bool) {
	best, at := "", 1+(len(name)+1)/3
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(c)); d < at && d < len(name) {
			best, at = c, d
		}
	}
	return best, best != ""
}
