package r2sgld_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// nodes are those of a quadrature: the integral of f over a region is Σ w f(x).
type nodes struct {
	x [][]float64
	w []float64
}

// tensor is the image of a cuboid, cut along axis j at cuts[j], under a smooth map that
// writes x and returns its Jacobian: n Gauss–Legendre nodes per piece of an axis.
func tensor(n int, cuts [][]float64, to func(x, u []float64) float64) nodes {
	d := len(cuts)
	at, weight := make([][]float64, d), make([][]float64, d)
	for j, c := range cuts {
		for i := range c[1:] {
			x, w := make([]float64, n), make([]float64, n)
			quad.Legendre{}.FixedLocations(x, w, c[i], c[i+1])
			at[j], weight[j] = append(at[j], x...), append(weight[j], w...)
		}
	}
	var m nodes
	var add func(u []float64, w float64)
	add = func(u []float64, w float64) {
		if j := len(u); j < d {
			for i, v := range at[j] {
				add(append(u, v), w*weight[j][i])
			}
			return
		}
		x := make([]float64, d)
		jacobian := to(x, u)
		m.x, m.w = append(m.x, x), append(m.w, w*jacobian)
	}
	add(make([]float64, 0, d), 1)
	return m
}

// A shape is a region by its nodes and its gauge: the share of the way from an inner
// point to the wall that x lies on, in at least one of its factors. The gauge is smooth
// where the nodes are not cut, and they are at 0.99.
type shape struct {
	nodes
	gauge func(x []float64) float64
}

var layered = []float64{0, 0.99, 1}

// polar is the region r < radius(θ), radius smooth but at the cuts from 0 to 2π.
func polar(n int, cuts []float64, radius func(theta float64) float64) shape {
	return shape{tensor(n, [][]float64{layered, cuts}, func(x, u []float64) float64 {
		s, c := math.Sincos(u[1])
		r := radius(u[1])
		x[0], x[1] = u[0]*r*c, u[0]*r*s
		return u[0] * r * r
	}), func(x []float64) float64 {
		theta := math.Atan2(x[1], x[0])
		if theta < 0 {
			theta += 2 * math.Pi
		}
		return math.Hypot(x[0], x[1]) / radius(theta)
	}}
}

// turn is n equal pieces of the circle.
func turn(n int) []float64 {
	cuts := make([]float64, n+1)
	for i := range cuts {
		cuts[i] = 2 * math.Pi * float64(i) / float64(n)
	}
	return cuts
}

// fan is a polygon, anticlockwise, all of which is seen from the inner point c: one
// triangle for each edge.
func fan(n int, c [2]float64, v [][2]float64) shape {
	var m nodes
	for i := range v {
		a, b := v[i], v[(i+1)%len(v)]
		area := (a[0]-c[0])*(b[1]-c[1]) - (a[1]-c[1])*(b[0]-c[0])
		part := tensor(n, [][]float64{layered, {0, 1}}, func(x, u []float64) float64 {
			for j := range x {
				x[j] = c[j] + u[0]*(a[j]+u[1]*(b[j]-a[j])-c[j])
			}
			return u[0] * area
		})
		m.x, m.w = append(m.x, part.x...), append(m.w, part.w...)
	}
	return shape{m, func(x []float64) float64 {
		for i := range v {
			a, b := v[i], v[(i+1)%len(v)]
			ax, ay, bx, by, px, py := a[0]-c[0], a[1]-c[1], b[0]-c[0], b[1]-c[1], x[0]-c[0], x[1]-c[1]
			area := ax*by - ay*bx
			if s, t := (px*by-py*bx)/area, (ax*py-ay*px)/area; s >= 0 && t >= 0 {
				return s + t
			}
		}
		return 0
	}}
}

// interval is that from lo to hi.
func interval(n int, lo, hi float64) shape {
	w := hi - lo
	return shape{tensor(n, [][]float64{{lo, lo + 0.005*w, hi - 0.005*w, hi}}, func(x, u []float64) float64 {
		x[0] = u[0]
		return 1
	}), func(x []float64) float64 { return math.Abs(2*x[0]-lo-hi) / w }}
}

// solid is the ball of radius r about 0 in three dimensions.
func solid(n int, r float64) shape {
	return shape{tensor(n, [][]float64{layered, {-1, 1}, turn(2)}, func(x, u []float64) float64 {
		s, c := math.Sincos(u[2])
		across := math.Sqrt(1 - u[1]*u[1])
		x[0], x[1], x[2] = r*u[0]*across*c, r*u[0]*across*s, r*u[0]*u[1]
		return u[0] * u[0]
	}), func(x []float64) float64 { return math.Sqrt(x[0]*x[0]+x[1]*x[1]+x[2]*x[2]) / r }}
}

// times is the product of a and b.
func (a shape) times(b shape) shape {
	var m nodes
	d := len(a.x[0])
	for i, x := range a.x {
		for k, y := range b.x {
			m.x, m.w = append(m.x, append(x[:d:d], y...)), append(m.w, a.w[i]*b.w[k])
		}
	}
	return shape{m, func(x []float64) float64 { return max(a.gauge(x[:d]), b.gauge(x[d:])) }}
}

// mapped is the image under x = c + L z.
func (a shape) mapped(c []float64, l [][]float64) shape {
	back := inverted(l)
	var m nodes
	for _, z := range a.x {
		x := make([]float64, len(c))
		apply(x, c, l, z)
		m.x = append(m.x, x)
	}
	m.w = a.w // but for the determinant, which ratios have no use for
	y, z, zero := make([]float64, len(c)), make([]float64, len(c)), make([]float64, len(c))
	return shape{m, func(x []float64) float64 {
		for j := range y {
			y[j] = x[j] - c[j]
		}
		apply(z, zero, back, y)
		return a.gauge(z)
	}}
}

// apply writes c + Lz into x.
func apply(x, c []float64, l [][]float64, z []float64) {
	for i, row := range l {
		x[i] = c[i]
		for j, v := range row {
			x[i] += v * z[j]
		}
	}
}

func inverted(l [][]float64) [][]float64 {
	m := mat.NewDense(len(l), len(l), nil)
	for i, row := range l {
		m.SetRow(i, row)
	}
	var inv mat.Dense
	if err := inv.Inverse(m); err != nil {
		panic(err)
	}
	return rowsOf(&inv)
}

// imageOf is {c + L z : a_i·z ≤ b_i}.
func imageOf(c []float64, l, a [][]float64, b []float64) domain.Domain {
	back := inverted(l)
	rows, bounds := make([][]float64, len(a)), make([]float64, len(a))
	for i, row := range a {
		rows[i], bounds[i] = make([]float64, len(c)), b[i]
		for k, v := range row {
			for j := range c {
				rows[i][j] += v * back[k][j]
			}
		}
		for j := range c {
			bounds[i] += rows[i][j] * c[j]
		}
	}
	return must(domain.NewPolytope(rows, bounds, nil))
}

// nearWall is P(gauge > 0.99).
func nearWall(gauge func(x []float64) float64) functional {
	return functional{"near the wall", func(x []float64, _ float64) float64 {
		if gauge(x) > 0.99 {
			return 1
		}
		return 0
	}, 0}
}

// expectations are U, all first and second moments, and the probability that is near the wall, with
// their values under exp(−U/τ) by the nodes.
func (a shape) expectations(t *testing.T, p r2sgld.Problem, tau float64) []functional {
	t.Helper()
	d := len(a.x[0])
	fs := []functional{nearWall(a.gauge), {"U", func(_ []float64, u float64) float64 { return u }, 0}}
	for i := range d {
		fs = append(fs, functional{fmt.Sprintf("x%d", i+1), func(x []float64, _ float64) float64 { return x[i] }, 0})
		for j := range i + 1 {
			fs = append(fs, functional{fmt.Sprintf("x%d·x%d", j+1, i+1), func(x []float64, _ float64) float64 { return x[i] * x[j] }, 0})
		}
	}
	eval := p.Potential.Evaluator(1, nil)
	energy, grad := make([]float64, 1), make([]float64, d)
	z := 0.0
	for k, x := range a.x {
		if !p.Domain.Contains(x) {
			t.Fatalf("the node %v of the truth is outside", x)
		}
		eval.Eval(energy, grad, x)
		w := a.w[k] * math.Exp(-energy[0]/tau)
		z += w
		for i, f := range fs {
			fs[i].want += w * f.of(x, energy[0])
		}
	}
	for i := range fs {
		fs[i].want /= z
	}
	return fs
}

// An exactLaw is a law with numbers known for every rung, and a bound of U from below.
type exactLaw struct {
	law
	name   string
	tau    []float64 // nil is {1}
	floor  float64
	start  func(rng *rand.Rand) []float64 // a draw from the law; nil rejects from the bounds of the domain
	mala   []float64                      // step sizes
	hmc    []float64                      // of five leapfrog steps
	path   kernel.Kernel                  // where U is Gaussian and the walls linear and quadratic
	mapped *r2sgld.Whitening
}

// starts are independent draws from the law of every rung, so that the draws of a
// kernel that keeps it have no burn-in.
func (l exactLaw) starts(t *testing.T, ladders int, seed uint64) [][][]float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	tau := l.tau
	if tau == nil {
		tau = []float64{1}
	}
	d := l.p.Potential.Dim()
	lo, hi := domain.BoundsOf(l.p.Domain, d) // infinite where start draws
	eval := l.p.Potential.Evaluator(1, nil)
	energy, grad := make([]float64, 1), make([]float64, d)
	draw := func(tau float64) []float64 {
		x := make([]float64, d)
		for {
			for j := range x {
				x[j] = lo[j] + rng.Float64()*(hi[j]-lo[j])
			}
			if !l.p.Domain.Contains(x) {
				continue
			}
			eval.Eval(energy, grad, x)
			if energy[0] < l.floor {
				t.Fatalf("U is %g at %v, below %g", energy[0], x, l.floor)
			}
			if rng.ExpFloat64() > (energy[0]-l.floor)/tau {
				return x
			}
		}
	}
	if l.start != nil {
		draw = func(float64) []float64 { return l.start(rng) }
	}
	all := make([][][]float64, ladders)
	for i := range all {
		for _, tau := range tau {
			all[i] = append(all[i], draw(tau))
		}
	}
	return all
}

// largestT is the |t| of n ladders that the largest of m means exceeds with probability
// 1e-6 at most, under a random seed.
func largestT(n, m int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - 0.5e-6/float64(m))
}

// The exact kernels keep their law on every kind of domain, at steps at which every
// second proposal or so meets a wall: means over 192 ladders that start from
// independent draws of the law, without burn-in and without allowance for a bias,
// against quadrature that knows nothing of walls, closed forms and reference numbers.
// Each case has a false alarm with probability 1e-6 under a random seed. It kills: the
// density of the way back at the folded displacement, always accepted, a wrong kick at the
// end, momenta not mirrored, walls met 0.5 % too early, and of the harmonic kernel
// mirroring in the Euclidean metric, a time left that is wrong, velocities without the
// temperature or the covariance, and a mean that is off by 3 %.
func TestExactKernelsKeepTheLaw(t *testing.T) {
	pace.Slow(t)
	const ladders = 192
	for i, l := range append(planeLaws(t), spaceLaws(t)...) {
		for j, k := range []struct {
			name string
			step []float64
			set  func(s *r2sgld.Settings)
		}{
			{"MALA", l.mala, func(s *r2sgld.Settings) { s.Kernel = kernel.HMC{Leapfrog: 1} }},
			{"HMC", l.hmc, func(s *r2sgld.Settings) { s.Kernel = kernel.HMC{Leapfrog: 5} }},
			{"harmonic", nil, func(s *r2sgld.Settings) { s.Kernel = l.path }},
		} {
			if k.name == "harmonic" && l.path == nil {
				continue
			}
			t.Run(l.name+"/"+k.name, func(t *testing.T) {
				n := 500
				if k.name == "MALA" {
					n = 1500
				}
				seed := uint64(10*i + j + 1)
				s := r2sgld.Settings{Seed: seed, Ladders: ladders, Iterations: longer(n), Temperature: l.tau, StepSize: k.step, Whitening: l.mapped,
					States: l.starts(t, ladders, seed)}
				k.set(&s)
				res := sample(t, l.p, s)
				m := 0
				for _, fs := range l.rungs {
					m += len(fs)
				}
				worst, what := l.score(res)
				tally := res.Tally(0)
				t.Logf("largest |t| %.2f (%s), accepted %.2f, %.2f of the steps met a wall", worst, what, res.Acceptance(),
					float64(tally.Reflected)/float64(tally.Steps))
				if !(worst < largestT(ladders, m)) {
					t.Errorf("E %s is off by |t| = %.1f", what, worst)
				}
				for _, a := range res.Acceptance() {
					if a < 0.2 || a > 0.98 {
						t.Errorf("%.3f of the trajectories are accepted: too few, or too many to tell", a)
					}
				}
				if tally.Outside > 0 || l.p.Domain != nil && tally.Reflected < tally.Steps/20 || tally.Fallbacks > tally.Steps/1000 {
					t.Errorf("%+v", tally)
				}
			})
		}
	}
}
