package significance

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

// Welch's test against p values of another program, computed from the same means
// and intervals (hence two digits), and Holm's against an example by hand.
func TestTests(t *testing.T) {
	over := func(mean, half, n float64) MeanSE { // of a 95 % t interval
		return MeanSE{mean, half / 1.971957, n} // t quantile of 199 degrees of freedom
	}
	_, p := Welch(over(3.328, 0.0749, 200), over(3.048, 0.0867, 200))
	if p < 1.2e-6 || p > 3e-6 {
		t.Errorf("p = %g, want 2e-6", p)
	}
	if _, p := Welch(MeanSE{1, 0, 5}, MeanSE{1, 0, 5}); p != 1 {
		t.Errorf("equal means: p = %g", p)
	}
	if _, p := Welch(MeanSE{1, 0, 5}, MeanSE{2, 0, 5}); p != 0 {
		t.Errorf("means without spread that differ: p = %g", p)
	}
	// The 97.5 % quantile of 9 degrees of freedom is 2.262157.
	if x, p := TTest(MeanSE{2.262157, 1, 10}); math.Abs(x-2.262157) > 1e-12 || math.Abs(p-0.05) > 1e-7 {
		t.Errorf("t = %g, p = %g, want 0.05", x, p)
	}
	if iv := TInterval([]float64{1}, 0.95); iv.Mean != 1 || !math.IsNaN(iv.Lo) || !math.IsNaN(iv.Hi) {
		t.Errorf("the interval of one run is %v", iv)
	}
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	if diff := cmp.Diff([]float64{0.03, 0.06, 0.06, 0.02}, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

// The jackknife of a mean is the mean with its textbook standard error. Kills: the
// factor (n-1)/n, the sign of the bias.
func TestJackknife(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 12).Draw(t, "x")
		n, sum, squares := float64(len(x)), 0.0, 0.0
		for _, v := range x {
			sum += v
		}
		var without []float64
		for _, v := range x {
			squares += (v - sum/n) * (v - sum/n)
			without = append(without, (sum-v)/(n-1))
		}
		value, se := Jackknife(sum/n, without)
		if math.Abs(value-sum/n) > 1e-9 || math.Abs(se-math.Sqrt(squares/n/(n-1))) > 1e-9 {
			t.Fatalf("%g ± %g of %v", value, se, x)
		}
	})
}
