package monotone

import (
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// The net is low + height·σ(b − S), S = Σ_j v_j σ(w_j1 z_1 + w_j2 z_2 + c_j), where σ(a) is 1/(1 + e^−a). With v
// and w_j1 at least 0 it falls with z_1, with w_j2 as well with z_2. Of one layer, without the outer σ, a
// net of such weights could not level off where both inputs are high (Daniels & Velikova 2010).

// The parameters are kept in standard deviations from the means of their normal priors, whose
// halves weights with a wall have: low, the logarithms of the noise's standard deviation and of
// height, b, v, w by units, c.
const (
	units = 6
	dim   = atC + units

	atNoise, atHeight, atB = 1, 2, 3

	atV = 4           // first v
	atW = atV + units // first w, of z_1 and then of z_2
	atC = atW + 2*units

	scaleLow, scaleB, scaleV, scaleW, scaleC = 1.0, 3.0, 2.0, 2.0, 2.0
	meanNoise, meanHeight, scaleLogs         = -1.5, 1.0, 0.5
)

// walls are parameters from and before which have one.
func (f form) walls() (from, end int) { return atV, atW + units*f.doses() }

// walled reports whether parameter i has one.
func (f form) walled(i int) bool {
	from, end := f.walls()
	return i >= from && i < end
}

// sigmoid is σ.
func sigmoid(a float64) float64 { return 1 / (1 + math.Exp(-a)) }

// noise is the standard deviation of growth about the response.
func noise(x []float64) float64 { return math.Exp(meanNoise + scaleLogs*x[atNoise]) }

// height is that of the net.
func height(x []float64) float64 { return math.Exp(meanHeight + scaleLogs*x[atHeight]) }

// hidden is unit j at z, between 0 and 1.
func hidden(x []float64, j int, z [2]float64) float64 {
	return sigmoid(scaleW*(x[atW+j]*z[0]+x[atW+units+j]*z[1]) + scaleC*x[atC+j])
}

// reach is b − S at z.
func reach(x []float64, z [2]float64) float64 {
	a := scaleB * x[atB]
	for j := range units {
		a -= scaleV * x[atV+j] * hidden(x, j, z)
	}
	return a
}

// response is the net at z.
func response(x []float64, z [2]float64) float64 {
	return scaleLow*x[0] + height(x)*sigmoid(reach(x, z))
}

// slope is the derivative of the net by both inputs.
func slope(x []float64, z [2]float64) (d [2]float64) {
	o := sigmoid(reach(x, z))
	by := height(x) * o * (1 - o)
	for j := range units {
		s := hidden(x, j, z)
		for k := range d {
			d[k] -= by * scaleV * x[atV+j] * s * (1 - s) * scaleW * x[atW+k*units+j]
		}
	}
	return d
}

// A likelihood is that of rows as a potential, in parameters or in the logarithms of those with a wall.
type likelihood struct {
	form form // of walls, of which logarithms are taken
	rows []point
	logs bool
}

// Dim implements potential.Potential.
func (l likelihood) Dim() int { return dim }

// Lanewise tells that states have nothing to do with each other.
func (l likelihood) Lanewise() bool { return true }

// Evaluator implements potential.Potential.
func (l likelihood) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	return &evaluator{likelihood: l, r: r, x: make([]float64, dim), grad: make([]float64, dim), fit: newFit(l.rows)}
}

// An evaluator goes through r states.
type evaluator struct {
	likelihood
	r       int
	x, grad []float64
	fit     *fit
}

// Eval implements potential.Evaluator.
func (e *evaluator) Eval(energy, grad, x []float64) {
	for i := range e.r {
		for j := range e.x {
			e.x[j] = x[j*e.r+i]
		}
		if e.logs {
			e.form.outOfLogarithms(e.x)
		}
		energy[i] = e.fit.misfit(e.grad, e.x)
		for j, g := range e.grad {
			if e.logs && e.form.walled(j) {
				g *= e.x[j]
			}
			grad[j*e.r+i] = g
		}
	}
}

// outOfLogarithms takes logarithms of weights to them.
func (f form) outOfLogarithms(x []float64) {
	from, end := f.walls()
	vector.Exp(x[from:end], x[from:end])
}

// A fit is room to go through rows.
type fit struct {
	rows   []point
	hidden []float64 // by unit and row
}

func newFit(rows []point) *fit { return &fit{rows, make([]float64, units*len(rows))} }

// misfit is −log of the likelihood, and writes its gradient.
func (f *fit) misfit(grad, x []float64) float64 {
	clear(grad)
	n := len(f.rows)
	for j := range units {
		w, v, c := scaleW*x[atW+j], scaleW*x[atW+units+j], scaleC*x[atC+j]
		a := f.hidden[j*n : (j+1)*n]
		for i, p := range f.rows {
			a[i] = w*p.z[0] + v*p.z[1] + c
		}
	}
	vector.Sigmoid(f.hidden, f.hidden)
	sigma, high := noise(x), height(x)
	precision := 1 / (sigma * sigma)
	squares := 0.0
	for i, p := range f.rows {
		a := scaleB * x[atB]
		for j := range units {
			a -= scaleV * x[atV+j] * f.hidden[j*n+i]
		}
		o := sigmoid(a)
		r := p.y - scaleLow*x[0] - high*o
		squares += r * r
		pull := r * precision
		grad[0] -= scaleLow * pull
		grad[atHeight] -= scaleLogs * high * o * pull
		pull *= high * o * (1 - o) // by −a
		grad[atB] -= scaleB * pull
		for j := range units {
			h := f.hidden[j*n+i]
			grad[atV+j] += scaleV * pull * h
			a := pull * scaleV * x[atV+j] * h * (1 - h)
			grad[atW+j] += a * scaleW * p.z[0]
			grad[atW+units+j] += a * scaleW * p.z[1]
			grad[atC+j] += a * scaleC
		}
	}
	grad[atNoise] = scaleLogs * (float64(n) - squares*precision)
	return squares*precision/2 + float64(n)*(math.Log(sigma)+math.Log(2*math.Pi)/2)
}

// A law is a posterior in the coordinates that chains move in.
type law struct {
	r2sgld.Problem
	back func(x []float64) // takes coordinates to parameters, in place; nil changes nothing
}

// parameters are those of coordinates.
func (l *law) parameters(x []float64) []float64 {
	if l.back != nil {
		l.back(x)
	}
	return x
}

// deep is −log of the density of the priors, and its gradient, up to a constant.
func deep(grad, x []float64) float64 {
	u := 0.0
	for i, v := range x {
		grad[i] = v
		u += v * v / 2
	}
	return u
}

// normal is a law with normal priors; those of weights are halves of them if asked for.
func normal(of form, rows []point, halves bool) *law {
	return &law{Problem: r2sgld.Problem{
		Potential: likelihood{of, rows, false},
		Base: &r2sgld.Base{Potential: potential.Func(dim, deep), Draw: func(x []float64, rng *rand.Rand) {
			for i := range x {
				if x[i] = rng.NormFloat64(); halves && of.walled(i) {
					x[i] = math.Abs(x[i])
				}
			}
		}}}}
}

// free has no constraint.
func free(of form, rows []point) *law { return normal(of, rows, false) }

// constrained has walls at 0.
func constrained(of form, rows []point) (*law, error) {
	l := normal(of, rows, true)
	low, high := make([]float64, dim), make([]float64, dim)
	for i := range low {
		low[i], high[i] = math.Inf(-1), math.Inf(1)
		if of.walled(i) {
			low[i] = 0
		}
	}
	var err error
	l.Domain, err = domain.NewBox(low, high)
	return l, err
}

// logarithmic is the constrained law in the logarithms of what has a wall.
func logarithmic(of form, rows []point) *law {
	draw := normal(of, nil, true).Base.Draw
	from, end := of.walls()
	prior := potential.Func(dim, func(grad, at []float64) float64 {
		var x [dim]float64
		copy(x[:], at)
		of.outOfLogarithms(x[:])
		u := deep(grad, x[:])
		for i := from; i < end; i++ { // the Jacobian
			grad[i] = grad[i]*x[i] - 1
			u -= at[i]
		}
		return u
	})
	return &law{back: of.outOfLogarithms, Problem: r2sgld.Problem{Potential: likelihood{of, rows, true}, Base: &r2sgld.Base{Potential: prior,
		Draw: func(x []float64, rng *rand.Rand) {
			draw(x, rng)
			for i := from; i < end; i++ {
				x[i] = math.Log(x[i])
			}
		}}}}
}
