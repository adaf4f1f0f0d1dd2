package dynamics

import (
	"github.com/r2sgld/r2sgld/internal/slope"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// functionals is the negative log-likelihood of correlated linear functions of
// curves that are not linear in the parameters,
//
//	U(p) = ½ Σ_blocks weight·‖ U⁻ᵀ(Q·f(p) − target) ‖²,
//
// f being the values of all curves at their rows. It has no minibatches.
type functionals struct {
	dim    int
	curves []curveRows
	of     []int           // by function: its curve
	sums   []slope.Stencil // by function: what of the rows of its curve it adds up
	target []float64
	blocks []block
}

// curveRows are scale·curve at n rows.
type curveRows struct {
	potential.ResidualColumn // Curve, Data, Index, Scale
	n                        int
}

// A block is consecutive functions that hang together.
type block struct {
	from, to int
	white    *whitener
	weight   float64
}

// identity adds curves whose every value is a function of its own, with targets.
func (f *functionals) identity(c potential.ResidualColumn, w *whitener, weight float64) {
	from := len(f.target)
	for t := range c.Response {
		f.of, f.sums = append(f.of, len(f.curves)), append(f.sums, slope.Stencil{From: t, Weight: []float64{1}, At: t})
	}
	f.target = append(f.target, c.Response...)
	f.blocks = append(f.blocks, block{from, len(f.target), w, weight})
	f.curves = append(f.curves, curveRows{c, len(c.Response)})
}

// Dim is the number of parameters.
func (f *functionals) Dim() int { return f.dim }

// Lanewise is true; see [potential.Lanewise].
func (f *functionals) Lanewise() bool { return true }

// rowLanes is the number of rows evaluated at once.
const rowLanes = 64

// Evaluator returns an evaluator for blocks of r states.
func (f *functionals) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	e := &functionalsEvaluator{functionals: f, r: r, residual: make([]float64, len(f.target)), point: make([]float64, f.dim)}
	for _, c := range f.curves {
		k := len(c.Index)
		e.curves = append(e.curves, curveEvaluator{curveRows: c, eval: c.Curve(rowLanes),
			x: make([]float64, rowLanes*(len(c.Data)+k)), lane: make([]float64, rowLanes), grad: make([]float64, rowLanes*k),
			value: make([]float64, c.n), back: make([]float64, c.n), jacobian: make([]float64, c.n*k)})
	}
	return e
}

type functionalsEvaluator struct {
	*functionals
	r               int
	curves          []curveEvaluator
	residual, point []float64
}

type curveEvaluator struct {
	curveRows
	eval            func(value, grad, x []float64)
	x, lane, grad   []float64
	value, jacobian []float64 // at all rows; the latter n × parameters
	back            []float64 // derivative of U by the values
}

// run evaluates a curve at all rows for the parameters p.
func (c *curveEvaluator) run(p []float64) {
	k := len(c.Index)
	for j, at := range c.Index {
		lane := c.x[(len(c.Data)+j)*rowLanes:][:rowLanes]
		for i := range lane {
			lane[i] = p[at]
		}
	}
	for from := 0; from < c.n; from += rowLanes {
		size := min(rowLanes, c.n-from)
		for v, d := range c.Data {
			lane := c.x[v*rowLanes:][:rowLanes]
			copy(lane, d[from:from+size])
			for i := size; i < rowLanes; i++ {
				lane[i] = d[from]
			}
		}
		c.eval(c.lane, c.grad, c.x)
		for i := range size {
			s := 1.0
			if c.Scale != nil {
				s = c.Scale[from+i]
			}
			c.value[from+i] = s * c.lane[i]
			for j := range k {
				c.jacobian[(from+i)*k+j] = s * c.grad[j*rowLanes+i]
			}
		}
	}
}

// residuals runs all curves and leaves U⁻ᵀ(Q·f − target).
func (e *functionalsEvaluator) residuals() {
	for i := range e.curves {
		e.curves[i].run(e.point)
	}
	for m, s := range e.sums {
		value := e.curves[e.of[m]].value[s.From:]
		e.residual[m] = -e.target[m]
		for i, w := range s.Weight {
			e.residual[m] += w * value[i]
		}
	}
	for _, b := range e.blocks {
		b.white.apply(e.residual[b.from:b.to])
	}
}

// Eval writes energies and gradients of a block of states.
func (e *functionalsEvaluator) Eval(energy, grad, x []float64) {
	clear(grad)
	for i := range e.r {
		for j := range e.point {
			e.point[j] = x[j*e.r+i]
		}
		e.residuals()
		energy[i] = 0
		for _, b := range e.blocks {
			z := e.residual[b.from:b.to]
			sum := 0.0
			for m, v := range z {
				sum += v * v
				z[m] = b.weight * v
			}
			energy[i] += b.weight / 2 * sum
			b.white.transpose(z)
		}
		e.pullBack(grad, i)
	}
}

// pullBack adds the gradient, given the derivatives of U by the functions.
func (e *functionalsEvaluator) pullBack(grad []float64, i int) {
	for c := range e.curves {
		clear(e.curves[c].back)
	}
	for m, s := range e.sums {
		back := e.curves[e.of[m]].back[s.From:]
		for k, w := range s.Weight {
			back[k] += w * e.residual[m]
		}
	}
	for c := range e.curves {
		c := &e.curves[c]
		k := len(c.Index)
		for j, at := range c.Index {
			sum := 0.0
			for t, b := range c.back {
				sum += b * c.jacobian[t*k+j]
			}
			grad[at*e.r+i] += sum
		}
	}
}

// design returns Q·∂f/∂p, functions × dim by rows, and Q·f at x.
func (f *functionals) design(x []float64) (design, value []float64) {
	e := f.Evaluator(1, nil).(*functionalsEvaluator)
	for c := range e.curves {
		e.curves[c].run(x)
	}
	design, value = make([]float64, len(f.target)*f.dim), make([]float64, len(f.target))
	for m, s := range f.sums {
		c := &e.curves[f.of[m]]
		k := len(c.Index)
		for i, w := range s.Weight {
			value[m] += w * c.value[s.From+i]
			for j, at := range c.Index {
				design[m*f.dim+at] += w * c.jacobian[(s.From+i)*k+j]
			}
		}
	}
	return design, value
}

// Gram is the Gauss–Newton approximation of the second derivative of U at x.
func (f *functionals) Gram(x []float64) []float64 {
	design, _ := f.design(x)
	g := make([]float64, f.dim*f.dim)
	for _, b := range f.blocks {
		rows := b.white.design(design[b.from*f.dim:b.to*f.dim], f.dim)
		for m := 0; m < len(rows); m += f.dim {
			row := rows[m : m+f.dim]
			for j, u := range row {
				for k, v := range row {
					g[j*f.dim+k] += b.weight * u * v
				}
			}
		}
	}
	return g
}
