package rows

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
)

// missing reports entries of parameters that a term takes and that are not there, at their place in the formula
// that names them.
func (b *builder) missing(t term) bool {
	before := len(b.faults)
	text, _ := b.sums(t.text)
	names, _ := expression.Names(text)
	for _, n := range names {
		bare, index := indexed(n)
		v := b.vectors[bare]
		if v == nil || index == nil || b.ofData(n) || slices.Contains(b.out.Names, n) {
			continue
		}
		rows := b.levelled(v, strings.Join(index, ","))
		for i, label := range index {
			if row := slices.Contains(rows, i); row && v.corr == 0 || !row && v.corr == 0 && slices.Contains(v.plain(i), label) {
				continue
			}
			path, at := b.place(t.path, n)
			b.fault(path, at, "%s", b.noEntry(n))
			break
		}
	}
	return len(b.faults) > before
}

// place is where a name stands of which a formula at a path is: there, or where let says it.
func (b *builder) place(path []string, name string) (of []string, at int) {
	texts := map[string][]string{"likelihood": b.Model.Likelihood, "log_lik": b.LogLik}[path[0]]
	text := texts[0]
	if len(path) > 1 {
		i, _ := strconv.Atoi(path[1])
		text = texts[i-1]
	}
	left, right, law := strings.Cut(text, "~")
	if law { // which formulas do not know
		text = left + "+" + right
	}
	for _, l := range append([]Let{{Text: text}}, b.Let...) {
		words, _ := expression.Words(l.Text)
		for _, w := range words {
			if w.Name && w.Text == name {
				if l.Name != "" {
					path = []string{"let", l.Name}
				}
				return path, w.Pos
			}
		}
	}
	return path, -1
}

// check reports values that a law cannot have, and arguments of data alone that it cannot
// take: of each the first.
func (b *builder) check(t term) {
	before := len(b.faults)
	var y constants
	for i, full := range t.full {
		y = b.checked(t, t.y[i], full, t.law.of, "with "+t.law.name+" a value")
	}
	var args []constants
	for i, arg := range t.law.args {
		values := b.checked(t, t.law.written[i], t.law.with[i], t.law.takes[i], arg+" of "+t.law.name)
		args = append(args, values)
		arg, _, _ := strings.Cut(arg, "_")
		switch {
		case len(b.faults) > before:
			return
		case y.n > 0 && values.n > 0:
		case arg == "lo" || arg == "hi":
			b.fault(t.path, -1, "a law is cut off at formulas of columns, and so is what it is of: others would depend on parameters whether "+
				"data are possible")
			return
		case values.n == 0 && b.never(t.law.written[i], t.law.with[i], t.law.takes[i], arg+" of "+t.law.name):
			return
		default:
			continue
		}
		for row := range values.n {
			n, what := values.at(row), ""
			switch y := y.at(row); {
			case arg == "n" && y > n:
				what = "more than the %g tries"
			case arg == "lo" && y < n:
				what = "below %g, where its law is cut off"
			case arg == "hi" && y > n:
				what = "above %g, where its law is cut off"
			default:
				continue
			}
			b.faultIn(row, "%s is "+what, b.found(y.at(row), t.y[0]), n)
			break
		}
	}
	b.definite(t, args)
}

// definite reports the first row in which a covariance of data alone is not positive definite.
func (b *builder) definite(t term, args []constants) {
	if t.law.joint == nil {
		return
	}
	constant := !slices.ContainsFunc(t.law.with[t.law.joint.k:], func(text string) bool {
		names, _ := expression.Names(text)
		return names != nil
	})
	a := make([]float64, len(args))
	for row := range b.keep.Len() {
		for i, values := range args {
			if a[i] = math.NaN(); values.n > 0 {
				a[i] = values.at(row)
			}
		}
		switch definite := !t.law.indefinite(a); {
		case definite && constant:
			return
		case definite:
			continue
		case constant:
			b.fault(t.path, -1, "%s", t.law.notDefinite())
		default:
			b.faultIn(row, "%s", t.law.notDefinite())
		}
		return
	}
}

// checked are the values of a formula that is written so, and a fault where one is none of
// those that what may have; none if the formula is not of data alone.
func (b *builder) checked(t term, written, text string, of support, what string) constants {
	names, err := expression.Names(text)
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return !b.ofData(n) }) {
		return constants{}
	}
	values, err := b.evaluated(text, names)
	if err != nil {
		return constants{} // which is told of the whole term
	}
	row := values.first(func(v float64) bool { return !of.holds(v) })
	switch {
	case row < 0:
	case len(names) == 0:
		b.fault(t.path, -1, "%s is %s; found %s", what, of.words, strings.TrimSpace(written))
	default:
		b.faultIn(row, "%s: %s is %s", b.found(values.at(row), written), what, of.words)
	}
	return values
}

// found is a value with where it is from: a column, or a formula.
func (b *builder) found(v float64, written string) string {
	if written = strings.TrimSpace(written); slices.Contains(b.header, written) {
		return fmt.Sprintf("%g in column %q", v, written)
	}
	return fmt.Sprintf("%g by %s", v, written)
}

// faultIn is a fault of a row that is used.
func (b *builder) faultIn(row int, format string, args ...any) {
	line := b.series.Line.At(b.keep.At(row))
	b.faults = append(b.faults, &dynamics.DataError{File: b.series.File, Line: line, Text: fmt.Sprintf(format, args...)})
}

// never reports a formula of parameters and data that is written so, and in some row has no value that what
// may have, whatever the parameters between their walls.
func (b *builder) never(written, text string, of support, what string) bool {
	text, err := b.sums(text)
	if err != nil {
		return false // which is told of the whole term
	}
	f, err := b.rowwise(text)
	if err != nil || len(b.faults) > 0 || len(f.data)+len(f.products)+len(f.picked) == 0 || len(f.data) == len(f.f.Variables()) {
		return len(b.faults) > 0
	}
	ranges, between := f.f.Ranges(), func(j int) expression.Range {
		return expression.Range{Lo: b.out.Prior.Lower[j], Hi: b.out.Prior.Upper[j]}
	}
	var x []expression.Range
	for row := range f.rows {
		x = x[:0]
		for _, j := range f.single {
			x = append(x, between(j))
		}
		for _, p := range f.products {
			sum := expression.Point(0)
			for k, j := range p.coordinate {
				sum = sum.Plus(between(j).Times(expression.Point(p.columns[k].At(row))))
			}
			x = append(x, sum)
		}
		for _, p := range f.picked {
			x = append(x, between(p.coordinate[p.level[row]]))
		}
		for _, column := range f.data {
			x = append(x, expression.Point(column.At(row)))
		}
		r := ranges(x)
		is := ""
		switch {
		case !r.Finite():
			is = "not finite"
		case r.Hi < of.lo || of.open && r.Hi == of.lo:
			is = fmt.Sprintf("at most %g", r.Hi)
		case r.Lo > of.hi || of.open && r.Lo == of.hi:
			is = fmt.Sprintf("at least %g", r.Lo)
		default:
			continue
		}
		b.faultIn(row, "%s is %s, whatever the parameters: %s is %s", strings.TrimSpace(written), is, what, of.words)
		return true
	}
	return false
}

// Negative is a parameter that some law takes, as it stands, for an argument that must not be negative, and
// whose least value is; what says so. "" is none. The least values of the coordinates are lo.
func (p *Posterior) Negative(lo []float64) (parameter, what string) {
	b := p.from
	laws := make([]*said, 0, len(b.terms)+len(p.descendants))
	for _, t := range b.terms {
		laws = append(laws, t.law)
	}
	for _, d := range p.descendants {
		laws = append(laws, d.law)
	}
	for _, l := range laws {
		if l == nil {
			continue
		}
		for i, of := range l.takes {
			names, _ := expression.Names(l.with[i])
			if words, _ := expression.Words(l.with[i]); of.lo != 0 || len(words) != 1 || len(names) != 1 || b.ofData(names[0]) {
				continue
			}
			bare, _, _ := strings.Cut(names[0], "[")
			v := b.vectors[bare]
			if v != nil && slices.ContainsFunc(v.order, func(j int) bool { return lo[j] < 0 }) {
				advice := "min: 0, or a prior of numbers from 0 on such as half_normal(1)"
				if of.hi == 1 {
					advice = "min: 0 and max: 1, or a prior such as beta(1, 1)"
				}
				return v.Name, fmt.Sprintf("%s may be negative, and %s of %s is %s: give it %s", v.bare, l.args[i], l.name, of.words, advice)
			}
		}
	}
	return "", ""
}

// Angles are the coordinates whose prior is the law of an angle.
func (p *Posterior) Angles() (all []int) {
	for _, d := range p.descendants {
		if d.law.of.period > 0 {
			all = append(all, d.order...)
		}
	}
	return all
}
