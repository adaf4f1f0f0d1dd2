package figure

import (
	"math"

	"github.com/r2sgld/r2sgld/diag"
)

// DrawsDensity estimates the density of draws (x, y), normalised to 1 over the
// domain in the view and its margin, on 128 × 128 knots with straight lines
// between them. It does not fade towards the walls; outside it is 0, and draws
// there are left out, as are those that are not numbers. inside nil is the plane.
// The bandwidth follows each coordinate's own, by [diag.SheatherJones], so that
// many modes stay apart; it is at least 0.7 of the way between knots. x and y must
// be equally long.
func DrawsDensity(x, y []float64, inside func(x, y float64) bool, view [2][2]float64) func(x, y float64) float64 {
	const n = 128
	nothing := func(x, y float64) float64 { return 0 }
	l := lattice{n, n, view[0][0], view[0][1], view[1][0], view[1][1]}
	if !(l.xmin < l.xmax && l.ymin < l.ymax) {
		return nothing
	}
	l.xmin, l.xmax = widen(l.xmin, l.xmax, mapMargin)
	l.ymin, l.ymax = widen(l.ymin, l.ymax, mapMargin)
	var in [2][]float64
	for k, a := range x {
		b := y[k]
		if a >= l.xmin && a <= l.xmax && b >= l.ymin && b <= l.ymax && (inside == nil || inside(a, b)) {
			in[0], in[1] = append(in[0], a), append(in[1], b)
		}
	}
	if len(in[0]) == 0 {
		return nothing
	}
	var h [2]float64
	for j, v := range in {
		h[j] = bandwidth(v, narrow(v, [...]float64{l.xmin, l.ymin}[j], [...]float64{l.xmax, l.ymax}[j]))
	}
	s := smooth(in[0], in[1], h[0], h[1], scale{min: l.xmin, max: l.xmax}, scale{min: l.ymin, max: l.ymax}, n, inside)
	return s.density(inside)
}

// narrow returns the bandwidth of v alone, from some 5,000 of its values:
// neighbours in a chain tell little more.
func narrow(v []float64, lo, hi float64) float64 {
	step := (len(v) + 4999) / 5000
	few := make([]float64, 0, 5000)
	for k := 0; k < len(v); k += step {
		few = append(few, v[k])
	}
	return diag.SheatherJones(few, lo, hi) * math.Pow(float64(len(few))/float64(len(v)), 0.2)
}

// density returns the surface as a density over the domain.
func (s surface) density(inside func(x, y float64) bool) func(x, y float64) float64 {
	dx, dy := (s.xmax-s.xmin)/float64(s.nx-1), (s.ymax-s.ymin)/float64(s.ny-1)
	total := 0.0
	for k, w := range s.in {
		if i := k % s.nx; i == 0 || i == s.nx-1 {
			w /= 2
		}
		if j := k / s.nx; j == 0 || j == s.ny-1 {
			w /= 2
		}
		total += w * s.v[k] * dx * dy
	}
	return func(x, y float64) float64 {
		u, v := (x-s.xmin)/dx, (y-s.ymin)/dy
		if !(u >= 0 && v >= 0 && u <= float64(s.nx-1) && v <= float64(s.ny-1)) || inside != nil && !inside(x, y) {
			return 0
		}
		i, j := min(int(u), s.nx-2), min(int(v), s.ny-2)
		u, v = u-float64(i), v-float64(j)
		at := s.v[j*s.nx+i:]
		up := at[s.nx:]
		return ((1-v)*((1-u)*at[0]+u*at[1]) + v*((1-u)*up[0]+u*up[1])) / total
	}
}
