package tune

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A gauge evaluates a potential at r places, or at some of them.
type gauge struct {
	r           int
	of          func(r int) potential.Evaluator
	all, single potential.Evaluator // single is nil until it is needed
	energy      []float64           // 1
	x, grad     []float64           // of one place
}

// few is the part of the places up to which they are evaluated one by one: vectors have eight lanes.
const few = 8

func newGauge(d, r int, of func(r int) potential.Evaluator) *gauge {
	return &gauge{r: r, of: of, all: of(r), energy: make([]float64, 1), x: make([]float64, d), grad: make([]float64, d)}
}

// eval writes energies and slopes of some places; those of others have no meaning.
func (g *gauge) eval(energy, grad, x []float64, some []bool) {
	n := 0
	for _, is := range some {
		if is {
			n++
		}
	}
	if few*n > g.r {
		g.all.Eval(energy, grad, x)
		return
	}
	if g.single == nil && n > 0 {
		g.single = g.of(1)
	}
	for i, is := range some {
		if !is {
			continue
		}
		for j := range g.x {
			g.x[j] = x[j*g.r+i]
		}
		g.single.Eval(g.energy, g.grad, g.x)
		energy[i] = g.energy[0]
		for j, v := range g.grad {
			grad[j*g.r+i] = v
		}
	}
}

// each is the evaluators that there are.
func (g *gauge) each() []potential.Evaluator {
	if g == nil {
		return nil
	}
	if g.single == nil {
		return []potential.Evaluator{g.all}
	}
	return []potential.Evaluator{g.all, g.single}
}

// err is the first failure of one of them.
func (g *gauge) err() (err error) {
	for _, e := range g.each() {
		err = cmp.Or(err, potential.Err(e))
	}
	return err
}

// A meter is a probe's workspace at r places: slices of d × r numbers are by coordinate.
type meter struct {
	ctx        context.Context // after its end nothing is looked at
	r, d       int
	rng        *rand.Rand
	eval       *gauge
	noisy      potential.Evaluator  // of one state
	guide      *gauge               // nil without
	back       func(z, x []float64) // sets z to the coordinates of x
	z, v, a, b []float64
	sum, g     []float64
	energy, h  []float64 // r; h is how far from z along v
	fine       []bool    // r; whether energy and slope are finite
	one        []float64 // d
	measurable bool
}

func newMeter(q *probe, d int, w *r2sgld.Whitening, r int) *meter {
	m := &meter{ctx: q.ctx, r: r, d: d, one: make([]float64, d), rng: q.rng(), measurable: q.exact != nil,
		energy: make([]float64, r), h: make([]float64, r), fine: make([]bool, r)}
	for _, s := range []*[]float64{&m.z, &m.v, &m.a, &m.b, &m.sum, &m.g} {
		*s = make([]float64, d*r)
	}
	of := func(p potential.Potential, r int) potential.Evaluator {
		if w != nil {
			p = potential.Affine(p, w.Center, w.L)
		}
		return p.Evaluator(r, stream.New(q.seed, streamOf))
	}
	if m.measurable {
		m.eval = newGauge(d, r, func(r int) potential.Evaluator { return of(q.exact, r) })
	} else {
		m.eval = newGauge(d, r, func(r int) potential.Evaluator { return of(q.potential, r) })
	}
	if q.noisy {
		m.noisy = of(q.potential, 1)
	}
	if q.guide != nil {
		m.guide = newGauge(d, r, func(r int) potential.Evaluator { return of(q.guide, r) })
	}
	m.back = func(z, x []float64) { copy(z, x) }
	if w != nil {
		if solve, err := w.Inverse(); err == nil {
			m.back = solve
		}
	}
	return m
}

// put sets place i to the coordinates of x.
func (m *meter) put(i int, x []float64) {
	m.back(m.one, x)
	for j, v := range m.one {
		m.z[j*m.r+i] = v
	}
}

// at is place i of a slice of all.
func (m *meter) at(all []float64, i int) []float64 {
	one := make([]float64, m.d)
	for j := range one {
		one[j] = all[j*m.r+i]
	}
	return one
}

func (m *meter) close() {
	for _, e := range slices.Concat(m.eval.each(), m.guide.each()) {
		_ = potential.Close(e)
	}
	if m.noisy != nil {
		_ = potential.Close(m.noisy)
	}
}

// points looks around the first n places; nil is what is not finite.
func (m *meter) points(n int) []*point {
	all := make([]bool, m.r)
	for i := range n {
		all[i] = true
	}
	m.look(m.a, 0, all)
	energy, fine := slices.Clone(m.energy), slices.Clone(m.fine)
	points, guided := make([]*point, n), make([]bool, m.r)
	for i := range points {
		if fine[i] {
			points[i] = &point{curvature: math.NaN(), energy: energy[i], at: m.at(m.z, i), slope: m.at(m.a, i)}
		}
	}
	if m.guide != nil { // energies are those that rungs trade by
		m.eval, m.guide = m.guide, m.eval
		m.look(m.b, 0, fine)
		m.eval, m.guide = m.guide, m.eval
		copy(guided, m.fine)
	}
	own, guides := make([]float64, m.d*m.r), make([]float64, m.d*m.r)
	for i, p := range points { // chance comes point by point
		if p == nil {
			continue
		}
		if m.measurable {
			m.direction(own, i)
		}
		if m.noisy != nil {
			p.noise = m.noise(p)
		}
		if guided[i] {
			p.energy -= m.energy[i]
			m.direction(guides, i)
		}
	}
	if m.measurable {
		copy(m.v, own)
		m.curvatures(fine, func(i int, c float64) { points[i].curvature = c })
	}
	if m.guide != nil {
		copy(m.v, guides)
		m.eval, m.guide = m.guide, m.eval
		m.curvatures(guided, func(i int, c float64) { points[i].curvature = max(points[i].curvature, c) })
		m.eval, m.guide = m.guide, m.eval
	}
	copy(m.energy, energy)
	return points
}

// finite reports whether energy and slope are finite at x, for a meter of one place.
func (m *meter) finite(x []float64) bool {
	m.put(0, x)
	return m.gradient(m.a, 0)
}

// smooth reports whether they are finite about x too, by the curvature where that is known.
func (m *meter) smooth(x []float64) bool {
	if !m.finite(x) {
		return false
	}
	c := 0.0
	if m.measurable {
		m.direction(m.v, 0)
		m.curvatures([]bool{true}, func(_ int, v float64) { c = v })
	}
	return !math.IsInf(c, 1)
}

// noise is the largest variance of a partial derivative at p over minibatches.
func (m *meter) noise(p *point) float64 {
	sum, squares, energy := make([]float64, m.d), make([]float64, m.d), make([]float64, 1)
	for range probeNoise {
		m.noisy.Eval(energy, m.one, p.at)
		for j, g := range m.one {
			g -= p.slope[j] // shifted by the exact one, or by another draw of it
			sum[j] += g
			squares[j] += g * g
		}
	}
	worst := 0.0
	for j, s := range sum {
		worst = max(worst, (squares[j]-s*s/probeNoise)/(probeNoise-1))
	}
	return worst
}

// direction draws one at place i.
func (m *meter) direction(v []float64, i int) {
	for j := range m.one {
		m.one[j] = m.rng.NormFloat64()
	}
	normalise(m.one)
	for j, x := range m.one {
		v[j*m.r+i] = x
	}
}

// curvatures tells of some places the norm of the Hessian at z along a direction that a few
// power iterations turn from v towards the largest one.
func (m *meter) curvatures(of []bool, tell func(i int, c float64)) {
	left, c, least := slices.Clone(of), make([]float64, m.r), make([]float64, m.r)
	for i := range m.h {
		m.h[i] = difference(m.at(m.z, i))
		least[i] = m.h[i] * probeShortest
	}
	for range probePower {
		m.differences(left, least, c)
		for i := range left {
			if !left[i] {
				continue
			}
			for j := range m.one {
				k := j*m.r + i
				m.one[j] = (m.sum[k] - m.b[k]) / (2 * m.h[i])
			}
			c[i] = normalise(m.one)
			for j, x := range m.one {
				m.v[j*m.r+i] = x
			}
			left[i] = c[i] != 0 && c[i]-c[i] == 0
		}
	}
	for i, c := range c {
		if of[i] {
			tell(i, c)
		}
	}
}

// difference is how far from z slopes are compared.
func difference(z []float64) (h float64) {
	for _, v := range z {
		h = max(h, math.Abs(v))
	}
	if h = 1e-5 * max(h, 1e-3); h > probeLongest { // where the origin is tells no width
		h = probeLongest * math.Pow(h/probeLongest, 0.25)
	}
	return h
}

// differences looks at both sides of some places. Where the slope is not finite there, beyond a wall,
// maybe, as h is long far from the origin, h becomes shorter; a place where it is shorter than least is
// left out, and its curvature is infinite.
func (m *meter) differences(of []bool, least, c []float64) {
	for need := slices.Clone(of); slices.Contains(need, true); {
		m.look(m.sum, 1, need)
		both := slices.Clone(m.fine)
		m.look(m.b, -1, both)
		for i := range need {
			if !need[i] {
				continue
			}
			if need[i] = !m.fine[i]; !need[i] {
				continue
			}
			if m.h[i] /= 16; m.h[i] < least[i] {
				need[i], of[i], c[i] = false, false, math.Inf(1)
			}
		}
	}
}

// look writes ∇U(z + way h v) of some places into g, and notes whether all of it is finite; of
// others, and after the end of the context, it says that it is not.
func (m *meter) look(g []float64, way float64, of []bool) {
	if m.ctx.Err() != nil {
		clear(m.fine)
		return
	}
	m.move(way, of)
	m.eval.eval(m.energy, m.g, m.z, of)
	m.move(-way, of)
	for i := range m.fine {
		if m.fine[i] = of[i]; !of[i] {
			continue
		}
		sum := m.energy[i]
		for j := range m.d {
			v := m.g[j*m.r+i]
			g[j*m.r+i] = v
			sum += v
		}
		m.fine[i] = sum-sum == 0
	}
}

// move moves some places.
func (m *meter) move(way float64, of []bool) {
	if way == 0 {
		return
	}
	for i, h := range m.h {
		if of[i] {
			for j := range m.d {
				m.z[j*m.r+i] += way * h * m.v[j*m.r+i]
			}
		}
	}
}

// gradient writes ∇U(z + h v) into g and reports whether all of it is finite, for a meter of
// one place.
func (m *meter) gradient(g []float64, h float64) bool {
	m.h[0] = h
	m.look(g, 1, []bool{true})
	return m.fine[0]
}

// normalise scales v to length 1 and returns its length.
func normalise(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum = math.Hypot(sum, x)
	}
	if sum > 0 {
		for i := range v {
			v[i] /= sum
		}
	}
	return sum
}
