// Package rows answers how probable the rows of a table are: it reads what a model says of
// its columns and makes a posterior of that.
package rows

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/potential"
)

// A Model is what is said of the rows of a table.
type Model struct {
	Parameters []Parameter
	Let        []Let
	Likelihood []string // "y ~ normal(mu, sigma)"
	LogLik     []string // formulas that are added to the log density of a row
	Where      []string // inequalities that the rows fulfil which are used
	Drop       bool     // rows with missing values are left out; else they are a fault
}

// A Parameter has one coordinate or several.
type Parameter struct {
	Name     string  // a, or c[site] with an entry for each level of a column, c[4], beta[X]
	Prior    string  // a law, or flat
	Shape    string  // simplex(3), ordered(3), positive_ordered(3); "" is all numbers
	Min, Max float64 // walls; ±Inf without
}

// A Let is a name for a formula, or for a block of columns.
type Let struct {
	Name        string
	Text        string
	Columns     []string // of a block
	Standardise bool     // the columns of a block have mean 0 and standard deviation 1
}

// A Posterior is a model with its data.
type Posterior struct {
	Names      []string // of the coordinates
	Prior      *prior.Joint
	Potential  potential.Potential // −log density, of likelihood and priors
	Priors     potential.Potential // that of the priors alone
	Likelihood *Likelihood
	Drawn      *Minibatches // that gradients take; nil where they take all rows
	Proper     bool         // Prior holds the law of every coordinate

	Orders    [][2]int // coordinates of which the first is at most the second
	Equations [][]int  // coordinates whose sum is 1
	Left      int      // rows that are left out

	// Outcomes are what the laws of the likelihood are of, in the rows that are used.
	Outcomes *Outcomes

	// LogMass is the logarithm of the mass that priors had between their walls: Potential has
	// them normalised there.
	LogMass float64

	terms       []string // of the log density of priors that are of other parameters
	descendants []*descendant
	from        *builder
}

// An array is a parameter with its coordinates.
type array struct {
	*Parameter
	bare    string
	index   string         // in brackets; "" of a single number
	entries map[string]int // coordinates by what stands in brackets; "" of a single number
	order   []int          // coordinates
}

// A builder makes a posterior.
type builder struct {
	Model
	faults   []error
	header   []string
	columns  map[string]string // what those of the header are called in the file
	vectors  map[string]*array
	sorted   []*array
	blocks   map[string]Let
	products map[string]blocked   // by how they are written out
	used     map[string][]float64 // values of columns, in the rows that are used, where these are not all
	lets     map[string]string    // expanded
	numbers  map[string]bool      // columns that formulas hold
	levels   map[string]bool      // columns that stand in brackets
	scales   map[string]scale     // of the standardised columns of blocks
	terms    []term
	series   *dynamics.Series
	keep     []int // rows
	least    int   // values of each column; −1 is none
	out      *Posterior
}

// A term is a part of the log density of a row.
type term struct {
	path []string
	text string
	law  *said  // of y; nil of a formula
	y    string // as written
	full string // y, written out
}

// Build makes the posterior of a model and the table in r, a file of that name. Its faults
// are joined, each a [*dynamics.ModelError] or a [*dynamics.DataError].
func Build(m Model, r io.ReadSeeker, file string) (*Posterior, error) {
	b := &builder{Model: m, vectors: map[string]*array{}, blocks: map[string]Let{}, products: map[string]blocked{}, used: map[string][]float64{}, lets: map[string]string{}, numbers: map[string]bool{},
		levels: map[string]bool{}, scales: map[string]scale{}, least: 1, out: &Posterior{}}
	header, err := dynamics.Header(r, file)
	if err != nil {
		return nil, err
	}
	b.heads(header, file)
	for _, step := range []func(){
		b.declare, b.define, b.read, func() { b.table(r, file) }, b.coordinates, b.priors, b.likelihood, b.outcomes,
	} {
		if len(b.faults) == 0 {
			step()
		}
		if len(b.faults) > 0 {
			return nil, errors.Join(b.faults...)
		}
	}
	b.out.from = b
	return b.out, nil
}

// heads names columns as formulas do, which know no spaces.
func (b *builder) heads(header []string, file string) {
	b.header, b.columns = nil, map[string]string{}
	for _, h := range header {
		plain := strings.Join(strings.Fields(h), "")
		if other, ok := b.columns[plain]; ok {
			b.faults = append(b.faults, &dynamics.DataError{File: file, Line: 1, Text: fmt.Sprintf("the columns %q and %q are told apart by spaces alone: rename one", other, h)})
		}
		b.header, b.columns[plain] = append(b.header, plain), h
	}
}

func (b *builder) fault(path []string, offset int, format string, args ...any) {
	b.faults = append(b.faults, &dynamics.ModelError{Path: append([]string{"model"}, path...), Offset: offset, Err: fmt.Errorf(format, args...)})
}

// declare finds which parameters there are.
func (b *builder) declare() {
	for i := range b.Parameters {
		p := &b.Parameters[i]
		v := &array{Parameter: p, entries: map[string]int{}}
		bare, index, _ := strings.Cut(p.Name, "[")
		v.bare, v.index = strings.TrimSpace(bare), strings.Join(strings.Fields(strings.TrimSuffix(index, "]")), "")
		path := []string{"parameters", p.Name}
		words, err := expression.Words(p.Name)
		switch {
		case err != nil || len(words) != 1 || !words[0].Name:
			b.fault(path, -1, "a parameter is a name such as a, or one with an index such as c[site] or c[4]; found %q", p.Name)
			continue
		case slices.Contains(b.header, v.bare):
			b.fault(path, -1, "%q is a column of the data: give the parameter another name", v.bare)
		case b.vectors[v.bare] != nil:
			b.fault(path, -1, "the parameter %q comes twice", v.bare)
		case expression.Reserved(v.bare):
			b.fault(path, -1, "%q is a function of formulas: give the parameter another name", v.bare)
		}
		b.vectors[v.bare], b.sorted = v, append(b.sorted, v)
	}
	if len(b.Parameters) == 0 {
		b.fault([]string{"parameters"}, -1, "there are none: add, for instance, parameters: {a: \"normal(0, 1)\"}")
	}
}

// define expands what let names.
func (b *builder) define() {
	for _, l := range b.Let {
		path := []string{"let", l.Name}
		switch words, err := expression.Words(l.Name); {
		case err != nil || len(words) != 1 || words[0].Text != l.Name || !words[0].Name || strings.Contains(l.Name, "["):
			b.fault(path, -1, "%q is no name for a formula: use letters, digits and _", l.Name)
			continue
		case b.vectors[l.Name] != nil:
			b.fault(path, -1, "%q is a parameter: give the formula another name", l.Name)
			continue
		case slices.Contains(b.header, l.Name):
			b.fault(path, -1, "%q is a column of the data: give the formula another name", l.Name)
			continue
		}
		if l.Columns != nil {
			l.Columns = slices.Clone(l.Columns)
			b.blocks[l.Name] = l
			for i, c := range l.Columns {
				c = strings.Join(strings.Fields(c), "")
				l.Columns[i] = c
				if b.column(path, -1, c) {
					b.numbers[c] = true
				}
			}
			continue
		}
		if text, ok := b.expand(path, l.Text, 0); ok {
			b.lets[l.Name] = text
		}
	}
	for _, v := range b.sorted { // whose index may be a block
		if _, counted := v.count(); v.index == "" || counted {
			continue
		}
		if _, ok := b.blocks[v.index]; ok {
			continue
		}
		if strings.Contains(v.index, "..") {
			b.fault([]string{"parameters", v.Name}, -1, "entries count from 1: %s[1..4], or %s[4], has four", v.bare, v.bare)
			continue
		}
		if b.column([]string{"parameters", v.Name}, -1, v.index) {
			b.levels[v.index] = true
		}
	}
}

// column reports whether the data have a column, and a fault if not.
func (b *builder) column(path []string, offset int, name string) bool {
	if slices.Contains(b.header, name) {
		return true
	}
	b.fault(path, offset, "the data have no column %q%s (columns: %s)", name, near(name, b.header), strings.Join(b.header, ", "))
	return false
}

// near asks whether another name is meant.
func near(name string, known []string) string {
	if best, ok := expression.Nearest(name, known); ok {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// read finds the terms of the log density and which columns they take.
func (b *builder) read() {
	for i, text := range b.Model.Likelihood {
		path := place("likelihood", i, len(b.Model.Likelihood))
		left, right, ok := strings.Cut(text, "~")
		if !ok {
			b.fault(path, -1, "a likelihood says which law a column has, such as y ~ normal(mu, sigma); found %q. A formula goes to log_lik", text)
			continue
		}
		l, err := parse(right)
		if err != nil {
			b.fault(path, len(left)+1+len(right)-len(strings.TrimLeft(right, " ")), "%w", err)
			continue
		}
		y := strings.TrimSpace(left)
		bad := false
		if _, ok := b.expand(path, y, strings.Index(text, y)); !ok {
			bad = true
		}
		for j, a := range l.with {
			if l.with[j], ok = b.expand(path, a, len(left)+1+l.at[j]); !ok {
				bad = true
			}
		}
		if bad {
			continue
		}
		full, _ := b.expand(path, y, 0)
		all, err := l.density(full)
		if err != nil {
			b.fault(path, -1, "%w", err)
			continue
		}
		for _, t := range all {
			b.terms = append(b.terms, term{path: path, text: t, law: l, y: y, full: full})
		}
	}
	for i, text := range b.LogLik {
		path := place("log_lik", i, len(b.LogLik))
		if t, ok := b.expand(path, text, 0); ok {
			b.terms = append(b.terms, term{path: path, text: t})
		}
	}
	if len(b.terms) == 0 && len(b.faults) == 0 {
		b.fault([]string{"likelihood"}, -1, "there is none: add, for instance, likelihood: \"y ~ normal(mu, sigma)\", or a formula as log_lik")
	}
	for i, text := range b.Where {
		b.whence(append([]string{"data"}, place("where", i, len(b.Where))...), text)
	}
}

// whence notes the columns of an inequality in columns.
func (b *builder) whence(path []string, text string) {
	fault := func(offset int, err error) {
		b.faults = append(b.faults, &dynamics.ModelError{Path: path, Offset: offset, Err: err})
	}
	names, err := expression.ConstraintNames(text)
	if err != nil {
		fault(0, err)
	}
	for _, n := range names {
		if !slices.Contains(b.header, n) {
			fault(-1, fmt.Errorf("the data have no column %q%s", n, near(n, b.header)))
		}
		b.numbers[n] = true
	}
	words, _ := expression.Words(text) // its errors are those above
	for _, w := range words {
		if expression.Constant(w.Text) && slices.Contains(b.header, w.Text) {
			fault(w.Pos, fmt.Errorf("%q is a number in formulas, and a column of the data: give the column another name", w.Text))
		}
	}
}

// place is the path of an entry of a list, or of the only one.
func place(name string, i, of int) []string {
	if of == 1 {
		return []string{name}
	}
	return []string{name, strconv.Itoa(i + 1)}
}

// table reads the columns and finds the rows that are used.
func (b *builder) table(r io.ReadSeeker, file string) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		b.faults = append(b.faults, &dynamics.DataError{File: file, Text: err.Error()})
		return
	}
	c := dynamics.Columns{Least: b.least, Noun: "column"}
	for _, name := range slices.Sorted(maps.Keys(b.levels)) {
		c.Categories = append(c.Categories, b.columns[name])
	}
	for _, name := range slices.Sorted(maps.Keys(b.numbers)) {
		c.States = append(c.States, dynamics.Named{Name: name, Column: b.columns[name]})
	}
	s, err := dynamics.DecodeSeries(r, file, c)
	if err != nil {
		b.faults = append(b.faults, err)
		return
	}
	for name := range b.levels {
		s.Levels[name] = s.Levels[b.columns[name]]
	}
	b.series = s
	looked := b.looked()
	lags := 0
	for _, l := range looked {
		lags = max(lags, l.back)
	}
	for i := range s.Line {
		gap := ""
		for _, l := range looked {
			if i >= l.back && math.IsNaN(s.Values[l.column][i-l.back]) {
				gap = cmp.Or(gap, l.column)
			}
		}
		for _, n := range c.Categories {
			if s.Levels[n].Of[i] < 0 {
				gap = cmp.Or(gap, n)
			}
		}
		switch {
		case i < lags:
		case gap == "":
			b.keep = append(b.keep, i)
		case b.Drop:
			b.out.Left++
		default:
			b.faults = append(b.faults, &dynamics.DataError{File: file, Line: s.Line[i], Text: fmt.Sprintf(
				"the value of %s is missing: fill it in, or leave such rows out by data: {file: …, missing: drop}", gap)})
		}
	}
	if len(b.faults) == 0 {
		b.filter()
	}
	for name, l := range b.blocks {
		if l.Standardise {
			b.standardise(name, l)
		}
	}
}

// A look is at the value of a column so many rows before.
type look struct {
	column string
	back   int
}

// looked are the values that a row takes, of columns and of lagged ones.
func (b *builder) looked() (all []look) {
	var names []string
	for _, t := range b.terms {
		of, _ := expression.Names(t.text)
		names = append(names, of...)
	}
	for _, text := range b.Where {
		of, _ := expression.ConstraintNames(text)
		names = append(names, of...)
	}
	for _, n := range names {
		column, back, lagged := b.lagged(n)
		if !lagged {
			block, of, _ := strings.Cut(strings.TrimSuffix(n, "]"), "[")
			if column = n; b.blocks[block].Columns != nil { // of a standardised one
				column = of
			}
		}
		if _, ok := b.series.Values[column]; ok && !slices.Contains(all, look{column, back}) {
			all = append(all, look{column, back})
		}
	}
	return all
}

// lagged reads the name of a lagged column: y[-1].
func (b *builder) lagged(name string) (column string, back int, ok bool) {
	column, index, _ := strings.Cut(name, "[-")
	if back, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil && slices.Contains(b.header, column) {
		return column, back, true
	}
	return "", 0, false
}

// filter leaves out rows that break an inequality.
func (b *builder) filter() {
	for i, text := range b.Where {
		path := append([]string{"data"}, place("where", i, len(b.Where))...)
		names, _ := expression.ConstraintNames(text)
		all, err := expression.ParseConstraints(text, names)
		if err != nil {
			b.faults = append(b.faults, &dynamics.ModelError{Path: path, Offset: 0, Err: err})
			return
		}
		var values []*expression.Evaluator
		for _, c := range all {
			if !c.Linear() {
				values = append(values, c.G.Evaluator(1))
			} else {
				values = append(values, nil)
			}
		}
		x, v, before := make([]float64, len(names)), make([]float64, 1), len(b.keep)
		b.keep = slices.DeleteFunc(b.keep, func(row int) bool {
			for j, n := range names {
				x[j] = b.series.Values[n][row]
			}
			for k, c := range all {
				if !fulfils(&c, values[k], v, x) {
					return true
				}
			}
			return false
		})
		if len(b.keep) == 0 {
			b.faults = append(b.faults, &dynamics.ModelError{Path: path, Offset: -1, Err: fmt.Errorf("%q holds in none of %d rows", text, before)})
			return
		}
	}
	if len(b.keep) == 0 {
		b.faults = append(b.faults, &dynamics.DataError{File: b.series.File, Text: "no row is left: every one lacks a value"})
	}
}

// fulfils reports whether a row keeps an inequality, strictly where it is written so.
func fulfils(c *expression.Constraint, g *expression.Evaluator, v, x []float64) bool {
	left := -c.B
	if g != nil {
		g.Value(v, x)
		left = v[0]
	} else {
		for j, a := range c.A {
			left += a * x[j]
		}
	}
	strict := strings.ContainsAny(c.Text, "<>") && !strings.ContainsAny(c.Text, "=≤≥")
	return left < 0 || left == 0 && !strict
}

// A scale is what makes a column one of mean 0 and standard deviation 1.
type scale struct{ mean, sd float64 }

// standardise gives the columns of a block mean 0 and standard deviation 1 over the rows
// that are used, those of other tables by the same scale.
func (b *builder) standardise(name string, l Let) {
	for _, c := range l.Columns {
		values, full := slices.Clone(b.series.Values[c]), name+"["+c+"]"
		if values == nil { // of a table in which nothing takes it
			continue
		}
		by, known := b.scales[full]
		if !known {
			by = b.scale(values)
			b.scales[full] = by
		}
		if !(by.sd > 0) {
			b.fault([]string{"let", name}, -1, "the column %q is the same in every row: it cannot be standardised", c)
			return
		}
		for i, v := range values {
			values[i] = (v - by.mean) / by.sd
		}
		b.series.Values[full] = values
	}
}

// scale is that of a column in the rows that are used.
func (b *builder) scale(values []float64) (by scale) {
	square := 0.0
	for _, i := range b.keep {
		by.mean += values[i] / float64(len(b.keep))
	}
	for _, i := range b.keep {
		square += (values[i] - by.mean) * (values[i] - by.mean)
	}
	by.sd = math.Sqrt(square / max(1, float64(len(b.keep)-1)))
	return by
}
