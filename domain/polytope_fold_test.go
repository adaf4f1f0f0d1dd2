package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A facetCase is a polytope with a point inside and its size.
type facetCase struct {
	name string
	p    *polytope
	from []float64
	size float64
}

// facetCases are polytopes of every layout: dense and sparse rows, few and more
// than gramRows, intervals beside general rows, rows twice, acute corners, rows of
// unlike length, far from the origin.
func facetCases(t testing.TB) []facetCase {
	poly := func(a [][]float64, b ...float64) *polytope { return must[*polytope](t)(NewPolytope(a, b, nil)) }
	dense := manyFacets(t, 70, 6, 2)
	thrice, three := rowsOf(dense), slices.Clone(dense.b)
	for i, row := range thrice {
		for j := range row {
			row[j] *= 3
		}
		three[i] *= 3
	}
	twice := poly(append(rowsOf(dense), thrice...), append(slices.Clone(dense.b), three...)...)
	unlike := rowsOf(dense)
	sides := slices.Clone(dense.b)
	for i, row := range unlike {
		l := math.Pow(10, float64(i%21-10))
		for j := range row {
			sides[i] += 1000 * row[j]
			row[j] *= l
		}
		sides[i] *= l
	}
	far := make([]float64, 6)
	for j := range far {
		far[j] = 1000
	}
	s, c := math.Sincos(math.Pi / 180)
	return []facetCase{
		{"dense", dense, make([]float64, 6), 1},
		{"every row again, times 3", twice, make([]float64, 6), 1},
		{"unlike rows, far away", poly(unlike, sides...), far, 1},
		{"many rows", manyFacets(t, gramRows+30, 3, 3), make([]float64, 3), 1},
		{"chain", chainPolytope(t, 40), make([]float64, 40), 1},
		{"triangle and interval", poly([][]float64{{1, 0, 1}, {-1, 0, 0}, {0, 0, -1}, {0, 3, 0}, {0, -1, 0}}, 1, 0, 0, 1, 0),
			[]float64{0.3, 0.1, 0.3}, 0.5},
		{"wedge of 1°", poly([][]float64{{0, -1}, {-s, c}, {1, 0}}, 0, 0, 1), []float64{0.8, 0.005}, 0.1},
		{"half-space", poly([][]float64{{1, 2}}, 1), []float64{0, 0}, 1},
	}
}

// rowsOf are copies of the rows of p.
func rowsOf(p *polytope) [][]float64 {
	var a [][]float64
	for i := range p.b {
		a = append(a, slices.Clone(p.a[i*p.dim:(i+1)*p.dim]))
	}
	return a
}

// chainPolytope is |x_i − x_{i+1}| ≤ 1, |x_0| ≤ 1: sparse rows.
func chainPolytope(t testing.TB, d int) *polytope {
	var a [][]float64
	var b []float64
	for i := range d {
		for _, s := range []float64{-1, 1} {
			row := make([]float64, d)
			row[i] = s
			if i > 0 {
				row[i-1] = -s
			}
			a, b = append(a, row), append(b, 1)
		}
	}
	return must[*polytope](t)(NewPolytope(a, b, nil))
}

// steps calls f for n steps from where the last one ended, of lengths from a
// hundredth to ten times the size, hundreds of them small, some along a row, some to a wall but for
// rounding, some from a place beside that shares a coordinate.
func (c facetCase) steps(n int, seed uint64, f func(from, to, v []float64)) {
	rng := rand.New(rand.NewPCG(seed, 17))
	d := len(c.from)
	from, to, v := slices.Clone(c.from), make([]float64, d), make([]float64, d)
	for k := range n {
		sd := c.size * math.Pow(10, float64(k%4-2)) / math.Sqrt(float64(d))
		if k/300%2 == 1 {
			sd = 0.02 * c.size / math.Sqrt(float64(d))
		}
		w := rng.IntN(len(c.p.b))
		row := c.p.row(w)
		for j, x := range from {
			v[j] = rng.NormFloat64()
			to[j] = x + sd*rng.NormFloat64()
			switch k % 21 {
			case 0:
				to[j] = x + sd*row[j]
			case 3:
				to[j] = x + (c.p.h[w]-dot(row, from))*row[j]
			}
		}
		if k%20 == 0 {
			beside := slices.Clone(from)
			for j := 1; j < d; j++ {
				beside[j] += 0.01 * (c.from[j] - beside[j])
			}
			if c.p.Contains(beside) {
				copy(from, beside)
			}
		}
		f(from, to, v)
		copy(from, to)
	}
}

// What becomes of a step does not depend on the steps before it, on how many
// replicas share the reflector, or on vector instructions: a run that is resumed
// has the same bytes. Kills slacks carried along that decide.
func TestPolytopeForgets(t *testing.T) {
	pace.Slow(t)
	for _, c := range facetCases(t) {
		t.Run(c.name, func(t *testing.T) {
			kept := newPolyFold(newPolyRows(c.p, wide()), 200)
			rows, plain := newPolyRows(c.p, wide()), newPolyRows(c.p, false)
			met := 0
			c.steps(pace.Soak(1500, 20_000), 1, func(from, to, v []float64) {
				for _, fresh := range []*polyFold{newPolyFold(rows, 200), newPolyFold(plain, 200)} {
					a, u := slices.Clone(to), slices.Clone(v)
					b, w := slices.Clone(to), slices.Clone(v)
					hits, ok := fresh.Reflect(from, a, u)
					more, okay := copyOf(kept).Reflect(from, b, w)
					if hits != more || ok != okay || !same(a, b) || !same(u, w) {
						t.Fatalf("%v to %v: afresh %v, %v (%d, %v); after others %v, %v (%d, %v)", from, to, a, u, hits, ok, b, w, more, okay)
					}
				}
				inside := c.p.Contains(to)
				hits, ok := kept.Reflect(from, to, v)
				met += hits
				if !ok || !c.p.Contains(to) || inside != (hits == 0) {
					t.Fatalf("%v: end %v, ok %v, %d mirrorings, inside before: %v", from, to, ok, hits, inside)
				}
			})
			if met < 50 {
				t.Errorf("only %d mirrorings", met)
			}
		})
	}
}

// copyOf is r with a workspace of its own.
func copyOf(r *polyFold) *polyFold {
	c := newPolyFold(r.k, r.cap)
	c.due, c.clock = r.due, r.clock
	for i, s := range r.states {
		to := &c.states[i]
		copy(to.x, s.x)
		copy(to.slack, s.slack)
		to.off, to.way, to.hits, to.used = s.off, s.way, s.hits, s.used
		copy(to.near.place, s.near.place)
		to.near.reach, to.near.calm, to.near.saved = s.near.reach, s.near.calm, s.near.saved
		to.near.rows = append(to.near.rows, s.near.rows...)
	}
	return c
}

// The first row met is that of all quotients, formed one by one, and slacks and
// rates carried along stay within their bounds, which are not vain. Kills a margin
// of zero, and a bound that leaves the turns out.
func TestPolytopeFindsTheFirstRow(t *testing.T) {
	for _, c := range facetCases(t) {
		t.Run(c.name, func(t *testing.T) {
			k := newPolyRows(c.p, wide())
			r := newPolyFold(k, 1000)
			worst := 0.0
			c.steps(pace.Soak(400, 10_000), 2, func(from, to, v []float64) {
				end := slices.Clone(to)
				want, hits := everyQuotient(k, from, to)
				got, _ := r.Reflect(from, end, nil)
				inner := c.p.Contains(want)
				if inner && hits != got-outer(k, to) || inner && !same(want, end) {
					t.Fatalf("%v to %v: %v in %d, want %v in %d", from, to, end, got, want, hits)
				}
				copy(to, end)
				s, known := r.find(to)
				if !known || s.hits <= 0 {
					return
				}
				for i := range k.m {
					slack := exactSlack(k, i, to)
					worst = max(worst, math.Abs(s.slack[i]-slack)/(s.off+0x1p-50*slack))
				}
			})
			if worst > 1 {
				t.Errorf("slacks are off by %.3g of their bound", worst)
			}
		})
	}
}

// outer is the number of foldings of the intervals on the way to x.
func outer(k *polyRows, x []float64) int { return k.fold(slices.Clone(x), nil) }

// everyQuotient follows a step by the quotient of every row.
func everyQuotient(k *polyRows, from, to []float64) ([]float64, int) {
	y := slices.Clone(to)
	if k.slacks(make([]float64, len(k.b)), to) {
		k.fold(y, nil)
		return y, 0
	}
	x, dir := slices.Clone(from), make([]float64, k.d)
	for i, f := range from {
		dir[i] = to[i] - f
	}
	hits, on := 0, -1
	for ; hits < 1000; hits++ {
		t, rise, w := 1.0, 0.0, -1
		for i := range k.m {
			if s, e := k.exact(i, x, dir); i != on && e > 0 && s/e < t {
				t, rise, w = s/e, e, i
			}
		}
		if w < 0 {
			break
		}
		rest := 1 - t
		c := 2 * rest * rise
		for i, u := range k.unit[w*k.d : (w+1)*k.d] {
			e := dir[i]
			x[i] += t * e
			dir[i] = rest*e - c*u
		}
		on = w
	}
	for i, e := range dir {
		x[i] += e
	}
	for _, j := range k.at {
		x[j] = to[j]
	}
	k.fold(x, nil)
	return x, max(hits, 1)
}

// exactSlack is the slack of row i at x by sums without rounding to speak of.
func exactSlack(k *polyRows, i int, x []float64) float64 {
	s, low := k.b[i], 0.0
	for j, v := range k.a[i*k.d : (i+1)*k.d] {
		p := -v * x[j]
		e := math.FMA(-v, x[j], -p)
		u := s + p
		z := u - s
		low += (s - (u - z)) + (p - z) + e
		s = u
	}
	return (s + low) * k.inv[i]
}

// soakWedge is the triangle of a wedge of the given angle at the origin.
func soakWedge(t *testing.T, degrees float64) shape {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return triangleShape(t, fmt.Sprintf("wedge of %g°", degrees), [3][2]float64{{0, 0}, {1, 0}, {c, s}}, 0.4*s)
}

// Wedges of 5° and 1° keep the uniform law, and no step is given up at a cap of
// 1000 by steps up to about the length of the wedge.
func TestAcuteWedgesKeepTheUniformLaw(t *testing.T) {
	pace.Slow(t)
	for _, degrees := range []float64{5, 1} {
		s := soakWedge(t, degrees)
		for _, sd := range []float64{s.inradius, 0.3, 1} {
			v := keepsUniform(t, s, s.d, Specular, sd, pace.Soak(20_000, 1_000_000), 3)
			if v.fails() || v.fallbacks > 0 {
				t.Errorf("%s, sd %g: |z| %.2f, KS %.2f, %d fallbacks", s.name, sd, v.worst, v.ks, v.fallbacks)
			}
		}
	}
}

// Boxes of sides 1e-9 and 1, as boxes and by rows, beside a general row and without,
// are sampled by steps of any size: no step is given up.
func TestThinBoxesKeepTheUniformLaw(t *testing.T) {
	rows := [][]float64{{-2, 0}, {2, 0}, {0, -3}, {0, 3}}
	sides := []float64{-0.2, 2.2, 0, 3e-9}
	thin := boxShape(t, "", []float64{0.1, 0}, []float64{1.1, 1e-9})
	byRows := thin
	byRows.d = must[*polytope](t)(NewPolytope(rows, sides, nil))
	// The prism of a triangle (x, y) with 0 ≤ z ≤ 1e-9.
	prism := triangleShape(t, "", [3][2]float64{{0, 0}, {1, 0}, {0, 1}}, 0.2)
	prism.d = must[*polytope](t)(NewPolytope([][]float64{{-1, 0, 0}, {0, -1, 0}, {1, 1, 0}, {0, 0, -1}, {0, 0, 1}},
		[]float64{0, 0, 1, 0, 1e-9}, nil))
	prism.mean, prism.second = append(prism.mean, 0.5e-9), append(prism.second, 1e-18/3)
	for i, s := range []shape{thin, byRows, prism} {
		for _, sd := range []float64{1e-9, 0.3, 30} {
			v := keepsUniform(t, s, s.d, Specular, sd, pace.Soak(12_000, 500_000), 3)
			if v.fails() || v.fallbacks > 0 {
				t.Errorf("shape %d, sd %g: |z| %.2f, KS %.2f, %d fallbacks", i, sd, v.worst, v.ks, v.fallbacks)
			}
		}
	}
}

// A step that is given up names the walls of the corner that it is stuck in.
func TestStuckStepNamesItsCorner(t *testing.T) {
	s, c := math.Sincos(0.001)
	p := must[*polytope](t)(NewPolytope([][]float64{{1, 0}, {0, -1}, {-s, c}}, []float64{20, 0, 0}, []string{"x < 20", "y > 0", "y < x/1000"}))
	r := must[Reflector](t)(NewReflector(p, Specular, 1000))
	stuck := r.(Stuck)
	from, to, v := []float64{10, 0.005}, []float64{-9, 0.006}, []float64{1, 2}
	if walls := stuck.LastFallback(); len(walls) > 0 {
		t.Errorf("before any step: %v", walls)
	}
	hits, ok := r.Reflect(from, to, v)
	if ok || hits != 1000 || !same(to, from) || v[0] != -1 || v[1] != -2 || !slices.Equal(stuck.LastFallback(), []Wall{1, 2}) {
		t.Errorf("%d mirrorings, ok %v, end %v, v %v, stuck at %v", hits, ok, to, v, stuck.LastFallback())
	}
	if names := WallNames(p, stuck.LastFallback(), nil); !slices.Equal(names, []string{"y > 0", "y < x/1000"}) {
		t.Errorf("names %q", names)
	}
	to[0] = math.Inf(1)
	if _, ok := r.Reflect(from, to, nil); ok || len(stuck.LastFallback()) > 0 {
		t.Errorf("to infinity: ok %v, stuck at %v", ok, stuck.LastFallback())
	}
}

// The end of an interval is the last number that the row takes.
func TestLastWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(1e-9, 1e9).Draw(t, "a")
		b := rapid.Float64Range(-1e9, 1e9).Draw(t, "b")
		up, down := math.Inf(1), math.Inf(-1)
		if rapid.Bool().Draw(t, "below") {
			a, up, down = -a, down, up
		}
		x, ok := lastWithin(a, b)
		if !ok && math.Abs(b) > 1e-200 {
			t.Fatalf("%g·x ≤ %g: nothing found", a, b)
		}
		if ok && (!(a*x <= b) || a*math.Nextafter(x, up) <= b || !(a*math.Nextafter(x, down) <= b)) {
			t.Fatalf("%g·x ≤ %g: %g", a, b, x)
		}
	})
}

// A step allocates nothing, whatever the layout.
func TestPolytopeAllocatesNothing(t *testing.T) {
	for _, c := range facetCases(t) {
		r := must[Reflector](t)(NewReflector(c.p, Specular, 0))
		c.steps(400, 3, func(from, to, v []float64) {
			end := slices.Clone(to)
			n := testing.AllocsPerRun(10, func() {
				copy(end, to)
				r.Reflect(from, end, v)
			})
			if copy(to, end); n != 0 {
				t.Fatalf("%s: %g allocations", c.name, n)
			}
		})
	}
}
