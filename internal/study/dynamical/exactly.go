package dynamical

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
)

// distances are those of walls from the mean of the exact law, in standard deviations
// of what each constraint bounds.
func (r *ruler) distances(walls []expression.Constraint) []float64 {
	var out []float64
	for _, w := range walls {
		value, variance := w.B, 0.0
		for k := range r.v.parameters {
			along := 0.0
			for j := range r.v.parameters {
				along += w.A[j] * r.exact.Factor[j][k]
			}
			variance += along * along
			value -= w.A[k] * r.exact.Center[k]
		}
		out = append(out, value/math.Sqrt(variance))
	}
	return out
}

// bounds are the walls of a variant as half-spaces.
func (v *variant) bounds() ([]expression.Constraint, error) {
	var out []expression.Constraint
	for _, w := range v.walls {
		c, err := expression.ParseConstraints(w, v.parameters)
		if err != nil {
			return nil, err
		}
		out = append(out, c...)
	}
	return out, nil
}

// slowest is the relaxation time of the slowest direction, in units of step size
// times iterations: one over the smallest eigenvalue of the precision.
func (r *ruler) slowest() float64 {
	values := r.curvatures()
	return 1 / values[0]
}

// curvatures are the eigenvalues of the precision of the exact law, rising.
func (r *ruler) curvatures() []float64 {
	d := len(r.v.parameters)
	p := r.exact.Whole.(*potential.Regression)
	g := p.Gram()
	s := mat.NewSymDense(d, nil)
	for j := range d {
		for k := j; k < d; k++ {
			s.SetSym(j, k, g[j*d+k])
		}
	}
	var e mat.EigenSym
	e.Factorize(s, false)
	return e.Values(nil)
}

// exactAround is the relative distance of draws of the exact law from the truth.
func (r *ruler) exactAround() float64 {
	sum := 0.0
	for _, k := range r.v.key {
		truth := r.v.quantities[k].truth
		a, b := (r.mean[k]-truth)/truth, r.sd[k]/truth
		sum += (a*a + b*b) / float64(len(r.v.key))
	}
	return math.Sqrt(sum)
}

// best is the score of the modes of the exact law.
func (r *ruler) best() score {
	s := score{Mode: r.mean}
	r.simulate(&s)
	return s
}

// diffusion is the sum of the step sizes of a sampler's cold rung, in all and
// after burn-in.
func (m *inquiry) diffusion(base int) (total, late float64) {
	n := iterationsOf(m.Scale)
	for k := 1; k <= n; k++ {
		eta := 1.0
		if base == 1 {
			cycle := (n + 9) / 10
			eta = (1 + math.Cos(math.Pi*float64((k-1)%cycle)/float64(cycle))) / 2
		} else if k > n/6 {
			eta = math.Pow(0.9999, float64(paperIterations)/float64(n)*float64(k-n/6))
		}
		eta *= m.system.cold[base]
		total += eta
		if k > n/3 {
			late += eta
		}
	}
	return total, late
}
