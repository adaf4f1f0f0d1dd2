package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A density that is infinite at a wall is told though no draw is in the layer where its
// slopes are steep; one that is finite is not, however steep and wherever its mass is: a
// law within a millionth of the wall, a slope without bound of a finite density, a mode at
// 5, and one whose infinite corner holds next to nothing. Mutant: no points on the way but the last. Draws are of the law of x by
// inverse distribution functions or nearly so, those of the layer left out; y is normal.
func TestInfiniteAtWall(t *testing.T) {
	half, err := domain.NewBox([]float64{0, math.Inf(-1)}, []float64{math.Inf(1), math.Inf(1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want bool
		u    func(x float64) (slope float64)
		draw func(p float64) float64
	}{
		{"x^-0.5 e^-x", true, func(x float64) float64 { return 0.5/x + 1 }, func(p float64) float64 { return 0.01 + p*p*2 }},
		{"x^-0.9 in units of 1e-9", true, func(x float64) float64 { return 0.9/x + 1e9 },
			func(p float64) float64 { return 1e-9 * (1e-3 + math.Pow(p, 10)) }},
		{"exponential", false, func(float64) float64 { return 1 }, func(p float64) float64 { return -math.Log1p(-p) }},
		{"exponential, a millionth wide", false, func(float64) float64 { return 1e6 }, func(p float64) float64 { return -1e-6 * math.Log1p(-p) }},
		{"e^-50√x", false, func(x float64) float64 { return 25 / math.Sqrt(x) }, func(p float64) float64 { return 2.5e-3 * p * p }},
		{"x^2 e^-x", false, func(x float64) float64 { return 1 - 2/x }, func(p float64) float64 { return 1 - 2*math.Log1p(-p) }},
		{"a mode at 5, infinite at 0", false, func(x float64) float64 { return 0.5/x + 5*(x-5) },
			func(p float64) float64 { return 5 + 2*(p-0.5) }},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		u := potential.Func(2, func(grad, x []float64) float64 {
			grad[0], grad[1] = c.u(x[0]), x[1]
			return 0
		})
		x := make([]float64, 0, 8*mostStates)
		for i := range 4 * mostStates {
			x = append(x, c.draw((float64(i)+0.5)/(4*mostStates)), rng.NormFloat64())
		}
		if got := newProbe(u, 1).infinite(half, x, 2); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The warm-up tells it, and so does what looks at a run of given length, of draws in the
// coordinates of the potential alone: those of a chart are other numbers, and of others.
func TestInfiniteAtWallOfRuns(t *testing.T) {
	half, err := domain.NewBox([]float64{0}, []float64{math.Inf(1)})
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Domain: half, Potential: potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = 0.5/x[0] + 1
		return 0.5*math.Log(x[0]) + x[0]
	})}
	s := r2sgld.Settings{Seed: 1, Ladders: 4, Start: []float64{1}}
	s.Kernel = kernel.HMC{Leapfrog: 10} // whose trajectories do not enter the layer
	f, err := Tune(context.Background(), p, s, nil, func(*Found) error { return nil })
	if err != nil || !f.Singular {
		t.Errorf("%v: a density that is infinite at 0 is not told", err)
	}
	res, err := r2sgld.Sample(context.Background(), p,
		r2sgld.Settings{Seed: 1, Ladders: 4, Start: []float64{1}, StepSize: []float64{1e-2}, Iterations: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if !Singular(p, res, 1) {
		t.Error("a run of given length")
	}
	p.Chart = &r2sgld.Chart{Point: func(x, y []float64) { x[0] = y[0] }}
	if Singular(p, res, 1) {
		t.Error("draws of a chart are taken for states")
	}
}
