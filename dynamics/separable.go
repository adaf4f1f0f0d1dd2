package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// manyRows is the number of rows from which on sums over them are made once where an
// equation allows it.
const manyRows = 10_000

// A misfit is a sum of squares with its Gauss–Newton curvature.
type misfit interface {
	potential.Potential
	Gram(x []float64) []float64
}

// separable is an equation as Σ inner_k(parameters)·design_k(row).
type separable struct {
	inner  *expression.System
	design []float64 // by rows, the scale of the response in it
}

// separate takes equation i apart, of which c is the column; nil if it has few rows, or
// cannot be taken apart.
func (p *table) separate(i int, c potential.ResidualColumn) (*separable, error) {
	rows, e := len(c.Response), p.equations[i]
	if rows < manyRows {
		return nil, nil
	}
	names, err := p.known(e.text)
	if err != nil {
		return nil, err
	}
	inner, outer, ok, err := expression.Separate(e.text, names, e.parameters)
	if !ok || err != nil {
		return nil, err
	}
	eval := outer.Evaluator()
	n, data := len(eval.Value), eval.Input[len(e.parameters):]
	s := &separable{inner, make([]float64, 0, rows*n)}
	for t := range rows {
		for v := range data {
			data[v] = c.Data[v][t]
		}
		eval.Values()
		scale := 1.0
		if c.Scale != nil {
			scale = c.Scale[t]
		}
		for _, v := range eval.Value {
			if v *= scale; !(math.Abs(v) <= largest) {
				return nil, nil
			}
			s.design = append(s.design, v)
		}
	}
	return s, nil
}

// Effort says which equations of many rows every gradient goes through row by row.
func (p *slopes) Effort() string {
	var states []string
	rows := 0
	for i, s := range p.apart {
		if n := len(p.Responses[i].Observed); s == nil && n >= manyRows && p.model.Batch == 0 {
			states, rows = append(states, p.equations[i].state), max(rows, n)
		}
	}
	if states == nil {
		return ""
	}
	remedy := ""
	if p.made == nil {
		remedy = " (some at a time: --set model.batch=1000)"
	}
	return fmt.Sprintf("every gradient goes through %d rows of %s, which do not come down to sums%s", rows, strings.Join(states, ", "), remedy)
}

// reduced is the misfit of equations that are separable: a regression on the inner
// functions of the parameters, which knows the rows by their sums of products alone.
type reduced struct {
	dim    int
	outer  *potential.Regression
	gram   []float64 // of outer
	inner  []*expression.System
	index  [][]int // the parameters of each
	values int     // of all inner
}

// reduce joins separable equations, with their columns as the rows are, and what whitens
// them, to a misfit of dim parameters.
func reduce(dim int, equations []*separable, columns []potential.ResidualColumn, white []*whitener) (*reduced, error) {
	f := &reduced{dim: dim}
	var linear []potential.Column
	for i, s := range equations {
		n := len(s.design) / len(columns[i].Response)
		index := make([]int, n)
		for k := range index {
			index[k] = f.values + k
		}
		f.values += n
		f.inner, f.index = append(f.inner, s.inner), append(f.index, columns[i].Index)
		linear = append(linear, potential.Column{Index: index, Design: white[i].design(s.design, n),
			Response: white[i].vector(columns[i].Response), Weight: columns[i].Weight})
	}
	pad(linear)
	var err error
	if f.outer, err = potential.NewRegression(f.values, linear, 0); err != nil {
		return nil, err
	}
	f.gram = f.outer.Gram()
	return f, nil
}

// Dim is the number of parameters.
func (f *reduced) Dim() int { return f.dim }

// Evaluator returns an evaluator for blocks of r states.
func (f *reduced) Evaluator(r int, s *stream.Set) potential.Evaluator {
	e := &reducedEvaluator{reduced: f, r: r, outer: f.outer.Evaluator(r, s),
		value: make([]float64, f.values*r), slope: make([]float64, f.values*r)}
	for i, inner := range f.inner {
		e.eval = append(e.eval, inner.Evaluator())
		e.jacobian = append(e.jacobian, make([]float64, r*len(e.eval[i].Jacobian[0])))
	}
	return e
}

// Lanewise is true; see [potential.Lanewise].
func (f *reduced) Lanewise() bool { return true }

type reducedEvaluator struct {
	*reduced
	r            int
	outer        potential.Evaluator
	eval         []*expression.SystemEvaluator
	value, slope []float64   // of the inner functions, and of U by them
	jacobian     [][]float64 // of each equation, state after state
}

// Eval writes energies and gradients of a block of states.
func (e *reducedEvaluator) Eval(energy, grad, x []float64) {
	first := 0
	for m, eval := range e.eval {
		for i := range e.r {
			for k, j := range e.index[m] {
				eval.Input[k] = x[j*e.r+i]
			}
			eval.Jacobians()
			for k, v := range eval.Value {
				e.value[(first+k)*e.r+i] = v
			}
			copy(e.jacobian[m][i*len(eval.Jacobian[0]):], eval.Jacobian[0])
		}
		first += len(eval.Value)
	}
	e.outer.Eval(energy, e.slope, e.value)
	clear(grad[:e.dim*e.r])
	first = 0
	for m, eval := range e.eval {
		n := len(e.index[m])
		for i := range e.r {
			jacobian := e.jacobian[m][i*len(eval.Jacobian[0]):]
			for k := range eval.Value {
				slope := e.slope[(first+k)*e.r+i]
				for l, j := range e.index[m] {
					grad[j*e.r+i] += slope * jacobian[k*n+l]
				}
			}
		}
		first += len(eval.Value)
	}
}

// Gram is the Gauss–Newton approximation of the second derivative of U at x.
func (f *reduced) Gram(x []float64) []float64 {
	jacobian, first := make([]float64, f.values*f.dim), 0
	for m, inner := range f.inner {
		eval := inner.Evaluator()
		for k, j := range f.index[m] {
			eval.Input[k] = x[j]
		}
		eval.Jacobians()
		for k := range eval.Value {
			for l, j := range f.index[m] {
				jacobian[(first+k)*f.dim+j] = eval.Jacobian[0][k*len(f.index[m])+l]
			}
		}
		first += len(eval.Value)
	}
	g := make([]float64, f.dim*f.dim)
	for a := range f.values {
		for b := range f.values {
			h := f.gram[a*f.values+b]
			if h == 0 {
				continue
			}
			for j := range f.dim {
				for k := range f.dim {
					g[j*f.dim+k] += jacobian[a*f.dim+j] * h * jacobian[b*f.dim+k]
				}
			}
		}
	}
	return g
}

// misfits is the sum of several.
type misfits struct {
	potential.Potential
	parts []misfit
}

// sumOf is the sum of misfits of equal dimension.
func sumOf(parts ...misfit) (misfit, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	terms := make([]potential.Potential, len(parts))
	for i, q := range parts {
		terms[i] = q
	}
	sum, err := potential.Sum(terms...)
	return misfits{sum, parts}, err
}

// Gram is the sum of those of the parts.
func (f misfits) Gram(x []float64) []float64 {
	g := slices.Clone(f.parts[0].Gram(x))
	for _, q := range f.parts[1:] {
		for k, v := range q.Gram(x) {
			g[k] += v
		}
	}
	return g
}

// agree reports whether two misfits are the same near x, up to what rounding leaves: with
// terms that cancel each other sums of products lose digits that rows keep.
func agree(a, b misfit, x []float64) bool {
	const share, lost = 0.01, 1e-6
	u, v, grad := make([]float64, 1), make([]float64, 1), make([]float64, len(x))
	ea, eb := a.Evaluator(1, nil), b.Evaluator(1, nil)
	base, y := 0.0, slices.Clone(x)
	for k := range 3 {
		for j := range y {
			y[j] = x[j] * (1 + share*float64(k)*float64(1-2*(j%2)))
		}
		ea.Eval(u, grad, y)
		eb.Eval(v, grad, y)
		if k == 0 {
			base = v[0]
		}
		if finite(u) == finite(v) && !finite(v) {
			continue
		}
		if !(math.Abs(u[0]-v[0]) <= lost*(math.Abs(v[0]-base)+1e-3*math.Abs(base))) {
			return false
		}
	}
	return true
}
