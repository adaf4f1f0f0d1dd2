package r2sgld_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// onLine is a potential of x between −1 and 1.
func onLine(t *testing.T, formula string) r2sgld.Problem {
	t.Helper()
	f, err := expression.Compile(formula, []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	box, err := domain.NewBox([]float64{-1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	return r2sgld.Problem{Potential: potential.FromExpression(f), Domain: box, Names: []string{"x"}}
}

// lineMean is the mean of the law of p by quadrature on both sides of 0.
func lineMean(p r2sgld.Problem) float64 {
	e := p.Potential.Evaluator(1, nil)
	u, g, at := make([]float64, 1), make([]float64, 1), make([]float64, 1)
	of := func(power float64) float64 {
		rule := func(x float64) float64 {
			at[0] = x
			e.Eval(u, g, at)
			return math.Pow(x, power) * math.Exp(-u[0])
		}
		return quad.Fixed(rule, -1, 0, 400, nil, 1) + quad.Fixed(rule, 0, 1, 400, nil, 1)
	}
	return of(1) / of(0)
}

// Where the potential jumps steps see it, the certificate claims nothing, and an exact
// kernel has the mean that quadrature has, within 5 standard errors (chance: 6e-7). SGLD has
// it not, by more than 8.
//
// Mutants: no halving of steps, jumps of one side only, a certificate in spite of jumps.
func TestJumpsAreSeen(t *testing.T) {
	for _, formula := range []string{
		"-logsumexp(log(0.8)+uniform_lpdf(x,0,1), log(0.2)+uniform_lpdf(x,-1,0))", "2*x/abs(x)", "3*tanh(x*1e5)", "floor(x)", "-x - 0.7*x/abs(x)",
	} {
		p := onLine(t, formula)
		s := r2sgld.Settings{Seed: 1, Ladders: 4, Iterations: 10_000, BurnIn: 500, StepSize: []float64{0.02}, Certificate: true}
		res, err := r2sgld.Sample(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		want := lineMean(p)
		z := func(res *r2sgld.Result) float64 { // in standard errors
			return math.Abs(diag.Mean(slices.Concat(res.Chains(0)...))-want) / diag.MCSEMean(res.Chains(0))
		}
		j := res.Jumps(-1)
		bias, se := res.MeanBias(0)
		if !j.Certain() || bias == bias || se == se || !(z(res) > 8) {
			t.Errorf("%s: jumps %+v, bias %v ± %v, mean %.1f standard errors off", formula, j, bias, se, z(res))
		}
		s.Certificate, s.Kernel, s.StepSize = false, kernel.HMC{Leapfrog: 1}, []float64{0.1}
		if res, err = r2sgld.Sample(t.Context(), p, s); err != nil {
			t.Fatal(err)
		}
		if !(z(res) < 5) || res.Jumps(-1) != (r2sgld.Jumps{}) {
			t.Errorf("%s: exact kernel: mean %.1f standard errors off, jumps %+v", formula, z(res), res.Jumps(-1))
		}
	}
}

// Kinks, poles at the wall and waves that steps are too coarse for are no jumps. This
// kills an alarm at whatever steps do not resolve.
func TestSmoothPotentialsDoNotJump(t *testing.T) {
	for _, formula := range []string{"20*abs(x)", "-0.5*log(1-x) - 2*log(1+x)", "2*sin(30*x)", "50*x^2", "max(5*x, 0)^2", "3*tanh(100*x)"} {
		res, err := r2sgld.Sample(t.Context(), onLine(t, formula),
			r2sgld.Settings{Seed: 1, Ladders: 2, Iterations: 20_000, StepSize: []float64{0.01, 0.1}, Temperature: []float64{1, 10}})
		if err != nil {
			t.Fatal(err)
		}
		if j := res.Jumps(-1); j.Seen > 0 || j.Looked < 2000 {
			t.Errorf("%s: %+v", formula, j)
		}
	}
}

// Steps that resolve a kink, a quartic and a wave are not too long, for a bias of 0.5 %; the
// same waves a hundred times as narrow are, and a kink as narrow as a step.
//
// Mutant: small errors of all steps.
func TestStepsNotCoarse(t *testing.T) {
	for formula, want := range map[string]bool{
		"abs(x)": false, "(2*x)^4": false, "3*sin(3*x)": false, "20*x^2": false,
		"3*sin(300*x)": true, "20*abs(x)": true, "3*tanh(100*x)": true,
	} {
		res, err := r2sgld.Sample(t.Context(), onLine(t, formula),
			r2sgld.Settings{Seed: 1, Ladders: 2, Iterations: 20_000, StepSize: []float64{0.002}})
		if err != nil {
			t.Fatal(err)
		}
		if j := res.Jumps(0); j.Coarse(0.005) != want {
			t.Errorf("%s: %+v", formula, j)
		}
	}
}

// Steps are too long for a wall where the slope towards it is worth more than a temperature on
// the way there and back, as that of log(x) is near 0.001 to a hot rung whose steps suit most of
// the density: draws then lack half of what is next to the wall, as they do not where steps suit
// the slope of a density that leans on it, in few dimensions and many.
//
// Mutants: steps that walls mirror go unseen, whatever slopes they have, and with the slopes
// along the wall.
func TestStepsTooLongForAWall(t *testing.T) {
	pace.Slow(t)
	for _, c := range []struct {
		formula         string
		low, tau, steps float64
		more            int // dimensions
		want            bool
	}{
		{"log(x)", 1e-3, 1.6, 2e-6, 0, true}, {"log(x)", 1e-3, 1.6, 1e-7, 0, false},
		{"20*x", 0, 1, 0.01 / 400, 0, false}, {"20*x", 0, 1, 0.01 / 400, 200, false}, {"20*x", 0, 1, 0.1 / 400, 0, true},
	} {
		names, lo, hi := []string{"x"}, []float64{c.low}, []float64{1}
		for i := range c.more {
			name := fmt.Sprint("y", i)
			c.formula += "+200*" + name + "^2"
			names, lo, hi = append(names, name), append(lo, -9), append(hi, 9)
		}
		u, err := potential.Formula(c.formula, names...)
		if err != nil {
			t.Fatal(err)
		}
		box, err := domain.NewBox(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		res, err := r2sgld.Sample(t.Context(), r2sgld.Problem{Names: names, Potential: u, Domain: box}, r2sgld.Settings{Seed: 1, Ladders: 2,
			Iterations: 50_000, BurnIn: 5_000, StepSize: []float64{c.steps}, Temperature: []float64{c.tau}, Start: start(lo)})
		if err != nil {
			t.Fatal(err)
		}
		if j := res.Jumps(0); j.Coarse(0.005) != c.want {
			t.Errorf("%.20s, steps %g: %+v", c.formula, c.steps, j)
		}
	}
}

// start is 0.01 above the bounds of the first coordinate, 0 in the others.
func start(lo []float64) []float64 {
	x := make([]float64, len(lo))
	x[0] = lo[0] + 0.01
	return x
}
