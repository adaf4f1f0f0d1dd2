package potential

import "github.com/r2sgld/r2sgld/stream"

// Func is a potential given state by state: f returns U at x (length d) and
// writes ∇U into grad. It is called from several goroutines at once and must
// keep no state.
func Func(dim int, f func(grad, x []float64) float64) Potential { return scalar{dim, f} }

type scalar struct {
	dim int
	f   func(grad, x []float64) float64
}

func (p scalar) Dim() int { return p.dim }

func (p scalar) Evaluator(r int, _ *stream.Set) Evaluator {
	return &scalarEvaluator{p.f, r, make([]float64, p.dim), make([]float64, p.dim)}
}

type scalarEvaluator struct {
	f    func(grad, x []float64) float64
	r    int
	x, g []float64
}

func (e *scalarEvaluator) Eval(energy, grad, x []float64) {
	for i := range e.r {
		for j := range e.x {
			e.x[j] = x[j*e.r+i]
		}
		energy[i] = e.f(e.g, e.x)
		for j, g := range e.g {
			grad[j*e.r+i] = g
		}
	}
}

// FromBatch is a potential given block by block, for functions that are faster on many
// states at once. f writes U of n states into energy (length n) and ∇U into grad (length
// dim·n), laid out as [Evaluator] says: coordinate j of state i is x[j*n+i]. n is not always
// the same. f is called from several goroutines at once and must keep no state.
func FromBatch(dim int, f func(energy, grad, x []float64)) Potential { return batch{dim, f} }

type batch struct {
	dim int
	f   func(energy, grad, x []float64)
}

func (p batch) Dim() int                             { return p.dim }
func (p batch) Evaluator(int, *stream.Set) Evaluator { return p }
func (p batch) Eval(energy, grad, x []float64)       { p.f(energy, grad, x) }

// Noisy adds synthetic noise to p: independent normal noise of standard
// deviation gradient on every partial derivative and energy on every energy,
// drawn per state from its own stream.
func Noisy(p Potential, gradient, energy float64) Potential {
	if gradient == 0 && energy == 0 {
		return p
	}
	return noisy{p, gradient, energy}
}

type noisy struct {
	Potential
	gradient, energy float64
}

func (p noisy) Evaluator(r int, s *stream.Set) Evaluator {
	return &noisyEvaluator{wrapper{p.Potential.Evaluator(r, s)}, p.gradient, p.energy, s.Lanes(r, stream.Synthetic)}
}

type noisyEvaluator struct {
	wrapper
	gradient, energy float64
	noise            *stream.Lanes
}

func (e *noisyEvaluator) Eval(energy, grad, x []float64) {
	e.Evaluator.Eval(energy, grad, x)
	n := len(grad)
	xi := e.noise.Normals(n/len(energy) + 1)
	for i := range grad {
		grad[i] += e.gradient * xi[i]
	}
	for i := range energy {
		energy[i] += e.energy * xi[n+i]
	}
}

// Penalised adds ξ·x to the gradient of every state x for which outside(x) is
// true, the pull to the origin of the paper's P-variants. The energy stays
// unpenalised. outside is called from several goroutines at once.
func Penalised(p Potential, xi float64, outside func(x []float64) bool) Potential {
	return penalised{p, xi, outside}
}

type penalised struct {
	Potential
	xi      float64
	outside func(x []float64) bool
}

func (p penalised) Evaluator(r int, s *stream.Set) Evaluator {
	return &penalisedEvaluator{wrapper{p.Potential.Evaluator(r, s)}, p, r, make([]float64, p.Dim())}
}

type penalisedEvaluator struct {
	wrapper
	p penalised
	r int
	x []float64
}

func (e *penalisedEvaluator) Eval(energy, grad, x []float64) {
	e.Evaluator.Eval(energy, grad, x)
	for i := range e.r {
		for j := range e.x {
			e.x[j] = x[j*e.r+i]
		}
		if e.p.outside(e.x) {
			for j, v := range e.x {
				grad[j*e.r+i] += e.p.xi * v
			}
		}
	}
}

// Affine is p in the coordinates z of x = c + L z: U(c + L z) and Lᵀ∇U. l is
// L by rows, d × k: z has k coordinates.
func Affine(p Potential, c []float64, l [][]float64) Potential { return affine{p, c, l} }

type affine struct {
	Potential
	c []float64
	l [][]float64
}

func (p affine) Dim() int {
	if len(p.l) == 0 {
		return p.Potential.Dim()
	}
	return len(p.l[0])
}

func (p affine) Evaluator(r int, s *stream.Set) Evaluator {
	n := p.Potential.Dim() * r
	return &affineEvaluator{wrapper{p.Potential.Evaluator(r, s)}, p, r, make([]float64, n), make([]float64, n)}
}

type affineEvaluator struct {
	wrapper
	p    affine
	r    int
	x, g []float64
}

func (e *affineEvaluator) Eval(energy, grad, z []float64) {
	r := e.r
	for j, row := range e.p.l {
		x := e.x[j*r : (j+1)*r]
		for i := range x {
			x[i] = e.p.c[j]
		}
		for k, l := range row {
			if l != 0 {
				for i, v := range z[k*r : (k+1)*r] {
					x[i] += l * v
				}
			}
		}
	}
	e.Evaluator.Eval(energy, e.g, e.x)
	clear(grad)
	for j, row := range e.p.l {
		for k, l := range row {
			if l != 0 {
				g := grad[k*r : (k+1)*r]
				for i, v := range e.g[j*r : (j+1)*r] {
					g[i] += l * v
				}
			}
		}
	}
}
