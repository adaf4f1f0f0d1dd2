package modes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
)

// connected reports whether nothing parts two minima: neither a barrier nor a wall on the
// straight way.
func (t *Target) connected(a, b *Mode, s *Search) (bool, error) {
	if t.Domain != nil && leaves(t.Domain.Tracer(), a.X, b.X, make([]float64, len(a.X))) {
		return false, nil
	}
	v := t.idle.take(t.Energy, between)
	defer t.idle.put(v)
	err := v.walk(a.X, b.X, 0, 1)
	s.Gradients += between
	return slices.Max(v.energy) <= max(a.Energy, b.Energy)+barrier, err
}

// covariance is that of the normal law fitted at the minimum that w is at: the inverse of
// the second derivatives, of the slope's square where E leans on a wall, and of what the
// starts fill. Where w is at a saddle, lower is a point next to it. It took so many gradients.
func (t *Target) covariance(ctx context.Context, w *descent) (cov *mat.SymDense, lower []float64, asked int, err error) {
	d := len(w.x)
	v := t.idle.take(t.Energy, min(lanes, 2*d))
	defer t.idle.put(v)
	h := mat.NewSymDense(d, nil) // in units of width
	column, outside := make([][]float64, 2*d), make([]bool, 2*d)
	x := make([]float64, d)
	for begin := 0; begin < 2*d; begin += v.r {
		n := min(v.r, 2*d-begin)
		for i := range n {
			j, sign := (begin+i)/2, float64(1-2*((begin+i)%2))
			copy(x, w.x)
			if x[j] += sign * bit * t.Width[j]; t.Domain != nil && !t.Domain.Contains(x) {
				x[j], outside[begin+i] = w.x[j], true
			}
			v.set(i, x)
		}
		if err := cmp.Or(ctx.Err(), v.run()); err != nil {
			return nil, nil, begin, err
		}
		for i := range n {
			column[begin+i] = slices.Clone(v.slopeOf(i))
		}
	}
	for j := range d {
		for i := range j + 1 {
			a := (column[2*j][i] - column[2*j+1][i]) / apart(outside[2*j:]) * t.Width[i]
			b := (column[2*i][j] - column[2*i+1][j]) / apart(outside[2*i:]) * t.Width[j]
			if a-a != 0 || b-b != 0 {
				a, b = 0, 0
			}
			h.SetSym(i, j, (a+b)/2+w.g[i]*w.g[j])
		}
	}
	asked = 2 * d
	if p := saddle(h, w.g, t.Flat); p != nil {
		asked++
		for j := range x {
			x[j] = w.x[j] + p[j]*t.Width[j]
		}
		if lower, err = t.below(w, v, x); err != nil {
			return nil, nil, asked, err
		}
	}
	sd := make([]float64, d)
	for j := range sd {
		sd[j] = t.Width[j] / math.Sqrt(max(h.At(j, j), t.Flat))
	}
	for j, c := range t.chords(w.x, sd) { // no wider than the domain is there
		h.SetSym(j, j, h.At(j, j)+12*t.Width[j]*t.Width[j]/(c*c))
	}
	return t.inverted(h), lower, asked, nil
}

// A step from a saddle leads down by fall, if the second derivatives are right; it is no longer
// than leap, in widths, and taken where it leads down by a tenth of fall.
const (
	fall = 1e-3
	leap = 0.3
)

// saddle is the step along the direction in which E bends down most, in widths, to the side that the
// slope leads down to; nil where it does not bend down by more than a hundredth of what is flat.
func saddle(h *mat.SymDense, slope []float64, flat float64) []float64 {
	var e mat.EigenSym
	if !e.Factorize(h, true) {
		return nil
	}
	least := e.Values(nil)[0]
	if !(least < -flat/100) {
		return nil
	}
	var q mat.Dense
	e.VectorsTo(&q)
	p := mat.Col(nil, 0, &q)
	size := min(leap, math.Sqrt(-2*fall/least))
	if floats.Dot(p, slope) > 0 {
		size = -size
	}
	floats.Scale(size, p)
	return p
}

// below returns a copy of x if E is less there than where the descent is, and no wall stands between.
func (t *Target) below(w *descent, v *evaluator, x []float64) ([]float64, error) {
	if t.Domain != nil && !t.Domain.Contains(x) || !w.sees(x) {
		return nil, nil
	}
	for i := range v.r {
		v.set(i, x)
	}
	if err := v.run(); err != nil || !(v.energy[0] < w.e-fall/10) {
		return nil, err
	}
	return slices.Clone(x), nil
}

// inverted is the inverse of h, in units of width and taken for no flatter than Flat, in those
// of the coordinates; nil if there is none.
func (t *Target) inverted(h *mat.SymDense) *mat.SymDense {
	var e mat.EigenSym
	if !e.Factorize(h, true) {
		return nil
	}
	d := h.SymmetricDim()
	var q, c mat.Dense
	e.VectorsTo(&q)
	values := e.Values(nil)
	scaled := mat.NewDense(d, d, nil)
	for j, l := range values {
		l = 1 / max(l, t.Flat)
		for i := range d {
			scaled.Set(i, j, q.At(i, j)*l)
		}
	}
	c.Mul(scaled, q.T())
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			cov.SetSym(i, j, (c.At(i, j)+c.At(j, i))/2*t.Width[i]*t.Width[j])
		}
	}
	return cov
}

// chords are the lengths of the domain along the axes near x, +Inf without walls: through the
// point that lies in the middle of each of them, of one after the other, or a standard
// deviation from the only wall.
func (t *Target) chords(x, sd []float64) []float64 {
	const sweeps = 3
	length := make([]float64, len(x))
	for j := range length {
		length[j] = math.Inf(1)
	}
	if t.Domain == nil {
		return length
	}
	lo, hi := domain.BoundsOf(t.Domain, len(x))
	at, v, trace := slices.Clone(x), make([]float64, len(x)), t.Domain.Tracer()
	for range sweeps {
		for j := range at {
			clear(v)
			up := min(hi[j]-at[j], 1e6*t.Width[j]) * 1.01
			v[j] = up
			ahead, wall := trace.Exit(at, v, domain.None)
			down := min(at[j]-lo[j], 1e6*t.Width[j]) * 1.01
			v[j] = -down
			behind, other := trace.Exit(at, v, domain.None)
			was, inwards := at[j], 0.0
			switch {
			case wall != domain.None && other != domain.None:
				inwards = (ahead*up - behind*down) / 2
			case other != domain.None:
				inwards = max(0, sd[j]-behind*down)
			case wall != domain.None:
				inwards = -max(0, sd[j]-ahead*up)
			}
			if at[j] += inwards; !t.Domain.Contains(at) {
				at[j] = was
			}
			if length[j] = math.Inf(1); wall != domain.None && other != domain.None {
				length[j] = max(ahead*up+behind*down, 1e-9*t.Width[j])
			}
		}
	}
	return length
}

// apart is how far two points of a difference are apart, in widths: those outside the domain
// are at the minimum itself.
func apart(outside []bool) float64 {
	far := 0.0
	for _, out := range outside[:2] {
		if !out {
			far += bit
		}
	}
	return far
}

// bit is the step of differences, in widths.
const bit = 1e-4
