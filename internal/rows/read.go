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
	"github.com/r2sgld/r2sgld/internal/vector"
)

// read finds the terms of the log density and which columns they take.
func (b *builder) read() {
	for i, text := range b.Model.Likelihood {
		path := place("likelihood", i, len(b.Model.Likelihood))
		left, right, ok := strings.Cut(text, "~")
		if !ok {
			b.fault(path, -1, "a likelihood says which law a column has, such as y ~ normal(mu, sigma); found %q. A formula goes to log_lik", text)
			continue
		}
		b.law(path, left, right)
	}
	for i, t := range b.terms {
		if i == 0 || t.law != b.terms[i-1].law {
			b.hides(t.path, t.law)
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

// law reads what is said on both sides of ~.
func (b *builder) law(path []string, left, right string) {
	at := len(left) + 1
	l, err := outcome(right, b.listed)
	if err != nil {
		begin := len(right) - len(strings.TrimLeft(right, " "))
		if there := (*misplaced)(nil); errors.As(err, &there) {
			begin = there.at
		}
		b.fault(path, at+begin, "%w", err)
		return
	}
	t, ok := term{path: path, law: l}, true
	for _, y := range b.sides(path, left, l) {
		full, known := b.expand(path, y.text, y.at)
		if known && b.stretches(full) {
			known = false
			b.fault(path, y.at, "parameters stretch what stands on the left of ~, so that its law is none of the data: "+
				"write y ~ law(…) of the data alone, or the log density, with the log of the derivative by y, in log_lik")
		}
		t.y, t.full, ok = append(t.y, y.text), append(t.full, full), ok && known
	}
	for j, a := range l.with {
		var known bool
		l.with[j], known = b.expand(path, a, at+l.at[j])
		ok = ok && known
	}
	if !ok || t.y == nil {
		return
	}
	all, err := l.density(t.full...)
	if err != nil {
		b.fault(path, -1, "%w", err)
		return
	}
	for _, t.text = range all {
		b.terms = append(b.terms, t)
	}
}

// stretches reports whether the derivative of a left side by each of its columns is of parameters, as
// that of y*exp(a), and not of y - a*x, is: what a law says of the left side is no law of a column then.
func (b *builder) stretches(full string) bool {
	var data, parameters []string
	names, _ := expression.Names(full)
	for _, n := range names {
		if bare, _, _ := strings.Cut(n, "["); b.vectors[bare] != nil {
			parameters = append(parameters, n)
		} else {
			data = append(data, n)
		}
	}
	if data == nil || parameters == nil {
		return false
	}
	by, affine, err := expression.Coefficients(full, data, parameters)
	if !affine || err != nil {
		return true
	}
	free, _ := expression.Names(by[0])
	for _, c := range by[1:] {
		names, _ := expression.Names(c)
		free = slices.DeleteFunc(free, func(n string) bool { return slices.Contains(names, n) })
	}
	return len(free) == 0
}

// sides are what a law is of, one unless it is joint; nil with a fault where they do not go together.
func (b *builder) sides(path []string, left string, l *said) []piece {
	whole := piece{text: left}.trimmed()
	all, list := whole.within("[", "]")
	switch {
	case !list && l.joint == nil:
		return []piece{whole}
	case l.joint == nil:
		b.fault(path, whole.at, "%s is a law of one column: write a law of each", l.name)
		return nil
	case !list:
		b.fault(path, whole.at, "%s is a law of several columns: write [u, v] ~ %s(…)", l.name, l.name)
		return nil
	case len(all) != l.joint.k:
		b.fault(path, whole.at, "%s has %d columns, and mu of %s %d entries", whole.text, len(all), l.name, l.joint.k)
		return nil
	}
	for i, y := range all {
		if slices.ContainsFunc(all[:i], func(o piece) bool { return alike(o.text, y.text) }) {
			b.fault(path, y.at, "%s stands there twice", y.text)
			return nil
		}
	}
	return all
}

// hides reports a parameter, or a column, by whose name the density of a law calls a function.
func (b *builder) hides(path []string, l *said) bool {
	words, _ := expression.Words(strings.Join(l.terms, " + "))
	for i, w := range words {
		if !w.Name || i+1 == len(words) || words[i+1].Text != "(" {
			continue
		}
		const text = "%q is a function that the law %s takes: give the %s another name"
		if v := b.vectors[w.Text]; v != nil {
			b.fault([]string{"parameters", v.Name}, -1, text, w.Text, l.name, "parameter")
			return true
		}
		if slices.Contains(b.header, w.Text) && b.numbers[w.Text] {
			b.fault(path, -1, text, w.Text, l.name, "column")
			return true
		}
	}
	return false
}

// place is the path of an entry of a list, or of the only one.
func place(name string, i, of int) []string {
	if of == 1 {
		return []string{name}
	}
	return []string{name, strconv.Itoa(i + 1)}
}

// decode reads columns, those anew as float64 for which float32 is too coarse.
func decode(r io.ReadSeeker, file string, c dynamics.Columns) (*dynamics.Series, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, &dynamics.DataError{File: file, Text: err.Error()}
	}
	s, err := dynamics.DecodeSeries(r, file, c)
	if err != nil || s.Coarse == nil {
		return s, err
	}
	var fine []dynamics.Named
	for _, n := range c.Singles {
		if slices.Contains(s.Coarse, n.Name) {
			c.States = append(c.States, n)
		} else {
			fine = append(fine, n)
		}
	}
	c.Singles = fine
	return decode(r, file, c)
}

// table reads the columns and finds the rows that are used.
func (b *builder) table(r io.ReadSeeker, file string) {
	c := dynamics.Columns{Least: b.least, Noun: "column", Untimed: true, Worded: worded}
	categories := slices.Sorted(maps.Keys(b.levels))
	for _, name := range categories {
		c.Categories = append(c.Categories, b.columns[name])
	}
	into := &c.States
	if b.Singles {
		into = &c.Singles
	}
	for _, name := range slices.Sorted(maps.Keys(b.numbers)) {
		*into = append(*into, dynamics.Named{Name: name, Column: b.columns[name]})
	}
	s, err := decode(r, file, c)
	if err != nil {
		b.faults = append(b.faults, err)
		return
	}
	for _, name := range categories {
		s.Levels[name] = s.Levels[b.columns[name]]
	}
	b.series, b.data = s, map[string]vector.Column{}
	for name, v := range s.Values {
		b.data[name] = vector.Doubles(v)
	}
	for name, v := range s.Singles {
		b.data[name] = vector.Singles(v)
	}
	b.whole(c.Categories)
	if len(b.faults) == 0 {
		b.filter()
	}
	for name, l := range b.blocks {
		if l.Standardise {
			b.standardise(name, l)
		}
	}
}

// whole keeps the rows in which no value is missing.
func (b *builder) whole(categories []string) {
	s := b.series
	looked := b.looked()
	lags := 0
	for _, l := range looked {
		lags = max(lags, l.back)
	}
	for i, line := range s.Line.All() {
		gap := ""
		for _, l := range looked {
			if i >= l.back && math.IsNaN(l.values.At(i-l.back)) {
				gap = cmp.Or(gap, l.column)
			}
		}
		for _, n := range categories {
			if s.Levels[n].Of[i] < 0 {
				gap = cmp.Or(gap, n)
			}
		}
		switch {
		case i < lags:
		case gap == "":
			b.keep.Add(i)
		case b.Drop:
			b.out.Left++
		default:
			b.faults = append(b.faults, &dynamics.DataError{File: s.File, Line: line, Text: fmt.Sprintf(
				"the value of %s is missing: fill it in, or leave such rows out by data: {file: …, missing: drop}", gap)})
		}
	}
}

// worded says what to do about a column of text, such as one, that a formula takes.
func worded(column, text string) string {
	return fmt.Sprintf("formulas take numbers. Have a parameter with an entry for each category, c[%s], or write numbers into the file, such "+
		"as 1 for %s and 0 for others", column, text)
}

// A look is at the value of a column so many rows before.
type look struct {
	column string
	back   int
	values vector.Column
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
		known := slices.ContainsFunc(all, func(l look) bool { return l.column == column && l.back == back })
		if values, ok := b.data[column]; ok && !known {
			all = append(all, look{column, back, values})
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
		x, v, before := make([]float64, len(names)), make([]float64, 1), b.keep
		b.keep = dynamics.Runs{}
		for _, row := range before.All() {
			kept := true
			for j, n := range names {
				x[j] = b.data[n].At(row)
			}
			for k, c := range all {
				kept = kept && fulfils(&c, values[k], v, x)
			}
			if kept {
				b.keep.Add(row)
			}
		}
		if b.keep.Len() == 0 {
			b.faults = append(b.faults, &dynamics.ModelError{Path: path, Offset: -1,
				Err: fmt.Errorf("%q holds in none of %d rows", text, before.Len())})
			return
		}
	}
	if b.keep.Len() == 0 {
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
		values, full := b.data[c], name+"["+c+"]"
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
		b.data[full] = vector.Standardised(values, by.mean, by.sd)
	}
}

// scale is that of a column in the rows that are used.
func (b *builder) scale(values vector.Column) (by scale) {
	square := 0.0
	for _, i := range b.keep.All() {
		by.mean += values.At(i) / float64(b.keep.Len())
	}
	for _, i := range b.keep.All() {
		off := values.At(i) - by.mean
		square += off * off
	}
	if b.keep.Len() == 0 || !b.varies(values) { // whose mean may round, and make a deviation of that
		return by
	}
	by.sd = math.Sqrt(square / max(1, float64(b.keep.Len()-1)))
	return by
}

// varies reports whether the values of a column in the rows that are used are not all the same.
func (b *builder) varies(values vector.Column) bool {
	first, begun := 0.0, false
	for _, i := range b.keep.All() {
		if v := values.At(i); !begun {
			first, begun = v, true
		} else if v != first {
			return true
		}
	}
	return false
}
