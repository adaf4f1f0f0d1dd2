package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/stream"
)

// bowl writes the gradient of U = 2x₀⁴ + ½ Σ_j j (x_j − x_{j−1}/2)² into g and returns
// U: lopsided, not Gaussian, in any dimension.
func bowl(g, x []float64) float64 {
	u := 2 * x[0] * x[0] * x[0] * x[0]
	clear(g)
	g[0] = 8 * x[0] * x[0] * x[0]
	for j := 1; j < len(x); j++ {
		e := x[j] - x[j-1]/2
		u += float64(j) * e * e / 2
		g[j] += float64(j) * e
		g[j-1] -= float64(j) * e / 2
	}
	return u
}

// oneStep makes one leapfrog step of a block of one replica from x with the normal numbers xi
// and the step length of the schedule, reflects it and returns the end, the gain
// −ΔH/τ that decides on it, and the mirrorings.
func oneStep(x, xi []float64, at *At, r domain.Reflector) (end []float64, gain float64, hits int) {
	b := NewBlock(1, len(x))
	copy(b.X, x)
	b.Energy[0] = bowl(b.Grad, b.X)
	path := newTrajectory(b, 1, nil)
	path.begin(b, at, stream.New(1, 0).Lanes(1, stream.Kernel))
	for j, v := range xi {
		b.V[j] = at.Noise[0] * v
	}
	path.hamiltonian[0] = path.over(b, at, 0)
	path.kick(b, at, 1)
	to := make([]float64, len(x))
	for j, v := range b.V {
		to[j] = x[j] + v
	}
	hits, _ = r.Reflect(x, to, b.V)
	copy(b.X, to)
	b.Energy[0] = bowl(b.Grad, b.X)
	path.kick(b, at, 1)
	return to, path.hamiltonian[0] - path.over(b, at, 0), hits
}

// logDensity is that of N(0, 2ητ I) at w + η∇U, but for a constant: of the
// displacement w of a Langevin step where the gradient is g.
func logDensity(w, g []float64, eta, tau float64) float64 {
	s := 0.0
	for j, v := range w {
		e := v + eta*g[j]
		s += e * e
	}
	return -s / (4 * eta * tau)
}

// langevin is the logarithm of the acceptance ratio of reflected MALA: the step w
// from x, with the drift in it, is followed specularly to y; Q being the product of
// the mirrorings met, the way back from y is the straight displacement −Qw before
// its own mirrorings, and what counts is its density there. folded takes that of
// the displacement x − y instead, which is where the way back ends.
func langevin(x, xi []float64, eta, tau float64, r domain.Reflector) (y []float64, unfolded, folded float64) {
	d := len(x)
	g, w, q, back := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	y = make([]float64, d)
	before := bowl(g, x)
	for j := range w {
		w[j] = math.Sqrt(2*eta*tau)*xi[j] - eta*g[j]
		y[j] = x[j] + w[j]
	}
	there := logDensity(w, g, eta, tau)
	copy(q, w)
	r.Reflect(x, y, q)
	after := bowl(g, y)
	for j := range back {
		back[j] = -q[j]
	}
	unfolded = (before-after)/tau + logDensity(back, g, eta, tau) - there
	for j := range back {
		back[j] = x[j] - y[j]
	}
	return y, unfolded, (before-after)/tau + logDensity(back, g, eta, tau) - there
}

// HMC of one leapfrog step is reflected MALA: the same proposal and
// the same acceptance ratio, to 1e-12 of the sizes of its terms, on curved walls and
// between planes in five dimensions. So kernel HMC with one step needs no more to be it. The
// density of the way back at the folded displacement, where a wall is met, is
// another (it is the mutant that the test must tell apart), by 1e-3 and more in most cases.
func TestOneLeapfrogStepIsReflectedMALA(t *testing.T) {
	all := malaShapes(t)
	steps := rapid.Custom(func(t *rapid.T) malaStep { return drawMALA(t, all) })
	rapid.Check(t, func(t *rapid.T) { steps.Draw(t, "step").check(t, all) })
	met, apart := 0, 0
	for seed := range 100 { // the same ones always, so that their number is no matter of chance
		hits, differ := steps.Example(seed).check(t, all)
		if hits > 0 {
			met++
		}
		if differ {
			apart++
		}
	}
	if t.Logf("%d steps met a wall; in %d of them the folded density is another", met, apart); met < 10 || apart*2 < met {
		t.Error("too few to tell")
	}
}

// A malaStep is a step of the kernel from x with noise xi.
type malaStep struct {
	shape    string
	x, xi    []float64
	eta, tau float64
}

func drawMALA(t *rapid.T, all map[string]domain.Domain) malaStep {
	s := malaStep{shape: rapid.SampledFrom([]string{"flower", "ball", "polytope"}).Draw(t, "shape")}
	d := all[s.shape]
	n := d.Dim()
	s.x = rapid.Custom(func(t *rapid.T) []float64 {
		return rapid.SliceOfN(rapid.Float64Range(-1.5, 1.5), n, n).Draw(t, "x")
	}).Filter(d.Contains).Draw(t, "state")
	s.xi = rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, "xi")
	s.eta, s.tau = rapid.Float64Range(0.003, 0.3).Draw(t, "step"), rapid.Float64Range(0.3, 3).Draw(t, "temperature")
	return s
}

// check compares a step with MALA's, and returns its mirrorings and whether the folded
// density has another ratio.
func (s malaStep) check(t rapid.TB, all map[string]domain.Domain) (hits int, apart bool) {
	t.Helper()
	d := all[s.shape]
	r, err := domain.NewReflector(d, domain.Specular, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := NewAt(1)
	(&Schedule{StepSize: []float64{s.eta}, Temperature: []float64{s.tau}}).Set(at, 1)
	end, gain, hits := oneStep(s.x, s.xi, at, r)
	y, unfolded, folded := langevin(s.x, s.xi, s.eta, s.tau, r)
	size := 1.0
	for j, v := range end {
		if math.Abs(v-y[j]) > 1e-12*(1+math.Abs(v)) {
			t.Errorf("%s: the step ends at %v, that of MALA at %v", s.shape, end, y)
		}
		size += math.Abs(s.xi[j]) * math.Abs(s.xi[j])
	}
	g := make([]float64, d.Dim())
	for _, p := range [][]float64{s.x, y} {
		size += math.Abs(bowl(g, p)) / s.tau
		for _, v := range g {
			size += s.eta * v * v / s.tau
		}
	}
	if !(math.Abs(gain-unfolded) <= 1e-12*size) {
		t.Errorf("%s, %d mirrorings: log ratio %.17g, that of MALA %.17g", s.shape, hits, gain, unfolded)
	}
	if hits == 0 && math.Abs(folded-gain) > 1e-12*size {
		t.Errorf("%s: without a wall the ratios are %g and %g", s.shape, gain, folded)
	}
	return hits, hits > 0 && math.Abs(folded-gain) > 1e-3
}

// malaShapes are a curve that is not convex, a ball in three dimensions and a
// polytope of 30 facets in five.
func malaShapes(t *testing.T) map[string]domain.Domain {
	flower, err := domain.NewFlower(5, 3, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	ball, err := domain.NewBall([]float64{0.2, 0.1, -0.3}, 1.2)
	if err != nil {
		t.Fatal(err)
	}
	rng := stream.New(3, 0).Of(0, stream.Start)
	var a [][]float64
	var b []float64
	for range 30 {
		row := make([]float64, 5)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		a, b = append(a, row), append(b, 1+rng.Float64())
	}
	polytope, err := domain.NewPolytope(a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]domain.Domain{"flower": flower, "ball": ball, "polytope": polytope}
}

// N(−1, 0.5²) on [0, 1] has the mean 0.185320 (of a normal variable Z beyond 2 and
// below 4: −1 + ½ (φ(2) − φ(4))/(Φ(4) − Φ(2))) under steps of 0.1 to 1.5, which
// would take every second draw across both walls. 400 chains of 500 draws after 40, of which 18 % are accepted at the
// longest step; |z| < 5, 6e-7 each, and the standard error is below 0.002 (of
// 20,000 draws below 0.00025). It kills: the
// density of the way back at the folded displacement, no acceptance, and a wall
// that lets through.
func TestReflectedMALAOnAnInterval(t *testing.T) {
	phi := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	want := -1 + 0.5*(phi(2)-phi(4))/(cdf(4)-cdf(2))
	if math.Abs(want-0.18532) > 1e-5 {
		t.Fatal(want)
	}
	box, err := domain.NewBox([]float64{0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := domain.NewReflector(box, domain.Specular, 0)
	if err != nil {
		t.Fatal(err)
	}
	const chains, burn = 400, 40
	n, largest := 500, 2e-3
	if pace.Soaking() {
		n, largest = 20_000, 2.5e-4 // 4 of them are 0.001
	}
	for _, step := range []float64{0.1, 0.4, 1.5} {
		b, at := NewBlock(chains, 1), NewAt(1)
		clear(b.Rung)
		(&Schedule{StepSize: []float64{step}, Temperature: []float64{1}}).Set(at, 1)
		noise := stream.New(7, 0).Lanes(chains, stream.Kernel)
		for i := range b.X {
			b.X[i] = 0.2
		}
		evaluate := func() {
			for i, x := range b.X {
				b.Energy[i], b.Grad[i] = 2*(x+1)*(x+1), 4*(x+1)
			}
		}
		evaluate()
		path, moves, sum := newTrajectory(b, 1, nil), make([]Moves, 1), make([]float64, chains)
		for k := range burn + n {
			path.Leapfrog(b, at, noise)
			for i := range b.X {
				r.Reflect(b.From[i:i+1], b.X[i:i+1], b.V[i:i+1])
			}
			evaluate()
			path.Accept(b, at, noise, moves)
			for i, x := range b.X {
				if k >= burn {
					sum[i] += x / float64(n)
				}
			}
		}
		mean, square := 0.0, 0.0
		for _, v := range sum {
			mean += v / chains
		}
		for _, v := range sum {
			square += (v - mean) * (v - mean) / (chains - 1)
		}
		se := math.Sqrt(square / chains)
		t.Logf("step %g: mean %.6f ± %.6f, %.2f accepted", step, mean, se, float64(moves[0].Accepted)/float64(moves[0].Proposed))
		if !(se < largest) || !(math.Abs(mean-want) < 5*se) {
			t.Errorf("step %g: mean %.6f ± %.6f, want %.6f", step, mean, se, want)
		}
	}
}
