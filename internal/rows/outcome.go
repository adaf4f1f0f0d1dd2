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
	"github.com/r2sgld/r2sgld/internal/vector"
)

// Outcomes are what the laws of a likelihood are of, in some rows of a table.
type Outcomes struct {
	Of      []Outcome
	Given   []Column      // of numbers, which formulas take and no law is of
	Line    dynamics.Runs // of the file, of each row
	Missing int           // rows without a value that is needed
	Lacking []string      // what joint laws are of, beside others, and the table has no column for
	New     []NewLevels   // levels whose entries are drawn from their priors

	fresh *newcomers
}

// A Column is one of numbers.
type Column struct {
	Name    string
	numbers constants
}

// Values are those of each row, not to be changed.
func (c *Column) Values() []float64 { return c.numbers.values() }

// An Outcome is what a law is of: a column, or a formula of columns.
type Outcome struct {
	Column           // as it is written; values that are not known are NaN
	Discrete bool    // its values are whole numbers
	Most     float64 // that they may be; +Inf without
	law      *said
	args     []*rowwise
	together int // how many the law is of: this outcome and those that follow it; 0 of the latter
}

// Draw draws every outcome in every row at each state. Its error is that of ctx.
func (o *Outcomes) Draw(ctx context.Context, states [][]float64, rng *rand.Rand) ([][][]float64, error) {
	drawn := make([][][]float64, len(o.Of))
	states = o.fresh.joined(states, rng)
	for i := 0; i < len(o.Of); i += o.Of[i].together {
		draw, n := o.Of[i].Draws(), o.Line.Len()
		for _, at := range states {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v := make([]float64, n*o.Of[i].together)
			draw(v, at, rng)
			for k := range o.Of[i].together {
				drawn[i+k] = append(drawn[i+k], v[k*n:(k+1)*n])
			}
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

// Draws returns what draws the outcome in every row at a state, one after another those that its law is of
// together: NaN where arguments give no law. It has a workspace of its own.
func (o *Outcome) Draws() func(dst, x []float64, rng *rand.Rand) {
	values, with := make([]func(dst, x []float64), len(o.args)), make([][]float64, len(o.args))
	for i, a := range o.args {
		values[i], with[i] = a.values(), make([]float64, a.rows)
	}
	a, y := make([]float64, len(o.args)), make([]float64, o.together)
	return func(dst, x []float64, rng *rand.Rand) {
		for i, v := range values {
			v(with[i], x)
		}
		n := len(dst) / o.together
		for row := range n {
			for i := range a {
				a[i] = with[i][row]
			}
			o.law.drawn(y, a, rng)
			for k, v := range y {
				dst[k*n+row] = v
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
		var args []*rowwise
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
			args = append(args, f)
		}
		first := len(out.Of)
		var unseen []string
		for k, y := range t.y {
			name := y
			for k := 2; slices.ContainsFunc(out.Of, func(o Outcome) bool { return o.Name == name }); k++ {
				name = fmt.Sprintf("%s~%d", y, k)
			}
			o := Outcome{Column: Column{Name: name}, Discrete: t.law.of.discrete, Most: t.law.of.hi, law: t.law}
			names, seen := o.observe(b, t.full[k])
			for _, n := range names {
				taken[n] = true
			}
			if !seen {
				unseen = append(unseen, name)
			}
			out.Of = append(out.Of, o)
		}
		out.Of[first].args, out.Of[first].together = args, len(t.y)
		if len(unseen) < len(t.y) {
			out.Lacking = append(out.Lacking, unseen...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.numbers)) {
		if !taken[name] {
			out.Given = append(out.Given, Column{name, constants{n: b.keep.Len(), each: b.values(name)}})
		}
	}
	b.out.Outcomes = out
}

// observe finds the values of an outcome, a formula of the columns that it returns, if the table has these.
func (o *Outcome) observe(b *builder, text string) (names []string, seen bool) {
	names, _ = expression.Names(text)
	if !slices.ContainsFunc(names, func(n string) bool { return !b.ofData(n) }) {
		o.numbers, _ = b.evaluated(text, names)
		return names, true
	}
	o.numbers = constants{n: b.keep.Len(), one: math.NaN()}
	return nil, false
}

// ErrNoLaw says that nothing can be drawn.
var ErrNoLaw = errors.New("log_lik says no law of what is observed, and so nothing can be drawn: write it as likelihood: y ~ law")

// On finds what the laws are of in the rows of another table, in r, a file of that name: all
// rows that have what the arguments of the laws take. What the laws are of may be missing.
// Categories are those of the model; entries for others are drawn from their priors, given the other parameters of a
// draw. Blocks have the scale that they have in the model. The error is that of [Build].
func (p *Posterior) On(r io.ReadSeeker, file string) (*Outcomes, error) {
	b := *p.from
	b.out, b.keep, b.numbers, b.levels = &Posterior{Names: p.Names}, dynamics.Runs{}, map[string]bool{}, map[string]bool{}
	b.fresh = &newcomers{of: p, at: map[string]int{}}
	b.Where, b.terms, b.Drop, b.least, b.used, b.levelsOf = nil, nil, true, -1, map[string]vector.Column{}, map[string][]int{}
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
	if o := b.out.Outcomes; o != nil {
		o.fresh, o.New = b.fresh, b.fresh.levels
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
			v := model.vectors[bare]
			switch {
			case lagged:
				numbers = append(numbers, column)
			case model.blocks[bare].Columns != nil:
				numbers = append(numbers, index)
			case model.numbers[n]:
				numbers = append(numbers, n)
			case v != nil && index != "" && !slices.Contains(b.out.Names, n):
				for _, i := range model.levelled(v, index) {
					levels = append(levels, v.at(index)[i])
				}
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
	for _, full := range t.full {
		observed, _ := columns(full)
		if slices.ContainsFunc(observed, func(n string) bool { return !slices.Contains(b.header, n) }) {
			continue
		}
		for _, n := range observed {
			b.numbers[n] = true
		}
	}
}
