package dynamics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Noise of the states is told to bias regressions on them where it does: of predators
// with noise of 1, whose intervals from slopes over 21 rows miss (see
// TestStrongNoiseBiasesDerivatives: 2.8 standard deviations), in all of 10 series; and not
// with noise of 0.1 (0.3 standard deviations or less), for slopes of any kind and for
// those of logarithms, with exact data, nor for lynxes and hares (0.4). Kills a bias of
// another size.
func TestNoiseOfStatesIsTold(t *testing.T) {
	times := evenTimes(200, 0.1)
	wide := Model{Derivative: Derivative{Kind: "savgol", Window: 21, Order: 4}}
	warning := func(m Model, noise float64, seed uint64) string {
		c := predators(noise)
		m.States, m.Equations = c.model.States, c.model.Equations
		s := c.series(rand.New(rand.NewPCG(seed, 3)), times, c.clean(times), 0)
		return strings.Join(must(Build(&m, s)).Warnings, " ")
	}
	const text = "noise of the states biases the coefficients"
	for seed := range uint64(10) {
		w := warning(wide, 1, seed)
		if !strings.Contains(w, text) || !strings.Contains(w, "likelihood: weak or trajectory") {
			t.Errorf("seed %d: a strong bias is not told: %q", seed, w)
		}
		for _, m := range []Model{wide, {}, {Derivative: Derivative{Kind: "spline"}}, {Likelihood: "log-derivative"}} {
			if w := warning(m, 0.1, seed); strings.Contains(w, text) {
				t.Errorf("seed %d: %q", seed, w)
			}
		}
	}
	for _, m := range []Model{wide, {}, {Likelihood: "log-derivative"}} {
		if w := warning(m, 0, 1); strings.Contains(w, text) {
			t.Errorf("exact data: %q", w)
		}
	}
	for _, likelihood := range []string{"derivative", "log-derivative"} {
		m := *lotka()
		m.Likelihood = likelihood
		if w := strings.Join(must(Build(&m, lynxHare())).Warnings, " "); strings.Contains(w, text) {
			t.Errorf("lynxes and hares: %q", w)
		}
	}
}

// States with noise beside exact slopes: x′ = 2x − 1 with 3,000 values of x from 0 to 1,
// seen with noise of 0.15, so that the slope comes out at four fifths of its value. That is told;
// not where no state is on the right or rows are in no order of time, and nothing is said where more noise leads out of
// what a formula can do.
func TestNoiseOfStatesBesideExactSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	s := &Series{File: "f.csv", States: []string{"x"}, Values: map[string][]float64{}, Given: map[string][]float64{}}
	for i := range 3000 {
		x := float64(i%1000) / 1000
		s.Time, s.Line = append(s.Time, float64(i)), append(s.Line, i+2)
		s.Values["x"] = append(s.Values["x"], x+0.15*rng.NormFloat64())
		s.Given["x"] = append(s.Given["x"], 2*x-1+0.1*rng.NormFloat64())
	}
	shuffled := *s
	shuffled.Values = map[string][]float64{"x": slices.Clone(s.Values["x"])}
	shuffled.Given = map[string][]float64{"x": slices.Clone(s.Given["x"])}
	rng.Shuffle(3000, func(i, j int) {
		for _, v := range [][]float64{shuffled.Values["x"], shuffled.Given["x"]} {
			v[i], v[j] = v[j], v[i]
		}
	})
	m := Model{States: s.States, Derivative: Derivative{Kind: "column"}, Equations: []Equation{{"x", "a*x + b"}}}
	if w := must(Build(&m, &shuffled)).Warnings; w != nil {
		t.Errorf("values in no order of time: %q", w)
	}
	edge := fmt.Sprintf("a*sqrt(x + %.17g) + b", 1e-9-slices.Min(s.Values["x"]))
	for text, want := range map[string]bool{"a*x + b": true, "a": false, edge: false} {
		m.Equations = []Equation{{"x", text}}
		w := strings.Join(must(Build(&m, s)).Warnings, " ")
		if strings.Contains(w, "biases the coefficients") != want {
			t.Errorf("%s: %q", text, w)
		}
	}
}
