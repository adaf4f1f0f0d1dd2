package dynamics

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// Columns says which columns of a file hold what. Columns are named as in the
// header line.
type Columns struct {
	Time        string   // "" takes the row numbers 0, 1, 2, …
	States      []Named  // in the order of the model
	Singles     []Named  // others, that are rounded to float32, which halves the memory that they take
	Derivatives []Named  // given derivatives of states; may be nil
	Least       int      // rows, and values of each state, at least; 0 is three, as many as a derivative takes; −1 is none
	Categories  []string // columns of categories
	Noun        string   // what messages call a state; "" is state
	Untimed     bool     // Time of the series stays nil
	// Worded is what to do about a column of text that is to hold numbers, by its name and its first text; nil says nothing.
	Worded func(column, text string) string
}

func (c Columns) noun() string { return cmp.Or(c.Noun, "state") }

// Named pairs the name of a state with the name of its column.
type Named struct{ Name, Column string }

// A Series is a time series of n rows, its times finite and increasing. A value
// that is missing is NaN; all others are finite.
type Series struct {
	File    string
	Time    []float64
	States  []string             // names
	Values  map[string][]float64 // of each state, at least three of them not missing
	Singles map[string][]float32 // each the nearest to what the file holds
	Coarse  []string             // of these, for which float32 is too coarse: counts that it does not hold, numbers that it hardly tells apart
	Given   map[string][]float64 // derivatives given in the file, by state
	Line    Runs                 // the line of the file of each row
	Levels  map[string]Levels    // of columns of categories
}

// Levels are a column of categories: numbers first, by size, then words.
type Levels struct {
	Names []string
	Of    []int // the level of each row, from 0; −1 where it is missing
}

// rows is the number of rows n.
func (s *Series) rows() int { return len(s.Time) }

// head is the series of the first n rows, or of all if there are fewer.
func (s *Series) head(n int) *Series {
	if s.rows() <= n {
		return s
	}
	out := *s
	out.Time, out.Line, out.Values = s.Time[:n], s.Line.head(n), map[string][]float64{}
	for name, v := range s.Values {
		out.Values[name] = v[:n]
	}
	return &out
}

const (
	minRows  = 3     // fewer have no central difference
	largest  = 1e150 // squares of larger numbers overflow in sums
	smallest = 1e-150
	patient  = 20 // faults and names listed before "and more"
)

// ReadSeries reads a file of comma-separated values with a header line. A value
// of a state or of its derivative is missing where its cell is empty, NA, N/A or
// null, in letters of any size; NaN and Inf, which computations leave behind, are faults.
// Blank lines are left out; but in a file of one column each is an empty cell, up to the
// last line that is not blank.
// Lines end in LF, CRLF or CR. All faults of the file are reported at once, joined, each
// a [*DataError].
func ReadSeries(file string, c Columns) (*Series, error) {
	f, err := open(file)
	if err != nil {
		if p := new(fs.PathError); errors.As(err, &p) {
			err = p.Err
		}
		return nil, &DataError{File: file, Text: "cannot be read: " + err.Error()}
	}
	defer f.Close()
	return DecodeSeries(f, file, c)
}

// open opens a file that has an end: no device and no pipe, which may take for ever to open.
func open(file string) (*os.File, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file: write what it gives into one first")
	}
	return os.Open(file)
}

// missing says which values of a state are missing, as in "2 of 21 values of H
// are missing (lines 5, 9)"; it is empty if none is.
func (s *Series) missing(state string) string {
	var lines []string
	n := 0
	for t, v := range s.Values[state] {
		if !math.IsNaN(v) {
			continue
		}
		switch n++; {
		case n <= 8:
			lines = append(lines, strconv.Itoa(s.Line.At(t)))
		case n == 9:
			lines = append(lines, "…")
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("1 of %d values of %s is missing (line %s)", s.rows(), state, lines[0])
	}
	return fmt.Sprintf("%d of %d values of %s are missing (lines %s)", n, s.rows(), state, strings.Join(lines, ", "))
}

// DecodeSeries is [ReadSeries] from a reader; file is the name for messages.
func DecodeSeries(r io.Reader, file string, c Columns) (*Series, error) {
	d := &decoder{file: file}
	d.decode(r, c)
	if len(d.faults) > 0 {
		errs := make([]error, 0, patient+1)
		for i, f := range d.faults {
			if i == patient {
				errs = append(errs, &DataError{File: file, Text: fmt.Sprintf("and %d more", len(d.faults)-patient)})
				break
			}
			errs = append(errs, f)
		}
		return nil, errors.Join(errs...)
	}
	return d.series, nil
}

// Header reads the names of the columns of a file, which messages call by that name.
func Header(r io.Reader, file string) ([]string, error) {
	d := &decoder{file: file}
	text, err := Text(r, file)
	if err != nil {
		return nil, err
	}
	d.csv = csv.NewReader(text)
	d.csv.TrimLeadingSpace = true
	if !d.readHeader(Columns{}) {
		return nil, d.faults[0]
	}
	return d.header, nil
}
