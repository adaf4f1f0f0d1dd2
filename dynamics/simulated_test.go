package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// unbiased compares the energies of 2000 minibatches with that of all rows: their
// mean lies within 4.9 standard errors. Kills a missing N/batch.
func unbiased(t *testing.T, p *Problem, x []float64) {
	t.Helper()
	want, sum, square := energyOf(p.Whole, x), 0.0, 0.0
	e := p.Potential.Evaluator(1, stream.New(1, 0))
	energy, grad := make([]float64, 1), make([]float64, len(x))
	for range 2000 {
		e.Eval(energy, grad, x)
		sum += energy[0] - want
		square += (energy[0] - want) * (energy[0] - want)
	}
	if z := sum / math.Sqrt(square); math.Abs(z) > 4.9 || square == 0 {
		t.Errorf("z = %v", z)
	}
}

// simulatedPredators is the problem of predators with simulated states.
func simulatedPredators(t *testing.T, change func(m *Model)) *Problem {
	t.Helper()
	c := predators(0.1)
	times := evenTimes(60, 0.1)
	s := c.series(rand.New(rand.NewPCG(8, 1)), times, c.clean(times), 0)
	m := c.model
	m.Simulated, m.Solver = true, ode.Options{RTol: 1e-9, ATol: []float64{1e-9}}
	if change != nil {
		change(&m)
	}
	return must(Build(&m, s))
}

// U by hand: the trajectory from the first row by another integrator, the
// right-hand sides along it, central differences. 1e-6 is the integrators'; it
// kills a start at the second row, states of the neighbouring row, and weights of
// the other state. The gradient is that at fixed states: with the trajectory kept,
// the slope of U along the parameters.
func TestSimulatedStatesByHand(t *testing.T) {
	p := simulatedPredators(t, nil)
	x := []float64{1.05, 0.11, 0.07, 1.4}
	c := predators(0)
	c.start = []float64{p.series.Values["x"][0], p.series.Values["y"][0]}
	c.right = func(d, s []float64) { d[0], d[1] = x[0]*s[0]-x[1]*s[0]*s[1], x[2]*s[0]*s[1]-x[3]*s[1] }
	states := c.clean(p.series.Time)
	u, want, d := 0.0, make([]float64, 4), make([]float64, 2)
	for k := 1; k < 59; k++ {
		a, b := states[0][k], states[1][k]
		c.right(d, []float64{a, b})
		for i, name := range p.series.States {
			v := p.series.Values[name]
			r := (d[i] - (v[k+1]-v[k-1])/(p.series.Time[k+1]-p.series.Time[k-1])) / (p.Noise[i] * p.Noise[i])
			u += r * r * p.Noise[i] * p.Noise[i] / 2
			for j, slope := range [][]float64{{a, -a * b, 0, 0}, {0, 0, a * b, -b}}[i] {
				want[j] += r * slope
			}
		}
	}
	energy, grad := make([]float64, 2), make([]float64, 8)
	both := make([]float64, 8)
	for j, v := range x {
		both[2*j], both[2*j+1] = p.Estimate[j], v
	}
	eval := p.Whole.Evaluator(2, nil)
	eval.Eval(energy, grad, both)
	near(t, "energy", energy[1], u, 1e-6)
	for j := range x {
		near(t, "gradient "+p.Parameters[j], grad[2*j+1], want[j], 1e-5)
	}
	if n := testing.AllocsPerRun(10, func() { eval.Eval(energy, grad, both) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if p.Linear || p.Inexact == "" || len(p.Warnings) != 1 || p.Warnings[0] != p.Inexact {
		t.Errorf("linear %v, inexact %q, %q", p.Linear, p.Inexact, p.Warnings)
	}
	terms := make([]float64, p.Data())
	p.Likelihood.LogDensity(nil)(terms, x)
	near(t, "log likelihood", sum(terms), p.Likelihood.LogConstant()-u, 1e-6)
	few := simulatedPredators(t, func(m *Model) { m.Batch = 5 })
	unbiased(t, few, x)
	exact, noisy := potential.Exact(few.Potential)
	if !noisy || !math.IsNaN(potential.EnergyNoise(few.Potential)) {
		t.Errorf("minibatches: noisy %v, of noise %v", noisy, potential.EnergyNoise(few.Potential))
	}
	near(t, "the exact part of minibatches", energyOf(exact, x), energyOf(few.Whole, x), 0)
	if _, noisy := potential.Exact(p.Potential); noisy || potential.EnergyNoise(p.Potential) != 0 {
		t.Error("all rows are noisy")
	}
	prior := simulatedPredators(t, func(m *Model) { m.Priors = []Prior{{"alpha", "normal(0, 1)"}} })
	near(t, "with a prior", energyOf(prior.Whole, x), u+x[0]*x[0]/2+math.Log(2*math.Pi)/2, 1e-6)
}

// What is said of some rows or data is what is said of all, to the last bit, also where data
// hang together. Kills predictions and densities of some at observed states.
func TestSimulatedStatesOfSomeRows(t *testing.T) {
	x := []float64{1.05, 0.11, 0.07, 1.4}
	for _, d := range []Derivative{{}, {Kind: "savgol", Window: 7, Order: 4}} {
		p := simulatedPredators(t, func(m *Model) { m.Derivative = d })
		all, terms := make([]float64, p.Data()), make([]float64, p.Data())
		p.Likelihood.LogDensity(nil)(terms, x)
		some, rows := make([]float64, 3), []int{0, 17, 40}
		for c := range p.Responses {
			p.Likelihood.Fitted(c, nil)(all, x)
			p.Likelihood.Fitted(c, rows)(some, x)
			if !slices.Equal(some, pick(all, rows)) {
				t.Errorf("%v, equation %d: %v of %v", d, c, some, pick(all, rows))
			}
		}
		data := []int{3, 20, len(terms) - 1}
		p.Likelihood.LogDensity(data)(some, x)
		if !slices.Equal(some, pick(terms, data)) {
			t.Errorf("%v: %v of %v", d, some, pick(terms, data))
		}
	}
}

// A trajectory that blows up stays where it left the neighbourhood of the data:
// U is finite, grows with the rate, and its slope leads back.
func TestSimulatedStatesThatBlowUp(t *testing.T) {
	s := polynomial([]float64{1, 0.1}, evenTimes(20, 0.5))
	m := &Model{States: []string{"x"}, Equations: []Equation{{"x", "a*x^2"}}, Simulated: true, Noise: Noise{Kind: "paper"}}
	p := must(Build(m, s))
	last := 0.0
	for _, a := range []float64{1, 10, 1000} {
		energy, grad := make([]float64, 1), make([]float64, 1)
		p.Whole.Evaluator(1, nil).Eval(energy, grad, []float64{a})
		if !(energy[0] > last) || math.IsInf(energy[0], 0) || !(grad[0] > 0) {
			t.Errorf("a = %v: energy %v, slope %v", a, energy[0], grad[0])
		}
		last = energy[0]
	}
	m.Likelihood = "log-derivative"
	if _, err := Build(m, s); err == nil || err.Error() != "model.states: states: simulated belongs to likelihood: derivative, not "+
		"log-derivative" {
		t.Errorf("%v", err)
	}
	m.Likelihood, m.States = "", []string{"x", "y"}
	s.States, s.Values["y"] = m.States, s.Values["x"]
	if _, err := Build(m, s); err == nil || !strings.HasPrefix(err.Error(), `model.equations: no equation for "y"`) {
		t.Errorf("%v", err)
	}
}
