package r2sgld_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	search "github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
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
// their values under exp(−U/τ), or with a guide exp(−U/τ − (1 − 1/τ)G), by the nodes.
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
	u, energy := energies(p, tau)
	z := 0.0
	for k, x := range a.x {
		if !p.Domain.Contains(x) {
			t.Fatalf("the node %v of the truth is outside", x)
		}
		w := a.w[k] * math.Exp(-energy(x))
		z += w
		for i, f := range fs {
			fs[i].want += w * f.of(x, u(x))
		}
	}
	for i := range fs {
		fs[i].want /= z
	}
	return fs
}

// energies are U of p and −log of the density, unnormalised, of a rung.
func energies(p r2sgld.Problem, tau float64) (u, rung func(x []float64) float64) {
	of := func(p potential.Potential) func(x []float64) float64 {
		eval, energy, grad := p.Evaluator(1, nil), make([]float64, 1), make([]float64, p.Dim())
		return func(x []float64) float64 {
			eval.Eval(energy, grad, x)
			return energy[0]
		}
	}
	u = of(p.Potential)
	if p.Guide == nil {
		return u, func(x []float64) float64 { return u(x) / tau }
	}
	g := of(p.Guide.Potential)
	return u, func(x []float64) float64 { return u(x)/tau + (1-1/tau)*g(x) }
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
	shape  shape   // where the law is known by quadrature
	lowest float64 // G is no less
}

// guided is l with a ladder from a law fitted to its modes to the density. Its draws are told
// at twice their coordinates.
func (l exactLaw) guided(t *testing.T, seed uint64) exactLaw {
	t.Helper()
	d := l.p.Potential.Dim()
	l.tau, l.rungs = guidedRungs, nil
	l.p.Guide, l.lowest = fitted(t, l.p, seed)
	l.p.Chart = &r2sgld.Chart{Point: func(x, y []float64) {
		for j, v := range y {
			x[j] = 2 * v
		}
	}}
	for _, tau := range l.tau {
		fs := l.shape.expectations(t, l.p, tau)
		for i, f := range fs {
			y := make([]float64, d)
			fs[i].of = func(x []float64, u float64) float64 {
				for j, v := range x {
					y[j] = v / 2
				}
				return f.of(y, u)
			}
		}
		l.rungs = append(l.rungs, fs)
	}
	return l
}

// guidedRungs are those from the density to a fitted law, with steps as rungs have that are
// all as narrow as the coldest, where the fitted law is narrowest.
var guidedRungs = []float64{1, 3, math.Inf(1)}

func guidedSteps(eta float64) []float64 { return []float64{eta, eta / 3, eta} }

// fitted is a law fitted to the modes of p, on a bounded domain, however well, a fifth of it
// uniform, and what G is no less than.
func fitted(t *testing.T, p r2sgld.Problem, seed uint64) (g *r2sgld.Guide, lowest float64) {
	t.Helper()
	lo, hi := domain.BoundsOf(p.Domain, p.Potential.Dim())
	target := search.Target{Energy: p.Potential, Domain: p.Domain, Flat: 1, Threads: 1}
	most := 1.0 // of the density
	for j := range lo {
		target.Width = append(target.Width, (hi[j]-lo[j])/math.Sqrt(12))
		most /= hi[j] - lo[j]
	}
	rng := rand.New(rand.NewPCG(seed, 12))
	within := func(x []float64) error { inBox(x, p.Domain, lo, hi, rng); return nil }
	found, err := search.Find(t.Context(), target, within, 64, 512, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := found.Fit(t.Context(), target, rng)
	if err != nil || fit == nil {
		t.Fatal("no law is fitted: ", err)
	}
	if _, err := fit.Defend(t.Context(), target, rng, nil, 0.2, 1); err != nil {
		t.Fatal(err)
	}
	for _, p := range fit.Mixture.Parts {
		top := p.Weight
		for j := range p.L {
			top /= p.L[j][j] * math.Sqrt(2*math.Pi)
		}
		most += top
	}
	return &r2sgld.Guide{Potential: &fit.Mixture, Draw: fit.Mixture.Draw}, -math.Log(most)
}

// inBox writes a uniform draw from d, which lies between lo and hi.
func inBox(x []float64, d domain.Domain, lo, hi []float64, rng *rand.Rand) {
	for {
		for j := range x {
			x[j] = lo[j] + rng.Float64()*(hi[j]-lo[j])
		}
		if d.Contains(x) {
			return
		}
	}
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
	draw := func(tau float64) []float64 {
		_, energy := energies(l.p, tau)
		floor := l.floor/tau + (1-1/tau)*l.lowest
		for x := make([]float64, d); ; {
			inBox(x, l.p.Domain, lo, hi, rng)
			e := energy(x)
			if e < floor {
				t.Fatalf("the energy is %g at %v, below %g", e, x, floor)
			}
			if rng.ExpFloat64() > e-floor {
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
// So do all rungs of a ladder that begins at a fitted law, cut to the domain.
// Each case has a false alarm with probability 1e-6 under a random seed. It kills: the
// density of the way back at the folded displacement, always accepted, a wrong kick at the
// end, momenta not mirrored, walls met 0.5 % too early, and of the harmonic kernel
// mirroring in the Euclidean metric, a time left that is wrong, velocities without the
// temperature or the covariance, and a mean that is off by 3 %.
func TestExactKernelsKeepTheLaw(t *testing.T) {
	pace.Slow(t)
	for i, l := range append(planeLaws(t), spaceLaws(t)...) {
		for j, k := range []exactKernel{
			{"MALA", l.mala, kernel.HMC{Leapfrog: 1}, 1500},
			{"HMC", l.hmc, kernel.HMC{Leapfrog: 5}, 500},
			{"harmonic", nil, l.path, 500},
		} {
			seed := uint64(10*i + j + 1)
			if k.kernel != nil {
				t.Run(l.name+"/"+k.name, func(t *testing.T) { k.keeps(t, l, seed) })
			}
			if k.step != nil && l.shape.x != nil {
				t.Run(l.name+"/"+k.name+" from a guide", func(t *testing.T) {
					l := l.guided(t, seed)
					f := stat.GeometricMean(l.p.Guide.Widths(l.mapped).Factors(), nil)
					k.step, k.n = guidedSteps(k.step[0]/f), k.n/2 // others are longer and shorter
					k.keeps(t, l, seed)
				})
			}
		}
	}
}

// An exactKernel is a kernel with steps for a law and so many iterations.
type exactKernel struct {
	name   string
	step   []float64
	kernel kernel.Kernel
	n      int
}

// keeps holds that draws have the law l.
func (k exactKernel) keeps(t *testing.T, l exactLaw, seed uint64) {
	const ladders = 192
	s := r2sgld.Settings{Seed: seed, Ladders: ladders, Iterations: longer(k.n), Temperature: l.tau, StepSize: k.step, Whitening: l.mapped,
		Kernel: k.kernel, States: l.starts(t, ladders, seed)}
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
	for r, a := range res.Acceptance() {
		if fresh := l.tau != nil && math.IsInf(l.tau[r], 1); !fresh && (a < 0.2 || a > 0.98) {
			t.Errorf("%.3f of the trajectories are accepted: too few, or too many to tell", a)
		}
	}
	if tally.Outside > 0 || l.p.Domain != nil && tally.Reflected < tally.Steps/20 || tally.Fallbacks > tally.Steps/1000 {
		t.Errorf("%+v", tally)
	}
}
