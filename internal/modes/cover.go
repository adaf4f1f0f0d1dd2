package modes

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	checks   = 16    // draws of a normal law that tell how exact it is
	rounds   = 4     // in which normal laws are parted from one another
	rounding = 4e-16 // least error of −log of a density, of its size
	above    = 10.0  // times the error that a cover has where it is tested: what is more is no error of it
	exact    = 1e-6  // error below which a cover tells the density
	faint    = 45.0  // nats below the largest that are nothing
	farthest = 50.0  // square of the distance, in standard deviations, from a minimum to the centre of its law
	parted   = 0.9   // share of others beyond which a law at a minimum is not parted from them
	apparent = 10.0  // nats above a cover at which something else has been reached
)

// A normal is the normal law at a known minimum: that of all second derivatives, which is the
// density near it if that is normal there, and to rounding.
type normal struct {
	center []float64
	l, inv [][]float64
	log    float64 // of its mass
	peak   float64 // of its density at the centre, with that mass
	error  float64 // of −log of the density, of 1 + |E| + the square of the distance

	n           int       // points that tell the derivatives, of all
	x, e, slope []float64 // the points that it is known by, and E there: the minimum, two for each coordinate, draws
	in          []bool    // those in the domain
}

// A cover is the normal laws at the known minima, together the law that is known so far.
type cover []*normal

// A view is what a cover is at a point.
type view struct {
	logs []float64 // of the densities of the normal laws, −Inf where they are nothing
	far  []float64 // squares of distances from them
	top  int       // the densest of them
	log  float64   // of the density
}

// look writes what the cover is at x, but for the law at skip. z is overwritten.
func (c cover) look(v *view, x, z []float64, skip int) {
	if len(v.logs) != len(c) {
		v.logs, v.far = make([]float64, len(c)), make([]float64, len(c))
	}
	v.top, v.log = -1, math.Inf(-1)
	most := math.Inf(-1)
	for k, p := range c {
		v.logs[k] = math.Inf(-1)
		if k == skip {
			continue
		}
		if v.far[k] = p.distance(z, x, 2*(p.peak-most+faint)); p.peak-v.far[k]/2 > most-faint {
			if v.logs[k] = p.peak - v.far[k]/2; v.logs[k] > most {
				v.top, most = k, v.logs[k]
			}
		}
	}
	sum := 0.0
	for _, l := range v.logs {
		sum += math.Exp(l - most)
	}
	if v.top >= 0 {
		v.log = most + math.Log(sum)
	}
}

// distance is the square of that of x in standard deviations, or a part of it that is beyond
// most. z is overwritten.
func (p *normal) distance(z, x []float64, most float64) float64 {
	sum := 0.0
	for j, v := range x {
		z[j] = v - p.center[j]
	}
	for i, row := range p.inv {
		y := 0.0
		for j, v := range row[:i+1] {
			y += v * z[j]
		}
		if sum += y * y; sum > most {
			break
		}
	}
	return sum
}

// tolerance is what −log of the density may differ by from law k where E is e.
func (c cover) tolerance(k int, e, far float64) float64 {
	return above * c[k].error * (1 + math.Abs(e) + far)
}

// seen are the laws, as bits, that could be told from the others at the point of v, where E is
// e: were they not known, the density would be more than the cover.
func (c cover) seen(v *view, e float64) uint64 {
	var out uint64
	for k, log := range v.logs {
		if math.IsInf(log, -1) || !(c.tolerance(k, e, v.far[k]) < 1) {
			continue
		}
		rest, next := 0.0, -1
		for i, l := range v.logs {
			if i == k {
				continue
			}
			if rest += math.Exp(l - log); next < 0 || l > v.logs[next] {
				next = i
			}
		}
		if next >= 0 && !(rest > 0) || next >= 0 && math.Log1p(1/rest) > c.tolerance(next, e, v.far[next]) {
			out |= 1 << k
		}
	}
	return out
}

// A mark is the point of a descent where the density is most above the cover.
type mark struct {
	x    []float64
	e    float64
	rise float64 // of −log of the cover above E, in tolerances; 0 is no mark
}

// scan looks at where a descent is. It returns the mode that it will end in, if the density is
// nothing but the cover there, else -1.
func (c cover) scan(w *descent, known []Mode) int {
	if len(c) == 0 || w.e-w.e != 0 {
		return -1
	}
	c.look(&w.view, w.x, w.v, -1)
	if w.view.top < 0 {
		return -1
	}
	w.seen |= c.seen(&w.view, w.e)
	t := c.tolerance(w.view.top, w.e, w.view.far[w.view.top])
	switch rise := -w.view.log - w.e; {
	case math.Abs(rise) <= t && t < exact && w.sees(known[w.view.top].X):
		return w.view.top
	case rise > t && rise/t > w.mark.rise:
		w.mark = mark{append(w.mark.x[:0], w.x...), w.e, rise / t}
	}
	return -1
}

// survey completes the cover by laws at the modes that are new, and parts all of them.
func (s *Search) survey(ctx context.Context, t *Target) error {
	if len(s.cover) == len(s.Modes) {
		return nil
	}
	for i := len(s.cover); i < len(s.Modes); i++ {
		p, err := t.probe(ctx, &s.Modes[i])
		if err != nil {
			return err
		}
		s.Gradients += int64(len(p.e))
		s.cover = append(s.cover, p)
		p.settle(&s.Modes[i], nil, i)
	}
	for range rounds {
		for i, p := range s.cover {
			p.settle(&s.Modes[i], s.cover, i)
		}
	}
	var v view
	z := make([]float64, len(t.Width))
	for _, p := range s.cover {
		for i, e := range p.e {
			if p.in[i] && e-e == 0 {
				x := p.x[i*len(z) : (i+1)*len(z)]
				s.cover.look(&v, x, z, -1)
				p.error = max(p.error, math.Abs(v.log+e)/(1+math.Abs(e)+p.distance(z, x, math.Inf(1))))
			}
		}
	}
	return nil
}

// probe evaluates E about a minimum: there, a standard deviation of each coordinate to both
// sides, less where walls are near on both, and at draws of the normal law fitted to it.
func (t *Target) probe(ctx context.Context, m *Mode) (*normal, error) {
	d := len(m.X)
	p := &normal{n: 1 + 2*d, error: rounding}
	n := p.n + checks
	p.x, p.e, p.slope, p.in = make([]float64, n*d), make([]float64, n), make([]float64, n*d), make([]bool, n)
	for i := range n {
		copy(p.x[i*d:], m.X)
	}
	inside := func(i int) bool {
		p.in[i] = t.Domain == nil || t.Domain.Contains(p.x[i*d:(i+1)*d])
		return p.in[i]
	}
	inside(0)
	for j := range d {
		second := 0.0
		for k := j; k < d; k++ {
			second += m.inv[k][j] * m.inv[k][j]
		}
		up, down := 1+2*j, 2+2*j
		for step, tries := 1/math.Sqrt(second), 0; tries < mostTries; step, tries = step/4, tries+1 {
			p.x[up*d+j], p.x[down*d+j] = m.X[j]+step, m.X[j]-step
			if above, below := inside(up), inside(down); above || below {
				break
			}
		}
	}
	rng := rand.New(rand.NewPCG(uint64(d), checks))
	for i := p.n; i < n; i++ {
		for j := range d {
			z := rng.NormFloat64()
			for k := j; k < d; k++ {
				p.x[i*d+k] += m.L[k][j] * z
			}
		}
		inside(i)
	}
	v := t.idle.take(t.Energy, lanes)
	defer t.idle.put(v)
	for begin := 0; begin < n; begin += lanes {
		for i := range lanes {
			k := min(begin+i, n-1)
			if v.set(i, m.X); p.in[k] {
				v.set(i, p.x[k*d:(k+1)*d])
			}
		}
		if err := cmp.Or(ctx.Err(), v.run()); err != nil {
			return nil, err
		}
		for i := 0; i < lanes && begin+i < n; i++ {
			p.e[begin+i] = v.energy[i]
			copy(p.slope[(begin+i)*d:], v.slopeOf(i))
		}
	}
	return p, nil
}

// settle makes the law that of the derivatives of −log of what the density is more than the
// other laws of c; where that is no normal law, or its centre is far, that of the mode m.
func (p *normal) settle(m *Mode, c cover, k int) {
	d := len(m.X)
	e, g := p.alone(c, k)
	h := mat.NewSymDense(d, nil)
	column := func(j, i int) float64 { // of second derivatives
		a, b := 1+2*j, 2+2*j
		if !p.in[a] {
			a = 0
		}
		if !p.in[b] {
			b = 0
		}
		return (g[a*d+i] - g[b*d+i]) / (p.x[a*d+j] - p.x[b*d+j])
	}
	for j := range d {
		for i := range j + 1 {
			h.SetSym(i, j, (column(i, j)+column(j, i))/2)
		}
	}
	p.center, p.l, p.inv, p.log, p.peak = slices.Clone(m.X), m.L, m.inv, m.Log, -m.Energy
	inv := root(h)
	if inv == nil {
		return
	}
	l := inverse(inv)
	u, square := make([]float64, d), 0.0 // Lᵀ times the slope, which is −L⁻¹ times the way to the centre
	for j := range d {
		for i := j; i < d; i++ {
			u[j] += l[i][j] * g[i]
		}
		square += u[j] * u[j]
	}
	if !(square < farthest) {
		return
	}
	p.l, p.inv, p.peak = l, inv, square/2-e
	p.log = p.peak + float64(d)/2*math.Log(2*math.Pi)
	for i, row := range l {
		for j := range i + 1 {
			p.center[i] -= row[j] * u[j]
		}
		p.log += math.Log(row[i])
	}
}

// alone is −log of what the density is more than the laws of c but law k: its value at the
// minimum, and its slopes at the points that tell derivatives.
func (p *normal) alone(c cover, k int) (e float64, g []float64) {
	d := len(p.x) / len(p.e)
	e, g = p.e[0], slices.Clone(p.slope[:p.n*d])
	var v view
	z, of := make([]float64, d), make([]float64, d)
	for i := range p.n {
		x := p.x[i*d : (i+1)*d]
		if c.look(&v, x, z, k); v.top < 0 || !p.in[i] {
			continue
		}
		share := min(parted, math.Exp(v.log+p.e[i]))
		clear(of)
		for a, log := range v.logs {
			if w := math.Exp(log - v.log); w > 0 {
				c[a].slopes(of, z, x, w)
			}
		}
		for j := range of {
			g[i*d+j] = (g[i*d+j] - share*of[j]) / (1 - share)
		}
		if i == 0 {
			e -= math.Log1p(-share)
		}
	}
	return e, g
}

// slopes adds w times the slope of −log of the density of p at x to g. z is overwritten.
func (p *normal) slopes(g, z, x []float64, w float64) {
	white(z, p.inv, x, p.center)
	for i, row := range p.inv {
		for j := range i + 1 {
			g[j] += w * row[j] * z[i]
		}
	}
}
