package r2sgld_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// normalGuide is a normal law with one centre and width for all coordinates.
func normalGuide(d int, center, sd float64) *r2sgld.Guide {
	return &r2sgld.Guide{
		Potential: potential.Func(d, func(grad, x []float64) float64 {
			u := float64(d) * math.Log(sd*math.Sqrt(2*math.Pi))
			for j, v := range x {
				z := (v - center) / sd
				u, grad[j] = u+z*z/2, z/sd
			}
			return u
		}),
		Draw: func(x []float64, rng *rand.Rand) {
			for j := range x {
				x[j] = center + sd*rng.NormFloat64()
			}
		},
	}
}

// A ladder that begins at a guide, even one in the wrong place and too narrow, keeps the law:
// exp(−2x − y²/2) on [0, 3] × [−2, 2], with and without a base law that y takes part in. Means,
// and log Z with the mass of the guide, are within 5 standard errors of closed forms (chance:
// 6e-7 each); energies are told as U, to rounding.
//
// Mutants: the guide added; energies told as they are traded; the mass of the uniform law.
func TestGuide(t *testing.T) {
	pace.Slow(t)
	box, err := domain.NewBox([]float64{0, -2}, []float64{3, 2})
	if err != nil {
		t.Fatal(err)
	}
	half := func(grad, x []float64) float64 { grad[0], grad[1] = 2, 0; return 2 * x[0] }
	rest := func(grad, x []float64) float64 {
		grad[0], grad[1] = 0, x[1]
		return x[1]*x[1]/2 + math.Log(2*math.Pi)/2
	}
	whole := func(grad, x []float64) float64 {
		grad[0], grad[1] = 2, x[1]
		return 2*x[0] + x[1]*x[1]/2
	}
	z := -math.Expm1(-6) / 2 * math.Sqrt(2*math.Pi) * math.Erf(math.Sqrt2)
	mean := 0.5 - 3*math.Exp(-6)/-math.Expm1(-6)
	flat := &r2sgld.Base{Potential: potential.Func(2, rest), Draw: func(x []float64, rng *rand.Rand) {
		x[0], x[1] = 3*rng.Float64(),
			rng.NormFloat64()
	}}
	for name, c := range map[string]struct {
		p    r2sgld.Problem
		u    func(grad, x []float64) float64
		logZ float64
	}{
		"alone":           {r2sgld.Problem{Potential: potential.Func(2, whole)}, whole, math.Log(z)},
		"with a base law": {r2sgld.Problem{Potential: potential.Func(2, half), Base: flat}, half, math.Log(z) - math.Log(2*math.Pi)/2},
	} {
		for _, k := range []kernel.Kernel{kernel.HMC{Leapfrog: 3}, kernel.HMC{Leapfrog: 1}} {
			p := c.p
			p.Domain, p.Guide = box, normalGuide(2, 0.8, 0.5)
			s := r2sgld.Settings{Seed: 5, Ladders: 4, Iterations: 20_000, BurnIn: 500, Kernel: k,
				Temperature: []float64{1, 2, 5, math.Inf(1)}, StepSize: []float64{0.1, 0.1, 0.1, 0.1}}
			res, err := r2sgld.Sample(t.Context(), p, s)
			if err != nil {
				t.Fatal(err)
			}
			if z := (diag.Mean(slices.Concat(res.Chains(0)...)) - mean) / diag.MCSEMean(res.Chains(0)); !(math.Abs(z) < 5) {
				t.Errorf("%s, %T: mean of x %.1f standard errors off", name, k, z)
			}
			if z := diag.Mean(slices.Concat(res.Chains(1)...)) / diag.MCSEMean(res.Chains(1)); !(math.Abs(z) < 5) {
				t.Errorf("%s, %T: mean of y %.1f standard errors off", name, k, z)
			}
			mass, se, err := p.Mass(t.Context(), rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			e := tune.Evidence(res)
			if got := e.Estimate + mass; !(math.Abs(got-c.logZ) < 5*math.Hypot(e.Error, se)) {
				t.Errorf("%s, %T: log Z %.4f ± %.4f, want %.4f", name, k, got, math.Hypot(e.Error, se), c.logZ)
			}
			grad := make([]float64, 2)
			for r, x := range res.Ladders[1].X {
				for i, u := range res.Ladders[1].Energy[r] {
					if want := c.u(grad, x[2*i:2*i+2]); math.Abs(u-want) > 1e-12*(10+math.Abs(want)) {
						t.Fatalf("%s: energy %g of rung %d, want %g", name, u, r+1, want)
					}
				}
			}
		}
	}
}

// A run with a guide that was stopped goes on to the same draws.
func TestGuideResumes(t *testing.T) {
	box, err := domain.NewBox([]float64{0, -2}, []float64{3, 2})
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Domain: box, Guide: normalGuide(2, 0.8, 0.5), Potential: potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 2, x[1]
		return 2*x[0] + x[1]*x[1]/2
	})}
	s := r2sgld.Settings{Seed: 5, Ladders: 2, Iterations: 300, Kernel: kernel.HMC{Leapfrog: 2}, Temperature: []float64{1, 3, math.Inf(1)},
		StepSize: []float64{0.1}}
	whole, err := r2sgld.Sample(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	var saved [][]byte
	first := s
	first.Iterations = 120
	first.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, states [][]byte) error { saved = states; return nil }}
	if _, err := r2sgld.Sample(t.Context(), p, first); err != nil {
		t.Fatal(err)
	}
	s.Resume = saved
	again, err := r2sgld.Sample(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range whole.Ladders {
		for r := range l.X {
			o := again.Ladders[i]
			if !slices.Equal(l.X[r], o.X[r]) || !slices.Equal(l.Energy[r], o.Energy[r]) || !slices.Equal(l.More[r], o.More[r]) {
				t.Fatalf("ladder %d, rung %d: other draws after a stop", i+1, r+1)
			}
		}
	}
	forged := slices.Clone(saved)
	forged[0] = forged[0][:len(forged[0])-40]
	s.Resume = forged
	if _, err := r2sgld.Sample(t.Context(), p, s); err == nil {
		t.Error("a state that is cut short is taken")
	}
}

// Energies with noise of a known variance, of which swaps take account, lead from a guide in the
// wrong place to the law, N(0, 1), whose variance steps make 1/(1 − η/2). Mean and variance are
// within 5 standard errors (chance: 6e-7 each) and η, the order to which the law of a rung is not
// that which swaps take it for.
//
// Mutants: swaps that take no account of the noise.
func TestGuideWithNoise(t *testing.T) {
	pace.Slow(t)
	const sd, eta = 1.0, 0.02
	p := r2sgld.Problem{Guide: normalGuide(1, 0.8, 0.8),
		Potential: potential.Noisy(potential.Func(1, func(grad, x []float64) float64 { grad[0] = x[0]; return x[0] * x[0] / 2 }), 0, sd)}
	s := r2sgld.Settings{Seed: 7, Ladders: 4, Iterations: 100_000, BurnIn: 500, Start: []float64{0},
		Temperature: []float64{1, math.Inf(1)}, StepSize: []float64{eta}, Swap: exchange.Settings{Variance: 2 * sd * sd}}
	res, err := r2sgld.Sample(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	x := res.Chains(0)
	squares := make([][]float64, len(x))
	for i, c := range x {
		for _, v := range c {
			squares[i] = append(squares[i], v*v)
		}
	}
	for what, c := range map[string]struct {
		chains [][]float64
		want   float64
	}{"mean": {x, 0}, "mean square": {squares, 1 / (1 - eta/2)}} {
		got, se := diag.Mean(slices.Concat(c.chains...)), diag.MCSEMean(c.chains)
		t.Logf("%s %.4f ± %.4f, want %.4f", what, got, se, c.want)
		if !(math.Abs(got-c.want) < 5*se+eta) {
			t.Errorf("%s %.4f ± %.4f, want %.4f", what, got, se, c.want)
		}
	}
}

// An unknown potential has noise that nobody can leave out.
type unknown struct{ potential.Potential }

func (unknown) EnergyNoise() float64 { return math.NaN() }

// A guide has a coldest temperature of 1, and energies whose noise is known to be all that is wrong
// with them and that swaps see; it goes neither with kernels that know no base law nor with mirror maps.
func TestGuideRefused(t *testing.T) {
	exact := potential.Func(2, func(grad, x []float64) float64 { copy(grad, x); return (x[0]*x[0] + x[1]*x[1]) / 2 })
	box := must(domain.NewBox([]float64{-1, -1}, []float64{1, 1}))
	for want, c := range map[string]struct {
		u potential.Potential
		s r2sgld.Settings
	}{
		"known without noise":               {unknown{exact}, r2sgld.Settings{}},
		"or FullEnergies":                   {potential.Noisy(exact, 0, 0.1), r2sgld.Settings{FullEnergies: true}},
		"a coldest temperature of 1":        {exact, r2sgld.Settings{Temperature: []float64{2, 3}}},
		"SGLD and HMC, a guide too":         {exact, r2sgld.Settings{Kernel: kernel.Harmonic{}}},
		"a guide too, and without a mirror": {exact, r2sgld.Settings{Mirror: true}},
	} {
		p := r2sgld.Problem{Potential: c.u, Domain: box, Guide: normalGuide(2, 0, 1)}
		if err := r2sgld.Check(t.Context(), p, c.s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// sides is a guide's potential that knows of a density four times as wide where x > 0 as elsewhere.
type sides struct{ potential.Potential }

func (sides) Widths(w *r2sgld.Whitening) kernel.Widths { return wideRight{w} }

type wideRight struct{ w *r2sgld.Whitening }

func (wideRight) Factors() []float64 { return []float64{1, 4} }

func (s wideRight) Odds(r int) func(logs, z []float64) {
	return func(logs, z []float64) {
		for i := range r {
			right := 0
			if s.w.Center[0]+s.w.L[0][0]*z[i] > 0 {
				right = 1
			}
			logs[(1-right)*r+i], logs[right*r+i] = math.Inf(-1), 0
		}
	}
}

// Trajectories have the length that suits the mode they begin in, as the guide knows it, in the coordinates of the
// kernel: a quarter of the period of both normal laws, of sd 1 about −20 and sd 4 about 20. So consecutive draws
// have nothing in common: a correlation near 0, where that of trajectories of one length is cos(π/8) = 0.92 in the
// wide one. Of 4,000 draws it is known to 0.02 or less; the limit is 15 times that.
//
// Mutants: the kernel hears of no widths; those of other coordinates.
func TestGuideWidths(t *testing.T) {
	p := r2sgld.Problem{
		Potential: potential.Func(2, func(grad, x []float64) float64 {
			at, sd := -20.0, 1.0
			if x[0] > 0 {
				at, sd = 20, 4
			}
			z := (x[0] - at) / sd
			grad[0], grad[1] = z/sd, x[1]
			return (z*z + x[1]*x[1]) / 2
		}),
		Guide: normalGuide(2, 0, 20),
	}
	p.Guide.Potential = sides{p.Guide.Potential}
	res, err := r2sgld.Sample(t.Context(), p, r2sgld.Settings{Seed: 3, Ladders: 2, Iterations: 4000, Kernel: kernel.HMC{Leapfrog: 5},
		Temperature: []float64{1}, StepSize: []float64{0.1 * 0.1 * math.Pi * math.Pi / 8}, Start: []float64{-20, 0}, MoreStarts: [][]float64{{20, 0}},
		Whitening: &r2sgld.Whitening{Center: []float64{20, 0}, L: [][]float64{{2, 0}, {0, 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range res.Chains(0) {
		if x[0]*(float64(i)-0.5) < 0 || x[0]*x[len(x)-1] < 0 {
			t.Fatalf("ladder %d is from %g to %g", i+1, x[0], x[len(x)-1])
		}
		if c := stat.Correlation(x[1:], x[:len(x)-1], nil); !(math.Abs(c) < 0.3) {
			t.Errorf("ladder %d: correlation of consecutive draws %.2f", i+1, c)
		}
	}
}
