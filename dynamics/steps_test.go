package dynamics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// growing is logistic growth to 1; waves turn at the rate 1.
func growing(d, x []float64) { d[0] = x[0] * (1 - x[0]) }
func waves(d, x []float64)   { d[0], d[1] = x[1], -x[0] }

// What steps do is told as it is: the estimate from exact data less the truth, to a tenth,
// which is what the bias of one or two percent does to itself. Mutants: defects of another
// sign; slopes that do not count; curves of logarithms as those of values; states without
// an equation that stay.
func TestBiasOfSteps(t *testing.T) {
	turn := []Equation{{"x", "a*v"}, {"v", "-b*x"}}
	both, times := []string{"x", "v"}, evenTimes(48, 0.25)
	for name, c := range map[string]struct {
		trial
		Derivative
		likelihood string
	}{
		"wave":         {trial{right: waves, model: Model{States: both, Equations: turn}}, Derivative{}, ""},
		"wave, savgol": {trial{right: waves, model: Model{States: both, Equations: turn}}, Derivative{Kind: "savgol", Window: 5, Order: 2}, ""},
		"wave, spline": {trial{right: waves, model: Model{States: both, Equations: turn}}, Derivative{Kind: "spline", Smoothing: 0.01}, ""},
		"wave, weak":   {trial{right: waves, model: Model{States: both, Equations: turn}}, Derivative{}, "weak"},
		"wave, one":    {trial{right: waves, model: Model{States: both, Equations: turn[:1]}}, Derivative{}, ""},
		"growth": {trial{right: growing, model: Model{States: both[:1], Equations: []Equation{{"x", "a*x*(1 - x/b)"}}}}, Derivative{},
			""},
		"growth of logs": {trial{right: growing, model: Model{States: both[:1], Equations: []Equation{{"x", "a*x - b*x^2"}}}}, Derivative{},
			"log-derivative"},
	} {
		c.start, c.noise = []float64{0.1, 0}[:len(c.model.States)], []float64{0, 0}
		m := c.model
		m.Derivative, m.Likelihood, m.Noise.Kind, m.Weak = c.Derivative, c.likelihood, "given", Weak{5}
		for _, e := range m.Equations {
			m.Noise.SD = append(m.Noise.SD, Value{e.State, 1e-6})
		}
		p := must(Build(&m, c.series(rand.New(rand.NewPCG(1, 1)), times, c.clean(times), 0)))
		for j, v := range p.stepBias(p.Likelihood.(regression)) {
			if bias := p.Center[j] - 1; math.Abs(v-bias) > 0.1*math.Abs(bias) || math.Abs(bias) < 1e-5 {
				t.Errorf("%s: %s is off by %.3g, told as %.3g", name, p.Parameters[j], bias, v)
			}
			t.Logf("%s: %s is off by %.3g, told as %.3g", name, p.Parameters[j], p.Center[j]-1, v)
		}
	}
}

// Of few rows with coarse steps, 19 of 20 estimates that are off by more than 4 standard
// deviations are told; of those with fine steps, one of 50: counts lie within the 1e-6
// quantiles of binomial laws with these shares. Kills thresholds of four times that, or of 0.
func TestRatesOfToldSteps(t *testing.T) {
	pace.Slow(t)
	grows := trial{start: []float64{0.1}, noise: []float64{0.01}, right: growing,
		model: Model{States: []string{"x"}, Equations: []Equation{{"x", "a*x - b*x^2"}}}, parameters: []float64{1, 1}}
	turns := trial{start: []float64{1, 0}, noise: []float64{0.05, 0.05}, right: waves,
		model: Model{States: []string{"x", "v"}, Equations: []Equation{{"x", "a*v"}, {"v", "-b*x"}}}, parameters: []float64{1, 1}}
	far, told, alarms, clean := 0, 0, 0, 0
	for _, c := range []struct {
		trial
		coarse, fine float64 // steps
	}{{predators(0.2), 0.5, 0.05}, {grows, 1, 0.25}, {turns, 0.8, 0.15}} {
		rng := rand.New(rand.NewPCG(3, 5))
		for _, rows := range []int{16, 30, 60} {
			for _, h := range []float64{c.coarse, c.fine} {
				times := evenTimes(rows, h)
				states := c.clean(times)
				for range 10 {
					p := must(Build(&c.model, c.series(rng, times, states, 0)))
					worst, warns := 0.0, strings.Contains(strings.Join(p.Warnings, " "), "too coarse")
					for j, want := range c.parameters {
						worst = math.Max(worst, math.Abs(p.Center[j]-want)/p.spread(j))
					}
					switch {
					case h == c.fine:
						clean++
						if warns {
							alarms++
						}
					case worst > 4:
						far++
						if warns {
							told++
						}
					}
				}
			}
		}
	}
	if far < 40 || told < quantile(far, 0.95, 1e-6) {
		t.Errorf("%d of %d estimates that are far off are told", told, far)
	}
	if most := quantile(clean, 0.02, 1-1e-6); alarms > most {
		t.Errorf("%d of %d estimates with fine steps are told, at most %d expected", alarms, clean, most)
	}
	t.Logf("%d of %d estimates that are far off are told, %d of %d others", told, far, alarms, clean)
}

// What is told of a model with terms chosen from a library is told once; slopes that are
// given have no steps.
func TestStepsAreToldOnce(t *testing.T) {
	c := trial{start: []float64{1, 0}, noise: []float64{1e-3, 1e-3}, right: waves, model: Model{States: []string{"x", "v"}}}
	m := Model{States: []string{"x", "v"}, Library: []string{"x", "v"}, Sparse: &Sparse{}}
	times := evenTimes(40, 0.7)
	rng := rand.New(rand.NewPCG(1, 2))
	s, seen := c.series(rng, times, c.clean(times), 0), c.series(rng, times, c.clean(times), 0)
	s.Given = map[string][]float64{"x": seen.Values["v"], "v": seen.Values["x"]}
	for kind, want := range map[string]int{"central": 1, "column": 0} {
		m.Derivative.Kind = kind
		if w := must(Build(&m, s)).Warnings; strings.Count(strings.Join(w, " "), "too coarse") != want {
			t.Errorf("%s: %q", kind, w)
		}
	}
}
