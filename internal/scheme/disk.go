package scheme

import (
	"math"
	"slices"
)

// ring returns what becomes of a step on a disk whose mean is c from the centre. The
// distance of its end has the law of Rice. Mirroring at the tangent of the nearest point of
// the wall takes a distance ρ > R to 2R − ρ, and beyond the centre to the other side.
func (k *Kernel) ring(c float64) (row, error) {
	c = math.Abs(c)
	sd, radius, x := k.step.sd(), k.step.Hi, k.grid.x
	high := c + reach*sd
	first, _ := slices.BinarySearch(x, min(c-reach*sd, 2*radius-high)) // those mirrored too
	end, _ := slices.BinarySearch(x, high)
	r := row{first: first, chance: make([]float64, end-first)}
	for i := range r.chance {
		at := x[first+i]
		r.chance[i] = k.grid.w[first+i] * (rice(at, c, sd) + rice(2*radius-at, c, sd) + rice(2*radius+at, c, sd))
	}
	return r, k.settle(&r)
}

// rice is the density of the distance from the origin of a normal point in the plane with
// standard deviation sd about one at distance c.
func rice(x, c, sd float64) float64 {
	z := (x - c) / sd
	return x / (sd * sd) * math.Exp(-z*z/2) * scaledBessel(x*c/(sd*sd))
}

// scaledBessel is e^{−z} I₀(z), z ≥ 0: by its series, whose terms are positive, and from 30
// on by its asymptotic one, whose least term is below rounding there.
func scaledBessel(z float64) float64 {
	term, sum := 1.0, 1.0
	if z < 30 {
		for k := 1.0; term > 1e-17*sum; k++ {
			term *= z * z / (4 * k * k)
			sum += term
		}
		return sum * math.Exp(-z)
	}
	for k := 1.0; k < 40 && term > 1e-17; k++ {
		term *= (2*k - 1) * (2*k - 1) / (8 * k * z)
		sum += term
	}
	return sum / math.Sqrt(2*math.Pi*z)
}

// Radial is u, a function of the distance from the centre of a disk, with which laws and
// diffusions on [0, R] are those of that distance at temperature tau: u(r) − τ log r.
func Radial(u func(r float64) (value, slope float64), tau float64) func(grad, x []float64) float64 {
	return func(grad, x []float64) float64 {
		value, slope := u(x[0])
		grad[0] = slope - tau/x[0]
		return value - tau*math.Log(x[0])
	}
}
