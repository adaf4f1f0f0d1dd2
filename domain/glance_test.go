package domain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A step that a glance passes over is one that no reflector changes, bit for bit: the
// reflectors of every rule say so one by one, of steps of every length, from everywhere,
// some of them exactly to a wall, next to it or to what is no number. Most steps well
// inside are passed over.
func TestGlanceIsSure(t *testing.T) {
	pace.Slow(t)
	for _, s := range testShapes(t) {
		glance := GlanceOf(s.d)
		if glance == nil {
			continue
		}
		for _, rule := range []Rule{Specular, Nearest, Refuse, Project} {
			r, err := NewReflector(s.d, rule, 0)
			if err != nil {
				continue // whose nearest points are not known
			}
			g := newGlances(s, rand.New(rand.NewPCG(7, uint64(len(s.name)))))
			passed, calm := 0, 0
			for round := range 300 {
				g.draw(t, r, round)
				clear(g.may)
				if rule == Specular {
					glance(g.may, g.from, g.to, g.stride)
				} else {
					glance(g.may, nil, g.to, g.stride)
				}
				for i, may := range g.may {
					to, v := g.step(g.to, i), g.momentum()
					end, u := append([]float64(nil), to...), append([]float64(nil), v...)
					hits, ok := r.Reflect(g.step(g.from, i), end, u)
					changed := hits != 0 || !ok || !same(end, to) || !same(u, v)
					if !may && changed {
						t.Fatalf("%s, %s: the step from %v to %v is passed over, and ends at %v after %d (%v)", s.name, rule, g.step(g.from, i), to, end,
							hits, ok)
					}
					if distance(to, s.inside)+distance(g.step(g.from, i), s.inside) < s.inradius/2 {
						calm++
						if !may {
							passed++
						}
					}
					if may {
						copy(g.spare, end)
					} else {
						copy(g.spare, to)
					}
					g.keep(i, g.spare)
				}
			}
			if calm < 100 || passed < calm*9/10 {
				t.Errorf("%s, %s: of %d steps well inside %d are passed over", s.name, rule, calm, passed)
			}
		}
	}
}

// glances are steps side by side, with room between their coordinates.
type glances struct {
	s         shape
	rng       *rand.Rand
	may       []bool
	from, to  []float64
	stride    int
	spare, at []float64
}

func newGlances(s shape, rng *rand.Rand) *glances {
	const n = 37
	d := len(s.inside)
	g := &glances{s: s, rng: rng, may: make([]bool, n), stride: n + 3, spare: make([]float64, d), at: make([]float64, d)}
	g.from, g.to = make([]float64, d*g.stride), make([]float64, d*g.stride)
	for i := range n {
		g.keep(i, s.inside)
	}
	return g
}

// step is step i of a block, or its start.
func (g *glances) step(block []float64, i int) []float64 {
	x := make([]float64, len(g.s.inside))
	for j := range x {
		x[j] = block[j*g.stride+i]
	}
	return x
}

// keep makes x the start of step i.
func (g *glances) keep(i int, x []float64) {
	for j, v := range x {
		g.from[j*g.stride+i] = v
	}
}

func (g *glances) momentum() []float64 {
	v := make([]float64, len(g.s.inside))
	for j := range v {
		v[j] = g.rng.NormFloat64()
	}
	return v
}

// draw draws the ends of the steps. One in eight is next to a wall: at the end of a path
// that is halved between inside and outside until nothing is left.
func (g *glances) draw(t *testing.T, r Reflector, round int) {
	scale := g.s.size * math.Pow(10, -float64(g.rng.IntN(5)))
	for i := range g.may {
		from, to := g.step(g.from, i), g.momentum()
		if g.rng.IntN(3) == 0 {
			copy(from, g.s.inside)
			g.keep(i, from)
		}
		if !g.s.d.Contains(from) {
			t.Fatalf("%s: a step from %v", g.s.name, from)
		}
		for j := range to {
			to[j] = from[j] + scale*to[j]
		}
		switch {
		case i%8 == 0 && !g.s.d.Contains(to):
			in := from
			for !same(in, to) {
				mid := make([]float64, len(to))
				for j := range mid {
					mid[j] = in[j] + (to[j]-in[j])/2
				}
				if same(mid, in) || same(mid, to) {
					break
				}
				if g.s.d.Contains(mid) {
					in = mid
				} else {
					to = mid
				}
			}
			if g.rng.IntN(2) == 0 {
				to = in
			}
		case (round+i)%61 == 0:
			to[g.rng.IntN(len(to))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -1e200}[g.rng.IntN(5)]
		}
		for j, v := range to {
			g.to[j*g.stride+i] = v
		}
	}
}
