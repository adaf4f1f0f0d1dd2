package scheme

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/potential"
)

// degrees is the dimension of the polynomials in which a Diffusion lives.
const degrees = 160

// A Diffusion is reflected Langevin diffusion on an interval,
// dX = −U'(X) dt + sqrt(2τ) dW, which the steps approximate. Densities with
// respect to π are polynomials of degree below 160 (a Galerkin method, whose
// basis is orthonormal for π): where U is smooth their error falls
// exponentially, and the lower half of the rates is right to about 1e-12.
type Diffusion struct {
	u      potential.Potential
	tau    float64
	target *Law
	basis  *polynomials
	rates  []float64
	modes  *mat.Dense // column k: mode k in the basis
}

// NewDiffusion returns the diffusion of u (nil is 0) at temperature tau > 0.
func NewDiffusion(u potential.Potential, lo, hi, tau float64) (*Diffusion, error) {
	panels, err := resolve(u, lo, hi, tau)
	if err != nil {
		return nil, err
	}
	g := newGrid(lo, hi, max(2*panels, 96))
	mass, _, err := gibbs(u, g, tau)
	if err != nil {
		return nil, err
	}
	d := &Diffusion{u: u, tau: tau, target: newLaw(g, mass, nil)}
	// One rule for the whole interval: polynomials are steep near its ends.
	whole := &grid{lo: lo, hi: hi, x: make([]float64, 4*degrees), w: make([]float64, 4*degrees)}
	quad.Legendre{}.FixedLocations(whole.x, whole.w, lo, hi)
	if mass, _, err = gibbs(u, whole, tau); err != nil {
		return nil, err
	}
	var slopes *mat.Dense
	if d.basis, slopes, err = newPolynomials(whole, mass); err != nil {
		return nil, err
	}
	// The form τ ∫ f' g' dπ in the orthonormal basis.
	weighted := mat.DenseCopyOf(slopes)
	for i, m := range mass {
		floats.Scale(tau*m, weighted.RawRowView(i))
	}
	var form mat.Dense
	form.Mul(slopes.T(), weighted)
	symmetric := mat.NewSymDense(degrees, nil)
	for i := range degrees {
		for j := range i + 1 {
			symmetric.SetSym(i, j, (form.At(i, j)+form.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, true) {
		return nil, errors.New("scheme: the modes of the diffusion did not converge: take a higher temperature or a smoother potential")
	}
	d.rates = eigen.Values(nil)
	d.rates[0] = 0 // the constant
	d.modes = new(mat.Dense)
	eigen.VectorsTo(d.modes)
	return d, nil
}

// Target returns π.
func (d *Diffusion) Target() *Law { return d.target }

// Rates returns the eigenvalues of the generator with the sign changed, rising:
// 0, the spectral gap, and so on. Of the 160 the first 80 are to be trusted.
func (d *Diffusion) Rates() []float64 { return append([]float64(nil), d.rates[:degrees/2]...) }

// After returns the law at time t > 0 from start, a law on the same interval. It
// fails where the law is too sharp for polynomials of degree 160, which takes a
// point start and a time below about (length/30)²/temperature.
func (d *Diffusion) After(start *Law, t float64) (*Law, error) {
	g := d.target.grid
	if lo, hi := start.Bounds(); lo != g.lo || hi != g.hi {
		return nil, fmt.Errorf("scheme: the start lies on [%g, %g], the diffusion on [%g, %g]: take the same interval", lo, hi, g.lo, g.hi)
	}
	if !(t > 0) {
		return nil, fmt.Errorf("scheme: the time %g must be positive", t)
	}
	// The mean of every polynomial under start, then that of every mode.
	coef, p := make([]float64, degrees), make([]float64, degrees)
	add := func(mass, x float64) {
		if mass != 0 {
			d.basis.at(p, x)
			floats.AddScaled(coef, mass, p)
		}
	}
	for i, m := range start.mass {
		add(m, start.grid.x[i])
	}
	for _, a := range start.atoms {
		add(a.Mass, a.At)
	}
	var mode, density mat.VecDense
	mode.MulVec(d.modes.T(), mat.NewVecDense(degrees, coef))
	for k, rate := range d.rates {
		mode.SetVec(k, mode.AtVec(k)*math.Exp(-rate*t))
	}
	density.MulVec(d.modes, &mode)
	h := density.RawVector().Data
	if rest := floats.Norm(h[degrees*7/8:], 2) / floats.Norm(h, 2); !(rest < 1e-9) {
		return nil, fmt.Errorf("scheme: at time %g the law is too sharp for polynomials of degree %d, they miss about %.1g of it: take a "+
			"later time", t, degrees, rest)
	}
	mass := make([]float64, len(g.x))
	for i, x := range g.x {
		d.basis.at(p, x)
		mass[i] = d.target.mass[i] * floats.Dot(h, p)
	}
	floats.Scale(1/floats.Sum(mass), mass)
	return newLaw(g, mass, nil), nil
}

// polynomials are orthonormal for a law: x·p_j = Σ_{i ≤ j+1} recur[i][j]·p_i.
type polynomials struct {
	lo, hi float64
	recur  *mat.Dense
}

// newPolynomials orthonormalises 1, x, x², … for the law with the given masses
// at the nodes, each time against all that were before, twice. It also returns
// the slopes at the nodes.
func newPolynomials(g *grid, mass []float64) (*polynomials, *mat.Dense, error) {
	b := &polynomials{lo: g.lo, hi: g.hi, recur: mat.NewDense(degrees+1, degrees, nil)}
	slopes := mat.NewDense(len(g.x), degrees, nil)
	root := make([]float64, len(mass)) // √mass times the polynomials are orthonormal
	for i, m := range mass {
		root[i] = math.Sqrt(m)
	}
	all, steep := [][]float64{root}, [][]float64{make([]float64, len(mass))}
	for j := range degrees {
		for i := range mass {
			slopes.Set(i, j, steep[j][i])
		}
		p, s := make([]float64, len(mass)), make([]float64, len(mass))
		for i := range p {
			x := b.unit(g.x[i])
			p[i] = x * all[j][i]
			s[i] = x * steep[j][i]
			if root[i] > 0 {
				s[i] += all[j][i] / root[i] * 2 / (g.hi - g.lo)
			}
		}
		for range 2 {
			for i, q := range all {
				c := floats.Dot(p, q)
				b.recur.Set(i, j, b.recur.At(i, j)+c)
				floats.AddScaled(p, -c, q)
				floats.AddScaled(s, -c, steep[i])
			}
		}
		norm := floats.Norm(p, 2)
		if !(norm > 1e-10) {
			return nil, nil, errors.New(
				"scheme: exp(-U/τ) is too narrow for polynomials on the interval: take a higher temperature or a shorter interval")
		}
		b.recur.Set(j+1, j, norm)
		floats.Scale(1/norm, p)
		floats.Scale(1/norm, s)
		all, steep = append(all, p), append(steep, s)
	}
	return b, slopes, nil
}

// unit maps the interval to [-1, 1].
func (b *polynomials) unit(x float64) float64 { return (x - b.lo - (b.hi - x)) / (b.hi - b.lo) }

// at writes the first len(p) ≤ degrees polynomials at x into p.
func (b *polynomials) at(p []float64, x float64) {
	x = b.unit(x)
	p[0] = 1
	for j := range len(p) - 1 {
		v := x * p[j]
		for i := max(0, j-1); i <= j; i++ {
			v -= b.recur.At(i, j) * p[i]
		}
		p[j+1] = v / b.recur.At(j+1, j)
	}
}
