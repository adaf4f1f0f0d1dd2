package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
)

// lynxTrajectory is the model of Stan's case study "Predator-Prey Population
// Dynamics" (Carpenter 2018).
func lynxTrajectory() *Model {
	m := lotka()
	m.Likelihood = "trajectory"
	m.Noise.Kind = "lognormal"
	m.Priors = []Prior{{"alpha", "normal(1, 0.5)"}, {"beta", "normal(0.05, 0.05)"}, {"gamma", "normal(1, 0.5)"},
		{"delta", "normal(0.05, 0.05)"},
		{"H.initial", "lognormal(log(10), 1)"}, {"L.initial", "lognormal(log(10), 1)"}, {"H.noise", "lognormal(-1, 1)"},
		{"L.noise", "lognormal(-1, 1)"}}
	return m
}

// builtLynx is its problem, which tests do not change.
var builtLynx = sync.OnceValue(func() *Problem { return must(Build(lynxTrajectory(), lynxHare())) })

// energyAt is U and its gradient.
func energyAt(p potential.Potential, x []float64) (float64, []float64) {
	u, grad := make([]float64, 1), make([]float64, p.Dim())
	p.Evaluator(1, nil).Eval(u, grad, x)
	return u[0], grad
}

// Points and log posteriors of the lynx–hare model by SciPy (DOP853, rtol 1e-11),
// which agreed with rstan's log_prob to 4e-8; without log √2π of each of the 42
// data and 8 priors, and without log 0.5 and log 0.05 of the normal priors.
// 3e-3 is what the solver's tolerance may do; it kills a first row that does not
// count, a missing −log y, and a prior or a scale in the wrong place.
func TestLynxHareTrajectoryAgreesWithStan(t *testing.T) {
	p := builtLynx()
	want := []string{"alpha", "beta", "gamma", "delta", "H.initial", "L.initial", "H.noise", "L.noise"}
	if !cmp.Equal(p.Parameters, want) || p.Warnings != nil || p.Noise != nil || p.Linear {
		t.Fatalf("parameters %v, warnings %v", p.Parameters, p.Warnings)
	}
	constants := 50*logRoot2Pi + 2*math.Log(0.5) + 2*math.Log(0.05)
	for _, c := range []struct {
		x      []float64
		kernel float64
	}{
		{[]float64{0.55, 0.028, 0.8, 0.024, 33.9, 5.9, 0.25, 0.25}, -90.10047978240824},
		{[]float64{0.5, 0.03, 0.9, 0.03, 30, 4, 0.4, 0.3}, -106.38187143265661},
		{[]float64{0.554718280611874, 0.0242639152212702, 0.855821392598298, 0.0283294484223799,
			28.5652900627899, 6.06286944086103, 0.272122662270101, 0.206966150230846}, -99.14023701695021},
		{[]float64{0.491532982793557, 0.0303026577442562, 0.823993455150594, 0.0246132070672509,
			37.1572035732291, 5.51625064681347, 0.300163812666346, 0.310419969176844}, -97.0971673276156},
	} {
		if u, _ := energyAt(p.Potential, c.x); math.Abs(u+c.kernel-constants) > 3e-3 {
			t.Errorf("U at %v: %v, want %v", c.x, u, constants-c.kernel)
		}
	}
	// The mode is within a standard deviation of the posterior's mean by Stan, and
	// the spread is the posterior's to a quarter.
	mean := []float64{0.54608, 0.027686, 0.80177, 0.024132, 34.081, 5.9293, 0.24916, 0.25116}
	sd := []float64{0.064415, 0.0042382, 0.091004, 0.0035966, 2.9432, 0.52406, 0.044154, 0.044088}
	_, grad := energyAt(p.Potential, p.Center)
	for j := range mean {
		own := 0.0
		for _, l := range p.Factor[j] {
			own = math.Hypot(own, l)
		}
		if math.Abs(p.Center[j]-mean[j]) > sd[j] || math.Abs(math.Log(own/sd[j])) > 0.3 || math.Abs(grad[j]*sd[j]) > 1e-3 {
			t.Errorf("%s: mode %v ± %v, gradient %v; want %v ± %v", want[j], p.Center[j], own, grad[j], mean[j], sd[j])
		}
	}
}

// rungeKutta goes from y at from to to in n steps of the classical method.
func rungeKutta(f func(y []float64) []float64, y []float64, from, to float64, n int) []float64 {
	h := (to - from) / float64(n)
	add := func(y, k []float64, h float64) []float64 {
		out := slices.Clone(y)
		for i := range out {
			out[i] += h * k[i]
		}
		return out
	}
	for range n {
		a := f(y)
		b := f(add(y, a, h/2))
		c := f(add(y, b, h/2))
		d := f(add(y, c, h))
		for i := range y {
			y[i] += h / 6 * (a[i] + 2*b[i] + 2*c[i] + d[i])
		}
	}
	return y
}

// The energy is that of an independent log posterior, solved in small fixed
// steps, over the whole region that Stan's draws fill and a wider one.
func TestLynxHareTrajectoryAgreesWithRungeKutta(t *testing.T) {
	s := lynxHare()
	p := must(Build(lynxTrajectory(), s))
	normal := func(x, m, s float64) float64 { return -(x-m)*(x-m)/(2*s*s) - math.Log(s) - logRoot2Pi }
	lognormal := func(x, m, s float64) float64 { return normal(math.Log(x), m, s) - math.Log(x) }
	logPosterior := func(x []float64) float64 {
		sum := normal(x[0], 1, 0.5) + normal(x[1], 0.05, 0.05) + normal(x[2], 1, 0.5) + normal(x[3], 0.05, 0.05) +
			lognormal(x[4], math.Log(10), 1) + lognormal(x[5], math.Log(10), 1) + lognormal(x[6], -1, 1) + lognormal(x[7], -1, 1)
		z := []float64{x[4], x[5]}
		for i, now := range s.Time {
			if i > 0 {
				z = rungeKutta(func(y []float64) []float64 {
					return []float64{y[0] * (x[0] - x[1]*y[1]), y[1] * (-x[2] + x[3]*y[0])}
				}, z, s.Time[i-1], now, 100)
			}
			sum += lognormal(s.Values["H"][i], math.Log(z[0]), x[6]) + lognormal(s.Values["L"][i], math.Log(z[1]), x[7])
		}
		return sum
	}
	rapid.Check(t, func(t *rapid.T) {
		x := slices.Clone(p.Center)
		for j := range x {
			x[j] *= rapid.Float64Range(0.8, 1.25).Draw(t, p.Parameters[j])
		}
		u, _ := energyAt(p.Potential, x)
		if want := -logPosterior(x); math.Abs(u-want) > 1e-4*math.Abs(want) {
			t.Fatalf("U at %v: %v, want %v", x, u, want)
		}
	})
}

// decaying is x' = −a·x with normal or log-normal noise.
func decaying(kind string, times, values []float64) (*Model, *Series) {
	m := &Model{States: []string{"x"}, Equations: []Equation{{"x", "-a*x"}}, Likelihood: "trajectory",
		Noise: Noise{Kind: kind}, Solver: ode.Options{RTol: 1e-10, ATol: []float64{1e-12}}}
	line := make([]int, len(times))
	return m, &Series{File: "x.csv", Time: times, States: m.States, Values: map[string][]float64{"x": values}, Line: RunsOf(line...)}
}

// With the solution in closed form, energy and gradient are exact at random
// parameters and data, some of them missing. 1e-7 kills a gradient that lacks a
// chain rule, a missing value taken for one, and data at the wrong time.
func TestTrajectoryOfExponentialDecayIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"normal", "lognormal"}).Draw(t, "noise")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var times, values []float64
		now := 0.0
		for i := range rapid.IntRange(6, 15).Draw(t, "rows") {
			now += 0.05 + rng.Float64()*0.3
			times = append(times, now)
			v := 3 * math.Exp(-0.7*(now-times[0])+0.2*rng.NormFloat64())
			if i > 3 && rng.Float64() < 0.3 {
				v = math.NaN()
			}
			values = append(values, v)
		}
		p, err := Build(decaying(kind, times, values))
		if err != nil {
			t.Fatal(err)
		}
		a, first, s := rapid.Float64Range(-1, 2).Draw(t, "a"), rapid.Float64Range(0.5, 5).Draw(t, "initial"),
			rapid.Float64Range(0.1, 1).Draw(t, "scale")
		want, by := 0.0, make([]float64, 3)
		for i, y := range values {
			if y != y {
				continue
			}
			age := times[i] - times[0]
			z := first * math.Exp(-a*age)
			r, slope := y-z, 1.0
			if kind == "lognormal" {
				r, slope = math.Log(y/z), 1/z
				want += math.Log(y)
			}
			want += r*r/(2*s*s) + math.Log(s) + logRoot2Pi
			by[0] -= r / (s * s) * slope * -age * z
			by[1] -= r / (s * s) * slope * z / first
			by[2] += 1/s - r*r/(s*s*s)
		}
		u, grad := energyAt(p.Potential, []float64{a, first, s})
		if math.Abs(u-want) > 1e-7*(1+math.Abs(want)) {
			t.Fatalf("U %v, want %v", u, want)
		}
		for j := range by {
			if math.Abs(grad[j]-by[j]) > 1e-7*(1+math.Abs(by[j])+math.Abs(want)) {
				t.Fatalf("gradient %v, want %v", grad, by)
			}
		}
	})
}

// The gradient is the derivative of the energy at random parameters, for a model
// with a time, a fixed initial value, a given scale and missing values.
func TestTrajectoryGradientByDifferences(t *testing.T) {
	pace.Slow(t)
	m := &Model{States: []string{"x", "v"}, Equations: []Equation{{"x", "v"}, {"v", "-k*sin(x) - c*v + f*cos(t)"}},
		Likelihood: "trajectory", Fixed: []Value{{"v.initial", 0.5}}, Noise: Noise{Kind: "given", SD: []Value{{"v", 0.3}}},
		Solver: ode.Options{Method: ode.DOP853, RTol: 1e-12, ATol: []float64{1e-12}}}
	s := &Series{Time: []float64{0, 0.4, 1, 1.3, 2, 2.5, 3, 4}, States: m.States, Line: RunsOf(seq(8)...), Values: map[string][]float64{
		"x": {1, 1.4, math.NaN(), 0.9, 0.1, 0.3, math.NaN(), -1}, "v": {math.NaN(), 0.1, -0.3, -0.8, -1, -0.9, -0.7, 0.1}}}
	p := must(Build(m, s))
	if want := []string{"k", "c", "f", "x.initial", "x.noise"}; !cmp.Equal(p.Parameters, want) {
		t.Fatalf("parameters %v", p.Parameters)
	}
	if p.Data() != 13 || len(p.Responses[0].Observed) != 6 || p.Responses[1].Time[0] != 0.4 || len(p.Warnings) != 1 {
		t.Errorf("%d data, %v, %v", p.Data(), p.Responses, p.Warnings)
	}
	y0 := make([]float64, 2)
	if p.Initial(y0, []float64{0, 0, 0, 7, 0}); !cmp.Equal(y0, []float64{7, 0.5}) {
		t.Errorf("initial state %v", y0)
	}
	rapid.Check(t, func(r *rapid.T) {
		x := []float64{rapid.Float64Range(0.2, 3).Draw(r, "k"), rapid.Float64Range(0, 1).Draw(r, "c"), rapid.Float64Range(-1, 1).Draw(r, "f"),
			rapid.Float64Range(-2, 2).Draw(r, "initial"), rapid.Float64Range(0.1, 1).Draw(r, "noise")}
		u, grad := energyAt(p.Potential, x)
		for j, v := range x {
			y := slices.Clone(x)
			h := 1e-5 * math.Max(0.1, math.Abs(v))
			y[j] = v + h
			up, _ := energyAt(p.Potential, y)
			y[j] = v - h
			down, _ := energyAt(p.Potential, y)
			// Energies are good to some 1e-11 of themselves, the difference to h².
			if d := (up - down) / (2 * h); math.Abs(d-grad[j]) > 1e-5*(1+math.Abs(d))+1e-10*math.Abs(u)/h {
				r.Fatalf("gradient %d at %v: %v, by differences %v", j, x, grad[j], d)
			}
		}
	})
}

// The tolerance that is chosen leaves errors in the energy that no sampler sees.
func TestTrajectoryToleranceIsEnough(t *testing.T) {
	p := builtLynx()
	rng := rand.New(rand.NewPCG(7, 7))
	var points [][]float64
	for range 50 {
		x := slices.Clone(p.Center)
		for k := range x {
			z := rng.NormFloat64()
			for j := range x {
				x[j] += p.Factor[j][k] * z
			}
		}
		if slices.Min(x) > 0 {
			points = append(points, x)
		}
	}
	exact, _ := p.search().energies(points, ode.Options{Method: ode.DOP853, RTol: 1e-12, ATol: p.path().sizes(1e-12)})
	got, _ := p.search().energies(points, p.path().options)
	if e := distance(got, exact); e > 2*energyError || len(points) < 40 {
		t.Errorf("the energy is off by %v at one of %d points with %+v", e, len(points), p.path().options)
	}
}

// The rough trajectory takes less work and is off by less than its bound twice over.
func TestRoughTrajectory(t *testing.T) {
	p := builtLynx()
	points := p.search().around(p.Center)
	rough, is := potential.Rough(p.path()).(*trajectory)
	if !is || rough == p.path() {
		t.Fatalf("no rough trajectory: %v", rough)
	}
	exact, work := p.search().energies(points, p.path().options)
	got, less := p.search().energies(points, rough.options)
	if e := distance(got, exact); e > 2*energyRough || less > 0.8*work {
		t.Errorf("off by %v, %v evaluations for %v", e, less, work)
	}
}

// Whatever the parameters, the energy is a number or +Inf, and the gradient is
// finite; blow-ups and impossible scales are +Inf.
func TestTrajectoryIsNeverNaN(t *testing.T) {
	lynx := builtLynx()
	times, values := []float64{0, 1, 2, 3, 4, 5}, []float64{1, 1.2, 1.1, 0.8, 1.3, 1.1}
	m, s := decaying("normal", times, values)
	m.Equations[0].Text, m.Solver = "a*x^2", ode.Options{}
	burst := must(Build(m, s))
	if u, grad := energyAt(burst.Potential, []float64{1, 1, 0.1}); !math.IsInf(u, 1) || !cmp.Equal(grad, make([]float64, 3)) {
		t.Errorf("x' = x² from 1 to t = 5: %v, %v", u, grad)
	}
	if u, _ := energyAt(burst.Potential, []float64{0.1, 1, -0.1}); !math.IsInf(u, 1) {
		t.Errorf("a negative scale: %v", u)
	}
	if n := burst.Likelihood.Undecided(); n != 0 {
		t.Errorf("%d undecided: a blow-up is none", n)
	}
	wild := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.Float64Range(-1e4, 1e4),
		rapid.SampledFrom([]float64{0, 1e-300, 1e300, math.Inf(1), math.NaN()}))
	check := rapid.MakeCheck(func(t *rapid.T) {
		for _, p := range []*Problem{lynx, burst} {
			x := make([]float64, len(p.Parameters))
			for j := range x {
				x[j] = wild.Draw(t, p.Parameters[j])
			}
			u, grad := energyAt(p.path(), x)
			if math.IsNaN(u) || math.IsInf(u, -1) || !finite(grad) {
				t.Fatalf("%v: %v, %v", x, u, grad)
			}
		}
	})
	check(t)
}

// A stiff trajectory has an honest energy, by the other method.
func TestStiffTrajectory(t *testing.T) {
	pace.Slow(t)
	m := &Model{States: []string{"x", "y"}, Equations: []Equation{{"x", "y"}, {"y", "mu*(1 - x^2)*y - x"}}, Likelihood: "trajectory",
		Noise: Noise{SD: []Value{{"x", 1}, {"y", 1e3}}}, Start: []Value{{"mu", 900}}, Priors: []Prior{{"mu", "normal(1000, 50)"}},
		Fixed: []Value{{"x.initial", 2}, {"y.initial", 0}}}
	s := &Series{Time: []float64{0, 100, 200, 300}, States: m.States, Line: RunsOf(make([]int, 4)...),
		Values: map[string][]float64{"x": {2, 1.9, 1.8, 1.7}, "y": {0, 0, 0, 0}}}
	p := must(Build(m, s))
	if p.path().options.Method != ode.LSODA {
		t.Errorf("solver %+v", p.path().options)
	}
	u, _ := energyAt(p.path(), []float64{1000})
	saved := p.path().with(ode.Options{Method: ode.DormandPrince, RTol: 1e-7, Steps: 100})
	v, _ := energyAt(saved, []float64{1000})
	if math.Abs(u-v) > 1e-3 || saved.undecided.Load() != 0 || saved.stiff.Load() != 1 {
		t.Errorf("U %v, %v after %d steps of the explicit method, %d undecided", u, v, 100, saved.undecided.Load())
	}
	short := p.path().with(ode.Options{Method: ode.LSODA, RTol: 1e-7, Steps: 10})
	if u, _ := energyAt(short, []float64{1000}); !math.IsInf(u, 1) || short.undecided.Load() != 1 {
		t.Errorf("U %v in 10 steps, %d undecided", u, short.undecided.Load())
	}
	// x falls from 2 like (x² − 1)x' = −x/μ, but for terms of order 1/μ².
	x := rungeKutta(func(y []float64) []float64 { return []float64{-y[0] / 1000 / (y[0]*y[0] - 1)} }, []float64{2}, 0, 300, 1000)[0]
	if got := p.path().solution([]float64{1000}); math.Abs(got[6]-x) > 1e-4 {
		t.Errorf("x(300) = %v, want %v", got[6], x)
	}
}

// Far from the mode energies are honest too, or a chain that starts there has no
// way in: at the point where one of Stan's chains was caught, 650 below the mode
// (within a percent of a tight tolerance), and wherever the priors put positive
// rates, stiff or not. An absolute tolerance of the size of the data kills this:
// solutions then cross 0.
func TestTrajectoryFarFromTheMode(t *testing.T) {
	p := builtLynx()
	x := []float64{7.3, 1.0, 0.59, 0.65, 0.41, 0.39, 4.3, 0.38}
	u, grad := energyAt(p.path(), x)
	v, _ := energyAt(p.path().with(ode.Options{Method: ode.DOP853, RTol: 1e-10, ATol: p.path().sizes(1e-10)}), x)
	if math.Abs(u-778) > 8 || math.Abs(u-v) > 0.01*v || slices.Max(grad) == 0 {
		t.Errorf("U %v, tight %v, gradient %v", u, v, grad)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	q := p.path().with(p.path().options)
	f := newFlow(q)
	for range 150 {
		for j := range x {
			x[j] = p.Prior.Cut[j].On(0, math.Inf(1)).X(rng.Float64())
		}
		if u := f.descend(grad, x, 1, 0); math.IsInf(u, 1) {
			t.Errorf("U at %v: %v", x, u)
		}
	}
	if q.undecided.Load() != 0 {
		t.Errorf("%d undecided", q.undecided.Load())
	}
}
