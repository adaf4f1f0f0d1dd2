package r2sgld

import (
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
)

// certifiable says why a run cannot be certified, if so.
func (r *run) certifiable() error {
	s := r.settings
	if !s.Certificate {
		return nil
	}
	switch {
	case r.traits.Exact:
		return errors.New("a certificate measures the bias of the step, and exact kernels have none. Leave the certificate out")
	case !r.traits.Coupled:
		return fmt.Errorf("a certificate couples steps of SGLD with half as large ones, and is not known for %s: take SGLD, or compare with a "+
			"run at half the step size", r.traits.Name)
	case r.problem.Domain != nil && (s.Boundary == domain.Nearest || s.Boundary == domain.Project):
		return fmt.Errorf("a certificate takes the bias to go like the step, and that of boundary %s goes like its square root, or does not "+
			"vanish: take %s or %s", s.Boundary, domain.Specular, domain.Refuse)
	case s.Penalty != nil && !s.Penalty.Distance:
		return errors.New("a certificate takes the bias to go like the step, and a force that jumps at the wall has another: take the penalty " +
			"of the distance, or a boundary that reflects")
	case s.Inside:
		return errors.New("a certificate compares draws one by one, and those outside the domain are left out: take a boundary that reflects")
	}
	return nil
}

// Certified reports whether the run has a certificate.
func (r *Result) Certified() bool { return len(r.Ladders) > 0 && r.Ladders[0].Quarter.Energy != nil }

// Bias estimates by how much the mean of f over the draws of the coldest rung is off
// because the step is not infinitely small, E f with the steps of the run less E f
// with ever smaller ones, and the standard error of the estimate: the bias lies within
// two of them with a probability of 95 % or more. f sees a state, in the user's
// coordinates, and its U; it must not keep x. To remove the bias, subtract the estimate.
// NaN without a certificate, with too few draws, and where the potential jumps, which
// steps of no size see.
//
// Of f's means m at the run's step η, at half of it and at a quarter, both
// D₁ = 2(m(η) − m(η/2)) and D₂ = 4(m(η/2) − m(η/4)) are the bias where it goes like the
// step. Where it has a term cη^p besides, p > 1, D₁ has 2(1 − q) of that and D₂
// 4q(1 − q), q = 2^−p, so that the bias is D₂ and (1 − 2q)/(2 − 2q) of D₁ − D₂: none at
// p = 1, 0.23 at 3/2, which walls have, 1/3 at 2, a half at most. The estimate takes 1/3,
// which is right for smooth potentials, (D₁ + 2D₂)/3, and may be off by as much,
// |D₁ − D₂|/3, whatever p is. Terms of two orders, 3/2 and 2 say, can hide each other in
// D₁ − D₂: a twentieth of the estimate is the least that it is taken to be off by. Half
// of that error, which is no matter of chance, is in the standard error.
func (r *Result) Bias(f func(x []float64, energy float64) float64) (bias, se float64) {
	if !r.Certified() || r.Jumps(-1).Certain() {
		return math.NaN(), math.NaN()
	}
	d := len(r.Names)
	differences := func(factor float64, of, from func(Ladder) Draws) [][]float64 {
		return r.alike(func(l Ladder) []float64 {
			a, b := of(l), from(l)
			v := make([]float64, len(b.Energy[0]))
			for i := range v {
				v[i] = factor * (f(a.X[0][i*d:(i+1)*d], a.Energy[0][i]) - f(b.X[0][i*d:(i+1)*d], b.Energy[0][i]))
			}
			return v
		})
	}
	whole, half, quarter := func(l Ladder) Draws { return l.Draws }, func(l Ladder) Draws { return l.Half },
		func(l Ladder) Draws { return l.Quarter }
	d1, d2 := differences(2, whole, half), differences(4, half, quarter)
	n, off, same := 0, 0.0, true
	for i, c := range d2 {
		for k, v := range c {
			u := d1[i][k]
			n, off, same = n+1, off+u-v, same && u == 0 && v == 0
			c[k] = (u + 2*v) / 3
			bias += c[k]
		}
	}
	if same && n > 0 {
		return 0, 0
	}
	bias, off = bias/float64(n), off/float64(n)
	rest := max(math.Abs(off)/3, math.Abs(bias)/20)
	return bias, diag.MCSEMean(d2) + rest/2
}

// MeanBias is [Result.Bias] of coordinate j.
func (r *Result) MeanBias(j int) (bias, se float64) {
	return r.Bias(func(x []float64, _ float64) float64 { return x[j] })
}
