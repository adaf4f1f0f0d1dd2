package r2sgld_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A conjugate is a normal likelihood, U = ½ (x − μ)ᵀQ(x − μ), with a normal prior
// N(m, S) as the base law.
type conjugate struct {
	mu, m []float64
	q, s  *mat.SymDense
}

// opposed is a conjugate in three dimensions whose prior and likelihood disagree,
// in place and in the directions of their correlations.
func opposed() conjugate {
	return conjugate{
		mu: []float64{1.4, 0.3, -0.4}, q: mat.NewSymDense(3, []float64{4, 1, 0.5, 1, 2, -0.6, 0.5, -0.6, 6}),
		m: []float64{0.5, -1, 1}, s: mat.NewSymDense(3, []float64{1, 0.6, -0.2, 0.6, 1.5, 0.1, -0.2, 0.1, 0.5}),
	}
}

func rowsOf(m mat.Matrix) [][]float64 {
	r, _ := m.Dims()
	var out [][]float64
	for i := range r {
		out = append(out, mat.Row(nil, i, m))
	}
	return out
}

// inverse is that of a positive definite matrix.
func inverse(m *mat.SymDense) *mat.SymDense {
	var c mat.Cholesky
	if !c.Factorize(m) {
		panic("not positive definite")
	}
	var out mat.SymDense
	if err := c.InverseTo(&out); err != nil {
		panic(err)
	}
	return &out
}

func logDet(m *mat.SymDense) float64 {
	v, _ := mat.LogDet(m)
	return v
}

// problem is the conjugate on d, with U₀ normalised.
func (c conjugate) problem(d domain.Domain) r2sgld.Problem {
	constant := (3*math.Log(2*math.Pi) + logDet(c.s)) / 2
	p := inverse(c.s)
	l := cholesky(rowsOf(c.s))
	return r2sgld.Problem{Potential: quadratic(c.mu, rowsOf(c.q)), Domain: d, Base: &r2sgld.Base{
		Potential: potential.Func(3, func(grad, x []float64) float64 {
			u := constant
			for i := range 3 {
				grad[i] = 0
				for j := range 3 {
					grad[i] += p.At(i, j) * (x[j] - c.m[j])
				}
				u += 0.5 * grad[i] * (x[i] - c.m[i])
			}
			return u
		}),
		Draw: func(x []float64, rng *rand.Rand) {
			z := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			for i, row := range l {
				x[i] = c.m[i] + row[0]*z[0] + row[1]*z[1] + row[2]*z[2]
			}
		}}}
}

// at is mean and covariance of exp(−βU − U₀).
func (c conjugate) at(beta float64) (mean []float64, cov *mat.SymDense) {
	var a mat.SymDense
	a.ScaleSym(beta, c.q)
	p := inverse(c.s)
	a.AddSym(&a, p)
	cov = inverse(&a)
	var qm, pm, m mat.VecDense
	qm.MulVec(c.q, mat.NewVecDense(3, c.mu))
	pm.MulVec(p, mat.NewVecDense(3, c.m))
	pm.AddScaledVec(&pm, beta, &qm)
	m.MulVec(cov, &pm)
	return m.RawVector().Data, cov
}

// logEvidence is log E exp(−U) over the prior.
func (c conjugate) logEvidence() float64 {
	var sum mat.SymDense // covariance of μ − m
	qi := inverse(c.q)
	sum.AddSym(qi, c.s)
	diff := mat.NewVecDense(3, nil)
	diff.SubVec(mat.NewVecDense(3, c.mu), mat.NewVecDense(3, c.m))
	return (logDet(qi) - logDet(&sum) - mat.Inner(diff, inverse(&sum), diff)) / 2
}

// expectations are U, means and second moments about fixed points, exact without a
// domain, else by n points of a lattice carried to the law on R³ of which those in
// d count; mass is their share. With n = 500,000 they are good to 1e-4, a fiftieth
// of the standard errors below.
func (c conjugate) expectations(beta float64, d domain.Domain, n int) (fs []functional, mass float64) {
	mean, cov := c.at(beta)
	u := quadratic(c.mu, rowsOf(c.q)).Evaluator(1, nil)
	fs = append(fs, functional{"U", func(_ []float64, u float64) float64 { return u }, 0})
	for i := range 3 {
		fs = append(fs, functional{fmt.Sprintf("x%d", i+1), func(x []float64, _ float64) float64 { return x[i] }, 0})
		for j := range i + 1 {
			fs = append(fs, functional{fmt.Sprintf("x%d x%d", i+1, j+1),
				func(x []float64, _ float64) float64 { return (x[i] - mean[i]) * (x[j] - mean[j]) }, 0})
		}
	}
	if d == nil {
		energy, grad := []float64{0}, make([]float64, 3)
		u.Eval(energy, grad, mean)
		var qc mat.Dense
		qc.Mul(c.q, cov)
		fs[0].want = energy[0] + mat.Trace(&qc)/2
		k := 1
		for i := range 3 {
			fs[k].want = mean[i]
			for j := range i + 1 {
				fs[k+1+j].want = cov.At(i, j)
			}
			k += 2 + i
		}
		return fs, 1
	}
	const phi = 1.2207440846057596 // x⁴ = x + 1: Roberts's generalised golden ratio
	step := [3]float64{1 / phi, 1 / (phi * phi), 1 / (phi * phi * phi)}
	l := cholesky(rowsOf(cov))
	x, z := make([]float64, 3), make([]float64, 3)
	energy, grad := []float64{0}, make([]float64, 3)
	inside := 0.0
	for k := range n {
		for j := range z {
			_, a := math.Modf(0.5 + float64(k)*step[j])
			z[j] = distuv.UnitNormal.Quantile(a)
		}
		for i, row := range l {
			x[i] = mean[i] + row[0]*z[0] + row[1]*z[1] + row[2]*z[2]
		}
		if !d.Contains(x) {
			continue
		}
		inside++
		u.Eval(energy, grad, x)
		for i, f := range fs {
			fs[i].want += f.of(x, energy[0])
		}
	}
	for i := range fs {
		fs[i].want /= inside
	}
	return fs, inside / float64(n)
}

// walls are domains that cut the prior and the posterior of opposed.
func walls() map[string]domain.Domain {
	return map[string]domain.Domain{
		"free":       nil,
		"half-space": must(domain.NewHalfSpace([]float64{1, -0.5, 0.7}, 0.9)),
		"box":        must(domain.NewBox([]float64{0.2, -1.5, -0.5}, []float64{1.8, 0.4, 2})),
	}
}

// aslant is a whitening near the posterior's.
func (c conjugate) aslant() *r2sgld.Whitening {
	mean, cov := c.at(1)
	l := cholesky(rowsOf(cov))
	l[0][0] *= 1.2
	l[2][1] -= 0.1
	return &r2sgld.Whitening{Center: []float64{mean[0], mean[1] + 0.1, mean[2]}, L: l}
}

// together is the |t| of the mean of n ladders that one of so many scores exceeds
// with probability 1e-6 at most.
func together(n, scores int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - 0.5e-6/float64(scores))
}

// Kernel HMC with a base law keeps exp(−U/τ − U₀) on each rung, at steps where SGLD
// is off: means and second moments of the cold rung, of one at τ = 4 and of the
// prior at infinite temperature over 48 ladders, without walls and with some that
// cut off much, whitened or not (31 scores at 1e-6 together). The evidence is
// that of the closed form, with its own error. It kills: a temperature on the prior,
// U₀ missing from H or from the drift, U₀ and ∇U₀ of rejected ends, swaps that
// take U₀ into account, a hottest rung that is not drawn from the prior (without
// walls too), walls that do not cut it, and the prior's mass in the domain
// forgotten in the evidence.
func TestHMCWithBaseIsExact(t *testing.T) {
	pace.Slow(t)
	c := opposed()
	for name, d := range walls() {
		for mapped, w := range map[string]*r2sgld.Whitening{"": nil, ", mapped": c.aslant()} {
			t.Run(name+mapped, func(t *testing.T) {
				l := law{p: c.problem(d)}
				var mass float64
				for _, beta := range []float64{0, 0.25, 1} {
					var fs []functional
					fs, mass = c.expectations(beta, d, 500_000)
					l.rungs = append([][]functional{fs}, l.rungs...)
				}
				s := r2sgld.Settings{Seed: 8, Ladders: 48, BurnIn: 100, StepSize: []float64{0.06, 0.045, 1},
					Temperature: []float64{1, 4, infinity}, Whitening: w}
				if w != nil {
					s.StepSize = []float64{0.3, 0.15, 1}
				}
				s.Iterations = s.BurnIn + longer(1500)
				biased, _ := l.score(sample(t, l.p, s))
				s.Kernel = kernel.HMC{Leapfrog: 3}
				res := sample(t, l.p, s)
				z, what := l.score(res)
				t.Logf("largest |t| %.1f (%s), without acceptance %.1f; accepted %.2f", z, what, biased, res.Acceptance())
				bound := together(s.Ladders, 31)
				if !(z < bound) {
					t.Errorf("E %s is off by |t| = %.1f", what, z)
				}
				if !(biased > bound) {
					t.Errorf("SGLD with this step passes too, |t| = %.1f", biased)
				}
				for r, a := range res.Acceptance() {
					if r < 2 && (a < 0.35 || a > 0.98) || r == 2 && a != 1 {
						t.Errorf("rung %d accepts %.3f of its trajectories", r+1, a)
					}
				}
				var swaps []exchange.Statistics
				for _, one := range res.Ladders {
					swaps = append(swaps, one.Swaps)
				}
				e := exchange.EvidenceOf(swaps...)
				log, se, err := l.p.Mass(t.Context(), rand.New(rand.NewPCG(1, 2)))
				if err != nil || (d == nil) != (se == 0) {
					t.Fatalf("mass %g ± %g, %v", log, se, err)
				}
				got, want := log+e.Estimate, c.logEvidence()+math.Log(mass)
				t.Logf("log evidence %.4f ± %.4f, exact %.4f", got, math.Hypot(se, e.Error), want)
				if !(math.Abs(got-want) < bound*math.Hypot(se, e.Error)) || e.Error > 0.04 {
					t.Errorf("log evidence %.4f ± %.4f, exact %.4f", got, math.Hypot(se, e.Error), want)
				}
			})
		}
	}
}

// Without walls and swaps SGLD with a base law is an autoregression, whose law is
// normal with the mean of exp(−U/τ − U₀) and the covariance τA⁻¹(I − ηA/2)⁻¹,
// A = Q + τS⁻¹: at a step where that is 10 to 50 % wide of the exact one, and at
// τ = 0.5 and 3, nothing else fits (20 scores at 1e-6 together). It kills τ missing before
// ∇U₀, the step or the sign of the base's drift, and a kernel that corrects the
// bias.
func TestSGLDWithBase(t *testing.T) {
	c := opposed()
	tau := []float64{0.5, 3}
	s := r2sgld.Settings{Seed: 12, Ladders: 48, BurnIn: 500, Iterations: 500 + longer(6000), Thin: 3, StepSize: []float64{0.1, 0.06},
		Temperature: tau, Swap: never}
	l := law{p: c.problem(nil)}
	for r, eta := range s.StepSize {
		mean, cov := c.at(1 / tau[r])
		fs, _ := c.expectations(1/tau[r], nil, 0)
		a := mat.NewSymDense(3, nil) // A/τ = cov⁻¹
		a.CopySym(inverse(cov))
		var square mat.Dense
		square.Mul(a, a)
		wide := mat.NewSymDense(3, nil)
		for i := range 3 {
			for j := i; j < 3; j++ {
				wide.SetSym(i, j, a.At(i, j)-eta*tau[r]*square.At(i, j)/2)
			}
		}
		wide = inverse(wide)
		var more mat.Dense
		more.Sub(wide, cov)
		for i := range 3 {
			if share := more.At(i, i) / cov.At(i, i); share < 0.03 {
				t.Errorf("rung %d: the step widens coordinate %d by %.3f only", r+1, i+1, share)
			}
		}
		var qc mat.Dense
		qc.Mul(c.q, &more)
		fs[0].want += mat.Trace(&qc) / 2
		k := 1
		for i := range 3 {
			fs[k].want = mean[i]
			for j := range i + 1 {
				fs[k+1+j].want = wide.At(i, j)
			}
			k += 2 + i
		}
		l.rungs = append(l.rungs, fs)
	}
	if z, what := l.score(sample(t, l.p, s)); !(z < together(s.Ladders, 20)) {
		t.Errorf("E %s is off by |t| = %.1f", what, z)
	}
}

// With swaps and walls SGLD with a base law has the law of the cold rung, the biases
// of two steps extrapolated, mapped and not.
func TestSGLDWithBaseAndWalls(t *testing.T) {
	pace.Slow(t)
	c := opposed()
	for name, d := range walls() {
		s := settings(120_000, 4e-3)
		s.Temperature, s.StepSize = []float64{1, 4, infinity}, []float64{4e-3, 2e-3, 1}
		if name == "box" {
			s.Whitening = c.aslant()
			s.StepSize = []float64{0.02, 0.01, 1}
		}
		fs, _ := c.expectations(1, d, 500_000)
		t.Run(name, func(t *testing.T) { atTwoSteps(t, c.problem(d), s, 1, fs) })
	}
}

// The error of H of trajectories of equal length falls with the square of their
// steps, so that as good as all are accepted at small ones, also with a base law at
// τ = 4 and 20 and in coordinates of another scale: a force that lacks a factor, as
// τ before ∇U₀, is off by of order 1 over the whole trajectory. (The law would
// stay: Metropolis's rule makes up for any force.)
func TestTrajectoriesFollowTheBase(t *testing.T) {
	c := opposed()
	for _, w := range []*r2sgld.Whitening{nil, c.aslant()} {
		s := r2sgld.Settings{Seed: 3, Ladders: 2, Iterations: 300, Temperature: []float64{1, 4, 20}, StepSize: []float64{8e-4, 2e-4, 4e-5},
			Whitening: w, Kernel: kernel.HMC{Leapfrog: 25}}
		for r, a := range sample(t, c.problem(nil), s).Acceptance() {
			if a < 0.98 {
				t.Errorf("rung %d accepts %.3f of its trajectories", r+1, a)
			}
		}
	}
}

// After every iteration U₀ and its gradient are those of the states, bit for bit,
// beside U and its. It kills either of a rejected end, and a base that is not
// evaluated in the kernel's coordinates.
func TestBlocksWithBaseAreEvaluated(t *testing.T) {
	c := opposed()
	p := c.problem(walls()["half-space"])
	for name, bend := range map[string]func(*r2sgld.Settings){
		"HMC":         func(s *r2sgld.Settings) { s.Kernel = kernel.HMC{Leapfrog: 3} },
		"HMC, mapped": func(s *r2sgld.Settings) { s.Kernel, s.Whitening = kernel.HMC{Leapfrog: 3}, c.aslant() },
		"SGLD":        func(*r2sgld.Settings) {},
	} {
		s := r2sgld.Settings{Seed: 4, Ladders: 2, Iterations: 200, Temperature: []float64{1, 4, infinity}, StepSize: []float64{0.1, 0.1, 1},
			Threads: 2} // a ladder for each: none share a block
		bend(&s)
		s.Recorder = func(int) r2sgld.Recorder {
			u := p.Base.Potential
			if w := s.Whitening; w != nil {
				u = potential.Affine(u, w.Center, w.L)
			}
			eval := u.Evaluator(3, nil)
			energy, grad := make([]float64, 3), make([]float64, 9)
			return watch(func(k int, b *kernel.Block) {
				if eval.Eval(energy, grad, b.X); !slices.Equal(energy, b.Base) || !slices.Equal(grad, b.BaseGrad) {
					t.Fatalf("%s, iteration %d: U₀ %v and ∇U₀ %v, not %v and %v", name, k, b.Base, b.BaseGrad, energy, grad)
				}
			})
		}
		sample(t, p, s)
	}
}

// A chart shows draws in other coordinates, with the same energies, and counts
// those outside there.
func TestChartShowsDraws(t *testing.T) {
	p := opposed().problem(walls()["half-space"])
	s := r2sgld.Settings{Seed: 4, Ladders: 2, Iterations: 300, Temperature: []float64{1, 4, infinity}, StepSize: []float64{0.05},
		Kernel: kernel.HMC{Leapfrog: 3}}
	plain := sample(t, p, s)
	p.Chart = &r2sgld.Chart{Point: func(x, y []float64) { x[0], x[1], x[2] = math.Exp(y[1]), y[0]+y[1], -y[2] },
		Domain: must(domain.NewHalfSpace([]float64{1, 0, 0}, 1))}
	charted := sample(t, p, s)
	outside := int64(0)
	for i, l := range charted.Ladders {
		for r := range l.Energy {
			if !slices.Equal(l.Energy[r], plain.Ladders[i].Energy[r]) {
				t.Fatalf("ladder %d, rung %d has other energies", i+1, r+1)
			}
			x := make([]float64, 3)
			for k := range l.Energy[r] {
				p.Chart.Point(x, plain.Ladders[i].X[r][3*k:3*k+3])
				if !slices.Equal(x, l.X[r][3*k:3*k+3]) {
					t.Fatalf("ladder %d, rung %d, draw %d is %v, want %v", i+1, r+1, k+1, l.X[r][3*k:3*k+3], x)
				}
				if r == 0 && x[0] > 1 {
					outside++
				}
			}
		}
	}
	if got := charted.Tally(0).Outside; got != outside || outside == 0 {
		t.Errorf("%d draws outside, counted %d", outside, got)
	}
}

// A base law goes with SGLD and HMC alone, and needs no bounded domain and no start.
func TestBaseGoesWithKernels(t *testing.T) {
	p := opposed().problem(nil)
	for name, s := range map[string]r2sgld.Settings{
		"momentum": {Kernel: kernel.Momentum{Mu: 0.5}}, "mirror": {Mirror: true},
	} {
		if _, err := r2sgld.Sample(context.Background(), p, s); err == nil ||
			!strings.Contains(err.Error(), "a base law goes with SGLD and HMC") {
			t.Errorf("%s: %v", name, err)
		}
	}
	far := must(domain.NewHalfSpace([]float64{1, 0, 0}, -40))
	s := r2sgld.Settings{Iterations: 10, Temperature: []float64{1, infinity}}
	if _, err := r2sgld.Sample(context.Background(), opposed().problem(far), s); err == nil ||
		!strings.Contains(err.Error(), "from the law at infinite temperature") {
		t.Errorf("a domain without mass: %v", err)
	}
	if _, _, err := opposed().problem(far).Mass(t.Context(), rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("a domain without mass has one")
	}
}

// roundBase is the standard normal law in two dimensions.
func roundBase() *r2sgld.Base {
	return &r2sgld.Base{Potential: quadratic([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}),
		Draw: func(x []float64, rng *rand.Rand) { x[0], x[1] = rng.NormFloat64(), rng.NormFloat64() }}
}
