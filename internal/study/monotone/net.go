package monotone

import (
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// The net is f(z) = b − Σ_j v_j σ(w_j1 z_1 + w_j2 z_2 + c_j), σ(a) = 1/(1 + e^−a). With v and w
// at least 0 it falls with either dose. Its parameters are kept in standard deviations of their
// normal priors, whose halves weights with a wall have: b, the logarithm of the noise's
// standard deviation from its mean, v, w by units, c.
const (
	units = 6
	dim   = 2 + 4*units

	atV = 2           // first v
	atW = atV + units // first w
	atC = atW + 2*units

	scaleB, scaleV, scaleW, scaleC = 3.0, 1.0, 2.0, 2.0
	meanNoise, scaleNoise          = -1.5, 0.5 // of the logarithm
)

// weights is how many parameters have a wall: v and w.
const weights = 3 * units

// walled reports whether parameter i has one.
func walled(i int) bool { return i >= atV && i < atC }

// noise is the standard deviation of growth about the response.
func noise(x []float64) float64 { return math.Exp(meanNoise + scaleNoise*x[1]) }

// hidden is unit j at z, between 0 and 1.
func hidden(x []float64, j int, z [2]float64) float64 {
	a := scaleW*(x[atW+2*j]*z[0]+x[atW+2*j+1]*z[1]) + scaleC*x[atC+j]
	return 1 / (1 + math.Exp(-a))
}

// response is f at z.
func response(x []float64, z [2]float64) float64 {
	f := scaleB * x[0]
	for j := range units {
		f -= scaleV * x[atV+j] * hidden(x, j, z)
	}
	return f
}

// slope is the derivative of f by both coordinates of z.
func slope(x []float64, z [2]float64) (d [2]float64) {
	for j := range units {
		s := hidden(x, j, z)
		for k := range d {
			d[k] -= scaleV * x[atV+j] * s * (1 - s) * scaleW * x[atW+2*j+k]
		}
	}
	return d
}

// misfit is −log of the likelihood of rows, and writes its gradient.
func misfit(rows []point, grad, x []float64) float64 {
	clear(grad)
	sigma := noise(x)
	precision := 1 / (sigma * sigma)
	squares := 0.0
	var s [units]float64
	for _, p := range rows {
		r := p.y - scaleB*x[0]
		for j := range s {
			s[j] = hidden(x, j, p.z)
			r += scaleV * x[atV+j] * s[j]
		}
		squares += r * r
		pull := r * precision // by −f
		grad[0] -= scaleB * pull
		for j, h := range s {
			grad[atV+j] += scaleV * pull * h
			a := pull * scaleV * x[atV+j] * h * (1 - h)
			grad[atW+2*j] += a * scaleW * p.z[0]
			grad[atW+2*j+1] += a * scaleW * p.z[1]
			grad[atC+j] += a * scaleC
		}
	}
	n := float64(len(rows))
	grad[1] = scaleNoise * (n - squares*precision)
	return squares*precision/2 + n*(math.Log(sigma)+math.Log(2*math.Pi)/2)
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
func normal(rows []point, halves bool) *law {
	l := &law{Problem: r2sgld.Problem{
		Potential: potential.Func(dim, func(grad, x []float64) float64 { return misfit(rows, grad, x) }),
		Base: &r2sgld.Base{Potential: potential.Func(dim, deep), Draw: func(x []float64, rng *rand.Rand) {
			for i := range x {
				if x[i] = rng.NormFloat64(); halves && walled(i) {
					x[i] = math.Abs(x[i])
				}
			}
		}}}}
	return l
}

// free has no constraint.
func free(rows []point) *law { return normal(rows, false) }

// constrained has walls at 0.
func constrained(rows []point) (*law, error) {
	l := normal(rows, true)
	low, high := make([]float64, dim), make([]float64, dim)
	for i := range low {
		low[i], high[i] = math.Inf(-1), math.Inf(1)
		if walled(i) {
			low[i] = 0
		}
	}
	var err error
	l.Domain, err = domain.NewBox(low, high)
	return l, err
}

// logarithmic is the constrained law in the logarithms of what has a wall.
func logarithmic(rows []point) *law {
	out := func(x []float64) {
		for i := atV; i < atC; i++ {
			x[i] = math.Exp(x[i])
		}
	}
	along := func(u func(grad, x []float64) float64, jacobian float64) func(grad, x []float64) float64 {
		return func(grad, at []float64) float64 {
			var x [dim]float64
			copy(x[:], at)
			out(x[:])
			v := u(grad, x[:])
			for i := atV; i < atC; i++ {
				grad[i] = grad[i]*x[i] - jacobian
				v -= jacobian * at[i]
			}
			return v
		}
	}
	draw := normal(rows, true).Base.Draw
	return &law{back: out, Problem: r2sgld.Problem{
		Potential: potential.Func(dim, along(func(grad, x []float64) float64 { return misfit(rows, grad, x) }, 0)),
		Base: &r2sgld.Base{Potential: potential.Func(dim, along(deep, 1)), Draw: func(x []float64, rng *rand.Rand) {
			draw(x, rng)
			for i := atV; i < atC; i++ {
				x[i] = math.Log(x[i])
			}
		}}}}
}
