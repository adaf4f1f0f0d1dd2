package dynamics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// withEveryPrior is a linear problem with three priors, and one whose equations
// are not linear.
func withEveryPrior(t *testing.T) []*Problem {
	t.Helper()
	linear := lotka()
	linear.Batch = 5
	linear.Priors = []Prior{{"alpha", "normal(0.5, 0.2)"}, {"gamma", "gamma(3, 4)"}, {"delta", "half_cauchy(0.05)"}}
	curved := &Model{States: []string{"H", "L"}, Equations: []Equation{{"H", "r*H*(1 - H/K) - b*H*L"}},
		Noise: Noise{Kind: "given", SD: []Value{{"H", 7}}}, Start: []Value{{"r", 0.5}, {"K", 100}, {"b", 0.02}},
		Priors: []Prior{{"K", "lognormal(4.5, 0.5)"}}}
	return []*Problem{must(Build(linear, lynxHare())), must(Build(curved, lynxHare()))}
}

func energyOf(p potential.Potential, x []float64) float64 {
	energy, grad := make([]float64, 1), make([]float64, p.Dim())
	p.Evaluator(1, nil).Eval(energy, grad, x)
	return energy[0]
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// The identity of LogConstant at random parameters. 1e-11 of the terms kills
// every constant that is missing or twice there, and the sd of another response.
func TestLogConstantIdentity(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, p := range withEveryPrior(t) {
		terms := make([]float64, p.Data())
		for range 50 {
			x := make([]float64, len(p.Parameters))
			for j := range x {
				x[j] = p.Center[j] * (0.5 + rng.Float64())
			}
			if !p.Likelihood.LogDensity(nil)(terms, x) {
				t.Fatal("no likelihood")
			}
			u := energyOf(p.Whole, x)
			left, right := sum(terms)+p.Prior.LogDensity()(x), p.Likelihood.LogConstant()-u
			if scale := math.Abs(u) + math.Abs(p.Likelihood.LogConstant()); math.Abs(left-right) > 1e-11*scale {
				t.Errorf("%v: log p(data, x) = %.15g, −U + constant = %.15g", x, left, right)
			}
		}
	}
}

// One datum by hand, from the file: hare 47.2, 70.2, 77.4 and lynx 6.1, 9.8 in
// 1901–1903, that is row 2 of 19 (the interior years), and each prior by its law.
func TestLogDensitiesByHand(t *testing.T) {
	p, x := withEveryPrior(t)[0], []float64{0.4, 0.03, 0.6, 0.02}
	terms := make([]float64, p.Data())
	p.Likelihood.LogDensity(nil)(terms, x)
	observed := (math.Log(77.4) - math.Log(47.2)) / 2
	near(t, "hare 1902", terms[1], distuv.Normal{Mu: 0.4 - 0.03*9.8, Sigma: p.Noise[0]}.LogProb(observed), 1e-12)
	want := distuv.Normal{Mu: 0.5, Sigma: 0.2}.LogProb(0.4) + distuv.Gamma{Alpha: 3, Beta: 4}.LogProb(0.6) +
		math.Log(2/math.Pi/0.05/(1+0.16))
	near(t, "log prior", p.Prior.LogDensity()(x), want, 1e-12)
	x[2] = -0.1
	if l := p.Prior.LogDensity()(x); !math.IsInf(l, -1) {
		t.Errorf("log prior %g outside its support", l)
	}
	density := p.Likelihood.LogDensity(nil)
	if n := testing.AllocsPerRun(100, func() { density(terms, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestPaperNoiseIsNoLikelihood(t *testing.T) {
	m := lotka()
	m.Noise.Kind = "paper"
	p := must(Build(m, lynxHare()))
	if p.Likelihood.LogDensity(nil)(make([]float64, p.Data()), p.Estimate) || !math.IsNaN(p.Likelihood.LogConstant()) {
		t.Error("a likelihood")
	}
}

// The evidence of a regression with two parameters, each number from another
// side: quadrature of exp(−U) on a box with LogConstant and the mass of the
// prior, quadrature of the densities of data and prior as distuv has them, and,
// in a box that holds all of the posterior, the Gaussian integral from Factor.
// 1e-8 kills any constant, a mass over the whole support, and log volumes with
// the wrong sign.
func TestEvidenceOfRegression(t *testing.T) {
	pace.Slow(t)
	const nodes = 80
	for _, prior := range []string{"", "normal(0.5, 0.1)"} {
		m := lotka()
		m.Equations = m.Equations[:1]
		if prior != "" {
			m.Priors = []Prior{{"alpha", prior}}
		}
		p := must(Build(m, lynxHare()))
		for _, width := range []float64{1, 9} { // standard deviations about the mode
			var lo, hi, sd [2]float64
			for j := range lo {
				sd[j] = math.Hypot(p.Factor[j][0], p.Factor[j][1])
				lo[j], hi[j] = p.Center[j]-width*sd[j], p.Center[j]+1.1*width*sd[j]
			}
			top := energyOf(p.Whole, p.Center)
			over := func(f func(x []float64) float64) float64 {
				return quad.Fixed(func(a float64) float64 {
					return quad.Fixed(func(b float64) float64 { return f([]float64{a, b}) }, lo[1], hi[1], nodes, nil, 0)
				}, lo[0], hi[0], nodes, nil, 0)
			}
			mass := p.Prior.LogMassBox(lo[:], hi[:])
			got := math.Log(over(func(x []float64) float64 { return math.Exp(top - energyOf(p.Whole, x)) })) - top +
				p.Likelihood.LogConstant() - mass
			law, normal := distuv.Normal{Mu: 0.5, Sigma: 0.1}, 1.0
			if prior != "" {
				normal = law.CDF(hi[0]) - law.CDF(lo[0])
			} else {
				normal = hi[0] - lo[0]
			}
			want := math.Log(over(func(x []float64) float64 {
				l := top - p.Likelihood.LogConstant()
				for row, y := range p.Responses[0].Observed {
					l += distuv.Normal{Mu: x[0] - x[1]*p.observed().values["L"][p.observed().at[0][row]], Sigma: p.Noise[0]}.LogProb(y)
				}
				if prior != "" {
					l += law.LogProb(x[0])
				}
				return math.Exp(l)
			})/normal/(hi[1]-lo[1])) - top + p.Likelihood.LogConstant()
			near(t, fmt.Sprintf("evidence, prior %q, width %g", prior, width), got, want, 1e-8)
			if width == 9 {
				gauss := p.Likelihood.LogConstant() - top - mass + math.Log(2*math.Pi*p.Factor[0][0]*p.Factor[1][1])
				near(t, "Gaussian integral", got, gauss, 1e-8)
			}
		}
	}
}

// Uniform draws on a box find the mass that distribution functions have, within
// 4.9 of the standard errors they state, some 0.003; and 40 estimates of 2,000
// draws scatter as stated: the mean square of 40 z is within 1 ± 4.9·√(2/40) of
// 1. Kills a missing volume, a mean of logs, and an error without the √n.
func TestLogPriorMass(t *testing.T) {
	p := withEveryPrior(t)[0]
	lo, hi := []float64{0.1, 0, 0.2, 0.001}, []float64{0.8, 0.05, 2, 0.2}
	want, volume := p.Prior.LogMassBox(lo, hi), 0.0
	for j := range lo {
		volume += math.Log(hi[j] - lo[j])
	}
	rng := rand.New(rand.NewPCG(9, 9))
	draw := func(x []float64) error {
		for j := range x {
			x[j] = lo[j] + rng.Float64()*(hi[j]-lo[j])
		}
		return nil
	}
	got, se, err := p.Prior.LogMass(volume, 200_000, draw)
	if err != nil || math.Abs(got-want) > 4.9*se || se > 0.01 {
		t.Errorf("log mass %g ± %g, want %g (%v)", got, se, want, err)
	}
	square := 0.0
	for range 40 {
		m, se, _ := p.Prior.LogMass(volume, 2000, draw)
		square += (m - want) * (m - want) / se / se / 40
	}
	if math.Abs(square-1) > 4.9*math.Sqrt(2.0/40) {
		t.Errorf("mean square of the standardised errors %g", square)
	}
	// Densities that rise from draw to draw, against the plain formula.
	at, densities := 0.0, []float64{}
	rising := func(x []float64) error {
		at += 0.1
		copy(x, []float64{at, 0.01, 0.5, 0.01})
		densities = append(densities, math.Exp(p.Prior.LogDensity()(x)))
		return nil
	}
	if got, se, err = p.Prior.LogMass(2, 4, rising); err != nil {
		t.Fatal(err)
	}
	mean, spread := stat.MeanVariance(densities, nil)
	near(t, "log mass of four", got, 2+math.Log(mean), 1e-12)
	near(t, "its error", se, math.Sqrt(spread/4)/mean, 1e-12)
	flat := must(Build(lotka(), lynxHare()))
	if m, se, err := flat.Prior.LogMass(-7.5, 10, nil); m != -7.5 || se != 0 || err != nil || flat.Prior.Any() {
		t.Errorf("without priors %g ± %g, %v", m, se, err)
	}
	broken := errors.New("no draws")
	if _, _, err := p.Prior.LogMass(0, 10, func([]float64) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	outside := func(x []float64) error { x[2] = -1; return nil }
	if _, _, err := p.Prior.LogMass(0, 10, outside); err == nil || !strings.Contains(err.Error(), "priors allow") {
		t.Errorf("error %v", err)
	}
}

func TestDataIdentity(t *testing.T) {
	build := func(change func(m *Model)) *Problem {
		m := lotka()
		change(m)
		return must(Build(m, lynxHare()))
	}
	p := build(func(*Model) {})
	if n := p.Likelihood.Name(); n != "log-derivative of H, L (central)" {
		t.Error(n)
	}
	other := build(func(m *Model) { m.Equations[0].Text = "H*a"; m.Noise.Kind = "paper" })
	if p.DataSHA256() != other.DataSHA256() || len(p.DataSHA256()) != 64 {
		t.Errorf("another model of the same data: %s, %s", p.DataSHA256(), other.DataSHA256())
	}
	swapped := build(func(m *Model) { slices.Reverse(m.Equations) })
	a, b, x := make([]float64, p.Data()), make([]float64, p.Data()), []float64{0.4, 0.03, 0.6, 0.02}
	p.Likelihood.LogDensity(nil)(a, x)
	swapped.Likelihood.LogDensity(nil)(b, []float64{0.6, 0.02, 0.4, 0.03})
	if p.DataSHA256() != swapped.DataSHA256() || p.Likelihood.Name() != swapped.Likelihood.Name() || !slices.Equal(a, b) {
		t.Errorf("the order of the equations counts: %v, %v", a, b)
	}
	for _, change := range []func(m *Model){
		func(m *Model) { m.Likelihood = "derivative" },
		func(m *Model) { m.Equations = m.Equations[1:] },
		func(m *Model) { m.Derivative = Derivative{Kind: "savgol", Window: 5, Order: 2} },
	} {
		if q := build(change); q.DataSHA256() == p.DataSHA256() || q.Likelihood.Name() == p.Likelihood.Name() {
			t.Errorf("%s has the data of %s", q.Likelihood.Name(), p.Likelihood.Name())
		}
	}
}

// Densities and fits of some data are those that the whole has at their places: of
// linear equations, of others, and where data hang together. Mutants: rows of the other
// response, a part that forgets the standard deviations.
func TestSomeOfTheData(t *testing.T) {
	for name, change := range map[string]func(m *Model){
		"linear":     func(*Model) {},
		"not linear": func(m *Model) { m.Equations[0].Text = "H*(alpha - exp(beta)*L)" },
		"together":   func(m *Model) { m.Derivative = Derivative{Kind: "savgol", Window: 5, Order: 2} },
		"gaps":       func(m *Model) { m.Likelihood = "derivative" },
	} {
		m, s := lotka(), lynxHare()
		change(m)
		if name == "gaps" {
			s.Values["H"][3], s.Values["L"][9] = math.NaN(), math.NaN()
		}
		p := must(Build(m, s))
		x := []float64{0.5, 0.02, 0.7, 0.02}
		all, some := make([]float64, p.Data()), []int{0, 2, 3, 8, p.Data() - 7, p.Data() - 1}
		got := make([]float64, len(some))
		if !p.Likelihood.LogDensity(nil)(all, x) || !p.Likelihood.LogDensity(some)(got, x) {
			t.Fatal(name)
		}
		for i, at := range some {
			near(t, name, got[i], all[at], 1e-12)
		}
		for c, r := range p.Responses {
			whole, part := make([]float64, len(r.Observed)), make([]float64, 3)
			p.Likelihood.Fitted(c, nil)(whole, x)
			p.Likelihood.Fitted(c, []int{1, 2, 7})(part, x)
			for i, at := range []int{1, 2, 7} {
				near(t, name, part[i], whole[at], 1e-12)
			}
		}
	}
}
