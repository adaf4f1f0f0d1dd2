package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/stream"
)

// must returns v, or fails.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// normals are n normal numbers.
func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// definite is a random precision: AᵀA + I/2 over d.
func definite(rng *rand.Rand, d int) *mat.SymDense {
	a := mat.NewDense(d, d, normals(rng, d*d))
	s := mat.NewSymDense(d, nil)
	s.SymOuterK(1/float64(d), a.T())
	for j := range d {
		s.SetSym(j, j, s.At(j, j)+0.5)
	}
	return s
}

// harmonicShapes are domains of planes, of curved walls and of both, all around the
// origin.
func harmonicShapes() []domain.Domain {
	rng := rand.New(rand.NewPCG(2, 1))
	polytope := func(m, d int) domain.Domain {
		var a [][]float64
		var b []float64
		for range m {
			a, b = append(a, normals(rng, d)), append(b, 0.5+2*rng.Float64())
		}
		return must(domain.NewPolytope(a, b, nil))
	}
	ball := func(d int, r float64) domain.Domain {
		c := normals(rng, d)
		for j := range c {
			c[j] *= 0.2
		}
		return must(domain.NewBall(c, r))
	}
	ellipsoid := func(d int) domain.Domain {
		return must(domain.NewEllipsoid(make([]float64, d), definite(rng, d)))
	}
	box := must(domain.NewBox([]float64{-1, math.Inf(-1), -0.3}, []float64{0.5, 2, math.Inf(1)}))
	return []domain.Domain{
		box, polytope(30, 5), polytope(1, 2), ball(3, 1.2), ellipsoid(4),
		must(domain.NewIntersection(polytope(8, 4), ball(4, 1.5), ellipsoid(4))),
		must(domain.NewProduct(6, domain.Part{Domain: ball(2, 0.8), At: []int{4, 1}}, domain.Part{Domain: box, At: []int{0, 3, 5}})),
		must(domain.NewOctagon(1.3)),
	}
}

// inwards shrinks x towards the origin until d contains it.
func inwards(d domain.Domain, x []float64) []float64 {
	for !d.Contains(x) {
		for j := range x {
			x[j] *= 0.8
		}
	}
	return x
}

// A slow is a path by other means: in coordinates where the Gaussian is round, times
// as angles, each wall looked at every 1/1000 and crossings found by bisection.
type slow struct {
	m    *mat.Dense // x = mean + M y
	mean []float64
	d    *domain.Inequalities
}

// values are those of all inequalities, inside where none is positive.
func (s *slow) values(x []float64) []float64 {
	var v []float64
	for i, a := range s.d.A {
		v = append(v, dot(a, x)-s.d.B[i])
	}
	for _, q := range s.d.Quadratic {
		w := -1.0
		for j, at := range q.At {
			for k, to := range q.At {
				e := 1 / (q.R * q.R)
				if q.Q != nil {
					e = q.Q[j*len(q.At)+k]
				} else if j != k {
					e = 0
				}
				w += (x[at] - q.C[j]) * e * (x[to] - q.C[k])
			}
		}
		v = append(v, w)
	}
	return v
}

// slope is the gradient of wall w at x.
func (s *slow) slope(w int, x []float64) []float64 {
	if w < len(s.d.A) {
		return s.d.A[w]
	}
	g := make([]float64, len(x))
	y := append([]float64(nil), x...)
	for j := range x { // central differences are exact for a quadratic
		y[j] = x[j] + 0.5
		up := s.values(y)[w]
		y[j] = x[j] - 0.5
		g[j] = up - s.values(y)[w]
		y[j] = x[j]
	}
	return g
}

// at is mean + M(y cos t + v sin t).
func (s *slow) at(y, v []float64, t float64) []float64 {
	w := make([]float64, len(y))
	for j := range w {
		w[j] = y[j]*math.Cos(t) + v[j]*math.Sin(t)
	}
	x := mat.NewVecDense(len(y), nil)
	x.MulVec(s.m, mat.NewVecDense(len(y), w))
	x.AddVec(x, mat.NewVecDense(len(y), s.mean))
	return x.RawVector().Data
}

// follow moves y and v along for a time and returns the mirrorings.
func (s *slow) follow(y, v []float64, time float64) int {
	on := -1
	for hits := 0; ; hits++ {
		const step = 1.0 / 1000
		t, wall := time, -1
		for from := 0.0; from < time && wall < 0; from += step {
			to := min(from+step, time)
			for w, e := range s.values(s.at(y, v, to)) {
				if !(e > 0) || w == on && from == 0 && s.values(s.at(y, v, to/2))[w] > 0 {
					continue
				}
				lo, hi := from, to
				for range 60 {
					if half := lo + (hi-lo)/2; s.values(s.at(y, v, half))[w] > 0 {
						hi = half
					} else {
						lo = half
					}
				}
				if hi < t || wall < 0 {
					t, wall = hi, w
				}
			}
		}
		x := s.at(y, v, t)
		for j := range y {
			y[j], v[j] = y[j]*math.Cos(t)+v[j]*math.Sin(t), v[j]*math.Cos(t)-y[j]*math.Sin(t)
		}
		if wall < 0 {
			return hits
		}
		n := mat.NewVecDense(len(y), nil)
		n.MulVec(s.m.T(), mat.NewVecDense(len(x), s.slope(wall, x)))
		c := 2 * dot(n.RawVector().Data, v) / mat.Dot(n, n)
		for j := range v {
			v[j] -= c * n.AtVec(j)
		}
		time, on = time-t, wall
	}
}

// A bout is a path that is followed in both ways.
type bout struct {
	f    *flow
	o    *orbit
	slow *slow
	x, u []float64 // where it begins
	y, v []float64 // likewise, where the Gaussian is round
}

func newBout(rng *rand.Rand, d domain.Domain, time float64) *bout {
	n := d.Dim()
	g := &gaussian{Mean: normals(rng, n), Precision: definite(rng, n)}
	b := &bout{f: must(newFlow(g, d, Harmonic{Time: time})), x: inwards(d, normals(rng, n)), v: normals(rng, n)}
	root, _, err := inverseRoot(g.Precision)
	b.slow = &slow{m: mat.DenseCopyOf(must(root, err)), mean: g.Mean, d: must(domain.InequalitiesOf(d))}
	var y, away mat.VecDense
	away.SubVec(mat.NewVecDense(n, b.x), mat.NewVecDense(n, g.Mean))
	if err := y.SolveVec(b.slow.m, &away); err != nil {
		panic(err)
	}
	b.y = y.RawVector().Data
	b.o = b.f.Orbit()
	copy(b.o.x, b.x)
	b.f.root.mul(b.o.u, b.v)
	b.u = append(b.u, b.o.u...)
	return b
}

// far is the largest difference of two states, relative to 1 and their size.
func far(a, b []float64) float64 {
	worst := 0.0
	for j, v := range a {
		worst = max(worst, math.Abs(v-b[j])/(1+math.Abs(v)))
	}
	return worst
}

// Paths end where those by other means do, to 1e-7, in all kinds of domains, with
// means inside and outside and times up to 3, and with its velocity reversed a path
// goes back to where it began. Paths of more than 25 mirrorings are left aside:
// curved walls spread errors. It kills: a normal of another metric, no reflection,
// the other root of a hit or a later wall, a sign in the quartic, products that are
// not taken along.
func TestHarmonicPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	trials := 24
	if pace.Soaking() {
		trials = 1000
	}
	for k, d := range harmonicShapes() {
		most, paths := 0, 0
		for trial := range trials {
			time := []float64{math.Pi / 2, 1, 3}[trial%3]
			b := newBout(rng, d, time)
			if trial%2 == 1 {
				b.f.plane.gram = nil // as where there are many walls
			}
			hits, _, ok := b.o.follow(b.f.reach)
			if !ok || hits > 25 {
				continue
			}
			paths++
			most = max(most, hits)
			if h := b.slow.follow(b.y, b.v, time); h != hits {
				t.Errorf("domain %d, trial %d: %d mirrorings, want %d", k, trial, hits, h)
				continue
			}
			if end := b.slow.at(b.y, b.v, 0); !(far(b.o.x, end) < 1e-7) {
				t.Errorf("domain %d, trial %d, %d mirrorings: path ends at %v, want %v", k, trial, hits, b.o.x, end)
			}
			for j, v := range b.o.u {
				b.o.u[j], b.u[j] = -v, -b.u[j]
			}
			b.o.follow(b.f.reach)
			if !(far(b.o.x, b.x) < 1e-7) || !(far(b.o.u, b.u) < 1e-7) {
				t.Errorf("domain %d, trial %d, %d mirrorings: back at %v, %v, begun at %v, %v", k, trial, hits, b.o.x, b.o.u, b.x, b.u)
			}
		}
		if t.Logf("domain %d: %d paths of up to %d mirrorings", k, paths, most); paths < trials*4/5 || most < 1 {
			t.Errorf("domain %d: %d paths of up to %d mirrorings say little", k, paths, most)
		}
	}
}

// States of the law stay in it: replicas are drawn by rejection and moved once, at
// temperatures 0.5 and 2. Coordinates, their products, and the probability of lying
// within a tenth of a wall differ between ends and beginnings by |z| < 5.7, some 250
// scores of 1.2e-8 each, of 4,000 pairs per domain and temperature. It kills: a
// velocity of another temperature or metric, and mirrorings that are left out.
func TestHarmonicKeepsTheLaw(t *testing.T) {
	pace.Slow(t)
	const n = 4000
	rng := rand.New(rand.NewPCG(8, 1))
	for k, d := range harmonicShapes() {
		for _, tau := range []float64{0.5, 2} {
			dim := d.Dim()
			g := &gaussian{Mean: normals(rng, dim), Precision: definite(rng, dim)}
			g.Precision.ScaleSym(2, g.Precision)
			for j := range g.Mean {
				g.Mean[j] *= 0.3
			}
			f := must(newFlow(g, d, Harmonic{}))
			b, at, noise := NewBlock(n, dim), NewAt(1), stream.New(uint64(k), 0).Lanes(n, stream.Kernel)
			clear(b.Rung)
			(&Schedule{StepSize: []float64{1}, Temperature: []float64{tau}}).Set(at, 1)
			x := vector(dim)
			for i := range n {
				for x[0] = math.NaN(); !d.Contains(x); {
					f.root.mul(x, normals(rng, dim))
					for j := range x {
						x[j] = g.Mean[j] + math.Sqrt(tau)*x[j]
					}
				}
				for j, v := range x {
					b.X[j*n+i] = v
				}
			}
			f.Orbit().Move(b, at, noise)
			s := &slow{d: must(domain.InequalitiesOf(d))}
			sums := make([]float64, dim+dim*(dim+1)/2+1)
			squares := make([]float64, len(sums))
			y := make([]float64, dim)
			for i := range n {
				for j := range dim {
					x[j], y[j] = b.From[j*n+i], b.X[j*n+i]
				}
				begun, ended := seen(s, x), seen(s, y)
				for q, v := range ended {
					sums[q] += v - begun[q]
					squares[q] += (v - begun[q]) * (v - begun[q])
				}
			}
			for q, v := range sums {
				if z := v / math.Sqrt(squares[q]); v != 0 && !(math.Abs(z) < 5.7) {
					t.Errorf("domain %d, temperature %g: function %d is off by %.1f standard errors", k, tau, q, z)
				}
			}
		}
	}
}

// seen are coordinates, their products, and whether x lies near a wall.
func seen(s *slow, x []float64) []float64 {
	f := append([]float64(nil), x...)
	for i, v := range x {
		for _, w := range x[:i+1] {
			f = append(f, v*w)
		}
	}
	near := 0.0
	for _, v := range s.values(x) {
		if v > -0.1 {
			near = 1
		}
	}
	return append(f, near)
}

// The first rise of a polynomial is where it becomes positive for the first time on a
// grid of 4,000 points, however its roots lie. It kills: roots of the derivative
// that are left out, and an interval without change of sign that is taken.
func TestFirstRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coefficient := rapid.Float64Range(-3, 3)
		c := [5]float64{-rapid.Float64Range(1e-3, 2).Draw(t, "value"), coefficient.Draw(t, "1"), coefficient.Draw(t, "2"),
			coefficient.Draw(t, "3"), coefficient.Draw(t, "4")}
		if rapid.Bool().Draw(t, "wall") { // on a wall, on the way inwards
			c[0], c[1] = 0, -1e-2-math.Abs(c[1])
		}
		end := rapid.Float64Range(0.1, 10).Draw(t, "end")
		got := firstRise(&c, end)
		const n = 4000
		for k := 1; k < n; k++ {
			s := end * float64(k) / n
			v, size := value(&c, 4, s), 0.0
			for j, w := range c {
				size += math.Abs(w) * math.Pow(s, float64(j))
			}
			if v > 1e-12*size && s < got {
				t.Fatalf("%v is %g at %g, and the first rise found at %g of %g", c, v, s, got, end)
			}
		}
		if got < end && (!(got > 0) || math.Abs(value(&c, 4, got)) > 1e-10*(1+math.Pow(got, 4))) {
			t.Fatalf("%v is %g at %g", c, value(&c, 4, got), got)
		}
	})
}
