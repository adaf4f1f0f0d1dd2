package potential

import "github.com/r2sgld/r2sgld/stream"

// A Chart maps coordinates y to points x, and densities by x to densities by y. Its
// methods are called from several goroutines at once.
type Chart interface {
	// Point writes the point x of y.
	Point(x, y []float64)
	// Pull turns ∇U(x) into the gradient by y of V(y) = U(x(y)) + c(y), x being the
	// point of y, and returns c: −log|det ∂x/∂y| where the density is to stay what it
	// is, and −log|det ∂x/∂y| − log of the density of a base law where it is to be one
	// relative to that.
	Pull(g, x, y []float64) float64
}

// Charted is p in the coordinates y of a chart, V(y) = U(x(y)) + c(y).
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
		x: make([]float64, d*r), point: make([]float64, d), y: make([]float64, d), g: make([]float64, d)}
}

type chartedEvaluator struct {
	inner       Evaluator
	chart       Chart
	r           int
	x           []float64
	point, y, g []float64 // of one state
}

func (e *chartedEvaluator) Close() error { return Close(e.inner) }

func (e *chartedEvaluator) Err() error { return Err(e.inner) }

func (e *chartedEvaluator) Eval(energy, grad, y []float64) {
	for i := range e.r {
		e.gather(e.y, y, i)
		e.chart.Point(e.point, e.y)
		for j, v := range e.point {
			e.x[j*e.r+i] = v
		}
	}
	e.inner.Eval(energy, grad, e.x)
	for i := range e.r {
		e.gather(e.y, y, i)
		e.gather(e.point, e.x, i)
		e.gather(e.g, grad, i)
		energy[i] += e.chart.Pull(e.g, e.point, e.y)
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
