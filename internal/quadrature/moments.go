package quadrature

import (
	"math"
	"slices"
)

// A level holds two sets of nodes over the domain, of different cells and
// rules: answers are accepted where both agree.
type level struct{ a, b sample }

// A sample is a set of nodes with their energies.
type sample struct {
	nodes
	u        []float64
	low, top float64 // of u
}

// maxLevel is the finest level: up to about four million nodes.
const maxLevel = 5

// cellsAt is the number of cells along the longer side of the domain.
func cellsAt(level int) int { return 5 << level }

// level returns level l; r.mu is held.
func (r *Region) level(l int) *level {
	for len(r.levels) <= l {
		n := cellsAt(len(r.levels))
		r.levels = append(r.levels, level{a: r.sample(n, 9), b: r.sample(n+n/4+1, 8)})
	}
	return &r.levels[l]
}

// sample makes nodes with a rule of n × n points in cells of 1/cells of the
// size of the domain.
func (r *Region) sample(cells, n int) sample {
	nx := max(1, int(math.Ceil(float64(cells)*(r.box.x1-r.box.x0)/r.size)))
	ny := max(1, int(math.Ceil(float64(cells)*(r.box.y1-r.box.y0)/r.size)))
	columns := make([]sample, nx)
	r.each(nx, func(w *worker, i int) {
		w.nodes.reset()
		for j := range ny {
			w.cut(r.box.part(i, j, nx, ny), n, n, &w.nodes)
		}
		w.evaluate()
		columns[i] = sample{nodes: nodes{slices.Clone(w.nodes.x), slices.Clone(w.nodes.y), slices.Clone(w.nodes.w)}, u: slices.Clone(w.u)}
	})
	total := 0
	for _, c := range columns {
		total += len(c.u)
	}
	room := func() []float64 { return make([]float64, 0, total) }
	s := sample{nodes: nodes{room(), room(), room()}, u: room()}
	s.low, s.top = math.Inf(1), math.Inf(-1)
	for _, c := range columns {
		s.x, s.y, s.w, s.u = append(s.x, c.x...), append(s.y, c.y...), append(s.w, c.w...), append(s.u, c.u...)
	}
	for i, u := range s.u {
		if u-u != 0 {
			r.fail("U = %v at (%g, %g); it must be finite on the whole domain", u, s.x[i], s.y[i])
		}
		s.low, s.top = min(s.low, u), max(s.top, u)
	}
	return s
}

// Moments are those of exp(-U/τ): the normaliser Z = ∫ exp(-U/τ) dx dy, and
// means and standard deviations of U, x and y, and the mean of x² + y².
type Moments struct {
	Z, LogZ                float64 // Z is 0 or +Inf where it leaves the range of numbers
	MeanU, SDU             float64
	MeanX, MeanY, SDX, SDY float64
	MeanR2                 float64
}

// Moments returns the moments at temperature tau > 0; +Inf is the uniform law.
func (r *Region) Moments(tau float64) Moments {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.settledMoments(tau).Moments
}

// settledMoments are moments, and the level at which both sets of nodes agreed.
type settledMoments struct {
	Moments
	level int
	low   float64 // the lowest energy of a node
	z     float64 // ∫ exp(−(U − low)/τ)
}

func (r *Region) settledMoments(tau float64) settledMoments {
	if m, ok := r.moments[tau]; ok {
		return m
	}
	if !(tau > 0) {
		r.fail("temperature %v: it must be positive", tau)
		return settledMoments{}
	}
	var m settledMoments
	for l := 1; l <= maxLevel && r.err == nil; l++ {
		lv := r.level(l)
		m = lv.b.moments(1 / tau)
		m.level = l
		if a := lv.a.moments(1 / tau).Moments; a.agrees(m.Moments, r.size) {
			r.moments[tau] = m
			return m
		}
	}
	r.fail("the moments at temperature %v do not settle to 1e-9: U varies too fast on the domain", tau)
	return m
}

// agrees reports agreement to 1e-9 of the natural scale of every number.
func (m Moments) agrees(o Moments, size float64) bool {
	const tol = 1e-9
	near := func(a, b, scale float64) bool { return math.Abs(a-b) <= tol*scale }
	energy := 1 + math.Abs(o.MeanU)
	return near(m.LogZ, o.LogZ, 1) && near(m.MeanU, o.MeanU, energy) && near(m.SDU, o.SDU, energy) &&
		near(m.MeanX, o.MeanX, size) && near(m.MeanY, o.MeanY, size) && near(m.SDX, o.SDX, size) &&
		near(m.SDY, o.SDY, size) && near(m.MeanR2, o.MeanR2, size*size)
}

func (s *sample) moments(beta float64) settledMoments {
	var z, u, x, y float64
	p := make([]float64, len(s.u))
	for i, v := range s.u {
		p[i] = s.w[i] * math.Exp(-beta*(v-s.low))
		z += p[i]
		u += p[i] * (v - s.low)
		x += p[i] * s.x[i]
		y += p[i] * s.y[i]
	}
	m := Moments{Z: z * math.Exp(-beta*s.low), LogZ: math.Log(z) - beta*s.low, MeanU: s.low + u/z, MeanX: x / z, MeanY: y / z}
	var uu, xx, yy float64
	for i, q := range p {
		a, b, c := s.u[i]-m.MeanU, s.x[i]-m.MeanX, s.y[i]-m.MeanY
		uu += q * a * a
		xx += q * b * b
		yy += q * c * c
	}
	m.SDU, m.SDX, m.SDY = math.Sqrt(uu/z), math.Sqrt(xx/z), math.Sqrt(yy/z)
	m.MeanR2 = (xx+yy)/z + m.MeanX*m.MeanX + m.MeanY*m.MeanY
	return settledMoments{Moments: m, low: s.low, z: z}
}

// Mean returns the mean of f at temperature tau > 0 (+Inf: the uniform law), to
// 1e-9 of the mean of |f|. f must be smooth.
func (r *Region) Mean(tau float64, f func(x, y float64) float64) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.settledMoments(tau)
	for l := max(m.level, 1); l <= maxLevel && r.err == nil; l++ {
		lv := r.level(l)
		a, _ := lv.a.mean(1/tau, f)
		b, size := lv.b.mean(1/tau, f)
		if math.Abs(a-b) <= 1e-9*size {
			return b
		}
	}
	r.fail("a mean at temperature %v does not settle to 1e-9: the function varies too fast on the domain", tau)
	return math.NaN()
}

// mean returns those of f and |f|.
func (s *sample) mean(beta float64, f func(x, y float64) float64) (mean, size float64) {
	var z float64
	for i, u := range s.u {
		p, v := s.w[i]*math.Exp(-beta*(u-s.low)), f(s.x[i], s.y[i])
		z += p
		mean += p * v
		size += p * math.Abs(v)
	}
	return mean / z, size / z
}
