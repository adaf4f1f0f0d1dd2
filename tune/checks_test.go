package tune

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// Each check of the draws of a run asks for an eighth of the run's gradients at most, beside those of a
// draw of each ladder and rung, where one of all draws would ask for several times as many. They tell what
// they tell of a longer run.
//
// Mutants: checks as long as those of a long run; descents without end;
// curvatures for one gradient each.
func TestChecksOfShortRuns(t *testing.T) {
	const ladders, rungs, iterations = 4, 8, 200
	var asked atomic.Int64
	cusp := potential.Func(1, func(grad, x []float64) float64 { // whose descents are long
		asked.Add(1)
		r := math.Sqrt(math.Abs(x[0]-0.3) + 1e-3)
		grad[0] = math.Copysign(0.5/r, x[0]-0.3)
		return r
	})
	bowl := potential.Func(1, func(grad, x []float64) float64 {
		asked.Add(1)
		grad[0] = x[0]
		return x[0] * x[0] / 2
	})
	s := r2sgld.Settings{Seed: 1, Ladders: ladders, Iterations: iterations, Start: []float64{0.5}}
	for i := range rungs {
		s.Temperature = append(s.Temperature, 1+float64(i))
		s.StepSize = append(s.StepSize, 0.2)
	}
	for name, u := range map[string]potential.Potential{"cusp": cusp, "bowl": bowl} {
		for check, run := range map[string]func(p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) float64{
			"bias": func(p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) float64 {
				bias, _ := StepBias(p, s, res)
				if name == "bowl" && math.Abs(bias-1./9) > 1e-3 {
					t.Errorf("bias %g", bias)
				}
				return rungs * ladders * (1 + 2*probePower)
			},
			"singular": func(p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) float64 {
				if Singular(p, s, res) {
					t.Errorf("%s is said to be singular", name)
				}
				return 0
			},
			"unstable": func(p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) float64 {
				s.Kernel, s.StepSize = kernel.HMC{Leapfrog: 3}, []float64{2.1}
				if share := Unstable(p, s, nil, res); name == "bowl" && share != 1 {
					t.Errorf("steps beyond the limit of stability")
				}
				return ladders * (1 + 2*probePower)
			},
		} {
			p := r2sgld.Problem{Potential: u}
			res, err := r2sgld.Sample(t.Context(), p, s)
			if err != nil {
				t.Fatal(err)
			}
			asked.Store(0)
			least := run(p, s, res)
			if got, most := float64(asked.Load()), max(least, float64(res.Gradients())/8); got > 1.25*most {
				t.Errorf("%s, %s: %g gradients, of a run of %d", name, check, got, res.Gradients())
			} else {
				t.Logf("%s, %s: %g of %g", name, check, got, most)
			}
		}
	}
}
