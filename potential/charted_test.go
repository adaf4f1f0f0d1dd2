package potential

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/stream"
)

// bent is a chart whose coordinates depend on each other: x = (exp y₁, y₂ + y₁²,
// sinh y₃ + y₂/2), whose determinant is exp y₁ · cosh y₃. c is −log of that.
type bent struct{}

func (bent) Point(x, y []float64) {
	x[0], x[1], x[2] = math.Exp(y[0]), y[1]+y[0]*y[0], math.Sinh(y[2])+y[1]/2
}

func (bent) Pull(g, x, y []float64) float64 {
	g[0], g[1], g[2] = g[0]*x[0]+2*g[1]*y[0]-1, g[1]+g[2]/2, g[2]*math.Cosh(y[2])-math.Tanh(y[2])
	return -y[0] - math.Log(math.Cosh(y[2]))
}

// V(y) = U(x(y)) + c(y) with its gradient, for any number of states at once. Central
// differences of step 1e-5 are good to 1e-8 here. It kills a Jacobian that is
// transposed, left out or taken at another replica's point, and states mixed up
// between the layouts.
func TestChartedGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.IntRange(1, 5).Draw(t, "states")
		e, inner := Charted(uneven, bent{}).Evaluator(r, nil), uneven.Evaluator(1, nil)
		y, grad, energy := make([]float64, 3*r), make([]float64, 3*r), make([]float64, r)
		for k := range y {
			y[k] = rapid.Float64Range(-1, 1).Draw(t, "y")
		}
		e.Eval(energy, grad, y)
		up, down, scratch := make([]float64, r), make([]float64, r), make([]float64, 3*r)
		for i := range r {
			one, x, u := []float64{y[i], y[r+i], y[2*r+i]}, make([]float64, 3), make([]float64, 1)
			bent{}.Point(x, one)
			inner.Eval(u, scratch[:3], x)
			if want := u[0] - one[0] - math.Log(math.Cosh(one[2])); math.Abs(energy[i]-want) > 1e-12*(1+math.Abs(want)) {
				t.Fatalf("V of state %d is %v, want %v", i, energy[i], want)
			}
			for j := range 3 {
				k := j*r + i
				const h = 1e-5
				at := y[k]
				y[k] = at + h
				e.Eval(up, scratch, y)
				y[k] = at - h
				e.Eval(down, scratch, y)
				y[k] = at
				if want := (up[i] - down[i]) / (2 * h); math.Abs(grad[k]-want) > 1e-7*(1+math.Abs(want)) {
					t.Fatalf("∂/∂y%d of state %d is %v, differences say %v", j, i, grad[k], want)
				}
			}
		}
	})
}

// The density stays what it is: with U = −log density of a law of x, weights
// exp(−V(y))/q(y) of draws y ~ q have the mean 1, and that of x·weight is E x. 60,000
// weights of bounded variance, |z| < 4.9; without the determinant the mean is off by
// 10 standard errors and more.
func TestChartedKeepsTheDensity(t *testing.T) {
	u := Func(3, func(grad, x []float64) float64 { // gamma(4, 1) · N(0.5, 1)²
		grad[0], grad[1], grad[2] = 1-3/x[0], x[1]-0.5, x[2]-0.5
		return x[0] - 3*math.Log(x[0]) + math.Log(6) + (x[1]-0.5)*(x[1]-0.5)/2 + (x[2]-0.5)*(x[2]-0.5)/2 + math.Log(2*math.Pi)
	})
	e := Charted(u, bent{}).Evaluator(1, nil)
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 60_000
	energy, grad, x := make([]float64, 1), make([]float64, 3), make([]float64, 3)
	var sum, squares [2]float64
	for range n {
		z := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		y := []float64{1.2 + 0.8*z[0], 0, 1.2 * z[2]}
		y[1] = 0.5 - y[0]*y[0] + 1.4*z[1] // about where x₂ is
		e.Eval(energy, grad, y)
		q := distuv.UnitNormal.LogProb(z[0]) + distuv.UnitNormal.LogProb(z[1]) + distuv.UnitNormal.LogProb(z[2]) - math.Log(0.8*1.4*1.2)
		w := math.Exp(-energy[0] - q)
		bent{}.Point(x, y)
		for k, v := range []float64{w, w * x[0]} {
			sum[k] += v / n
			squares[k] += v * v / n
		}
	}
	for k, want := range []float64{1, 4} {
		if se := math.Sqrt((squares[k] - sum[k]*sum[k]) / n); !(math.Abs(sum[k]-want) < 4.9*se) || se > 0.05*want {
			t.Errorf("moment %d: %.4f ± %.4f, want %g", k, sum[k], se, want)
		}
	}
}

// Noise, exact energies, errors and ends are those of the potential within.
func TestChartedPassesOn(t *testing.T) {
	noisy := Charted(Noisy(uneven, 0.5, 2), bent{})
	if v := EnergyNoise(noisy); v != 2 {
		t.Errorf("noise %g", v)
	}
	exact, ok := Exact(noisy)
	if !ok {
		t.Fatal("it has noise")
	}
	y := []float64{0.3, -0.2, 0.7}
	var u [2]float64
	grad := make([]float64, 3)
	exact.Evaluator(1, stream.New(1, 0)).Eval(u[:1], grad, y)
	plain := Charted(uneven, bent{})
	plain.Evaluator(1, nil).Eval(u[1:], grad, y)
	if u[0] != u[1] {
		t.Errorf("exact %v, want %v", u[0], u[1])
	}
	if same, ok := Exact(plain); ok || same != plain {
		t.Error("it has no noise")
	}
	e := plain.Evaluator(3, nil)
	block, energy, slopes := make([]float64, 9), make([]float64, 3), make([]float64, 9)
	if n := testing.AllocsPerRun(100, func() { e.Eval(energy, slopes, block) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := Err(e); err != nil {
		t.Error(err)
	}
	if err := Close(e); err != nil {
		t.Error(err)
	}
}
