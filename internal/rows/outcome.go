package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
)

// Outcomes are what the laws of a likelihood are of, in some rows of a table.
type Outcomes struct {
	Of      []Outcome
	Given   []Column      // of numbers, which formulas take and no law is of
	Line    dynamics.Runs // of the file, of each row
	Missing int           // rows without a value that is needed
}

// A Column is one of numbers.
type Column struct {
	Name   string
	Values []float64 // of each row
}

// An Outcome is what a law is of: a column, or a formula of columns.
type Outcome struct {
	Column           // as it is written; values that are not known are NaN
	Discrete bool    // its values are whole numbers
	Most     float64 // that they may be; +Inf without
	law      *said
	args     []*rowwise
}

// Draw draws every outcome in every row at each state. Its error is that of ctx.
func (o *Outcomes) Draw(ctx context.Context, states [][]float64, rng *rand.Rand) ([][][]float64, error) {
	drawn := make([][][]float64, len(o.Of))
	for i := range o.Of {
		draw := o.Of[i].Draws()
		for _, at := range states {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v := make([]float64, o.Line.Len())
			draw(v, at, rng)
			drawn[i] = append(drawn[i], v)
		}
	}
	return drawn, nil
}

// Statistics are the names of what tells about all values together, by which what was observed
// is compared with draws.
func (o *Outcome) Statistics() []string {
	switch {
	case o.Discrete && o.Most == 1:
		return []string{"mean"}
	case o.Discrete && o.law.of.lo <= 0:
		return []string{"mean", "sd", "min", "max", "zeros"}
	}
	return []string{"mean", "sd", "min", "max"}
}

// Draws returns what draws the outcome in every row at a state: NaN where arguments give no
// law. It has a workspace of its own.
func (o *Outcome) Draws() func(dst, x []float64, rng *rand.Rand) {
	values, with := make([]func(dst, x []float64), len(o.args)), make([][]float64, len(o.args))
	for i, a := range o.args {
		values[i], with[i] = a.values(), make([]float64, a.rows)
	}
	a := make([]float64, len(o.args))
	return func(dst, x []float64, rng *rand.Rand) {
		for i, v := range values {
			v(with[i], x)
		}
		for row := range dst {
			lawful := true
			for i, of := range o.law.takes {
				a[i] = with[i][row]
				lawful = lawful && of.holds(a[i])
			}
			if dst[row] = math.NaN(); lawful {
				dst[row] = o.law.draw(a, rng)
			}
		}
	}
}

// outcomes finds what the laws are of, in the rows that are used.
func (b *builder) outcomes() {
	out := &Outcomes{Missing: b.out.Left}
	for _, row := range b.keep.All() {
		out.Line.Add(b.series.Line.At(row))
	}
	taken := map[string]bool{}
	for i, t := range b.terms {
		if t.law == nil || i > 0 && t.law == b.terms[i-1].law { // which may have several terms
			continue
		}
		name := t.y
		for k := 2; slices.ContainsFunc(out.Of, func(o Outcome) bool { return o.Name == name }); k++ {
			name = fmt.Sprintf("%s~%d", t.y, k)
		}
		o := Outcome{Column: Column{Name: name}, Discrete: t.law.of.discrete, Most: t.law.of.hi, law: t.law}
		for _, n := range o.observe(b, t.full) {
			taken[n] = true
		}
		for _, text := range t.law.with {
			text, err := b.sums(text)
			var f *rowwise
			if err == nil {
				f, err = b.rowwise(text)
			}
			if err != nil {
				b.fault(t.path, -1, "%w", err)
				return
			}
			o.args = append(o.args, f)
		}
		out.Of = append(out.Of, o)
	}
	for _, name := range slices.Sorted(maps.Keys(b.numbers)) {
		if !taken[name] {
			out.Given = append(out.Given, Column{name, b.values(name)})
		}
	}
	b.out.Outcomes = out
}

// observe finds the values of an outcome, a formula of the columns that it returns.
func (o *Outcome) observe(b *builder, text string) []string {
	names, _ := expression.Names(text)
	if !slices.ContainsFunc(names, func(n string) bool { return !b.ofData(n) }) {
		values, _ := b.evaluated(text, names)
		o.Values = values.values()
		return names
	}
	o.Values = constants{n: b.keep.Len(), one: math.NaN()}.values()
	return nil
}

// ErrNoLaw says that nothing can be drawn.
var ErrNoLaw = errors.New("log_lik says no law of what is observed, and so nothing can be drawn: write it as likelihood: y ~ law")

// On finds what the laws are of in the rows of another table, in r, a file of that name: all
// rows that have what the arguments of the laws take. What the laws are of may be missing.
// Categories are those of the model, and blocks have the scale that they have there. The
// error is that of [Build].
func (p *Posterior) On(r io.ReadSeeker, file string) (*Outcomes, error) {
	b := *p.from
	b.out, b.keep, b.numbers, b.levels = &Posterior{Names: p.Names}, dynamics.Runs{}, map[string]bool{}, map[string]bool{}
	b.Where, b.terms, b.Drop, b.least, b.used = nil, nil, true, -1, map[string][]float64{}
	header, err := dynamics.Header(r, file)
	if err != nil {
		return nil, err
	}
	b.heads(header, file)
	for i, t := range p.from.terms {
		if t.law != nil && (i == 0 || t.law != p.from.terms[i-1].law) {
			t.text = "(" + strings.Join(t.law.with, ") + (") + ")" // whose columns a row must have
			b.terms = append(b.terms, t)
		}
	}
	if len(b.terms) == 0 {
		return nil, ErrNoLaw
	}
	for _, t := range b.terms {
		b.needs(p.from, t, file)
	}
	for _, step := range []func(){func() { b.table(r, file) }, b.outcomes} {
		if len(b.faults) > 0 {
			break
		}
		step()
	}
	return b.out.Outcomes, errors.Join(b.faults...)
}

// needs notes the columns that a term takes, by what they are to the model, and those of what
// it is of if they are there.
func (b *builder) needs(model *builder, t term, file string) {
	columns := func(text string) (numbers, levels []string) {
		names, _ := expression.Names(text)
		for _, n := range names {
			column, _, lagged := model.lagged(n)
			bare, index, _ := strings.Cut(strings.TrimSuffix(n, "]"), "[")
			switch {
			case lagged:
				numbers = append(numbers, column)
			case model.blocks[bare].Columns != nil:
				numbers = append(numbers, index)
			case model.numbers[n]:
				numbers = append(numbers, n)
			case model.levels[index] && !slices.Contains(b.out.Names, n):
				levels = append(levels, index)
			}
		}
		return numbers, levels
	}
	numbers, levels := columns(t.text)
	for _, of := range []struct {
		names []string
		into  map[string]bool
	}{{numbers, b.numbers}, {levels, b.levels}} {
		for _, n := range of.names {
			if of.into[n] = true; !slices.Contains(b.header, n) {
				b.faults = append(b.faults, &dynamics.DataError{File: file, Line: 1,
					Text: fmt.Sprintf("there is no column %q, which the model takes%s (columns: %s)", n, near(n, b.header), strings.Join(b.header, ", "))})
			}
		}
	}
	if observed, _ := columns(t.full); !slices.ContainsFunc(observed, func(n string) bool { return !slices.Contains(b.header, n) }) {
		for _, n := range observed {
			b.numbers[n] = true
		}
	}
}
