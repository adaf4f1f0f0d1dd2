package dynamics

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type decoder struct {
	file   string
	text   *inked
	csv    *csv.Reader
	next   int // line behind the last record
	faults []error
	header []string
	wanted []*wanted
	series *Series
}

// wanted is a column to read.
type wanted struct {
	column string
	gaps   bool // values may be missing
	at     int  // index in the header, −1 while not found
	numbers
	levels *Levels            // of categories, which have no numbers
	seen   map[string]int     // places in levels.Names
	text   map[float64]string // of levels that are numbers
	words  []int              // faults of cells that are text
	some   bool               // whether a cell is a number
}

func (d *decoder) fault(line, column int, format string, args ...any) {
	d.faults = append(d.faults, &DataError{d.file, line, column, fmt.Sprintf(format, args...)})
}

func (d *decoder) decode(r io.Reader, c Columns) {
	lines, cells := extents(r)
	r, err := Text(r, d.file)
	if err != nil {
		d.faults = append(d.faults, err)
		return
	}
	d.text = &inked{Reader: r}
	d.csv = csv.NewReader(d.text)
	d.csv.FieldsPerRecord = -1
	d.csv.TrimLeadingSpace = true
	d.csv.ReuseRecord = true
	if !d.readHeader(c) {
		return
	}
	for _, w := range d.wanted { // at once: a column that grows takes twice its room
		if n := min(lines, cells/len(d.header)); w.levels != nil {
			w.levels.Of = make([]int, 0, n)
		} else {
			w.grow(n)
		}
	}
	d.series = &Series{File: d.file, Values: map[string][]float64{}, Singles: map[string][]float32{}, Given: map[string][]float64{},
		Levels: map[string]Levels{}}
	d.readRows()
	d.worded(c)
	if len(d.faults) == 0 {
		d.finish(c)
	}
}

// readHeader finds the wanted columns and reports whether all are there.
func (d *decoder) readHeader(c Columns) bool {
	record, err := d.csv.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			d.fault(0, 0, "the file is empty")
		} else {
			d.malformed(err)
		}
		return false
	}
	line, _ := d.csv.FieldPos(0)
	d.next = line + height(record)
	numbers := true
	for _, h := range record {
		h = strings.TrimSpace(h)
		d.header = append(d.header, h)
		_, why := number(h)
		numbers = numbers && why == ""
	}
	if numbers {
		d.fault(line, 1, "the first line holds numbers: it must name the columns%s", d.example(c))
		return false
	}
	if len(d.header) == 1 && strings.ContainsAny(d.header[0], ";\t") {
		d.fault(line, 1, "the columns are not separated by commas: save the file as comma-separated values")
		return false
	}
	if c.Time != "" {
		d.want(line, "the time", c.Time, false)
	}
	for _, s := range c.States {
		d.want(line, fmt.Sprintf("%s %q", c.noun(), s.Name), s.Column, true)
	}
	for _, s := range c.Singles {
		d.want(line, fmt.Sprintf("%s %q", c.noun(), s.Name), s.Column, true).numbers = &singles{}
	}
	for _, s := range c.Derivatives {
		d.want(line, fmt.Sprintf("the derivative of %q", s.Name), s.Column, true)
	}
	for _, column := range c.Categories {
		w := d.want(line, "the categories", column, true)
		w.numbers, w.levels, w.seen, w.text = nil, &Levels{}, map[string]int{}, map[float64]string{}
	}
	return len(d.faults) == 0
}

// example tells a header line that would do, if it is known which columns are needed.
func (d *decoder) example(c Columns) string {
	names := []string{}
	if c.Time != "" {
		names = append(names, c.Time)
	}
	for _, s := range append(append([]Named(nil), c.States...), c.Derivatives...) {
		names = append(names, s.Column)
	}
	if len(names) == 0 {
		return ""
	}
	return ", for instance " + strconv.Quote(strings.Join(names, ","))
}

func (d *decoder) want(line int, what, column string, gaps bool) *wanted {
	w := &wanted{column: column, gaps: gaps, at: -1, numbers: &doubles{}}
	d.wanted = append(d.wanted, w)
	for i, h := range d.header {
		if h != column {
			continue
		}
		if w.at >= 0 {
			_, at := d.csv.FieldPos(i)
			d.fault(line, at, "column %q comes twice", column)
		}
		w.at = i
	}
	if w.at < 0 {
		d.fault(line, 1, "no column %q for %s%s (columns: %s)", column, what, suggest(column, d.header), quoted(d.header))
	}
	return w
}

func (d *decoder) malformed(err error) {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		if p.Line > p.StartLine {
			d.fault(p.StartLine, 1, "a quotation mark that is opened in this row is not closed, or has letters behind it in line %d", p.Line)
			return
		}
		d.fault(p.Line, p.Column, "%s", strings.TrimPrefix(p.Err.Error(), "csv: "))
		return
	}
	d.fault(0, 0, "cannot be read: %s", err)
}

// readRows reads rows until the file ends. Blank lines are left out; but in a file of one
// column, where a line is a cell, they are missing values, except at the end of the file.
func (d *decoder) readRows() {
	var blanks []int // lines of one column without a value since the last with one
	for {
		record, err := d.csv.Read()
		if errors.Is(err, io.EOF) {
			d.empty(slices.DeleteFunc(blanks, func(line int) bool { return line > d.text.last }))
			return
		}
		if err != nil {
			d.malformed(err)
			var p *csv.ParseError
			if !errors.As(err, &p) || len(d.faults) > patient {
				return
			}
			d.next = p.Line + 1
			continue
		}
		line, _ := d.csv.FieldPos(0)
		void := len(record) == 1 && strings.TrimSpace(record[0]) == ""
		if len(d.header) == 1 {
			for ; d.next < line; d.next++ {
				blanks = append(blanks, d.next)
			}
			if void {
				blanks = append(blanks, line)
			}
		}
		d.next = line + height(record)
		if void {
			continue
		}
		d.empty(blanks)
		blanks = blanks[:0]
		d.row(line, record, d.csv.FieldPos)
	}
}

// empty adds the rows of one column that have no value.
func (d *decoder) empty(lines []int) {
	for _, line := range lines {
		d.row(line, []string{""}, func(int) (int, int) { return line, 1 })
	}
}

// height is how many lines a record takes.
func height(record []string) int {
	n := 1
	for _, cell := range record {
		n += strings.Count(cell, "\n")
	}
	return n
}

// row adds a row; at tells line and column of a cell.
func (d *decoder) row(line int, record []string, at func(field int) (line, column int)) {
	d.series.Line.Add(line)
	if len(record) != len(d.header) {
		d.fault(line, 1, "%d cells in this row, %d in the header", len(record), len(d.header))
		return
	}
	for _, w := range d.wanted {
		cell := strings.TrimSpace(record[w.at])
		if w.levels != nil {
			if !utf8.ValidString(cell) { // names of parameters that would look alike
				_, column := at(w.at)
				d.fault(line, column, "%s in column %q is no UTF-8 text: save the file as UTF-8", shown(record[w.at]), w.column)
			}
			if other, same := w.level(cell); same {
				_, column := at(w.at)
				d.fault(line, column, "%s in column %q is the number that %s is, and each would be a category of its own: write them alike",
					shown(record[w.at]), w.column, shown(other))
			}
			continue
		}
		if w.gaps && absent(cell) {
			w.add(math.NaN())
			continue
		}
		v, why := number(cell)
		if w.gaps && blank(cell) {
			why = "not a number: leave the cell empty, or write NA, where a value is missing"
		}
		w.some = w.some || why == "" && v == v
		if narrow := w.add(v); why == "" {
			why = narrow
		}
		if why != "" {
			if why == noNumber {
				w.words = append(w.words, len(d.faults))
			}
			_, column := at(w.at)
			d.fault(line, column, "%s in column %q: %s", shown(record[w.at]), w.column, why)
		}
	}
}

// worded leaves one fault, the first, of a column that is to hold numbers and holds text alone.
func (d *decoder) worded(c Columns) {
	gone := map[int]bool{}
	for _, w := range d.wanted {
		if len(w.words) < 2 || w.some {
			continue
		}
		for _, i := range w.words[1:] {
			gone[i] = true
		}
		if first, ok := errors.AsType[*DataError](d.faults[w.words[0]]); ok {
			text, _, _ := strings.Cut(first.Text, " in column ")
			first.Text += fmt.Sprintf(", nor is one in any of %d other rows", len(w.words)-1)
			if c.Worded != nil {
				first.Text += ": " + c.Worded(w.column, text)
			}
		}
	}
	i := -1
	d.faults = slices.DeleteFunc(d.faults, func(error) bool {
		i++
		return gone[i]
	})
}

// noNumber is said of text where a number is asked for.
const noNumber = "not a number"

// level adds a cell of categories. Where it is the number that another is, in a spelling not
// seen before, it returns that of the other.
func (w *wanted) level(cell string) (other string, same bool) {
	i := -1
	if !absent(cell) {
		var ok bool
		if i, ok = w.seen[cell]; !ok {
			i = len(w.levels.Names)
			cell = strings.Clone(cell)
			w.seen[cell], w.levels.Names = i, append(w.levels.Names, cell)
			if x, why := number(cell); why == "" {
				if other, same = w.text[x]; !same {
					w.text[x] = cell
				}
			}
		}
	}
	w.levels.Of = append(w.levels.Of, i)
	return other, same
}

// sort puts levels in their order.
func (l *Levels) sort() {
	order := make([]int, len(l.Names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, why := number(l.Names[a])
		y, whyNot := number(l.Names[b])
		switch {
		case why == "" && whyNot == "":
			return cmp.Compare(x, y)
		case (why == "") != (whyNot == ""):
			return cmp.Compare(len(why), len(whyNot))
		}
		return cmp.Compare(l.Names[a], l.Names[b])
	})
	place, names := make([]int, len(order)), make([]string, len(order))
	for to, from := range order {
		place[from], names[to] = to, l.Names[from]
	}
	for i, v := range l.Of {
		if v >= 0 {
			l.Of[i] = place[v]
		}
	}
	l.Names = names
}

// absent reports whether a cell says that its value is missing.
func absent(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "na", "n/a", "null":
		return true
	}
	return false
}

// blank reports whether a cell that is no number seems to say that its value is missing:
// NaN, or signs alone.
func blank(cell string) bool {
	return strings.EqualFold(cell, "nan") || !strings.ContainsFunc(cell,
		func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// shown is a cell for a message, cut to a readable length.
func shown(cell string) string {
	if cell == "" {
		return "an empty cell"
	}
	return quote(cell)
}

// quote is text in quotation marks, cut to a readable length.
func quote(text string) string {
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	return strconv.Quote(text)
}

// number parses a cell, a decimal number; why says what is wrong with it. What Go's
// source may hold beside (2_000, 0x1p1) is none.
func number(cell string) (v float64, why string) {
	if strings.ContainsAny(cell, "_xXpP") {
		return math.NaN(), noNumber
	}
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case cell == "":
		return math.NaN(), "remove the row or fill the value in"
	case errors.Is(err, strconv.ErrRange), err == nil && math.Abs(v) > largest && !math.IsInf(v, 0):
		return v, fmt.Sprintf("too large to compute with (at most %g): change the unit", largest)
	case err != nil:
		return math.NaN(), noNumber
	case math.IsNaN(v) || math.IsInf(v, 0):
		return v, "not a finite number: remove the row or fill the value in"
	}
	return v, ""
}

// computable reports whether v has a size whose square and inverse square are numbers.
func computable(v float64) bool { return math.Abs(v) >= smallest && math.Abs(v) <= largest }

// extreme says in which way v is not computable.
func extreme(v float64) string {
	if math.Abs(v) < smallest {
		return "small"
	}
	return "large"
}

// extent is how many values there are, and the largest size of one.
func extent(v []float64) (n int, most float64) {
	for _, x := range v {
		if x == x {
			n, most = n+1, max(most, math.Abs(x))
		}
	}
	return n, most
}

// finish checks times and length and hands the columns over.
func (d *decoder) finish(c Columns) {
	s := d.series
	least := cmp.Or(c.Least, minRows)
	if n := s.Line.Len(); n < least {
		d.fault(0, 0, "%s of data: at least %s", counted(n, "row"), needed(least))
		return
	}
	w := d.wanted
	switch {
	case c.Time == "" && !c.Untimed:
		s.Time = make([]float64, s.Line.Len())
		for i := range s.Time {
			s.Time[i] = float64(i)
		}
	case c.Time != "":
		s.Time, w = w[0].values(), w[1:]
		d.checkTimes(c.Time)
	}
	for i, n := range c.States {
		s.States = append(s.States, n.Name)
		s.Values[n.Name] = w[i].values()
		d.checkExtent(c, n, w[i])
	}
	w = w[len(c.States):]
	for i, n := range c.Singles {
		of := w[i].numbers.(*singles)
		if s.Singles[n.Name] = of.values; of.coarse() {
			s.Coarse = append(s.Coarse, n.Name)
		}
		d.checkExtent(c, n, w[i])
	}
	w = w[len(c.Singles):]
	for i, n := range c.Derivatives {
		s.Given[n.Name] = w[i].values()
	}
	w = w[len(c.Derivatives):]
	for i, column := range c.Categories {
		l := w[i].levels
		l.sort()
		s.Levels[column] = *l
	}
}

// values are those of a column that is kept as it is.
func (w *wanted) values() []float64 { return w.numbers.(*doubles).values }

// checkExtent reports a column with too few numbers, or with such as are too small.
func (d *decoder) checkExtent(c Columns, n Named, w *wanted) {
	least := cmp.Or(c.Least, minRows)
	switch there, most := w.extent(); {
	case there < least:
		d.fault(0, 0, "%s of %s %q in column %q: at least %s", counted(there, "value"), c.noun(), n.Name, n.Column, needed(least))
	case most > 0 && !computable(most):
		d.fault(0, 0, "the values of %s %q in column %q are at most %.3g: too small to compute with (at least %g): change the unit", c.noun(),
			n.Name, n.Column, most, smallest)
	}
}

// counted is "1 row" or "2 rows".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// needed is "1 is needed" or "3 are needed".
func needed(n int) string {
	if n == 1 {
		return "1 is needed"
	}
	return fmt.Sprintf("%d are needed", n)
}

func (d *decoder) checkTimes(column string) {
	s := d.series
	if span := s.Time[len(s.Time)-1] - s.Time[0]; span > 0 && span < smallest {
		d.fault(0, 0, "the times in column %q span %.3g: too little to compute with (at least %g): change the unit", column, span, smallest)
		return
	}
	seen := map[float64]int{} // in files that are not sorted
	if !slices.IsSorted(s.Time) {
		for i, t := range slices.Backward(s.Time) {
			seen[t] = i
		}
	}
	for i, t := range s.Time {
		before, twice := seen[t]
		if !twice || before == i {
			before, twice = i-1, i > 0 && t == s.Time[i-1]
		}
		switch {
		case twice:
			d.fault(s.Line.At(i), 1, "%s %v comes twice, first in line %d: keep one row for each time", column, t, s.Line.At(before))
			continue
		case i > 0 && t < s.Time[i-1]:
			d.fault(s.Line.At(i), 1, "%s %v comes after %v: sort the rows by time", column, t, s.Time[i-1])
		case i > 0 && t-s.Time[i-1] < 1e-12*math.Max(math.Abs(t), math.Abs(s.Time[i-1])):
			d.fault(s.Line.At(i), 1, "%s %v and %v are too close together to tell a slope", column, s.Time[i-1], t)
		}
	}
}
