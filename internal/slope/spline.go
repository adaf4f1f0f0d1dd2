package slope

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A spline is the setting of cubic smoothing splines through values at given
// times, after Reinsch (1967) in the notation of Green and Silverman (1994): the
// second derivatives γ at the interior knots solve (R + λQᵀQ)γ = Qᵀy, and the
// spline's values are y − λQγ. Times have a mean step of 1.
type spline struct {
	n int
	h []float64 // steps
	// Of the matrices of order n−2, diagonal by diagonal: R has two, QᵀQ three.
	r0, r1, q0, q1, q2 []float64
}

func newSpline(times []float64, unit float64) *spline {
	n := len(times)
	s := &spline{n: n}
	for t := 1; t < n; t++ {
		s.h = append(s.h, (times[t]-times[t-1])/unit)
	}
	m := n - 2
	for j := range m {
		s.r0, s.r1 = append(s.r0, (s.h[j]+s.h[j+1])/3), append(s.r1, s.h[j+1]/6)
		a, b, c := s.column(j)
		s.q0 = append(s.q0, a*a+b*b+c*c)
		var one, two float64
		if j+1 < m {
			d, e, _ := s.column(j + 1)
			one = b*d + c*e
		}
		if j+2 < m {
			d, _, _ := s.column(j + 2)
			two = c * d
		}
		s.q1, s.q2 = append(s.q1, one), append(s.q2, two)
	}
	return s
}

// column is what column j of Q holds, in rows j, j+1 and j+2.
func (s *spline) column(j int) (a, b, c float64) {
	a, c = 1/s.h[j], 1/s.h[j+1]
	return a, -a - c, c
}

// A penalised spline has its penalty and the factors LDLᵀ of R + λQᵀQ.
type penalised struct {
	*spline
	lambda    float64
	d, l1, l2 []float64 // l1[j] = L[j+1][j], l2[j] = L[j+2][j]
}

func (s *spline) penalise(lambda float64) *penalised {
	m := s.n - 2
	p := &penalised{spline: s, lambda: lambda, d: make([]float64, m), l1: make([]float64, m), l2: make([]float64, m)}
	for j := range m {
		d := s.r0[j] + lambda*s.q0[j]
		e := s.r1[j] + lambda*s.q1[j]
		if j > 0 {
			d -= p.l1[j-1] * p.l1[j-1] * p.d[j-1]
			e -= p.l1[j-1] * p.l2[j-1] * p.d[j-1]
		}
		if j > 1 {
			d -= p.l2[j-2] * p.l2[j-2] * p.d[j-2]
		}
		p.d[j] = d
		if j+1 < m {
			p.l1[j] = e / d
		}
		if j+2 < m {
			p.l2[j] = lambda * s.q2[j] / d
		}
	}
	return p
}

// curvatures solves for γ.
func (p *penalised) curvatures(y []float64) []float64 {
	m := p.n - 2
	g := make([]float64, m)
	for j := range g {
		a, _, c := p.column(j)
		g[j] = c*(y[j+2]-y[j+1]) - a*(y[j+1]-y[j])
		if j > 0 {
			g[j] -= p.l1[j-1] * g[j-1]
		}
		if j > 1 {
			g[j] -= p.l2[j-2] * g[j-2]
		}
	}
	for j := m - 1; j >= 0; j-- {
		g[j] /= p.d[j]
		if j+1 < m {
			g[j] -= p.l1[j] * g[j+1]
		}
		if j+2 < m {
			g[j] -= p.l2[j] * g[j+2]
		}
	}
	return g
}

// rough is y less the spline: λQγ.
func (p *penalised) rough(gamma []float64) []float64 {
	out := make([]float64, p.n)
	for j, g := range gamma {
		a, b, c := p.column(j)
		out[j] += p.lambda * a * g
		out[j+1] += p.lambda * b * g
		out[j+2] += p.lambda * c * g
	}
	return out
}

// inverse returns the entries Z[j][k] at and right of the diagonal, from 0, of
// the inverse of R + λQᵀQ: row j as far as they matter at double precision, or
// just least of them (Hutchinson and de Hoog 1985).
func (p *penalised) inverse(least int, whole bool) [][]float64 {
	m := p.n - 2
	z := make([][]float64, m)
	at := func(j, k int) float64 {
		if j > k {
			j, k = k, j
		}
		if k >= m || k-j >= len(z[j]) {
			return 0
		}
		return z[j][k-j]
	}
	for j := m - 1; j >= 0; j-- {
		size := least
		if whole && j+1 < m {
			size = max(size, len(z[j+1])+1)
		}
		if whole && j+2 < m {
			size = max(size, len(z[j+2])+2)
		}
		size = min(size, m-j)
		z[j] = make([]float64, size)
		for k := j + 1; k < j+size; k++ {
			z[j][k-j] = -p.l1[j]*at(j+1, k) - p.l2[j]*at(j+2, k)
		}
		z[j][0] = 1/p.d[j] - p.l1[j]*at(j, j+1) - p.l2[j]*at(j, j+2)
		for size > least && math.Abs(z[j][size-1]) < 1e-15*z[j][0] {
			size--
		}
		z[j] = z[j][:size]
	}
	return z
}

// score is the generalised cross-validation n·RSS/(n − tr S)² for values y.
func (s *spline) score(lambda float64, y []float64) float64 {
	p := s.penalise(lambda)
	rss := 0.0
	for _, e := range p.rough(p.curvatures(y)) {
		rss += e * e
	}
	left := 0.0 // n − tr S = λ tr(Z QᵀQ)
	for j, z := range p.inverse(3, false) {
		left += z[0] * s.q0[j]
		if len(z) > 1 {
			left += 2 * z[1] * s.q1[j]
		}
		if len(z) > 2 {
			left += 2 * z[2] * s.q2[j]
		}
	}
	left *= lambda
	return float64(s.n) * rss / (left * left)
}

// choose returns the penalty with the least score: the best of a grid, refined
// by golden section.
func (s *spline) choose(y []float64) float64 {
	const lowest, perDecade = -4.0, 4
	highest := 4*math.Log10(float64(s.n)) - 1
	best, at := math.Inf(1), lowest
	for k := 0; ; k++ {
		x := lowest + float64(k)/perDecade
		if x > highest {
			break
		}
		if v := s.score(math.Pow(10, x), y); v < best {
			best, at = v, x
		}
	}
	f := func(x float64) float64 { return s.score(math.Pow(10, x), y) }
	return math.Pow(10, golden(f, at-1./perDecade, at+1./perDecade, 0.01))
}

// golden returns where f is least in [a, b], to the given width.
func golden(f func(float64) float64, a, b, width float64) float64 {
	const share = 0.6180339887498949
	x, y := b-share*(b-a), a+share*(b-a)
	fx, fy := f(x), f(y)
	for b-a > width {
		if fx <= fy {
			b, y, fy = y, x, fx
			x = b - share*(b-a)
			fx = f(x)
		} else {
			a, x, fx = x, y, fy
			y = a + share*(b-a)
			fy = f(y)
		}
	}
	return (a + b) / 2
}

// A Smoother is the cubic smoothing spline through values, with the penalty of generalised
// cross-validation.
type Smoother struct {
	spline  *spline
	y       []float64
	penalty float64
}

// NewSmoother finds the penalty for 5 values or more.
func NewSmoother(times, y []float64) *Smoother {
	s := newSpline(times, (times[len(times)-1]-times[0])/float64(len(times)-1))
	return &Smoother{s, y, s.choose(y)}
}

// Values are those of the spline, its penalty multiplied by a factor.
func (s *Smoother) Values(factor float64) []float64 {
	p := s.spline.penalise(factor * s.penalty)
	out := p.rough(p.curvatures(s.y))
	for t, r := range out {
		out[t] = s.y[t] - r
	}
	return out
}

// Spline are the slopes of the cubic smoothing spline at the interior values; smoothing is
// its penalty, 0 one by generalised cross-validation.
func Spline(times, y []float64, smoothing float64) (*Estimate, error) {
	n := len(y)
	if n < 5 {
		return nil, errors.New("a smoothing spline needs at least 5 values")
	}
	if smoothing < 0 || math.IsNaN(smoothing) || math.IsInf(smoothing, 0) {
		return nil, errors.New("the smoothing must be a number ≥ 0; 0 chooses it")
	}
	unit := (times[n-1] - times[0]) / float64(n-1)
	s := newSpline(times, unit)
	lambda := smoothing / (unit * unit * unit)
	if smoothing == 0 {
		lambda = s.choose(y)
	}
	p := s.penalise(lambda)
	gamma := p.curvatures(y)
	g := p.rough(gamma)
	for t, r := range g {
		g[t] = y[t] - r
	}
	e := &Estimate{First: 1}
	z := p.inverse(1, true)
	for t := 1; t < n-1; t++ {
		h := s.h[t]
		slope := (g[t+1]-g[t])/h - h*gamma[t-1]/3
		if t < n-2 {
			slope -= h * gamma[t] / 6
		}
		w := p.stencil(t, z)
		for i := range w.Weight {
			w.Weight[i] /= unit
		}
		e.Value, e.Made = append(e.Value, slope/unit), append(e.Made, w)
	}
	if smoothing > 0 && slices.ContainsFunc(e.Value, func(v float64) bool { return v-v != 0 }) {
		return nil, fmt.Errorf("the smoothing %g is too large to compute with: take a smaller one, or 0, which chooses it", smoothing)
	}
	return e, nil
}

// stencil is the slope at knot t as a function of the values: with the spline's
// values y − λQγ and γ = ZQᵀy it is (g[t+1] − g[t])/h − h(2γ[t] + γ[t+1])/6.
func (p *penalised) stencil(t int, z [][]float64) Stencil {
	m, h := p.n-2, p.h[t]
	// coef are the slope's derivatives by γ[j], j = t−2 … t+1 of the interior.
	var coef [4]float64
	low := t - 2
	add := func(j int, v float64) {
		if j >= 0 && j < m {
			coef[j-low] += v
		}
	}
	add(t-1, -h/3)
	add(t, -h/6)
	for j := t - 2; j <= t+1; j++ { // Q has column j in rows j … j+2
		if j < 0 || j >= m {
			continue
		}
		a, b, c := p.column(j)
		row := [3]float64{a, b, c}
		if r := t + 1 - j; r >= 0 && r < 3 {
			add(j, -p.lambda*row[r]/h)
		}
		if r := t - j; r >= 0 && r < 3 {
			add(j, p.lambda*row[r]/h)
		}
	}
	// The values of γ that matter reach as far as the rows of Z do.
	from, to := m, 0
	for j := max(low, 0); j <= min(low+3, m-1); j++ {
		to = max(to, j+len(z[j]))
		first := j
		for first > 0 && first-1+len(z[first-1]) > j {
			first--
		}
		from = min(from, first)
	}
	weight := make([]float64, to-from+2)
	for k := from; k < to; k++ {
		u := 0.0
		for i, c := range coef {
			j := low + i
			a, b := min(j, k), max(j, k)
			if c != 0 && b-a < len(z[a]) {
				u += c * z[a][b-a]
			}
		}
		a, b, c := p.column(k)
		weight[k-from] += u * a
		weight[k-from+1] += u * b
		weight[k-from+2] += u * c
	}
	return p.trimmed(from, weight, t, h)
}

// negligible is the share of the largest weight of a stencil that does not matter
// for its errors.
const negligible = 1e-7

// trimmed adds the difference quotient itself and leaves out the ends that do
// not matter.
func (p *penalised) trimmed(from int, weight []float64, t int, h float64) Stencil {
	for from > t {
		from, weight = from-1, append([]float64{0}, weight...)
	}
	for from+len(weight) <= t+1 {
		weight = append(weight, 0)
	}
	weight[t-from] -= 1 / h
	weight[t+1-from] += 1 / h
	most := 0.0
	for _, w := range weight {
		most = math.Max(most, math.Abs(w))
	}
	first, last := 0, len(weight)
	for math.Abs(weight[first]) < negligible*most {
		first++
	}
	for math.Abs(weight[last-1]) < negligible*most {
		last--
	}
	return Stencil{from + first, weight[first:last], t}
}
