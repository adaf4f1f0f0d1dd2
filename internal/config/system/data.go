// Package system answers what a configuration says of a dynamical system: where its data
// are, which equations there are, and how these explain those.
package system

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A Reader reads the sections data and model of a configuration.
type Reader struct {
	*key.Reader
	Root   *yamlpos.Node
	File   string // of the configuration
	unread bool   // the equations cannot be read, which has been reported
}

// Data says where a series is.
type Data struct {
	File        string      `json:"file"` // absolute
	SHA256      string      `json:"sha256"`
	Time        string      `json:"time,omitempty"`
	States      key.Ordered `json:"states"` // column of each state
	Derivatives key.Ordered `json:"derivatives,omitempty"`
}

// Elsewhere are the same data in a file of which the name alone is told.
func (d *Data) Elsewhere() any {
	e := *d
	e.File = filepath.Base(d.File)
	return &e
}

// ReadData reads the data section.
func (l *Reader) ReadData() (*Data, dynamics.Columns) {
	n := l.Root.Field("data")
	d, c := &Data{}, dynamics.Columns{}
	if n == nil {
		l.ReportBare(l.Root, "the data are missing: add, for instance, data: {file: data.csv, time: t, states: {x: x}}")
		return d, c
	}
	keys := DataKeys(d)
	if !l.Only(n, keys) {
		return d, c
	}
	for _, k := range keys {
		if !k.Needed || n.Field(k.Name) != nil {
			l.Take(n, keys, k.Name)
			continue
		}
		means := ""
		if k.Name == "states" {
			means = ", which names a column for each state"
		}
		l.ReportBare(l.Root.Key("data"), "data needs the key %q%s", k.Name, means)
	}
	if d.File != "" && !filepath.IsAbs(d.File) {
		d.File = filepath.Join(filepath.Dir(l.File), d.File)
	}
	c.Time, c.States, c.Derivatives = d.Time, columnsOf(d.States), columnsOf(d.Derivatives)
	l.ownColumns(n.Field("states"), c)
	return d, c
}

// DataKeys declares the data section.
func DataKeys(d *Data) []key.Key {
	columns := key.MapOf(key.PlainText()).With("minProperties", 1)
	return []key.Key{
		key.Text("file", &d.File).Must().Tells("", "CSV with a header line, UTF-8, or Parquet, at least 3 rows; relative to the configuration. Lines end "+
			"in LF, CRLF or CR; numbers are "+
			"decimal (no `2_000`, no `0x10`). An empty cell, NA, N/A or null is a missing value of a state: the rest of its row is used, and "+
			"a warning counts them. NaN and Inf are errors. Blank lines are left out; in a file of one column they are missing values, except at "+
			"its end"),
		key.Text("sha256", &d.SHA256).Tells("not checked", "the run is refused if the file has another hash"),
		key.Text("time", &d.Time).Tells("rows 0, 1, 2, …", "column of increasing times, which may be uneven"),
		key.Given("states", "`{state: column, …}`", columns, columnNames(&d.States)).Must().Tells("", "the states of the model"),
		key.Given("derivatives", "`{state: column, …}`", columns, columnNames(&d.Derivatives)).Tells("none", "for `derivative: column`"),
	}
}

// columnsOf are the columns of states.
func columnsOf(o key.Ordered) (columns []dynamics.Named) {
	for _, e := range o {
		columns = append(columns, dynamics.Named{Name: e.Key, Column: e.Value.(string)})
	}
	return columns
}

// ownColumns reports states that share a column, or have that of the time.
func (l *Reader) ownColumns(n *yamlpos.Node, c dynamics.Columns) {
	for i, s := range c.States {
		at := n.Field(s.Name)
		if c.Time != "" && s.Column == c.Time {
			l.Report(at, "the column %q of state %q is that of the time: give the column with the values of %q", s.Column, s.Name, s.Name)
			continue
		}
		if j := slices.IndexFunc(c.States[:i], func(o dynamics.Named) bool { return o.Column == s.Column }); j >= 0 {
			l.Report(at, "the states %q and %q share the column %q: give each its own", c.States[j].Name, s.Name, s.Column)
		}
	}
}

// columnNames reads a map of states to columns.
func columnNames(to *key.Ordered) func(*key.Reader, *yamlpos.Node) {
	return func(l *key.Reader, n *yamlpos.Node) {
		if n.Kind == yamlpos.Map && len(n.Fields) == 0 {
			l.Report(n, "%s is empty; expected a column for each state", n.Name)
		}
		for _, f := range n.Fields {
			l.PlainName(f.Key, "state")
		}
		entries(to, nil, text)(l, n)
	}
}

// Texts returns the texts of a list, or of a single scalar.
func Texts(n *yamlpos.Node) []string {
	if n.Kind == yamlpos.Scalar {
		return []string{n.Text}
	}
	var out []string
	for _, item := range n.Items {
		out = append(out, item.Text)
	}
	return out
}

// Series reads the data file and checks that it is the one of the
// configuration's hash, if there is one.
func (l *Reader) Series(d *Data, c dynamics.Columns, open func(file string) (io.ReadSeekCloser, error)) *dynamics.Series {
	if d.File == "" || len(c.States) == 0 {
		return nil
	}
	file, err := open(d.File)
	if err != nil {
		l.dataFaults(&dynamics.DataError{File: d.File, Text: "cannot be read: " + err.Error()})
		return nil
	}
	defer file.Close()
	sum := sha256.New()
	series, err := dynamics.DecodeSeries(io.TeeReader(file, sum), d.File, c) // to its end, unless it is faulty
	if err != nil {
		l.dataFaults(err)
		return nil
	}
	now := hex.EncodeToString(sum.Sum(nil))
	if d.SHA256 != "" && d.SHA256 != now {
		l.Report(l.Root.Field("data").Field("sha256"), "the data in %s are no longer those of this configuration (sha256 %s)", d.File, now)
	}
	d.SHA256 = now
	if abs, err := filepath.Abs(d.File); err == nil {
		d.File = abs
	}
	return series
}

// dataFaults reports what is wrong with a data file, at its lines.
func (l *Reader) dataFaults(err error) {
	for _, e := range flatten(err) {
		var fault *dynamics.DataError
		if !errors.As(e, &fault) {
			l.Faults(e)
			continue
		}
		p := yamlpos.Problem{File: fault.File, Line: fault.Line, Column: max(1, fault.Column), Message: fault.Text}
		if fault.Line > 0 && fault.Column > 0 {
			p.Source, p.Column = sourceLine(fault.File, fault.Line, fault.Column)
		}
		if fault.Line == 0 {
			at := l.Root.Field("data")
			if at.Field("file") != nil {
				at = at.Field("file")
			}
			p = at.Problem(fault.File + ": " + fault.Text)
		}
		l.Problems = append(l.Problems, p)
	}
}

// sourceLine returns a line of a file, and the column in characters of its
// byte column; "" if it cannot be had.
func sourceLine(file string, line, column int) (string, int) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", column
	}
	r, err := dynamics.Text(bytes.NewReader(data), file)
	if err != nil {
		return "", column
	}
	text, _ := io.ReadAll(r)
	lines := strings.Split(string(text), "\n")
	if line > len(lines) {
		return "", column
	}
	s := strings.TrimSuffix(lines[line-1], "\r")
	if column <= len(s)+1 {
		column = utf8.RuneCountInString(s[:column-1]) + 1
	}
	return s, column
}

// Faults reports what is wrong with a model, at its keys.
func (l *Reader) Faults(err error) {
	for _, e := range flatten(err) {
		var model *dynamics.ModelError
		var data *dynamics.DataError
		switch {
		case errors.As(e, &data):
			l.dataFaults(data)
		case errors.As(e, &model):
			n := l.find(model.Path)
			if model.Offset >= 0 && n.Kind == yamlpos.List && len(n.Items) == 1 {
				n = n.Items[0]
			}
			if model.Offset >= 0 && n.Kind == yamlpos.Scalar {
				l.formulaOr(n, model)
			} else {
				l.Report(n, "%v", model.Err)
			}
		default:
			l.Report(l.Root.Key("model"), "%v", e)
		}
	}
}

// formulaOr reports the faults of an expression one by one, or a fault of
// another kind at its offset.
func (l *Reader) formulaOr(n *yamlpos.Node, m *dynamics.ModelError) {
	if l.Formula(n, m.Err) {
		return
	}
	l.Problems = append(l.Problems, n.ProblemAt(m.Offset, m.Err.Error()))
}

// find returns the node at a path, or the deepest key on the way to it.
func (l *Reader) find(path []string) *yamlpos.Node {
	n, key := l.Root, l.Root
	for _, word := range path {
		next := n.Field(word)
		if i, err := strconv.Atoi(word); err == nil && n.Kind == yamlpos.List && i >= 1 && i <= len(n.Items) {
			next = n.Items[i-1]
		}
		if next == nil {
			return key
		}
		n, key = next, n.Key(word)
	}
	return n
}

// flatten returns the errors that err joins.
func flatten(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range many.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []error{err}
}

// Names asks the model for the names of its parameters; nil where they are not known.
func (l *Reader) Names(m *dynamics.Model) []string {
	if m == nil || l.unread || len(l.Problems) > 0 && len(m.States) == 0 {
		return nil
	}
	names, err := m.Parameters()
	if err != nil {
		l.Faults(err)
	}
	return names
}
