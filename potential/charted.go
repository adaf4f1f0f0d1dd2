package potential

import "github.com/r2sgld/r2sgld/stream"

// A Chart maps coordinates u to points x and gradients back. Its methods are
// called from several goroutines at once.
type Chart interface {
	// Point writes the point x of u.
	Point(x, u []float64)
	// Pull turns ∇U(x) into the gradient by u of V(u) = U(x(u)) − log|det ∂x/∂u|, x
	// being the point of u, and returns log|det ∂x/∂u|.
	Pull(g, x, u []float64) float64
}

// Charted is p in the coordinates u of a chart, the density staying what it is:
// V(u) = U(x(u)) − log|det ∂x/∂u|. At temperatures other than 1 the law is another
// than that of p: exp(−V/τ) tempers what u does not make flat. Where u are the
// distribution functions of priors, that is the likelihood alone.
func Charted(p Potential, c Chart) Potential { return &charted{p, c} }

type charted struct {
	Potential
	chart Chart
}

func (p *charted) EnergyNoise() float64 { return EnergyNoise(p.Potential) }

func (p *charted) Exact() (Potential, bool) {
	exact, noisy := Exact(p.Potential)
	if !noisy {
		return p, false
	}
	if exact != nil {
		exact = Charted(exact, p.chart)
	}
	return exact, true
}

func (p *charted) Evaluator(r int, s *stream.Set) Evaluator {
	d := p.Dim()
	return &chartedEvaluator{inner: p.Potential.Evaluator(r, s), chart: p.chart, r: r,
		x: make([]float64, d*r), point: make([]float64, d), u: make([]float64, d), g: make([]float64, d)}
}

type chartedEvaluator struct {
	inner       Evaluator
	chart       Chart
	r           int
	x           []float64
	point, u, g []float64 // of one state
}

func (e *chartedEvaluator) Close() error { return Close(e.inner) }

func (e *chartedEvaluator) Err() error { return Err(e.inner) }

func (e *chartedEvaluator) Eval(energy, grad, u []float64) {
	for i := range e.r {
		e.gather(e.u, u, i)
		e.chart.Point(e.point, e.u)
		for j, v := range e.point {
			e.x[j*e.r+i] = v
		}
	}
	e.inner.Eval(energy, grad, e.x)
	for i := range e.r {
		e.gather(e.u, u, i)
		e.gather(e.point, e.x, i)
		e.gather(e.g, grad, i)
		energy[i] -= e.chart.Pull(e.g, e.point, e.u)
		for j, v := range e.g {
			grad[j*e.r+i] = v
		}
	}
}

func (e *chartedEvaluator) gather(dst, block []float64, i int) {
	for j := range dst {
		dst[j] = block[j*e.r+i]
	}
}
