package r2sgld_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// swapped is the symmetry of two coordinates that may change places.
type swapped struct{}

func (swapped) Shuffle(x []float64, rng *rand.Rand) {
	if rng.IntN(2) == 1 {
		x[0], x[1] = x[1], x[0]
	}
}

func (swapped) Images(x []float64) [][]float64 { return [][]float64{{x[1], x[0]}} }

func (swapped) Agree(draws [][]float64) [][]float64 {
	var all [][]float64
	for _, x := range draws {
		all = append(all, []float64{min(x[0], x[1]), max(x[0], x[1])})
	}
	return all
}

// A symmetry changes which of its points draws are told as, with one probability for each (4.9
// standard deviations have 1e-6), and no state, energy or swap: draws in order are those of the
// run without it, bit by bit, on any number of threads and after a resume. Where there is a guide it
// leaves hot rungs, and with a certificate all.
//
// Mutants: hot rungs beside a guide; draws beside a certificate.
func TestSymmetry(t *testing.T) {
	two, err := potential.Formula("-log_sum_exp(-2*((x - 3)^2 + (y + 3)^2), -2*((x + 3)^2 + (y - 3)^2))", "x", "y")
	if err != nil {
		t.Fatal(err)
	}
	chart := &r2sgld.Chart{Point: func(x, y []float64) { copy(x, y) }, Symmetry: swapped{}}
	own := r2sgld.Problem{Potential: two, Names: []string{"x", "y"}}
	settings := r2sgld.Settings{Seed: 3, Ladders: 2, Iterations: 3000, Start: []float64{3, -3}, StepSize: []float64{0.02, 0.02},
		Temperature: []float64{1, 1.5}, Kernel: kernel.HMC{Leapfrog: 2}, Threads: 1}
	sample := func(p r2sgld.Problem, s r2sgld.Settings) *r2sgld.Result {
		t.Helper()
		res, err := r2sgld.Sample(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	guided, sure := own, settings
	guided.Guide = normalGuide(2, 0.8, 2)
	sure.Kernel, sure.StepSize, sure.Certificate = kernel.Langevin{}, []float64{0.01, 0.01}, true
	for name, c := range map[string]struct {
		p        r2sgld.Problem
		s        r2sgld.Settings
		shuffled []bool // by rung
	}{
		"alone":         {own, settings, []bool{true, true}},
		"guided":        {guided, settings, []bool{true, false}},
		"certification": {own, sure, []bool{false, false}},
	} {
		before := sample(c.p, c.s)
		told := c.p
		told.Chart = chart
		after := sample(told, c.s)
		threads := c.s
		threads.Threads = 2
		again := sample(told, threads)
		for i, l := range after.Ladders {
			for r := range l.X {
				if !slices.Equal(l.X[r], again.Ladders[i].X[r]) {
					t.Errorf("%s: draws of rung %d differ between numbers of threads", name, r+1)
				}
				if !slices.Equal(l.Energy[r], before.Ladders[i].Energy[r]) {
					t.Errorf("%s: energies of rung %d are others than without", name, r+1)
				}
				n, moved, was := len(l.X[r])/2, 0, before.Ladders[i].X[r]
				for k := range n {
					x, y, a, b := l.X[r][2*k], l.X[r][2*k+1], was[2*k], was[2*k+1]
					switch {
					case x == b && y == a:
						moved++
					case x != a || y != b:
						t.Fatalf("%s: draw %d of rung %d is (%g, %g), was (%g, %g)", name, k, r+1, x, y, a, b)
					}
				}
				want, sd := float64(n)/2, math.Sqrt(float64(n))/2
				if !c.shuffled[r] {
					want, sd = 0, 0
				}
				if off := math.Abs(float64(moved) - want); !(off <= 4.9*sd) {
					t.Errorf("%s: of %d draws of rung %d %d are shuffled", name, n, r+1, moved)
				}
			}
		}
	}
	var states [][]byte
	half := settings
	half.Iterations = 1500
	half.Hooks = r2sgld.Hooks{Checkpoint: &r2sgld.Checkpoint{Save: func(_ int, b [][]byte) error { states = b; return nil }}}
	told := own
	told.Chart = chart
	sample(told, half)
	rest := settings
	rest.Resume = states
	got, want := sample(told, rest), sample(told, settings)
	for i, l := range want.Ladders {
		if !slices.Equal(got.Ladders[i].X[0], l.X[0]) {
			t.Errorf("ladder %d: a run that is gone on with has other draws", i+1)
		}
	}
}
