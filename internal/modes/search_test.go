package modes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// boxed is a target in [lo, hi]^d and starts that fill it.
func boxed(t *testing.T, energy potential.Potential, lo, hi float64, seed uint64) (Target, func(x []float64) error) {
	t.Helper()
	d := energy.Dim()
	low, high, width := make([]float64, d), make([]float64, d), make([]float64, d)
	for j := range d {
		low[j], high[j], width[j] = lo, hi, (hi-lo)/math.Sqrt(12)
	}
	box, err := domain.NewBox(low, high)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	return Target{Energy: energy, Domain: box, Width: width, Flat: 1, Threads: 2}, func(x []float64) error {
		for j := range x {
			x[j] = lo + (hi-lo)*rng.Float64()
		}
		return nil
	}
}

// labels has six equal modes: the orders of 1, 2 and 3.
func labels() potential.Potential {
	at := [][]float64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}}
	return round(at, []float64{0.2, 0.2, 0.2, 0.2, 0.2, 0.2}, []float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6})
}

// Modes that differ by labels alone are six, the same for every number of threads, and a
// flat valley is one. A start misses one of six with 5/6: all 200 do with 1e-16.
//
// Mutants: no barrier is seen.
func TestFindCounts(t *testing.T) {
	var first *Search
	for _, threads := range []int{1, 2, 7} {
		target, draw := boxed(t, labels(), 0, 4, 1)
		target.Threads = threads
		s, err := Find(t.Context(), target, draw, 200, 200, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Modes) != 6 {
			t.Errorf("%d threads: %d modes, want 6", threads, len(s.Modes))
		}
		if first == nil {
			first = s
		}
		if !reflect.DeepEqual(first, s) {
			t.Errorf("%d threads find something else than one", threads)
		}
	}
	target, draw := boxed(t, potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 0, 100*x[1]
		return 50 * x[1] * x[1]
	}), -3, 3, 1)
	if s, err := Find(t.Context(), target, draw, 50, 50, 0); err != nil || len(s.Modes) != 1 {
		t.Errorf("a valley: %+v, %v", s, err)
	}
}

// Descents that come to a saddle go on from there, and those along a wall where E bends down across it:
// starts on the ridge between two wells end in one of them, and where E bends down everywhere the corners of
// a box are its modes, but no middle of a side.
//
// Mutants: saddles are modes.
func TestSaddles(t *testing.T) {
	for name, c := range map[string]struct {
		energy potential.Potential
		side   float64 // half of the box's
		lowest float64 // energies of the modes
	}{
		"wells": {potential.Func(2, func(grad, x []float64) float64 {
			q := x[0]*x[0] - 1
			grad[0], grad[1] = 16*q*x[0], x[1]
			return 4*q*q + x[1]*x[1]/2
		}), 3, 0},
		"arch": {potential.Func(2, func(grad, x []float64) float64 {
			grad[0], grad[1] = -2*x[0], -2*x[1]
			return -x[0]*x[0] - x[1]*x[1]
		}), 1, -2},
	} {
		target, draw := boxed(t, c.energy, -c.side, c.side, 1)
		s, err := Find(t.Context(), target, func(x []float64) error {
			err := draw(x)
			x[0] = 0
			return err
		}, 50, 50, 0)
		if err != nil || len(s.Modes) == 0 {
			t.Fatalf("%s: %+v, %v", name, s, err)
		}
		for _, m := range s.Modes {
			if m.Energy > c.lowest+0.01 {
				t.Errorf("%s: a mode at %v, where the energy is %g", name, m.X, m.Energy)
			}
		}
	}
}

// Starts where the energy is +Inf or NaN are lost and nothing else is; a cancelled context
// ends the search.
func TestFindOfBadStarts(t *testing.T) {
	for _, bad := range []float64{math.Inf(1), math.NaN()} {
		target, draw := boxed(t, potential.Func(2, func(grad, x []float64) float64 {
			copy(grad, x)
			if x[0] > 1 {
				grad[0], grad[1] = math.NaN(), math.NaN()
				return bad
			}
			return (x[0]*x[0] + x[1]*x[1]) / 2
		}), -3, 3, 1)
		s, err := Find(t.Context(), target, draw, 50, 50, 0)
		if err != nil || len(s.Modes) != 1 || math.Hypot(s.Modes[0].X[0], s.Modes[0].X[1]) > 0.05 || s.Settled >= s.Starts {
			t.Errorf("%g: %+v, %v", bad, s, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	target, draw := boxed(t, labels(), 0, 4, 1)
	if _, err := Find(ctx, target, draw, 50, 50, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The log mass of a normal law at a corner is that of its orthant, log(2π/4), within stated
// errors: of 40 seeds at most 12 lie beyond two (binomial at 0.05: 4e-7) and none beyond six.
func TestFitAtACorner(t *testing.T) {
	target, draw := boxed(t, potential.Func(2, func(grad, x []float64) float64 {
		copy(grad, x)
		return (x[0]*x[0] + x[1]*x[1]) / 2
	}), 0, 7, 1)
	s, err := Find(t.Context(), target, draw, 20, 20, 0)
	if err != nil || len(s.Modes) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	beyond := 0
	for seed := range uint64(40) {
		f, err := s.Fit(t.Context(), target, rand.New(rand.NewPCG(seed, 9)))
		if err != nil || f == nil {
			t.Fatalf("%+v, %v", f, err)
		}
		z := math.Abs(f.LogZ-math.Log(math.Pi/2)) / f.SE
		if !(z < 6) {
			t.Errorf("seed %d: log Z %g ± %g, want %g", seed, f.LogZ, f.SE, math.Log(math.Pi/2))
		}
		if z > 2 {
			beyond++
		}
	}
	if beyond > 12 {
		t.Errorf("%d of 40 beyond two errors", beyond)
	}
}

// The minimum on a slanted wall is where Lagrange's condition has it: 4(x−2) = y−1 on
// x + y = 1, that is (1.6, −0.6).
func TestFindOnASlantedWall(t *testing.T) {
	target, draw := boxed(t, potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 4*(x[0]-2), x[1]-1
		return 2*(x[0]-2)*(x[0]-2) + (x[1]-1)*(x[1]-1)/2
	}), -3, 0, 1)
	var err error
	target.Domain, err = domain.NewPolytope([][]float64{{1, 1}, {-1, 0}, {0, -1}}, []float64{1, 5, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Find(t.Context(), target, draw, 20, 20, 0)
	if err != nil || len(s.Modes) != 1 || math.Hypot(s.Modes[0].X[0]-1.6, s.Modes[0].X[1]+0.6) > 0.02 {
		t.Errorf("%+v, %v", s, err)
	}
}
