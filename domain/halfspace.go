package domain

// A HalfSpace is {x : a·x ≤ b}. It has the one wall 0.
type HalfSpace struct {
	Polytope
}

var _ Domain = (*HalfSpace)(nil)

// NewHalfSpace returns {x : a·x ≤ b}, a ≠ 0.
func NewHalfSpace(a []float64, b float64) (*HalfSpace, error) {
	p, err := NewPolytope([][]float64{a}, []float64{b}, nil)
	if err != nil {
		return nil, err
	}
	return &HalfSpace{Polytope: Polytope{dim: p.dim, a: p.a, b: p.b, unit: p.unit, h: p.h, gram: p.gram}}, nil
}

// Named gives the half-space the text by which messages call it and returns it.
func (s *HalfSpace) Named(text string) *HalfSpace {
	s.name = []string{text}
	return s
}

// fold mirrors once: the path meets the wall at most once, wherever.
func (s *HalfSpace) fold(rule Rule, _ int) (Reflector, error) {
	return &halfFold{s, rule == Project, work{d: s, n: s.row(0), x: make([]float64, s.dim), v: make([]float64, s.dim), dir: make([]float64, s.dim)}}, nil
}

type halfFold struct {
	s     *HalfSpace
	clamp bool
	w     work
}

func (r *halfFold) Reflect(from, to, v []float64) (int, bool) {
	if r.s.Contains(to) {
		return 0, true
	}
	if !tame(to) {
		giveUp(from, to, v)
		return 0, false
	}
	a := r.w.n
	over := dot(a, to) - r.s.h[0]
	mv := r.w.v[:copy(r.w.v, v)]
	mirror(mv, a[:len(mv)])
	if r.clamp {
		for i, u := range a {
			r.w.dir[i] = to[i] - over*u
		}
		r.w.settle(r.w.dir, from)
	} else {
		for i, u := range a {
			r.w.x[i] = to[i] - 2*over*u
		}
	}
	return r.w.end(from, to, v, 1)
}
