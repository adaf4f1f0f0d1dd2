package ode

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/vector"
)

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

// A field is the right-hand side of n lanes: f at their times t and states y.
type field interface {
	Values(f, t, y []float64)
}

// plain is the field of a system, one lane.
type plain System

func (s *plain) Values(f, t, y []float64) { s.F(f, t[0], y) }

// explicit is a Runge–Kutta pair at work on n lanes: solutions side by side, each with its
// own time, step and error. Component k of lane i of a vector is at k*n+i. What a lane
// computes does not depend on the others. As a stepper it has one lane.
type explicit struct {
	*tableau
	o      *Options
	dim, n int
	field  field

	lanes    []lane
	wide     []float64 // length of the step, for each component
	accepted []float64 // 1 where the last attempt was, else 0, for each component
	y0, y    []float64 // at the ends of the step
	k        [][]float64
	rows     []vector.Sum // of the stages that a step needs, the last gives the new state
	extra    []vector.Sum // of the stages for dense output
	estimate []vector.Sum // of the error
	parts    []vector.Sum // of the step, by lane: where the stages are
	poly     []vector.Sum // coefficients 4, 5, … of the dense output
	cont     [][]float64  // all of them, y0 first
	ready    bool         // they belong to the last step

	record           *record // of the last attempt
	path             *path   // nil: only that is remembered
	rtol, atol       []float64
	zero, ones       []float64
	u, v             []float64 // workspace
	time, norm, next []float64 // by lane: workspace
}

// A lane is where a solution has come to.
type lane struct {
	bound    float64
	from, to float64 // the last step; both where it started before that
	h        float64 // length of the next
	grow     float64 // the most it may grow by
	going    bool    // it wants steps
	rejected bool    // the last attempt
	broken   bool    // and was not finite
	err      error   // why it goes no more
	count    Stats
}

// A record is an attempt of a step by all lanes.
type record struct {
	stages         []float64 // states of the stages, from the second on
	from, to, step []float64 // by lane
	accepted       []float64 // by lane: 1 or 0
	smooth         []float64 // by lane: step where dense output was asked for, else 0
	dense          bool      // some was
}

func newExplicit(tab *tableau, dim, n int, o *Options) *explicit {
	m := dim * n
	e := &explicit{tableau: tab, o: o, dim: dim, n: n, lanes: make([]lane, n)}
	e.k, e.cont = matrix(len(tab.a), m), matrix(4+len(tab.dense), m)
	e.y0 = e.cont[0]
	e.record = e.newRecord()
	for i, v := range matrix(6, m) {
		*[]*[]float64{&e.wide, &e.accepted, &e.zero, &e.u, &e.v, &e.atol}[i] = v
	}
	for i, v := range matrix(3, n) {
		*[]*[]float64{&e.time, &e.norm, &e.next}[i] = v
	}
	e.rtol = slices.Repeat([]float64{o.RTol}, m)
	for i := range e.atol[:len(o.ATol)*n] {
		e.atol[i] = o.ATol[i/n]
	}
	e.ones = slices.Repeat([]float64{1}, m)
	for _, c := range tab.c {
		e.parts = append(e.parts, vector.NewSum([]float64{c}, [][]float64{e.ones[:n]}))
	}
	last := len(tab.b)
	for s := 1; s < len(tab.a); s++ {
		if r := vector.NewSum(tab.a[s], e.k); s <= last {
			e.rows = append(e.rows, r)
		} else {
			e.extra = append(e.extra, r)
		}
	}
	for _, w := range tab.err {
		e.estimate = append(e.estimate, vector.NewSum(w, e.k))
	}
	for _, w := range tab.dense {
		e.poly = append(e.poly, vector.NewSum(w, e.k))
	}
	return e
}

// matrix makes rows of n numbers.
func matrix(rows, n int) [][]float64 {
	m, all := make([][]float64, rows), make([]float64, rows*n)
	for i := range m {
		m[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	return m
}

func (e *explicit) newRecord() *record {
	r := &record{stages: make([]float64, (len(e.a)-1)*e.dim*e.n)}
	for i, v := range matrix(5, e.n) {
		*[]*[]float64{&r.from, &r.to, &r.step, &r.accepted, &r.smooth}[i] = v
	}
	return r
}

// start heads from (t, y) for bound, which differs from t.
func (e *explicit) start(sys *System, t, bound float64, y []float64) {
	e.field = (*plain)(sys)
	e.begin(t, bound, y)
}

// begin starts all lanes.
func (e *explicit) begin(t, bound float64, y []float64) {
	copy(e.y0, y)
	e.y = e.y0
	e.ready = false
	clear(e.accepted)
	if e.path != nil {
		e.path.rows = 0
	}
	for i := range e.lanes {
		e.time[i] = t
		e.lanes[i] = lane{bound: bound, from: t, to: t, h: e.o.First, grow: maxFactor, going: true, count: Stats{Evaluations: 1}}
	}
	e.field.Values(e.k[0], e.time, e.y0)
	some := false
	for i := range e.lanes {
		for j := i; j < len(e.y0); j += e.n {
			if !isFinite(e.k[0][j]) {
				e.lanes[i].fail(errNotFinite)
			}
		}
		some = some || e.lanes[i].going
	}
	if e.o.First == 0 && some {
		e.first(t)
	}
}

// fail ends a lane.
func (l *lane) fail(why error) { l.going, l.err = false, why }

// first chooses the first steps: Hairer, Nørsett and Wanner, section II.4.
func (e *explicit) first(t float64) {
	f, g, y := e.k[0], e.u, e.stage(1)
	for i := range e.lanes {
		l := &e.lanes[i]
		d0, d1 := e.sizes(i)
		h0 := 0.01 * d0 / d1
		if !(d0 >= 1e-5 && d1 >= 1e-5) {
			h0 = 1e-6
		}
		l.h = min(h0, math.Abs(l.bound-t))
		e.norm[i] = d1
		e.next[i] = math.Copysign(l.h, l.bound-t)
		e.time[i] = t + e.next[i]
		if l.going {
			l.count.Evaluations++
		}
	}
	e.spread(e.wide, e.next)
	vector.MulAdd(y, e.wide, f, e.y0)
	e.field.Values(g, e.time, y)
	for i := range e.lanes {
		l := &e.lanes[i]
		h0, d1, d2 := l.h, e.norm[i], 0.0
		for k, a := range e.o.ATol {
			j := k*e.n + i
			d := (g[j] - f[j]) / (a + math.Abs(e.y0[j])*e.o.RTol)
			d2 += d * d
		}
		d2 = math.Sqrt(d2/float64(len(e.o.ATol))) / h0
		h1 := max(1e-6, h0*1e-3)
		if d := max(d1, d2); d > 1e-15 {
			h1 = math.Pow(0.01/d, 1/float64(e.order+1))
		}
		if !(h1 > 0) { // f is not finite one Euler step ahead
			h1 = h0 * 1e-3
		}
		l.h = min(100*h0, h1, math.Abs(l.bound-t))
	}
}

// sizes are the norms of the state and of f at the start of lane i.
func (e *explicit) sizes(i int) (state, slope float64) {
	for k, a := range e.o.ATol {
		y, f := e.y0[k*e.n+i], e.k[0][k*e.n+i]
		s := a + math.Abs(y)*e.o.RTol
		state += (y / s) * (y / s)
		slope += (f / s) * (f / s)
	}
	n := float64(len(e.o.ATol))
	return math.Sqrt(state / n), math.Sqrt(slope / n)
}

// spread writes numbers by lane for each component.
func (e *explicit) spread(dst, x []float64) {
	for ; len(dst) > 0; dst = dst[e.n:] {
		copy(dst[:e.n], x)
	}
}

// step makes an accepted step of the only lane.
func (e *explicit) step() error {
	for l := &e.lanes[0]; ; {
		if e.sweep(); l.err != nil {
			return l.err
		}
		if !l.rejected {
			return nil
		}
	}
}

// sweep makes an attempt of a step in every lane that goes. Those that were accepted
// before begin where their step ended, those that were rejected where they began.
func (e *explicit) sweep() {
	last := e.k[len(e.b)]
	vector.Select(e.y0, e.accepted, e.zero, e.y0, e.y)
	vector.Select(e.k[0], e.accepted, e.zero, e.k[0], last)
	if e.path != nil {
		e.record = e.path.next(e)
	}
	r := e.record
	r.dense, e.ready = false, false
	for i := range e.lanes {
		r.from[i], r.to[i], r.step[i] = e.lanes[i].propose(e.o)
		r.smooth[i] = 0
	}
	e.spread(e.wide, r.step)
	for s := range e.rows {
		y := e.stage(s + 1)
		e.rows[s].Into(y, e.y0, e.wide)
		e.values(s+1, r.step)
	}
	e.y = e.stage(len(e.b))
	e.judge()
	e.spread(e.accepted, r.accepted)
}

// stage is where the states of stage s ≥ 1 are.
func (e *explicit) stage(s int) []float64 {
	m := e.dim * e.n
	return e.record.stages[(s-1)*m : s*m : s*m]
}

// values evaluates f at stage s of steps.
func (e *explicit) values(s int, step []float64) {
	e.parts[s].Into(e.time, e.record.from, step)
	e.field.Values(e.k[s], e.time, e.stage(s))
}

// propose is the next step, 0 where the lane goes no more.
func (l *lane) propose(o *Options) (from, to, step float64) {
	least := max(0x1p-1000, 10*0x1p-52*math.Abs(l.to))
	h := min(l.h, o.Max)
	if l.going && h < least {
		switch {
		case !l.rejected:
			h = least
		case l.broken:
			l.fail(errNotFinite)
		default:
			l.fail(errTooSmall)
		}
	}
	if !l.going {
		return l.to, l.to, 0
	}
	to = l.to + h
	if l.bound < l.to {
		to = max(l.to-h, l.bound)
	} else if to > l.bound {
		to = l.bound
	}
	step = to - l.to
	l.h = math.Abs(step)
	return l.to, to, step
}

// judge accepts or rejects the attempts: where the mean square of the error in units of the
// tolerance is below 1, and state and slope are finite.
func (e *explicit) judge() {
	e.errors()
	power := -0.5 / float64(e.order+1)
	vector.Log(e.next, e.norm)
	for i, x := range e.next {
		e.next[i] = x * power
	}
	vector.Exp(e.next, e.next)
	stages := len(e.rows)
	for i := range e.lanes {
		l, r := &e.lanes[i], e.record
		r.accepted[i] = 0
		if !l.going {
			continue
		}
		x, factor := e.norm[i], safety*e.next[i]
		l.count.Evaluations += stages
		if l.rejected = !(x < 1); !l.rejected {
			r.accepted[i] = 1
			l.from, l.to = l.to, r.to[i]
			l.h *= min(l.grow, factor)
			l.grow = maxFactor
			l.count.Steps++
			continue
		}
		l.count.Rejected++
		l.grow = 1
		if l.broken = math.IsNaN(x); l.broken {
			factor = 0
		}
		l.h *= max(minFactor, factor)
	}
}

// errors are the mean squares of the errors of an attempt, NaN where it is not finite.
func (e *explicit) errors() {
	m := len(e.o.ATol) * e.n
	u, v, last := e.u[:m], e.v[:m], e.k[len(e.b)]
	for j := len(e.estimate) - 1; j >= 0; j-- {
		vector.Abs(u, e.y0)
		vector.Abs(v, e.y)
		vector.Max(u, u, v)
		vector.MulAdd(u, e.rtol, u, e.atol)
		e.estimate[j].Into(v, e.zero, e.wide)
		vector.Div(v, v, u)
		vector.Mul(v, v, v)
		sum := e.norm
		if j == 1 {
			sum = e.next
		}
		copy(sum, v)
		for at := e.n; at < m; at += e.n {
			vector.Add(sum, sum, v[at:])
		}
	}
	per := 1 / float64(len(e.o.ATol))
	if len(e.estimate) == 1 {
		for i, x := range e.norm {
			e.norm[i] = x * per
		}
	} else {
		for i, x := range e.norm {
			if y := e.next[i]; x != 0 || y != 0 {
				e.norm[i] = x / (x + float64(0.01*y)) * (x * per)
			}
		}
	}
	vector.MulMulAdd(e.u, e.y, e.zero, last, e.zero) // 0 where they are finite
	for at := 0; at < len(e.u); at += e.n {
		vector.Add(e.norm, e.norm, e.u[at:])
	}
}

func (e *explicit) interval() (from, to float64) { return e.lanes[0].from, e.lanes[0].to }
func (e *explicit) stats() Stats                 { return e.lanes[0].count }

func (e *explicit) state() []float64 {
	if e.accepted[0] == 0 {
		return e.y0
	}
	return e.y
}

// at evaluates the dense output of the only lane.
func (e *explicit) at(dst []float64, t float64) {
	if !e.ready && t != e.lanes[0].to {
		e.record.smooth[0] = e.record.step[0]
		e.interpolate()
	}
	e.output(dst, 1, 0, t)
}

// output writes the state of lane i at t, within or at the end of its last step, into
// every stride-th place of dst: a polynomial in x and 1-x by turns.
func (e *explicit) output(dst []float64, stride, i int, t float64) {
	l := &e.lanes[i]
	if t == l.to {
		for k, y := range e.y[i:] {
			if k%e.n == 0 {
				dst[k/e.n*stride] = y
			}
		}
		return
	}
	x := (t - l.from) / (l.to - l.from)
	u, v := x, 1-x // v multiplies coefficients 2, 4, …, counted from y0
	for k := range e.dim {
		at, j := k*e.n+i, len(e.cont)-1
		y := e.cont[j][at]
		if j%2 == 1 {
			y = e.cont[j-1][at] + float64(u*y)
			j--
		}
		for ; j > 0; j -= 2 {
			y = e.cont[j-2][at] + float64(u*(e.cont[j-1][at]+float64(v*y)))
		}
		dst[k*stride] = y
	}
}

// interpolate prepares the dense output of the lanes of the last attempt that ask for it.
func (e *explicit) interpolate() {
	e.ready, e.record.dense = true, true
	last := len(e.b)
	if len(e.extra) > 0 {
		// Where it is not asked for, the states of these stages are those of the start.
		e.spread(e.u, e.record.smooth)
	}
	for s := range e.extra {
		e.extra[s].Into(e.stage(last+1+s), e.y0, e.u)
		e.values(last+1+s, e.record.smooth)
	}
	for i, d := range e.record.smooth {
		if d != 0 {
			e.lanes[i].count.Evaluations += len(e.extra)
		}
	}
	f0, f1 := e.k[0], e.k[last]
	c0, c1, c2 := e.cont[1], e.cont[2], e.cont[3]
	vector.Sub(c0, e.y, e.y0)
	vector.MulSub(c1, e.wide, f0, c0)
	vector.Add(e.u, f0, f1)
	vector.Add(c2, c0, c0)
	vector.SubMul(c2, e.wide, e.u, c2)
	for j := range e.poly {
		e.poly[j].Into(e.cont[4+j], e.zero, e.wide)
	}
}
