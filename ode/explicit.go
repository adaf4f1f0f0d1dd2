package ode

import "math"

// A tableau is an explicit Runge–Kutta pair with dense output. Stage 0 is f at
// the start of the step, stage len(b) is f at its end: the first of the next one.
// Stages beyond are evaluated for dense output only.
type tableau struct {
	order int         // of the error estimate: its norm falls as h^(order+1)
	c     []float64   // times of the stages, in steps
	a     [][]float64 // row s: weights of the stages before s; row len(b) is that of the step
	b     []float64   // weights of the step
	err   [][]float64 // weights of the error estimate; with two, of orders 5 and 3, the first is scaled by the second
	dense [][]float64 // weights of the coefficients 4, 5, … of the dense output
}

// Step control, as in SciPy.
const (
	safety    = 0.9
	minFactor = 0.2
	maxFactor = 10
)

// explicit is a Runge–Kutta pair at work.
type explicit struct {
	*tableau
	o     *Options
	sys   *System
	dim   int
	bound float64

	t0, t    float64 // of the last step
	h        float64 // length of the next
	y0, y    []float64
	k        [][]float64 // stages
	rows     []sum       // of the stages that a step needs, the last gives the new state
	extra    []sum       // of the stages for dense output
	estimate []sum
	poly     []sum       // coefficients 4, 5, … of the dense output
	cont     [][]float64 // all of them, y0 first
	e        []float64
	zero     []float64
	stages   []float64 // states of the stages of the last attempt, from the second on
	path     *path     // nil: nothing is remembered
	smooth   bool      // cont belongs to the last step
	broken   bool      // the last attempt was not finite
	count    Stats
}

func newExplicit(tab *tableau, dim int, o *Options) stepper {
	e := &explicit{tableau: tab, o: o, dim: dim}
	matrix := func(n int) [][]float64 {
		m, all := make([][]float64, n), make([]float64, n*dim)
		for i := range m {
			m[i] = all[i*dim : (i+1)*dim : (i+1)*dim]
		}
		return m
	}
	e.k, e.cont = matrix(len(tab.a)), matrix(4+len(tab.dense))
	v := matrix(3)
	e.y0, e.y, e.e, e.zero = e.cont[0], v[0], v[1], v[2]
	e.stages = make([]float64, (len(tab.a)-1)*dim)
	last := len(tab.b)
	for s := 1; s < len(tab.a); s++ {
		if r := newSum(tab.a[s], e.k); s <= last {
			e.rows = append(e.rows, r)
		} else {
			e.extra = append(e.extra, r)
		}
	}
	for _, w := range tab.err {
		e.estimate = append(e.estimate, newSum(w, e.k))
	}
	for _, w := range tab.dense {
		e.poly = append(e.poly, newSum(w, e.k))
	}
	return e
}

func (e *explicit) start(sys *System, t, bound float64, y []float64) {
	e.sys, e.t0, e.t, e.bound, e.count = sys, t, t, bound, Stats{}
	copy(e.y, y)
	copy(e.y0, y)
	e.smooth = false
	if e.path != nil {
		e.path.hops = e.path.hops[:0]
	}
	f := e.k[len(e.b)]
	e.eval(f, t, e.y)
	e.broken = !finite(f)
	if e.h = e.o.First; e.h == 0 && !e.broken {
		e.h = e.first(f)
	}
}

func (e *explicit) eval(dy []float64, t float64, y []float64) {
	e.count.Evaluations++
	e.sys.F(dy, t, y)
}

// first chooses the first step: Hairer, Nørsett and Wanner, section II.4.
func (e *explicit) first(f []float64) float64 {
	span := math.Abs(e.bound - e.t)
	var d0, d1, d2 float64
	for i, a := range e.o.ATol {
		s := a + math.Abs(e.y[i])*e.o.RTol
		d0 += (e.y[i] / s) * (e.y[i] / s)
		d1 += (f[i] / s) * (f[i] / s)
	}
	n := float64(len(e.o.ATol))
	d0, d1 = math.Sqrt(d0/n), math.Sqrt(d1/n)
	h0 := 0.01 * d0 / d1
	if !(d0 >= 1e-5 && d1 >= 1e-5) {
		h0 = 1e-6
	}
	h0 = min(h0, span)
	dh := math.Copysign(h0, e.bound-e.t)
	y, g := e.stage(1), e.e
	for i := range y {
		y[i] = e.y[i] + dh*f[i]
	}
	e.eval(g, e.t+dh, y)
	for i, a := range e.o.ATol {
		d := (g[i] - f[i]) / (a + math.Abs(e.y[i])*e.o.RTol)
		d2 += d * d
	}
	d2 = math.Sqrt(d2/n) / h0
	h1 := max(1e-6, h0*1e-3)
	if d := max(d1, d2); d > 1e-15 {
		h1 = math.Pow(0.01/d, 1/float64(e.order+1))
	}
	if !(h1 > 0) { // f is not finite one Euler step ahead
		h1 = h0 * 1e-3
	}
	return min(100*h0, h1, span)
}

func (e *explicit) step() error {
	if e.broken {
		return errNotFinite
	}
	forward := math.Copysign(1, e.bound-e.t)
	least := 10 * math.Abs(math.Nextafter(e.t, math.Inf(int(forward)))-e.t)
	h := max(min(e.h, e.o.Max), least)
	// The state becomes the start of this step; a rejected one leaves it there.
	e.t0 = e.t
	e.smooth = false
	copy(e.y0, e.y)
	copy(e.k[0], e.k[len(e.b)])
	grow := float64(maxFactor)
	for h >= least {
		t := e.t0 + forward*h
		if forward*(t-e.bound) > 0 {
			t = e.bound
		}
		d := t - e.t0
		h = math.Abs(d)
		e.attempt(d)
		norm := e.norm(h)
		e.broken = !(finite(e.y) && finite(e.k[len(e.b)]))
		if norm < 1 && !e.broken {
			e.t = t
			if e.path != nil {
				e.path.hops = append(e.path.hops, hop{e.t0, t, false})
			}
			e.h = h * min(grow, e.factor(norm))
			e.count.Steps++
			return nil
		}
		e.count.Rejected++
		grow = 1
		if e.broken = e.broken || math.IsNaN(norm); e.broken {
			h *= minFactor
		} else {
			h *= max(minFactor, e.factor(norm))
		}
	}
	copy(e.y, e.y0)
	if e.broken {
		return errNotFinite
	}
	return errTooSmall
}

// factor is by how much the step should change after an error, without limits.
func (e *explicit) factor(norm float64) float64 {
	return safety * inverseRoot(norm, e.order+1)
}

// inverseRoot is x^(-1/n) to 1e-6, which is plenty for the length of a step: by Newton's
// method from the exponent of x, in half the time of a logarithm and an exponential.
func inverseRoot(x float64, n int) float64 {
	if !(x > 0x1p-1000 && x < 0x1p1000) {
		return math.Pow(x, -1/float64(n))
	}
	const one = 1023 << 52
	y := 0.97 * math.Float64frombits(uint64(one+(one-int64(math.Float64bits(x)))/int64(n)))
	part := 1 / float64(n)
	for range 3 {
		power := x * y
		for range n - 1 {
			power *= y
		}
		y += y * part * (1 - power)
	}
	return y
}

// stage is where the state of stage s ≥ 1 is.
func (e *explicit) stage(s int) []float64 { return e.stages[(s-1)*e.dim : s*e.dim] }

// attempt fills the stages, the new state and f there for a step of d.
func (e *explicit) attempt(d float64) {
	if e.path != nil {
		e.stages = e.path.room((len(e.k) - 1) * e.dim)
	}
	for s := range e.rows {
		y := e.stage(s + 1)
		e.rows[s].into(y, e.y0, d)
		e.eval(e.k[s+1], e.t0+e.c[s+1]*d, y)
	}
	copy(e.y, e.stage(len(e.b)))
}

// norm is the error estimate of a step of length h in units of the tolerance.
func (e *explicit) norm(h float64) float64 {
	var n [2]float64
	for j := range e.estimate {
		x := e.e[:len(e.o.ATol)]
		e.estimate[j].into(x, e.zero, h)
		for i, a := range e.o.ATol {
			r := x[i] / (a + e.o.RTol*max(math.Abs(e.y0[i]), math.Abs(e.y[i])))
			n[j] += r * r
		}
	}
	m := float64(len(e.o.ATol))
	if len(e.estimate) == 1 {
		return math.Sqrt(n[0] / m)
	}
	if n[0] == 0 && n[1] == 0 {
		return 0
	}
	return n[0] / math.Sqrt((n[0]+0.01*n[1])*m)
}

func (e *explicit) interval() (from, to float64) { return e.t0, e.t }
func (e *explicit) state() []float64             { return e.y }
func (e *explicit) stats() Stats                 { return e.count }

// at evaluates the dense output: a polynomial in x and 1-x by turns.
func (e *explicit) at(dst []float64, t float64) {
	if t == e.t {
		copy(dst, e.y)
		return
	}
	if !e.smooth {
		e.interpolate()
	}
	x := (t - e.t0) / (e.t - e.t0)
	u, v := x, 1-x // v multiplies coefficients 2, 4, …, counted from y0
	j := len(e.cont) - 1
	copy(dst, e.cont[j])
	if j%2 == 1 {
		horner(dst, e.cont[j-1], e.cont[j], u, 0)
		j--
	}
	for ; j > 0; j -= 2 {
		horner(dst, e.cont[j-2], e.cont[j-1], u, v)
	}
}

// horner sets dst to p + u·(q + v·dst).
func horner(dst, p, q []float64, u, v float64) {
	p, q = p[:len(dst)], q[:len(dst)]
	for i, x := range dst {
		dst[i] = p[i] + u*(q[i]+v*x)
	}
}

// interpolate prepares the dense output of the last step.
func (e *explicit) interpolate() {
	e.smooth = true
	d := e.t - e.t0
	last := len(e.b)
	for s := range e.extra {
		y := e.stage(last + 1 + s)
		e.extra[s].into(y, e.y0, d)
		e.eval(e.k[last+1+s], e.t0+e.c[last+1+s]*d, y)
	}
	if e.path != nil {
		e.path.hops[len(e.path.hops)-1].smooth = true
	}
	f0, f1 := e.k[0], e.k[last]
	c0, c1, c2 := e.cont[1], e.cont[2], e.cont[3]
	for i := range c0 {
		delta := e.y[i] - e.y0[i]
		c0[i] = delta
		c1[i] = d*f0[i] - delta
		c2[i] = 2*delta - d*(f0[i]+f1[i])
	}
	for j := range e.poly {
		c := e.cont[4+j]
		e.poly[j].into(c, e.zero, d)
	}
}

// A sum is a weighted sum of stages, without those of weight 0, by parts of up to
// six terms.
type sum []part

type part struct {
	n int
	w [6]float64
	k [6][]float64
}

func newSum(w []float64, k [][]float64) sum {
	var s sum
	for j, v := range w {
		if v == 0 {
			continue
		}
		if len(s) == 0 || s[len(s)-1].n == 6 {
			s = append(s, part{})
		}
		p := &s[len(s)-1]
		p.w[p.n], p.k[p.n] = v, k[j]
		p.n++
	}
	return s
}

// into sets dst to y plus h times the sum, as far as dst goes; y may be dst.
func (s sum) into(dst, y []float64, h float64) {
	for i := range s {
		s[i].into(dst, y, h)
		y = dst
	}
}

func (p *part) into(dst, y []float64, h float64) {
	w, k := &p.w, &p.k
	switch p.n {
	case 1:
		add1(dst, y, h*w[0], k[0])
	case 2:
		add2(dst, y, h*w[0], h*w[1], k[0], k[1])
	case 3:
		add3(dst, y, h*w[0], h*w[1], h*w[2], k[0], k[1], k[2])
	case 4:
		add4(dst, y, h*w[0], h*w[1], h*w[2], h*w[3], k[0], k[1], k[2], k[3])
	case 5:
		add5(dst, y, h*w[0], h*w[1], h*w[2], h*w[3], h*w[4], k[0], k[1], k[2], k[3], k[4])
	case 6:
		add6(dst, y, h*w[0], h*w[1], h*w[2], h*w[3], h*w[4], h*w[5], k[0], k[1], k[2], k[3], k[4], k[5])
	}
}

func add1(dst, y []float64, a float64, p []float64) {
	y, p = y[:len(dst)], p[:len(dst)]
	for i := range dst {
		dst[i] = y[i] + a*p[i]
	}
}

func add2(dst, y []float64, a, b float64, p, q []float64) {
	y, p, q = y[:len(dst)], p[:len(dst)], q[:len(dst)]
	for i := range dst {
		dst[i] = y[i] + (a*p[i] + b*q[i])
	}
}

func add3(dst, y []float64, a, b, c float64, p, q, r []float64) {
	y, p, q, r = y[:len(dst)], p[:len(dst)], q[:len(dst)], r[:len(dst)]
	for i := range dst {
		dst[i] = y[i] + (a*p[i] + b*q[i] + c*r[i])
	}
}

func add4(dst, y []float64, a, b, c, d float64, p, q, r, s []float64) {
	y, p, q, r, s = y[:len(dst)], p[:len(dst)], q[:len(dst)], r[:len(dst)], s[:len(dst)]
	for i := range dst {
		dst[i] = y[i] + (a*p[i] + b*q[i] + (c*r[i] + d*s[i]))
	}
}

func add5(dst, y []float64, a, b, c, d, e float64, p, q, r, s, t []float64) {
	n := len(dst)
	y, p, q, r, s, t = y[:n], p[:n], q[:n], r[:n], s[:n], t[:n]
	for i := range dst {
		dst[i] = y[i] + (a*p[i] + b*q[i] + (c*r[i] + d*s[i]) + e*t[i])
	}
}

func add6(dst, y []float64, a, b, c, d, e, f float64, p, q, r, s, t, u []float64) {
	n := len(dst)
	y, p, q, r, s, t, u = y[:n], p[:n], q[:n], r[:n], s[:n], t[:n], u[:n]
	for i := range dst {
		dst[i] = y[i] + (a*p[i] + b*q[i] + (c*r[i] + d*s[i]) + (e*t[i] + f*u[i]))
	}
}
