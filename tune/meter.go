package tune

import (
	"cmp"
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A meter is a probe's workspace at r places: slices of d × r numbers are by coordinate.
type meter struct {
	ctx        context.Context // after its end nothing is looked at
	r, d       int
	rng        *rand.Rand
	whole      *gauge
	guide      *gauge               // nil without
	noisy      potential.Evaluator  // of one state; nil without noise
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
	of := func(p potential.Potential) func(r int) potential.Evaluator {
		if w != nil {
			p = potential.Affine(p, w.Center, w.L)
		}
		return func(r int) potential.Evaluator { return p.Evaluator(r, stream.New(q.seed, streamOf)) }
	}
	m.whole = newGauge(d, r, q.threads, of(q.looked()))
	if q.noisy {
		m.noisy = of(q.potential)(1)
	}
	if q.guide != nil {
		m.guide = newGauge(d, r, q.threads, of(q.guide))
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
	m.set(m.z, i)
}

// set sets place i of a slice of all to m.one.
func (m *meter) set(all []float64, i int) {
	for j, v := range m.one {
		all[j*m.r+i] = v
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

// err is the first failure of a potential that answers no more.
func (m *meter) err() (err error) {
	for _, e := range slices.Concat(m.whole.each(), m.guide.each()) {
		err = cmp.Or(err, potential.Err(e))
	}
	return err
}

func (m *meter) close() {
	for _, e := range slices.Concat(m.whole.each(), m.guide.each()) {
		_ = potential.Close(e)
	}
	if m.noisy != nil {
		_ = potential.Close(m.noisy)
	}
}

// points looks around the first n places; nil is what is not finite. m.energy is what it is there.
func (m *meter) points(n int) []*point {
	all := make([]bool, m.r)
	for i := range n {
		all[i] = true
	}
	m.look(m.whole, m.a, 0, all)
	energy, fine := slices.Clone(m.energy), slices.Clone(m.fine)
	points, guided := make([]*point, n), make([]bool, m.r)
	for i := range points {
		if fine[i] {
			points[i] = &point{curvature: math.NaN(), energy: energy[i], at: m.at(m.z, i), slope: m.at(m.a, i)}
		}
	}
	if m.guide != nil { // energies are those that rungs trade by
		m.look(m.guide, m.b, 0, fine)
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
		for i, c := range m.curvatures(m.whole, own, fine) {
			if fine[i] {
				points[i].curvature = c
			}
		}
	}
	if m.guide != nil {
		for i, c := range m.curvatures(m.guide, guides, guided) {
			if guided[i] {
				points[i].curvature = max(points[i].curvature, c)
			}
		}
	}
	copy(m.energy, energy)
	return points
}

// only is the places of a meter of one.
var only = []bool{true}

// finite reports whether energy and slope are finite at x, for a meter of one place.
func (m *meter) finite(x []float64) bool {
	m.put(0, x)
	return m.gradient(m.a, 0)
}

// each looks at points, one after the other in x, at as many at once as there are places, and hands on their energies and
// slopes, until these are not finite: it reports whether all are.
func (m *meter) each(x []float64, do func(energy float64, slope []float64)) bool {
	for some := range slices.Chunk(x, m.r*m.d) {
		there := make([]bool, m.r)
		for i := range len(some) / m.d {
			m.put(i, some[i*m.d:][:m.d])
			there[i] = true
		}
		m.look(m.whole, m.a, 0, there)
		for i := range len(some) / m.d {
			if !m.fine[i] {
				return false
			}
			do(m.energy[i], m.at(m.a, i))
		}
	}
	return true
}

// abreast calls do for 0, 1, … n − 1 until a call reports that it is enough by returning false. As many
// calls are under way at once as there are places, on one thread: each asks by look for the slope at a
// point and whether energy and slope are finite there, and what all ask for is looked at in one block.
func (m *meter) abreast(n int, do func(i int, look func(slope, at []float64) bool) bool) {
	type asked struct{ slope, at []float64 }
	calls, questions := make([]func() (asked, bool), m.r), make([]asked, m.r)
	some, begun, enough := make([]bool, m.r), 0, false
	for place := range calls {
		next, stop := iter.Pull(func(ask func(asked) bool) {
			for begun < n && !enough {
				i, ended := begun, false
				begun++
				more := do(i, func(slope, at []float64) bool {
					ended = ended || !ask(asked{slope, at})
					return !ended && m.fine[place]
				})
				enough = enough || ended || !more
			}
		})
		defer stop()
		calls[place] = next
	}
	for {
		for i, next := range calls {
			if questions[i], some[i] = next(); some[i] {
				copy(m.one, questions[i].at)
				m.set(m.z, i)
			}
		}
		if enough || !slices.Contains(some, true) {
			return
		}
		m.look(m.whole, m.a, 0, some)
		for i, q := range questions {
			if some[i] {
				for j := range q.slope {
					q.slope[j] = m.a[j*m.r+i]
				}
			}
		}
	}
}

// smooth reports whether they are finite about x too, by the curvature where that is known.
func (m *meter) smooth(x []float64) bool {
	if !m.finite(x) || !m.measurable {
		return m.fine[0]
	}
	m.direction(m.v, 0)
	return !math.IsInf(m.curvatures(m.whole, m.v, only)[0], 1)
}

// gradient writes ∇U(z + h v) into g and reports whether all of it is finite, for a meter of
// one place.
func (m *meter) gradient(g []float64, h float64) bool {
	m.h[0] = h
	m.look(m.whole, g, 1, only)
	return m.fine[0]
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
	m.set(v, i)
}

// curvatures are, at some places, the norms of the Hessian at z along directions that a few
// power iterations turn from v towards the largest one.
func (m *meter) curvatures(u *gauge, v []float64, some []bool) []float64 {
	copy(m.v, v)
	left, c, least := slices.Clone(some), make([]float64, m.r), make([]float64, m.r)
	for i := range m.h {
		m.h[i] = difference(m.at(m.z, i))
		least[i] = m.h[i] * probeShortest
	}
	for range probePower {
		m.differences(u, left, least, c)
		for i := range left {
			if !left[i] {
				continue
			}
			for j := range m.one {
				k := j*m.r + i
				m.one[j] = (m.sum[k] - m.b[k]) / (2 * m.h[i])
			}
			c[i] = normalise(m.one)
			m.set(m.v, i)
			left[i] = c[i] != 0 && c[i]-c[i] == 0
		}
	}
	return c
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
func (m *meter) differences(u *gauge, some []bool, least, c []float64) {
	for need := slices.Clone(some); slices.Contains(need, true); {
		m.look(u, m.sum, 1, need)
		both := slices.Clone(m.fine)
		m.look(u, m.b, -1, both)
		for i := range need {
			if need[i] = need[i] && !m.fine[i]; !need[i] {
				continue
			}
			if m.h[i] /= 16; m.h[i] < least[i] {
				need[i], some[i], c[i] = false, false, math.Inf(1)
			}
		}
	}
}

// look writes ∇U(z + way h v) of some places into g, and notes whether all of it is finite; of
// others, and after the end of the context, it says that it is not.
func (m *meter) look(u *gauge, g []float64, way float64, some []bool) {
	if m.ctx.Err() != nil {
		clear(m.fine)
		return
	}
	m.move(way, some)
	u.eval(m.energy, m.g, m.z, some)
	m.move(-way, some)
	for i := range m.fine {
		if m.fine[i] = some[i]; !some[i] {
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
func (m *meter) move(way float64, some []bool) {
	if way == 0 {
		return
	}
	for i, h := range m.h {
		if some[i] {
			for j := range m.d {
				m.z[j*m.r+i] += way * h * m.v[j*m.r+i]
			}
		}
	}
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
