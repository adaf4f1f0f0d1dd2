package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
)

// A Standard has the coordinates y in which priors with a location and a scale, or a triangle of them, that
// are of other parameters have one law whatever these: y = (x − m)/s of an entry that is normal(m, s), and
// Ly = x − m of entries that are multi_normal_cholesky(m, L) together. Others are as they are. No density
// grows without bound there as s goes to 0 (Papaspiliopoulos, Roberts & Sköld 2007).
type Standard struct {
	of    []*scaledLaw // each after those that it is of
	terms []string     // of the log density of y, but for independent priors
	spare sync.Pool    // of *arguments
}

// A scaledLaw is that of a descendant. Its arguments, those of the location, as many as entries go together,
// and then the triangle of scales by rows, are the last of the law's.
type scaledLaw struct {
	rows [][]int
	k    int
	args []*expression.Func
	with [][]int // coordinates of the variables of each
}

// arguments are those of each law.
type arguments [][]argument

// An argument has room for its value and slope.
type argument struct {
	e       *expression.Evaluator
	of      []int
	x, grad []float64
	value   [1]float64
}

// standardLaws are those of a location and a scale, with what stands before these.
var standardLaws = map[string]int{"normal": 0, "cauchy": 0, "laplace": 0, "logistic": 0, "student_t": 1}

// standard is the chart of the priors; nil where one of other parameters is no law of location and scale,
// or an entry has walls.
func (p *Posterior) standard(descendants []*descendant) *Standard {
	s := &Standard{terms: slices.Clone(p.lone)}
	for _, d := range descendants {
		before, ok := standardLaws[d.law.name]
		switch joint := d.law.joint; {
		case joint != nil && joint.matrix != covariance:
		case !ok || slices.ContainsFunc(d.args[:before], func(f *expression.Func) bool { return len(f.Uses()) > 0 }):
			return nil
		}
		l := &scaledLaw{rows: d.rows, k: len(d.rows[0])}
		for _, text := range d.law.with[before:] {
			names, _ := expression.Names(text)
			f, err := expression.Compile(text, names)
			if err != nil {
				return nil
			}
			var of []int
			for _, n := range names {
				of = append(of, slices.Index(p.Names, n))
			}
			l.args, l.with = append(l.args, f), append(l.with, of)
		}
		law := "normal(0, 1)"
		if d.law.joint == nil {
			law = d.law.name + "(" + strings.Join(append(slices.Clone(d.law.with[:before]), "0", "1"), ", ") + ")"
		}
		own, err := parse(law, func(string) []string { return nil })
		if err != nil {
			return nil
		}
		for _, j := range d.order {
			if !math.IsInf(p.Prior.Lower[j], -1) || !math.IsInf(p.Prior.Upper[j], 1) {
				return nil
			}
			terms, err := own.density(expression.Quoted(p.Names[j]))
			if err != nil {
				return nil
			}
			s.terms = append(s.terms, terms...)
		}
		s.of = append(s.of, l)
	}
	s.spare.New = func() any { return s.room() }
	return s
}

// Scaled are the coordinates that other parameters scale.
func (s *Standard) Scaled() (all []int) {
	for _, l := range s.of {
		all = append(all, slices.Concat(l.rows...)...)
	}
	return all
}

// Standard is Base in the coordinates of a chart, if there is one. Charted, the potential that is left has
// its gradient in them.
func (p *Posterior) Standard(lo, hi []float64) (*r2sgld.Base, potential.Potential, *Standard) {
	base, left := p.Base(lo, hi)
	if base == nil || len(p.descendants) == 0 {
		return nil, nil, nil
	}
	f, _ := p.family(lo, hi)
	s := p.standard(f.descendants)
	if s == nil {
		return nil, nil, nil
	}
	normal, err := potential.Formula(minus(base.LogMass, s.terms), p.Names...)
	if err == nil {
		normal, err = p.Prior.Add(normal)
	}
	if err != nil {
		return nil, nil, nil
	}
	draw := func(y []float64, rng *rand.Rand) {
		x := make([]float64, len(y))
		base.Draw(x, rng)
		s.Coordinates(y, x)
	}
	return &r2sgld.Base{Potential: normal, LogMass: base.LogMass, Draw: draw}, potential.Charted(left, s), s
}

func (s *Standard) room() *arguments {
	all := make(arguments, len(s.of))
	for i, l := range s.of {
		for k, f := range l.args {
			n := len(l.with[k])
			all[i] = append(all[i], argument{e: f.Evaluator(1), of: l.with[k], x: make([]float64, n), grad: make([]float64, n)})
		}
	}
	return &all
}

// at evaluates arguments where the coordinates that they are of are known.
func at(args []argument, x []float64) {
	for i := range args {
		a := &args[i]
		for k, j := range a.of {
			a.x[k] = x[j]
		}
		a.e.Gradient(a.value[:], a.grad, a.x)
	}
}

// triangle are the arguments from the entries of row i of the triangle on.
func (l *scaledLaw) triangle(args []argument, i int) []argument { return args[l.k+i*(i+1)/2:] }

// Point writes the parameters x of y.
func (s *Standard) Point(x, y []float64) {
	spare := s.spare.Get().(*arguments)
	defer s.spare.Put(spare)
	w := *spare
	copy(x, y)
	for n, l := range s.of {
		at(w[n], x)
		for _, row := range l.rows {
			for i, j := range row {
				x[j] = w[n][i].value[0]
				for k, a := range l.triangle(w[n], i)[:i+1] {
					x[j] += a.value[0] * y[row[k]]
				}
			}
		}
	}
}

// Coordinates writes y of the parameters x.
func (s *Standard) Coordinates(y, x []float64) {
	spare := s.spare.Get().(*arguments)
	defer s.spare.Put(spare)
	w := *spare
	copy(y, x)
	for n, l := range s.of {
		at(w[n], x)
		for _, row := range l.rows {
			for i, j := range row {
				y[j] -= w[n][i].value[0]
				t := l.triangle(w[n], i)
				for k := range i {
					y[j] -= t[k].value[0] * y[row[k]]
				}
				y[j] /= t[i].value[0]
			}
		}
	}
}

// Pull turns the gradient by x of what is left beside the priors into that by y.
func (s *Standard) Pull(g, x, y []float64) float64 {
	spare := s.spare.Get().(*arguments)
	defer s.spare.Put(spare)
	w := *spare
	for n, l := range slices.Backward(s.of) {
		at(w[n], x)
		for _, row := range l.rows {
			for i, j := range row {
				w[n][i].add(g, g[j])
				for k, a := range l.triangle(w[n], i)[:i+1] {
					a.add(g, g[j]*y[row[k]])
				}
			}
			for k, j := range row { // an entry takes part in itself and those below
				sum := 0.0
				for i := k; i < len(row); i++ {
					sum += g[row[i]] * l.triangle(w[n], i)[k].value[0]
				}
				g[j] = sum
			}
		}
	}
	return 0
}

// add adds the slope of an argument times a number.
func (a *argument) add(g []float64, by float64) {
	for k, j := range a.of {
		g[j] += by * a.grad[k]
	}
}
