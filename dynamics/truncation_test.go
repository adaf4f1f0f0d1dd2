package dynamics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A harmonic oscillator at steps of a tenth: central differences are off by h²/6
// of the third derivative, 0.17 %, which is told where nothing else is in the data, and
// not where noise of the states is ten times as much, in none of 40 series. Mutants:
// better slopes compared with themselves; the bound at one standard deviation.
func TestTruncation(t *testing.T) {
	series := func(noise float64, rng *rand.Rand) *Series {
		s := &Series{File: "f.csv", States: []string{"x", "v"}, Values: map[string][]float64{}}
		for i := range 400 {
			at := 0.1 * float64(i)
			s.Time, s.Line = append(s.Time, at), append(s.Line, i+2)
			s.Values["x"] = append(s.Values["x"], math.Cos(at)+noise*rng.NormFloat64())
			s.Values["v"] = append(s.Values["v"], -math.Sin(at)+noise*rng.NormFloat64())
		}
		return s
	}
	warned := func(d Derivative, noise float64, seed uint64) bool {
		m := &Model{States: []string{"x", "v"}, Derivative: d,
			Equations: []Equation{{"x", "a*v"}, {"v", "-b*x - c*v"}}}
		p, err := Build(m, series(noise, rand.New(rand.NewPCG(seed, 1))))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.Join(p.Warnings, " "), "too coarse")
	}
	if !warned(Derivative{}, 1e-6, 1) {
		t.Error("central differences of exact data: not told that they are too coarse")
	}
	if warned(Derivative{Kind: "savgol", Window: 9, Order: 6}, 1e-4, 1) {
		t.Error("slopes of order 6 are told to be too coarse")
	}
	for seed := range uint64(40) {
		if warned(Derivative{}, 0.05, seed) {
			t.Errorf("seed %d: noise is taken for coarse slopes", seed)
		}
	}
}
