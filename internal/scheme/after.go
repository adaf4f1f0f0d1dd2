package scheme

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// A speck is an atom off the sites, whose mass only a refused step keeps.
type speck struct {
	row
	atom Atom
}

// After returns the law after steps ≥ 0 steps from start, a law on the same
// interval. Its density, if any, must be no sharper than a step is wide.
//
// Many steps n take about 9·sqrt(n) products with the kernel: x^n is the mean of
// T_|S|(x), S the end of a simple random walk of n steps, T Chebyshev's
// polynomials. Their recurrence is stable where the eigenvalues of the kernel
// are real; where it is seen not to be, all n steps are taken.
func (k *Kernel) After(start *Law, steps int) (*Law, error) {
	if steps < 0 {
		return nil, fmt.Errorf("scheme: %d steps: give 0 or more", steps)
	}
	if steps == 0 {
		return start, nil
	}
	mass, specks, err := k.load(start)
	if err != nil {
		return nil, err
	}
	next := make([]float64, len(mass))
	for ; steps > 0 && (len(specks) > 0 || steps <= 128); steps-- {
		k.apply(next, mass)
		mass, next = next, mass
		specks = scatter(mass, specks)
	}
	if steps > 0 && !k.power(mass, steps) {
		for ; steps > 0; steps-- {
			k.apply(next, mass)
			mass, next = next, mass
		}
	}
	var atoms []Atom
	for _, s := range specks {
		atoms = append(atoms, s.atom)
	}
	return k.law(mass, atoms), nil
}

// load returns the masses of start at the sites, and its atoms elsewhere.
func (k *Kernel) load(start *Law) ([]float64, []speck, error) {
	g := k.grid
	if lo, hi := start.Bounds(); lo != g.lo || hi != g.hi {
		return nil, nil, fmt.Errorf("scheme: the start lies on [%g, %g], the step on [%g, %g]: take the same interval", lo, hi, g.lo, g.hi)
	}
	mass := make([]float64, len(k.rows))
	for i, x := range g.x {
		mass[i+k.walls] = g.w[i] * start.Density(x)
	}
	have, want := floats.Sum(mass), floats.Sum(start.mass)
	if math.Abs(have-want) > 1e-7 {
		return nil, nil, fmt.Errorf(
			"scheme: the start is sharper than a step is wide (its mass at the nodes is %.9g instead of %.9g): take a smoother one, "+
				"or a point", have, want)
	}
	if have > 0 {
		floats.Scale(want/have, mass)
	}
	var specks []speck
	for _, a := range start.atoms {
		switch {
		case k.walls > 0 && a.At == g.lo:
			mass[0] += a.Mass
		case k.walls > 0 && a.At == g.hi:
			mass[len(mass)-1] += a.Mass
		default:
			r, err := k.from([]float64{a.At})
			if err != nil {
				return nil, nil, err
			}
			specks = append(specks, speck{r[0], a})
		}
	}
	return mass, specks, nil
}

// scatter takes a step from the specks onto mass and returns those left.
func scatter(mass []float64, specks []speck) []speck {
	left := specks[:0]
	for _, s := range specks {
		floats.AddScaled(mass[s.first:][:len(s.chance)], s.atom.Mass, s.chance)
		s.atom.Mass *= s.stay
		if s.atom.Mass > 1e-18 {
			left = append(left, s)
		}
	}
	return left
}

// power takes n > 0 steps from mass in place, and reports whether it could:
// where not, mass is as it was.
func (k *Kernel) power(mass []float64, n int) bool {
	const most = 1e3 // |T_j| ≤ 1 for real eigenvalues in [-1, 1]
	degree := min(n, int(8.7*math.Sqrt(float64(n)))+2)
	coef := chebyshev(n, degree)
	old := append([]float64(nil), mass...)
	now, next := make([]float64, len(mass)), make([]float64, len(mass))
	sum := make([]float64, len(mass))
	floats.AddScaled(sum, coef[0], old)
	k.apply(now, old)
	for j := 1; ; j++ {
		floats.AddScaled(sum, coef[j], now)
		if j == degree {
			break
		}
		k.apply(next, now)
		floats.Scale(2, next)
		floats.Sub(next, old)
		old, now, next = now, next, old
		if norm := floats.Norm(now, 1); !(norm < most) {
			return false
		}
	}
	copy(mass, sum)
	return true
}

// chebyshev returns the coefficients of x^n in T_0 … T_degree: the chances of
// |S| for a simple random walk S of n steps, cut off at degree and scaled to
// sum 1.
func chebyshev(n, degree int) []float64 {
	c := make([]float64, degree+1)
	first := n % 2
	c[first] = 1
	for j := first; j+2 <= degree; j += 2 {
		c[j+2] = c[j] * float64(n-j) / float64(n+j+2)
	}
	if first == 0 {
		c[0] /= 2 // 0 is its own mirror image
	}
	floats.Scale(1/floats.Sum(c), c)
	return c
}
