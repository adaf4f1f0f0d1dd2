package expression

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Distribution functions below and above a value have the density as their slopes, add up to 1, and
// end at 0: they are those of the density, in either tail too.
// Mutants: a distribution function of another scale; one that turns to 0 in a tail.
func TestDistributionFunctionsAreIntegrals(t *testing.T) {
	args := map[string]string{"normal": "0.7, 1.3", "lognormal": "0.7, 0.3",
		"logistic": "0.7, 1.3", "cauchy": "0.7, 1.3", "laplace": "0.7, 1.3",
		"exponential": "1.3", "weibull": "1.7, 2.3"}
	value := func(src string, y float64) (float64, float64) {
		f, err := Compile(src, []string{"y"})
		if err != nil {
			t.Fatal(err)
		}
		v, g := make([]float64, 1), make([]float64, 1)
		f.Evaluator(1).Gradient(v, g, []float64{y})
		return v[0], g[0]
	}
	for name := range densities {
		if law, ok := strings.CutSuffix(name, "_lcdf"); ok && args[law] == "" {
			t.Errorf("%s is not in the test", name)
		}
	}
	for law, with := range args {
		for _, y := range []float64{-31, -4, 0.2, 0.7, 0.9, 3, 30} {
			if (law == "lognormal" || law == "exponential" || law == "weibull") && y < 0 {
				continue
			}
			of := func(ending string) (float64, float64) {
				return value(fmt.Sprintf("%s_%s(y, %s)", law, ending, with), y)
			}
			density, _ := of("lpdf")
			below, up := of("lcdf")
			above, down := of("lccdf")
			if sum := math.Exp(below) + math.Exp(above); math.Abs(sum-1) > 1e-14 {
				t.Errorf("%s at %g: chances add up to %v", law, y, sum)
			}
			for _, of := range []struct{ slope, want float64 }{{up, math.Exp(density - below)}, {down, -math.Exp(density - above)}} {
				if !(math.Abs(of.slope-of.want) <= 1e-10*math.Abs(of.want)+2e-16) {
					t.Errorf("%s at %g: slope %v, want %v", law, y, of.slope, of.want)
				}
			}
		}
	}
}

// log I₀ and I₁/I₀ are those of their integrals over the circle, which sums of periodic functions
// give to rounding.
// Mutants: an asymptotic series with the wrong order; a power series of another order.
func TestBesselFunctions(t *testing.T) {
	for _, x := range []float64{0, 1e-9, 0.1, 1, 7, 29.9, 30.1, 50, 700, 1e4} {
		const n = 20_000
		sum, cosines := 0.0, 0.0
		for k := range n {
			c := math.Cos(2 * math.Pi * (float64(k) + 0.5) / n)
			p := math.Exp(x * (c - 1))
			sum, cosines = sum+p, cosines+c*p
		}
		want, ratio := x+math.Log(sum/n), cosines/sum
		for _, sign := range []float64{1, -1} {
			if got := logI0(sign * x); !(math.Abs(got-want) <= 1e-13*(1+want)) {
				t.Errorf("log I0(%g) is %v, want %v", sign*x, got, want)
			}
			if got := besselRatio(sign * x); !(math.Abs(got-sign*ratio) <= 1e-13) {
				t.Errorf("I1(%g)/I0 is %v, want %v", sign*x, got, sign*ratio)
			}
		}
	}
	if got := besselRatio(math.Inf(1)); got != 1 {
		t.Errorf("I1/I0 at infinity is %v", got)
	}
}
