package dynamics

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/potential"
)

// minimise goes down U from x by the Levenberg–Marquardt method and returns
// where it ends, with U there. curvature returns a positive semidefinite
// approximation of the second derivative, d × d by rows. It stays where U is
// not finite.
func minimise(p potential.Potential, curvature func(x []float64) []float64, x []float64) ([]float64, float64) {
	d := p.Dim()
	eval := p.Evaluator(1, nil)
	x = append([]float64(nil), x...)
	u, grad := make([]float64, 1), make([]float64, d)
	v, vgrad, y := make([]float64, 1), make([]float64, d), make([]float64, d)
	eval.Eval(u, grad, x)
	if !finite(u) || !finite(grad) {
		return x, math.NaN()
	}
	damping, idle := 1e-3, 0
	for range 200 {
		h := curvature(x)
		if !finite(h) {
			break
		}
		better := false
		for damping < 1e16 {
			step, ok := dampedStep(h, grad, damping)
			for j := range y {
				y[j] = x[j] + step[j]
			}
			if ok {
				eval.Eval(v, vgrad, y)
			}
			if ok && finite(v) && finite(vgrad) && v[0] <= u[0] {
				better = true
				damping = math.Max(damping/10, 1e-12)
				break
			}
			damping *= 8
		}
		if !better {
			break
		}
		still := true
		for j := range x {
			still = still && math.Abs(y[j]-x[j]) <= 1e-14*math.Abs(x[j])
		}
		copy(x, y)
		copy(grad, vgrad)
		if idle++; u[0]-v[0] > 1e-14*u[0] {
			idle = 0
		}
		u[0] = v[0]
		if still || idle == 4 {
			break
		}
	}
	return x, u[0]
}

func finite(x []float64) bool {
	for _, v := range x {
		if !isFinite(v) {
			return false
		}
	}
	return true
}

func isFinite(v float64) bool { return v-v == 0 }

// dampedStep solves (H + damping·diag H) step = −grad.
func dampedStep(h, grad []float64, damping float64) ([]float64, bool) {
	d := len(grad)
	step := make([]float64, d)
	scale := unitDiagonal(h, d)
	a := mat.NewSymDense(d, nil)
	b := mat.NewVecDense(d, nil)
	for j := range d {
		for k := j; k < d; k++ {
			a.SetSym(j, k, h[j*d+k]*scale[j]*scale[k])
		}
		a.SetSym(j, j, 1+damping)
		b.SetVec(j, -grad[j]*scale[j])
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		return step, false
	}
	s := mat.NewVecDense(d, nil)
	if err := c.SolveVecTo(s, b); err != nil {
		if _, ill := errors.AsType[mat.Condition](err); !ill { // which is not fatal
			return step, false
		}
	}
	for j := range step {
		step[j] = s.AtVec(j) * scale[j]
	}
	return step, finite(step)
}

// unitDiagonal returns 1/√h_jj, or 1 where that does not exist.
func unitDiagonal(h []float64, d int) []float64 {
	scale := make([]float64, d)
	for j := range scale {
		scale[j] = 1
		if v := h[j*d+j]; v > 0 && !math.IsInf(1/math.Sqrt(v), 0) {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	return scale
}

// search minimises U from many starting points: start, whose unknown entries
// are NaN, with the unknown ones 1 at first and then of any size from 0.01 to
// 30 and of either sign. It returns NaN for U if no start was possible.
func search(p potential.Potential, curvature func(x []float64) []float64, start []float64) ([]float64, float64) {
	const starts = 40
	rng := rand.New(rand.NewPCG(1, 1))
	best, lowest := start, math.NaN()
	for n := range starts {
		from := append([]float64(nil), start...)
		unknown := false
		for j, v := range from {
			if !math.IsNaN(v) {
				continue
			}
			unknown = true
			from[j] = 1
			if n > 0 {
				from[j] = math.Exp(math.Log(0.01) + rng.Float64()*math.Log(3000))
				if rng.Float64() < 0.3 {
					from[j] = -from[j]
				}
			}
		}
		x, u := minimise(p, curvature, from)
		if !math.IsNaN(u) && (math.IsNaN(lowest) || u < lowest) {
			best, lowest = x, u
		}
		if !unknown {
			break
		}
	}
	return best, lowest
}

// factor returns L with L Lᵀ = H⁻¹ by rows, d × d, lower triangular unless H is
// singular. Directions that H leaves free get the length they would have with
// 1e-10 of the largest eigenvalue of H scaled to a unit diagonal.
func factor(h []float64, d int) [][]float64 {
	scale := unitDiagonal(h, d)
	// With the order of the parameters reversed, H = UᵀU makes U⁻¹ upper
	// triangular and L lower.
	a := mat.NewSymDense(d, nil)
	for j := range d {
		for k := j; k < d; k++ {
			a.SetSym(d-1-j, d-1-k, h[j*d+k]*scale[j]*scale[k])
		}
	}
	l := make([][]float64, d)
	for j := range l {
		l[j] = make([]float64, d)
	}
	var c mat.Cholesky
	if c.Factorize(a) && c.Cond() < 1e12 {
		var u, inverse mat.TriDense
		c.UTo(&u)
		if err := inverse.InverseTri(&u); err == nil {
			for j := range d {
				for k := range j + 1 {
					l[j][k] = scale[j] * inverse.At(d-1-j, d-1-k)
				}
			}
			return l
		}
	}
	var e mat.EigenSym
	ok := e.Factorize(a, true)
	var v mat.Dense
	if ok {
		e.VectorsTo(&v)
	}
	for j := range d {
		if !ok {
			l[j][j] = scale[j]
			continue
		}
		values := e.Values(nil)
		for k := range d {
			length := 1 / math.Sqrt(math.Max(values[k], 1e-10*math.Max(values[d-1], 1)))
			l[j][k] = scale[j] * v.At(d-1-j, k) * length
		}
	}
	return l
}
