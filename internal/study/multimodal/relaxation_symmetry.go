package multimodal

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// A track is what one run recorded at equal distances: per frame, x and y of
// every rung, the coldest first.
type track []float64

// A symmetry is a way in which a function can change under the symmetries of the
// square. Where law and domain have them, functions of different symmetry never
// mix, so that the slowest statistic has one symmetry, and can be looked for in
// each by itself.
type symmetry struct {
	name   string
	copies int
	each   int  // functions per copy
	even   bool // its functions have a mean
	fill   func(dst []float64, x, y float64)
}

// symmetries are those of the square. Of each there is the function that varies
// most gently, and one that sees the wells of a potential of period 1; the odd
// ones, mostly the slowest, have a third, for walls.
func symmetries() []symmetry {
	const w = 2 * math.Pi
	return []symmetry{
		{"x and y", 2, 3, false, func(d []float64, x, y float64) {
			r := x*x + y*y
			d[0], d[1], d[2] = x, x*r, math.Sin(w*x)
			d[3], d[4], d[5] = y, y*r, math.Sin(w*y)
		}},
		{"x² - y²", 1, 2, false, func(d []float64, x, y float64) {
			d[0], d[1] = x*x-y*y, math.Cos(w*x)-math.Cos(w*y)
		}},
		{"xy", 1, 2, false, func(d []float64, x, y float64) {
			d[0], d[1] = x*y, math.Sin(w*x)*math.Sin(w*y)
		}},
		{"x² + y²", 1, 2, true, func(d []float64, x, y float64) {
			d[0], d[1] = x*x+y*y, math.Cos(w*x)+math.Cos(w*y)
		}},
	}
}

// features are the functions of symmetry s, of every rung.
func (s symmetry) features(tracks []track, rungs int) *features {
	f := &features{k: s.each * rungs}
	values := make([]float64, s.copies*s.each)
	for _, t := range tracks {
		run := make([][]float64, s.copies)
		for c := range run {
			run[c] = make([]float64, 0, len(t)/2*s.each)
		}
		for i := 0; i < len(t); i += 2 {
			s.fill(values, t[i], t[i+1])
			for c := range run {
				run[c] = append(run[c], values[c*s.each:(c+1)*s.each]...)
			}
		}
		f.runs = append(f.runs, run)
	}
	if s.even {
		f.centre()
	}
	return f
}

// centre takes off the mean over all runs.
func (f *features) centre() {
	for a := range f.k {
		sum, n := 0.0, 0.0
		for _, run := range f.runs {
			for _, x := range run {
				for i := a; i < len(x); i += f.k {
					sum += x[i]
					n++
				}
			}
		}
		for _, run := range f.runs {
			for _, x := range run {
				for i := a; i < len(x); i += f.k {
					x[i] -= sum / n
				}
			}
		}
	}
}

// relax returns the slowest relaxation among those of all symmetries.
func relax(tracks []track, rungs int, frame float64) (Relaxation, error) {
	var slowest Relaxation
	for _, s := range symmetries() {
		r, err := s.features(tracks, rungs).relaxation(frame)
		if errors.Is(err, errFast) {
			continue
		}
		if err != nil {
			return Relaxation{}, fmt.Errorf("statistic %s: %w", s.name, err)
		}
		if r.Time > slowest.Time {
			slowest, slowest.Symmetry = r, s.name
		}
	}
	if slowest.Time == 0 {
		return Relaxation{}, errFast
	}
	return slowest, nil
}

// neumannGap is λ₁ of -Δ with a free boundary on a convex polygon that holds the
// origin, counter-clockwise: the rate at which Brownian motion of diffusion 1
// reflected in it forgets. It is Ritz's upper bound from all polynomials of
// the given degree, integrated exactly.
func neumannGap(vertices [][2]float64, degree int) float64 {
	var size float64
	for _, v := range vertices {
		size = max(size, math.Abs(v[0]), math.Abs(v[1]))
	}
	n := (degree + 1) * (degree + 2) / 2
	mass, stiff := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	value, dx, dy := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	at, weight := make([]float64, degree+1), make([]float64, degree+1)
	quad.Legendre{}.FixedLocations(at, weight, 0, 1)
	for i, p := range vertices {
		q := vertices[(i+1)%len(vertices)]
		det := p[0]*q[1] - p[1]*q[0]
		for j, s := range at { // from the origin towards the edge
			for k, t := range at { // along it
				x, y := s*(p[0]+t*(q[0]-p[0])), s*(p[1]+t*(q[1]-p[1]))
				products(value.RawVector().Data, dx.RawVector().Data, dy.RawVector().Data, x/size, y/size, degree)
				w := weight[j] * weight[k] * s * det
				mass.SymRankOne(mass, w, value)
				stiff.SymRankOne(stiff, w/(size*size), dx)
				stiff.SymRankOne(stiff, w/(size*size), dy)
			}
		}
	}
	values := generalised(stiff, mass)
	return values[1] // values[0] is that of the constant
}

// products fills in the products of Legendre polynomials in x and y of total
// degree up to degree, and their slopes.
func products(value, dx, dy []float64, x, y float64, degree int) {
	p, dp := legendre(x, degree)
	q, dq := legendre(y, degree)
	i := 0
	for a := range degree + 1 {
		for b := range degree + 1 - a {
			value[i], dx[i], dy[i] = p[a]*q[b], dp[a]*q[b], p[a]*dq[b]
			i++
		}
	}
}

// legendre returns the Legendre polynomials at x up to a degree, and their slopes.
func legendre(x float64, degree int) (p, dp []float64) {
	p, dp = make([]float64, degree+1), make([]float64, degree+1)
	p[0] = 1
	for k := range degree {
		below, slope := 0.0, 0.0
		if k > 0 {
			below, slope = p[k-1], dp[k-1]
		}
		c := float64(k)
		p[k+1] = ((2*c+1)*x*p[k] - c*below) / (c + 1)
		dp[k+1] = slope + (2*c+1)*p[k]
	}
	return p, dp
}
