package kernel_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// quadratic is U of a Gaussian and a constant, as ½ xᵀPx − xᵀPm + …
func quadratic(g *kernel.Gaussian, constant float64) potential.Potential {
	d := len(g.Mean)
	return potential.Func(d, func(grad, x []float64) float64 {
		u := constant
		for i := range x {
			var px, pm float64
			for j := range x {
				px += g.Precision.At(i, j) * x[j]
				pm += g.Precision.At(i, j) * g.Mean[j]
			}
			grad[i] = px - pm
			u += x[i]*(px/2-pm) + g.Mean[i]*pm/2
		}
		return u
	})
}

// Gaussians are found from their energies: far from where one looks, with units of
// 1e-4 to 1e4, and as formulas; the precision to 1e-12, which kills differences
// that are not taken a standard deviation apart, and the mean to the 1e-6 of a
// standard deviation that condition numbers leave.
func TestFindGaussian(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 20 {
		const d = 4
		g := &kernel.Gaussian{Mean: make([]float64, d), Precision: mat.NewSymDense(d, nil)}
		a := mat.NewDense(d, d, nil)
		for i := range d {
			unit := math.Pow(10, float64(rng.IntN(9)-4))
			g.Mean[i] = unit * 50 * rng.NormFloat64()
			for j := range d {
				a.Set(i, j, rng.NormFloat64()/unit)
			}
			a.Set(i, i, a.At(i, i)+2/unit)
		}
		g.Precision.SymOuterK(1, a)
		found, err := kernel.FindGaussian(quadratic(g, 1e3), nil, make([]float64, d))
		if err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		for i := range d {
			sd := 1 / math.Sqrt(g.Precision.At(i, i))
			if math.Abs(found.Mean[i]-g.Mean[i]) > 1e-6*sd {
				t.Errorf("trial %d: mean %v, want %v", trial, found.Mean, g.Mean)
			}
			for j := range d {
				if e := found.Precision.At(i, j) - g.Precision.At(i, j); math.Abs(e) > 1e-12*math.Sqrt(g.Precision.At(i, i)*g.Precision.At(j, j)) {
					t.Errorf("trial %d: precision %d, %d off by %g", trial, i, j, e)
				}
			}
		}
	}
	f, err := expression.Compile("x^2 - x*y + 2*y^2 - 3*x + 1", []string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := kernel.FindGaussian(potential.FromExpression(f), nil, []float64{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if want := mat.NewSymDense(2, []float64{2, -1, -1, 4}); !mat.EqualApprox(g.Precision, want, 1e-9) || math.Abs(g.Mean[0]-12.0/7) > 1e-9 ||
		math.Abs(g.Mean[1]-3.0/7) > 1e-9 {
		t.Errorf("mean %v, precision %v", g.Mean, g.Precision)
	}
}

// What is no Gaussian is told: quartics, however small, a kink far from the mean but
// in the domain, a saddle, a plane that nothing bounds, energies that are not those of the
// gradient, NaN, and noise.
// TestFindGaussianRounding finds a Gaussian as narrow as the posterior of data without noise,
// about a point where the coordinate itself is rounded to a millionth of its width.
func TestFindGaussianRounding(t *testing.T) {
	const width = 1e-10
	u := potential.Func(1, func(grad, x []float64) float64 {
		e := ((1 + width*x[0]) - 1) / width
		grad[0] = e
		return e * e / 2
	})
	g, err := kernel.FindGaussian(u, nil, []float64{0})
	if err != nil || math.Abs(g.Mean[0]) > 1e-5 || math.Abs(g.Precision.At(0, 0)-1) > 1e-5 {
		t.Errorf("%v, %v", g, err)
	}
}

// TestFindGaussianNarrow finds a Gaussian far narrower than the distance between numbers
// where it is sought from, and refuses one about a mean between whose neighbours it lies.
func TestFindGaussianNarrow(t *testing.T) {
	for _, m := range []float64{0, 1e-140, 1} {
		u := potential.Func(1, func(grad, x []float64) float64 {
			grad[0] = 2e300 * (x[0] - m)
			return 1e300 * (x[0] - m) * (x[0] - m)
		})
		g, err := kernel.FindGaussian(u, nil, []float64{0.7})
		switch {
		case m == 1:
			if err == nil || !strings.Contains(err.Error(), "too narrow about the mean [1]") {
				t.Errorf("mean 1: %v, %v", g, err)
			}
		case err != nil || math.Abs(g.Mean[0]-m) > 7e-153 || math.Abs(g.Precision.At(0, 0)/2e300-1) > 1e-6:
			t.Errorf("mean %g: %v, %v", m, g, err)
		}
	}
}

func TestFindGaussianRefuses(t *testing.T) {
	box, err := domain.NewBox([]float64{-200, -1}, []float64{200, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{
		"x^2 + y^2 + 1e-6*x^4", "x^2 + y^2 + 1e-4*x^3", "x^2 - y^2", "x^2", "x + y", "0", "x^2 + y^2 + max(0, x - 60)", "log(x) + y^2",
		"sqrt(1 + x^2) + y^2",
		"(x - 0.5)^2 + abs(x) + y^2",
	} {
		f, err := expression.Compile(src, []string{"x", "y"})
		if err != nil {
			t.Fatal(err)
		}
		if g, err := kernel.FindGaussian(potential.FromExpression(f), box, []float64{0, 0}); !errors.Is(err, kernel.ErrNotGaussian) {
			t.Errorf("%s: %v, %v", src, g, err)
		}
	}
	wrong := potential.Func(1, func(grad, x []float64) float64 { grad[0] = x[0]; return x[0] * x[0] })
	if g, err := kernel.FindGaussian(wrong, nil, []float64{0}); !errors.Is(err, kernel.ErrNotGaussian) {
		t.Errorf("energies of another gradient: %v, %v", g, err)
	}
	noisy := potential.Noisy(potential.Func(1, func(grad, x []float64) float64 { grad[0] = x[0]; return x[0] * x[0] / 2 }), 0.1, 0)
	if g, err := kernel.FindGaussian(noisy, nil, []float64{0}); err == nil {
		t.Errorf("noise: %v", g)
	}
}
