package domain

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// An arcFit cuts a parametrisation into polynomial arcs.
type arcFit struct {
	gamma func(theta float64) (x, y float64)
	size  float64 // largest coordinate seen
	noise float64 // largest error of an arc
	start [2]float64
	arcs  []arc
	nodes [arcDegree + 1]float64 // Chebyshev–Lobatto points, from 1 down to −1
}

// maxArcs bounds the number of arcs of one curve.
const maxArcs = 1 << 15

// fitArcs cuts gamma, 0 ≤ θ ≤ 2π, into arcs.
func fitArcs(gamma func(theta float64) (x, y float64)) (*arcFit, error) {
	f := &arcFit{gamma: gamma}
	for j := range f.nodes {
		f.nodes[j] = math.Cos(math.Pi * float64(j) / arcDegree)
	}
	f.nodes[arcDegree] = -1
	const sectors = 64
	for i := range 4 * sectors {
		theta := 2 * math.Pi * float64(i) / (4 * sectors)
		x, y := gamma(theta)
		if m := math.Max(math.Abs(x), math.Abs(y)); m < 1e150 {
			f.size = math.Max(f.size, m)
		} else {
			return nil, fmt.Errorf("γ(%.6g) = (%v, %v): coordinates must be finite and below 1e150", theta, x, y)
		}
	}
	if f.size < 1e-100 {
		return nil, fmt.Errorf("all coordinates are below 1e-100; measure the curve in other units")
	}
	f.start[0], f.start[1] = gamma(0)
	endX, endY := gamma(2 * math.Pi)
	if gap := math.Hypot(endX-f.start[0], endY-f.start[1]); !(gap <= 1e-9*f.size) {
		return nil, fmt.Errorf("it is not closed: γ(0) = (%.6g, %.6g), γ(2π) = (%.6g, %.6g)", f.start[0], f.start[1], endX, endY)
	}
	for i := range sectors {
		width := 2 * math.Pi / sectors
		if err := f.cut(float64(i)*width, float64(i+1)*width, 0); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// end evaluates the parametrisation; θ = 2π is θ = 0, bit for bit.
func (f *arcFit) end(theta float64) (x, y float64) {
	if theta >= 2*math.Pi {
		return f.start[0], f.start[1]
	}
	return f.gamma(theta)
}

// cut adds arcs for [lo, hi]: one when a polynomial follows γ there to rounding
// and turns little, else those of the two halves. Towards a corner or a cusp
// the arcs shrink until they are below rounding.
func (f *arcFit) cut(lo, hi float64, depth int) error {
	a, tail := f.interpolate(lo, hi)
	if !(tail < math.Inf(1)) {
		return fmt.Errorf("γ is not finite between θ = %.6g and %.6g", lo, hi)
	}
	chord := math.Hypot(a.bx-a.ax, a.by-a.ay)
	bend, speed := 0.0, math.Hypot(a.x[1], a.y[1])
	for k := 2; k <= arcDegree; k++ {
		bend += float64(k) * math.Hypot(a.x[k], a.y[k])
	}
	straight := bend <= 0.2*speed || speed+bend <= 1e-3*f.size
	// γ itself is known up to the rounding of θ. An arc that has not converged
	// after four halvings never will: its tail is the noise of gamma.
	tolerance := 3e-15 * (f.size + speed/a.half)
	if depth >= 4 {
		tolerance = max(tolerance, 2e-13*f.size)
	}
	if tail <= tolerance && straight {
		f.noise = max(f.noise, tail)
		if len(f.arcs) == maxArcs {
			return fmt.Errorf("more than %d arcs are needed; the parametrisation is too rough, give a polygon", maxArcs)
		}
		f.arcs = append(f.arcs, a)
		return nil
	}
	if mid := 0.5 * (lo + hi); depth < 60 && mid > lo && mid < hi {
		if err := f.cut(lo, mid, depth+1); err != nil {
			return err
		}
		return f.cut(mid, hi, depth+1)
	}
	// The width of the arc is at the rounding of θ.
	if chord > 1e-9*f.size {
		return fmt.Errorf("%w near θ = %.6g by %.3g", errNotSmooth, lo, chord)
	}
	a.straighten()
	f.arcs = append(f.arcs, a)
	return nil
}

// straighten replaces the arc by its chord.
func (a *arc) straighten() {
	a.x, a.y = [arcDegree + 1]float64{}, [arcDegree + 1]float64{}
	a.x[0], a.y[0] = 0.5*(a.ax+a.bx), 0.5*(a.ay+a.by)
	a.x[1], a.y[1] = 0.5*(a.bx-a.ax), 0.5*(a.by-a.ay)
}

// interpolate fits the polynomial through the Chebyshev–Lobatto points of
// [lo, hi]. tail estimates its error from the last coefficients and from two
// points between the nodes.
func (f *arcFit) interpolate(lo, hi float64) (a arc, tail float64) {
	const n = arcDegree
	a.theta, a.half = 0.5*(lo+hi), 0.5*(hi-lo)
	var px, py, cx, cy [n + 1]float64
	for j, u := range f.nodes {
		px[j], py[j] = f.gamma(a.theta + a.half*u)
	}
	px[0], py[0] = f.end(hi)
	px[n], py[n] = f.end(lo)
	a.ax, a.ay, a.bx, a.by = px[n], py[n], px[0], py[0]
	for k := range n + 1 {
		for j := range n + 1 {
			w := 2.0 / n
			if j == 0 || j == n {
				w /= 2
			}
			if k == 0 || k == n {
				w /= 2
			}
			w *= math.Cos(math.Pi * float64(k*j%(2*n)) / n)
			cx[k] += w * px[j]
			cy[k] += w * py[j]
		}
	}
	tail = math.Abs(cx[n]) + math.Abs(cy[n])
	rounding := 2e-16 * (f.size + (math.Abs(cx[1])+math.Abs(cy[1]))/a.half)
	// Coefficients below rounding are noise that derivatives would amplify.
	for k := n; k > 1 && math.Abs(cx[k])+math.Abs(cy[k]) < rounding; k-- {
		cx[k], cy[k] = 0, 0
	}
	a.x, a.y = monomials(cx), monomials(cy)
	for _, u := range [2]float64{-0.87, 0.31} {
		qx, qy := f.gamma(a.theta + a.half*u)
		rx, ry := a.point(u)
		tail = math.Max(tail, math.Hypot(qx-rx, qy-ry))
	}
	if math.IsNaN(tail) {
		tail = math.Inf(1)
	}
	return a, tail
}

// monomials turns Chebyshev coefficients into those of powers of u.
func monomials(c [arcDegree + 1]float64) (p [arcDegree + 1]float64) {
	var last, now [arcDegree + 1]float64 // T_(k−1), T_k
	last[0], now[1] = 1, 1
	p[0] = c[0]
	for k := 1; k <= arcDegree; k++ {
		for i := range p {
			p[i] += c[k] * now[i]
		}
		var next [arcDegree + 1]float64
		for i := range arcDegree {
			next[i+1] = 2 * now[i]
		}
		for i := range next {
			next[i] -= last[i]
		}
		last, now = now, next
	}
	return p
}

// length is the length of the arc by Gauss–Legendre quadrature.
func (a *arc) length() float64 {
	return quad.Fixed(func(u float64) float64 {
		_, _, dx, dy, _, _ := a.jet(u)
		return math.Hypot(dx, dy)
	}, -1, 1, 8, quad.Legendre{}, 0)
}
