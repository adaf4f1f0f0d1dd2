package region

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/regular"
)

// mostBytes is how large a file of constraints may be: its numbers go into
// run.json, which a run is resumed from.
const mostBytes = 64 << 20

// A table is numbers from a file or from the configuration.
type table struct {
	header []string // nil without
	top    place    // of the header or the first row
	rows   [][]float64
	places []place // of the rows
}

// A place makes a problem at a line of a file or at a node.
type place func(message string) yamlpos.Problem

func (r *Region) reportAt(at place, format string, args ...any) {
	r.Problems = append(r.Problems, at(fmt.Sprintf(format, args...)))
}

// plainMatrix is a matrix of constraints as run.json has it: in the order of the
// variables, without files.
type plainMatrix struct {
	Matrix [][]float64 `json:"matrix"`
	Lower  []any       `json:"lower,omitempty"`
	Upper  []any       `json:"upper,omitempty"`
}

// MatrixKeys declares a matrix of constraints.
func MatrixKeys() []key.Key {
	side := key.AnyOf(key.Object("type", []string{"number", "string"}), key.Object("type", "array"))
	return []key.Key{
		key.Given("matrix", "file, or list of rows", key.AnyOf(key.PlainText(), key.ListOf(key.Object("type", []string{"array", "number"}))),
			nil).Must().
			Tells("", "comma-separated decimal numbers, a row for each inequality"),
		key.Given("lower", "number, list, or file", side, nil).Tells("none",
			"the lower sides of the rows; `inf` in a file (`.inf` in a list), with "+
				"its sign, leaves a row's side open. A file may have a header line"),
		key.Given("upper", "number, list, or file", side, nil).Tells("none", "the upper sides likewise; one of both is required"),
		key.Given("names", "`header`, or list of variables", key.AnyOf(key.Object("const", "header"), key.ListOf(key.PlainText())), nil).
			Tells("all variables in their order", "the variables of the columns; `header`: the first line of the matrix names them. "+
				"Variables without a column do not take part"),
	}
}

// readMatrix adds the constraints lower ≤ A x ≤ upper.
func (r *Region) readMatrix(n *yamlpos.Node) {
	if r.Parameters {
		r.Report(n, "a matrix of constraints goes with the domain of sample; write constraints on parameters as text")
		return
	}
	if n.Field("matrix") == nil {
		r.Report(n, "%s must be inequalities such as \"x > 1 + y\", or a matrix of them: {matrix: A.csv, upper: b.csv}; found %s", n.Name, n)
		return
	}
	if !r.Only(n, MatrixKeys()) {
		return
	}
	m, ok := r.table(n.Field("matrix"), 0)
	if !ok {
		return
	}
	order, ok := r.columns(n, m)
	if ok && len(m.rows) == 0 {
		r.Report(n.Field("matrix"), "the matrix has no rows")
	}
	if !ok || len(m.rows) == 0 {
		return
	}
	lower, okLower := r.sides(n.Field("lower"), m, -1)
	upper, okUpper := r.sides(n.Field("upper"), m, 1)
	if !okLower || !okUpper {
		return
	}
	if n.Field("lower") == nil && n.Field("upper") == nil {
		r.Report(n, "a matrix of constraints needs upper: b.csv of A x <= b, lower: of A x >= b, or both")
		return
	}
	plain := plainMatrix{}
	for i, cells := range m.rows {
		a := make([]float64, r.dim())
		for j, v := range cells {
			a[order[j]] = v
		}
		if problem := r.addRow(a, lower[i], upper[i], i); problem != "" {
			r.reportAt(m.places[i], "%s", problem)
		}
		plain.Matrix = append(plain.Matrix, a)
		plain.Lower, plain.Upper = append(plain.Lower, plainBound(lower[i])), append(plain.Upper, plainBound(upper[i]))
	}
	if r.matrices == nil {
		r.matrices = map[*yamlpos.Node]plainMatrix{}
	}
	r.matrices[n] = plain
}

// addRow adds lo ≤ a·x ≤ hi, or says why not.
func (r *Region) addRow(a []float64, lo, hi float64, i int) string {
	if !slices.ContainsFunc(a, func(v float64) bool { return v != 0 }) {
		return "this row holds zeros alone: it constrains nothing"
	}
	if !(lo < hi) {
		return fmt.Sprintf("the lower side of this row, %g, must be below the upper one, %g; an equation is written as text", lo, hi)
	}
	name := fmt.Sprintf("row %d of the matrix", i+1)
	if !math.IsInf(lo, -1) {
		minus := make([]float64, len(a))
		for j, v := range a {
			minus[j] = 0 - v
		}
		r.Add(minus, 0-lo, fmt.Sprintf("%s >= %g", name, lo))
	}
	if !math.IsInf(hi, 1) {
		r.Add(a, hi, fmt.Sprintf("%s <= %g", name, hi))
	}
	return ""
}

func plainBound(v float64) any {
	switch {
	case math.IsInf(v, 1):
		return ".inf"
	case math.IsInf(v, -1):
		return "-.inf"
	}
	return v
}

// columns finds the variable of each column of a matrix.
func (r *Region) columns(n *yamlpos.Node, m *table) (order []int, ok bool) {
	names := n.Field("names")
	switch {
	case names != nil && names.Kind == yamlpos.List:
		if order, ok = r.Members(names, "variable", "variables", r.Names); !ok {
			return nil, false
		}
	case names != nil:
		if word, ok := r.Text(names); !ok || word != "header" {
			r.Report(names, "names must be header, the first line of the matrix, or a list of variables; found %s", names)
			return nil, false
		}
		if m.header == nil {
			r.reportAt(m.top, "the first line holds numbers: it must name the columns, by names: header")
			return nil, false
		}
		if order, ok = r.headed(m); !ok {
			return nil, false
		}
	default:
		order = every(len(r.Names))
	}
	if names == nil || names.Kind == yamlpos.List {
		if m.header != nil {
			r.reportAt(m.top, "the first line is no row of numbers; write names: header if it names the columns")
			return nil, false
		}
	}
	for i, row := range m.rows {
		if len(row) != len(order) {
			r.reportAt(m.places[i], "expected %d numbers in this row, one for each of %s; found %d", len(order), shortList(r.Names, order), len(row))
			return nil, false
		}
	}
	return order, true
}

// shortList names the variables of columns, a few of them.
func shortList(names []string, at []int) string {
	var s []string
	for _, j := range at[:min(len(at), 6)] {
		s = append(s, names[j])
	}
	if len(at) > len(s) {
		s = append(s, "…")
	}
	return strings.Join(s, ", ")
}

// headed finds the variables that a header names.
func (r *Region) headed(m *table) (order []int, ok bool) {
	for _, name := range m.header {
		j := slices.Index(r.Names, name)
		switch {
		case j < 0:
			r.reportAt(m.top, "unknown variable %s%s", yamlpos.Text(name), yamlpos.Suggest(name, "variables", r.Names))
			return nil, false
		case slices.Contains(order, j):
			r.reportAt(m.top, "the variable %q is named twice", name)
			return nil, false
		}
		order = append(order, j)
	}
	return order, true
}

// sides reads a side of the rows of m: a number for all of them, a list, or a
// file; infinite, with the given sign, where there is none.
func (r *Region) sides(n *yamlpos.Node, m *table, sign int) ([]float64, bool) {
	out := slices.Repeat([]float64{math.Inf(sign)}, len(m.rows))
	if n == nil {
		return out, true
	}
	if v, ok := n.Number(); ok {
		return slices.Repeat([]float64{v}, len(m.rows)), true
	}
	t, ok := r.table(n, sign)
	if !ok {
		return nil, false
	}
	var all []float64
	for i, row := range t.rows {
		if len(row) != 1 && len(t.rows) > 1 {
			r.reportAt(t.places[i], "expected one number in this row, %s of a row of the matrix; found %d", n.Name, len(row))
			return nil, false
		}
		all = append(all, row...)
	}
	if len(all) != len(out) {
		r.Report(n, "expected %d numbers, one for each row of the matrix; found %d", len(out), len(all))
		return nil, false
	}
	return all, true
}

// table reads numbers: a list, a list of lists, or a file, relative to the
// configuration. Of sides, of sign −1 or 1, some may be infinite.
func (r *Region) table(n *yamlpos.Node, sign int) (*table, bool) {
	if n.Kind != yamlpos.List {
		file, ok := r.Text(n)
		if !ok {
			return nil, false
		}
		switch word := strings.TrimLeft(strings.ToLower(file), "+-."); {
		case sign != 0 && (word == "inf" || word == "infinity"):
			r.Report(n, "%s bounds nothing: leave it out", n.Text)
			return nil, false
		case sign != 0 && word == "nan":
			r.Report(n, "%s is not a number", n.Text)
			return nil, false
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.Folder, file)
		}
		if err := r.readable(file); err != nil {
			r.Report(n, "%s cannot be read: %v", file, err)
			return nil, false
		}
		return r.tableFile(n, file, sign)
	}
	t := &table{}
	for _, item := range n.Items {
		cells := []*yamlpos.Node{item}
		if item.Kind == yamlpos.List {
			cells = item.Items
		}
		var row []float64
		for _, c := range cells {
			v, ok := r.bound(c, sign)
			if !ok {
				return nil, false
			}
			row = append(row, v)
		}
		t.rows, t.places = append(t.rows, row), append(t.places, item.Problem)
	}
	t.top = n.Problem
	return t, true
}

// readable says why a file may not be read; nil where it may.
func (r *Region) readable(file string) error {
	if r.Readable == nil {
		return nil
	}
	return r.Readable(file)
}

// tableFile reads a file of comma-separated numbers, perhaps with a header.
func (r *Region) tableFile(n *yamlpos.Node, file string, sign int) (*table, bool) {
	text, err := regular.Read(file, mostBytes)
	if err != nil {
		r.Report(n, "%s cannot be read: %v", file, regular.Why(err))
		return nil, false
	}
	source, err := dynamics.Text(bytes.NewReader(text), file)
	if fault := new(dynamics.DataError); errors.As(err, &fault) {
		r.Problems = append(r.Problems, yamlpos.Problem{File: file, Line: fault.Line, Column: max(1, fault.Column), Message: fault.Text})
		return nil, false
	}
	c := csv.NewReader(source)
	c.FieldsPerRecord, c.TrimLeadingSpace, c.ReuseRecord = -1, true, true
	t, before := &table{}, len(r.Problems)
	for len(r.Problems) < before+20 {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var p *csv.ParseError
		if errors.As(err, &p) {
			r.Problems = append(r.Problems, yamlpos.Problem{File: file, Line: p.Line, Column: p.Column,
				Message: strings.TrimPrefix(p.Err.Error(), "csv: ")})
			return nil, false
		}
		r.tableRow(t, file, c, record, sign)
	}
	return t, len(r.Problems) == before
}

// tableRow reads a row of a file; the first may be a header.
func (r *Region) tableRow(t *table, file string, c *csv.Reader, record []string, sign int) {
	line, _ := c.FieldPos(0)
	at := func(message string) yamlpos.Problem {
		return yamlpos.Problem{File: file, Line: line, Column: 1, Message: message}
	}
	if t.top == nil {
		t.top = at
		if !slices.ContainsFunc(record, likeNumber) {
			for _, s := range record {
				t.header = append(t.header, strings.TrimSpace(s))
			}
			return
		}
	}
	row := make([]float64, len(record))
	for j, cell := range record {
		v, ok := cellNumber(cell, sign)
		if !ok {
			_, column := c.FieldPos(j)
			r.reportAt(func(message string) yamlpos.Problem {
				return yamlpos.Problem{File: file, Line: line, Column: column, Message: message}
			},
				"expected a number; found %s", yamlpos.Text(cell))
			return
		}
		row[j] = v
	}
	t.rows, t.places = append(t.rows, row), append(t.places, at)
}

// likeNumber says whether a cell looks like a number, legal or not, and so is no name.
func likeNumber(cell string) bool {
	word := strings.TrimLeft(strings.ToLower(strings.TrimSpace(cell)), "+-.")
	return word == "inf" || word == "infinity" || word == "nan" || word != "" && '0' <= word[0] && word[0] <= '9'
}

// cellNumber reads a decimal number; of sides of the given sign inf, .inf and infinity are
// ones, in letters of any size.
func cellNumber(cell string, sign int) (float64, bool) {
	cell = strings.TrimSpace(cell)
	word, minus := strings.CutPrefix(strings.ToLower(cell), "-")
	if !minus {
		word = strings.TrimPrefix(word, "+")
	}
	if sign != 0 && minus == (sign < 0) && slices.Contains([]string{"inf", ".inf", "infinity"}, word) {
		return math.Inf(sign), true
	}
	return yamlpos.Decimal(cell)
}
