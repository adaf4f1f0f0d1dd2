package scheme

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Rate returns −log λ₂/η of the cold rung, λ₂ the second largest eigenvalue of
// an iteration: the rate per unit of time at which the slowest mode decays, to
// compare with the spectral gap of the diffusion.
func (p *Pair) Rate() (float64, error) {
	law, err := p.apart()
	if err != nil {
		return 0, err
	}
	n := len(p.rungs[0].rows)
	// A start without symmetry, so that no mode is missed.
	x := make([]float64, n)
	for i := range x {
		x[i] = (p.rungs[0].place(i) - p.step.Lo) / (p.step.Hi - p.step.Lo)
	}
	v := make([]float64, n*n)
	for i := range x {
		for j := range x {
			v[i*n+j] = law[i*n+j] * (math.Exp(x[i]) + math.Cos(2*x[j]+1) + x[i]*x[j])
		}
	}
	floats.AddScaled(v, -floats.Sum(v), law)
	value, err := newKrylov(p.apply, law).leading(v, 1e-6)
	if err != nil {
		return 0, err
	}
	return -math.Log(value) / p.step.StepSize[0], nil
}

// Gap returns the spectral gap of reflected replica exchange diffusion: two
// diffusions of one potential on one interval that swap at the rate
// intensity·min(1, S), what Rate comes close to with Attempt = intensity·η at
// small η. It is sought among the sums of products of the slowest modes modes
// of each (2 to 80), and is approached from above as their number rises.
func Gap(cold, hot *Diffusion, intensity float64, modes int) (float64, error) {
	g := cold.target.grid
	if lo, hi := hot.target.Bounds(); lo != g.lo || hi != g.hi {
		return 0, fmt.Errorf("scheme: the cold rung lies on [%g, %g], the hot one on [%g, %g]: take the same interval", g.lo, g.hi, lo, hi)
	}
	if !(intensity >= 0) || math.IsInf(intensity, 0) || modes < 2 || modes > degrees/2 {
		return 0, fmt.Errorf("scheme: swap intensity %g with %d modes: give 0 or more, and 2 to %d modes", intensity, modes, degrees/2)
	}
	even := newGrid(g.lo, g.hi, 12)
	a, err := cold.sample(even, modes)
	if err != nil {
		return 0, err
	}
	b, err := hot.sample(even, modes)
	if err != nil {
		return 0, err
	}
	form := exchangeForm(a, b, intensity, modes)
	for k := range modes * modes {
		form.SetSym(k, k, form.At(k, k)+cold.rates[k/modes]+hot.rates[k%modes])
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(form, false) {
		return 0, errors.New("scheme: the modes of the two rungs did not converge: take fewer")
	}
	return eigen.Values(nil)[1], nil
}

// A sampled holds masses of π at nodes, and modes: mode k at node i is
// value[i*modes+k].
type sampled struct{ mass, value []float64 }

func (d *Diffusion) sample(g *grid, modes int) (s sampled, err error) {
	if s.mass, _, err = gibbs(d.u, g, d.tau); err != nil {
		return s, err
	}
	p := make([]float64, degrees)
	s.value = make([]float64, len(g.x)*modes)
	for i, x := range g.x {
		d.basis.at(p, x)
		mat.NewVecDense(modes, s.value[i*modes:][:modes]).MulVec(
			d.modes.Slice(0, degrees, 0, modes).T(), mat.NewVecDense(degrees, p))
	}
	return s, nil
}

// exchangeForm returns (r/2) ∫∫ min(π(x, y), π(y, x)) Δf Δg dx dy, where Δf is
// f(y, x) − f(x, y), for the products f and g of modes of both rungs.
func exchangeForm(a, b sampled, r float64, modes int) *mat.SymDense {
	n, m := len(a.mass), modes*modes
	rows := mat.NewDense(n, m, nil)
	form := mat.NewSymDense(m, nil)
	for x := range n {
		rows.Zero()
		for y := range x { // the other half is the same
			root := math.Sqrt(min(a.mass[x]*b.mass[y], a.mass[y]*b.mass[x]))
			f := rows.RawRowView(y)
			for k := range f {
				i, j := k/modes, k%modes
				f[k] = root * (a.value[x*modes+i]*b.value[y*modes+j] - a.value[y*modes+i]*b.value[x*modes+j])
			}
		}
		if x > 0 {
			form.SymRankK(form, r, rows.Slice(0, x, 0, m).T())
		}
	}
	return form
}
