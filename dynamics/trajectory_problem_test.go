package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
)

// What the problem tells about a trajectory hangs together.
func TestTrajectoryProblem(t *testing.T) {
	p := builtLynx()
	terms := make([]float64, p.Data())
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		x := slices.Clone(p.Center)
		for j := range x {
			x[j] *= 0.9 + 0.2*rng.Float64()
		}
		if !p.Likelihood.LogDensity(nil)(terms, x) {
			t.Fatal("no likelihood")
		}
		sum := 0.0
		for _, v := range terms {
			sum += v
		}
		u, _ := energyAt(p.Whole, x)
		if math.Abs(sum+p.Prior.LogDensity()(x)+u-p.Likelihood.LogConstant()) > 1e-9 {
			t.Errorf("log likelihood %v + log prior %v + U %v", sum, p.Prior.LogDensity()(x), u)
		}
	}
	if n := p.Likelihood.Name(); n != "trajectory of H, L (lognormal noise)" {
		t.Error(n)
	}
	if p.Responses[0].Label != "H" || p.Responses[0].Observed[1] != 47.2 || p.Prior.Lower[6] != 0 || !math.IsInf(p.Prior.Lower[0], -1) {
		t.Errorf("%+v, lower %v", p.Responses[0], p.Prior.Lower)
	}
	for c := range p.Responses {
		if fit := p.Fit(c, p.Center); !(fit.R2 > 0.8) {
			t.Errorf("%s: R² %v", p.Responses[c].State, fit.R2)
		}
	}
	y0 := make([]float64, 2)
	if p.Initial(y0, p.Center); y0[0] != p.Center[4] || y0[1] != p.Center[5] || p.InitialTime() != 1900 {
		t.Errorf("initial state %v at %v", y0, p.InitialTime())
	}
	// A scale of the noise is known well enough to move by its logarithm, a rate
	// whose prior reaches below 0 is not, unless it is cut there.
	if c := p.Chart(p.Prior.Lower, p.Prior.Upper); c == nil || !c.Logarithmic(6) || c.Logarithmic(0) {
		t.Error("the coordinates of the chart")
	}
	if q := p.Prior.Cut[7]; q == nil || math.Abs(q.P(math.Exp(-1))-0.5) > 1e-15 {
		t.Error("the prior's distribution")
	}
	again := must(Build(lynxTrajectory(), lynxHare()))
	if !cmp.Equal(p.Center, again.Center) || !cmp.Equal(p.Factor, again.Factor) || p.DataSHA256() != again.DataSHA256() {
		t.Error("a second build differs")
	}
}

// A block has the same numbers as its states alone, and no call allocates.
func TestTrajectoryBlocks(t *testing.T) {
	p := builtLynx()
	const r = 3
	x, energy, grad := make([]float64, 8*r), make([]float64, r), make([]float64, 8*r)
	for j, v := range p.Center {
		for i := range r {
			x[j*r+i] = v * (1 + 0.1*float64(i))
		}
	}
	e := p.Potential.Evaluator(r, nil)
	e.Eval(energy, grad, x)
	for i := range r {
		one := make([]float64, 8)
		for j := range one {
			one[j] = x[j*r+i]
		}
		u, g := energyAt(p.Potential, one)
		for j := range g {
			if g[j] != grad[j*r+i] || u != energy[i] {
				t.Fatalf("state %d: %v, %v; in a block %v, %v", i, u, g[j], energy[i], grad[j*r+i])
			}
		}
	}
	if n := testing.AllocsPerRun(20, func() { e.Eval(energy, grad, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTrajectoryFaults(t *testing.T) {
	for _, c := range []struct {
		change func(m *Model, s *Series)
		want   string
	}{
		{func(m *Model, _ *Series) { m.Equations, m.Priors = m.Equations[:1], nil }, `model.equations: no equation for "L"`},
		{func(m *Model, _ *Series) { m.Noise.Kind = "paper" }, `model.noise: unknown noise "paper" (known: "normal", "lognormal"`},
		{func(m *Model, _ *Series) { m.Noise.SD = []Value{{"H", -1}} }, `model.noise.H: the standard deviation -1`},
		{func(m *Model, _ *Series) { m.Noise.SD = []Value{{"H", 0.2}} }, `model.priors.H.noise: no free parameter "H.noise"`},
		{func(m *Model, _ *Series) { m.Priors[6].Text = "uniform(-2, -1)" },
			`model.priors.H.noise: the prior "uniform(-2, -1)" of "H.noise" has no mass above 0`},
		{func(m *Model, _ *Series) { m.Priors[4].Parameter = "H.intial" },
			`model.priors.H.intial: no free parameter "H.intial"; did you mean "H.initial"?`},
		{func(m *Model, _ *Series) { m.Fixed = []Value{{"H.initial", -3}}; m.Priors = nil }, `model.fixed.H.initial: the initial value -3`},
		{func(m *Model, _ *Series) { m.Fixed = []Value{{"L.noise", 0}}; m.Priors = nil }, `model.fixed.L.noise: the noise scale 0`},
		{func(m *Model, _ *Series) { m.Batch = 5 }, `model.batch: a trajectory has no minibatches`},
		{func(m *Model, _ *Series) { m.Solver.RTol = -1 }, `model.solver: `},
		{func(_ *Model, s *Series) { s.Values["H"][3] = 0 }, `lynx_hare.csv:5: H is 0: log-normal noise needs positive data`},
		{func(_ *Model, s *Series) { s.Values["H"] = slices.Repeat([]float64{math.NaN()}, 21) }, `all values of "H" are missing`},
		{func(m *Model, _ *Series) { m.Equations[0].Text = "H*(alpha - beta*L) + lgg(H)" },
			`model.equations.H: column 22: "lgg" is not a function`},
		{func(m *Model, _ *Series) { m.Equations[0].Text, m.Priors = "H^2*(1 + alpha^2 + beta^2)", m.Priors[2:] },
			`model.equations: no parameters were found at which the trajectory reaches the last time`},
	} {
		m, s := lynxTrajectory(), lynxHare()
		c.change(m, s)
		if _, err := Build(m, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	// Data without noise have no noise to estimate.
	times := []float64{0, 1, 2, 3, 4, 5}
	values := make([]float64, 6)
	for i := range values {
		values[i] = 2 * math.Exp(-0.3*times[i])
	}
	m, s := decaying("normal", times, values)
	if _, err := Build(m, s); err == nil || !strings.Contains(err.Error(), "fits the data exactly") {
		t.Errorf("exact data: %v", err)
	}
	m.Noise = Noise{SD: []Value{{"x", 0.1}}}
	p := must(Build(m, s))
	near(t, "a", p.Center[0], 0.3, 1e-6)
	// A tolerance that is too loose for the data is told.
	lynx := lynxTrajectory()
	lynx.Solver.RTol = 1e-2
	if p = must(Build(lynx, lynxHare())); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "take a smaller one") {
		t.Errorf("warnings %v", p.Warnings)
	}
}

func BenchmarkTrajectory(b *testing.B) {
	p := builtLynx()
	e := p.Potential.Evaluator(1, nil)
	energy, grad := make([]float64, 1), make([]float64, 8)
	for b.Loop() {
		e.Eval(energy, grad, p.Center)
	}
}

func BenchmarkBuildTrajectory(b *testing.B) {
	for b.Loop() {
		must(Build(lynxTrajectory(), lynxHare()))
	}
}

// What a solution takes is told where it is much, with the solver that took it.
func TestEffort(t *testing.T) {
	s := &Series{File: "f.csv", States: []string{"x"}, Values: map[string][]float64{"x": {1, 0.9, 0.8, 0.75}}, Time: []float64{0, 1, 2, 3},
		Line: RunsOf(2, 3, 4, 5)}
	build := func(rate string) *Problem {
		m := &Model{States: []string{"x"}, Equations: []Equation{{"x", "-a*x + sin(" + rate + "*t)"}}, Likelihood: "trajectory",
			Noise: Noise{SD: []Value{{"x", 0.1}}}, Fixed: []Value{{"x.initial", 1}}, Solver: ode.Options{Method: ode.LSODA, RTol: 1e-8}}
		return must(Build(m, s))
	}
	if e := build("1").Likelihood.Effort(); e != "" {
		t.Error(e)
	}
	if e := build("100").Likelihood.Effort(); !strings.Contains(e,
		"evaluations of the equations a solution (lsoda, rtol 1e-08: model.solver)") {
		t.Errorf("%q", e)
	}
}

// What a state has is the same bit by bit alone, in blocks of any size and whatever was
// evaluated before: states of all kinds, among them impossible ones, such as run off, and
// such as fall out to the method for stiff equations.
func TestTrajectoryLanesAreAlone(t *testing.T) {
	lynx := builtLynx()
	short := lynx.path().with(ode.Options{Method: ode.DOP853, RTol: 1e-6, Steps: 25, ATol: lynx.path().sizes(1e-6)})
	exact := lynx.path().with(ode.Options{Method: ode.LSODA, RTol: 1e-6, ATol: lynx.path().sizes(1e-6)})
	if !potential.Lanewise(short) {
		t.Error("not lanewise")
	}
	rapid.Check(t, func(r *rapid.T) {
		p := rapid.SampledFrom([]*trajectory{lynx.path(), short, exact}).Draw(r, "solver")
		n := rapid.IntRange(1, 40).Draw(r, "states")
		x := make([]float64, p.dim*n)
		for j, v := range lynx.Center {
			for i := range n {
				x[j*n+i] = v * rapid.OneOf(rapid.Float64Range(0.7, 1.4), rapid.SampledFrom([]float64{-1, 8, 1e3, math.NaN()})).Draw(r, "factor")
			}
		}
		energy, grad := make([]float64, n), make([]float64, len(x))
		p.Evaluator(n, nil).Eval(energy, grad, x)
		one, u, g := p.Evaluator(1, nil), make([]float64, 1), make([]float64, p.dim)
		for i := n - 1; i >= 0; i-- { // the other way round
			y := make([]float64, p.dim)
			for j := range y {
				y[j] = x[j*n+i]
			}
			one.Eval(u, g, y)
			for j, v := range g {
				if w := grad[j*n+i]; math.Float64bits(v) != math.Float64bits(w) || math.Float64bits(u[0]) != math.Float64bits(energy[i]) {
					r.Fatalf("state %d of %d, %v: %v, %v; alone %v, %v", i, n, y, energy[i], w, u[0], v)
				}
			}
		}
	})
}
