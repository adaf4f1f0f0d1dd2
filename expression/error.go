package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"
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

// Nearest returns the candidate that name is most likely a misspelling of,
// whatever their case: the first of those with the fewest edits, if these are at
// most a third of the letters, rounded up, and leave a letter of either.
func Nearest(name string, candidates []string) (string, bool) {
	letters := utf8.RuneCountInString(name)
	best, least := "", (letters+2)/3+1
	for _, c := range candidates {
		n := utf8.RuneCountInString(c)
		if max(n-letters, letters-n) >= least { // the distance is no less
			continue
		}
		d := edits([]rune(strings.ToLower(name)), []rune(strings.ToLower(c)))
		if d < least && d < min(letters, n) {
			best, least = c, d
		}
	}
	return best, best != ""
}

// edits is the least number of letters to insert, delete, replace or swap with the next that
// turns a into b, no letter twice.
func edits(a, b []rune) int {
	var before, last []int // from the beginnings of a with two letters less and one, to each beginning of b
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j, y := range b {
			replaced := last[j]
			if x != y {
				replaced++
			}
			row[j+1] = min(replaced, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && x == b[j-1] && y == a[i-1] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
