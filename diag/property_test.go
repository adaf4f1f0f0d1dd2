package diag_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func ar1(seed uint64, m, n int, phi float64) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	chains := make([][]float64, m)
	for c := range chains {
		chains[c] = make([]float64, n)
		v := r.NormFloat64() // stationary start
		for i := range chains[c] {
			chains[c][i] = v
			v = phi*v + math.Sqrt(1-phi*phi)*r.NormFloat64()
		}
	}
	return chains
}

func anyChains(t *rapid.T) [][]float64 {
	m, n := rapid.IntRange(1, 4).Draw(t, "m"), rapid.IntRange(1, 40).Draw(t, "n")
	chains := make([][]float64, m)
	for c := range chains {
		chains[c] = make([]float64, n)
		for i := range chains[c] { // many ties, exact arithmetic below
			chains[c][i] = float64(rapid.IntRange(-20, 20).Draw(t, "x"))
		}
	}
	return chains
}

func mapped(chains [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for c, x := range chains {
		for _, v := range x {
			out[c] = append(out[c], f(v))
		}
	}
	return out
}

func equal(t *rapid.T, what string, a, b, tol float64) {
	t.Helper()
	if math.IsNaN(a) && math.IsNaN(b) || a == b {
		return
	}
	if !(math.Abs(a-b) <= tol*math.Abs(b)) {
		t.Fatalf("%s: %g and %g", what, a, b)
	}
}

// Rank statistics are bit for bit the same after an increasing map: kills any
// use of the values themselves. Affine maps also keep folded ranks.
func TestMonotoneMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := anyChains(t)
		cube := mapped(x, func(v float64) float64 { return v*v*v + v })
		equal(t, "ESSBulk", diag.ESSBulk(cube), diag.ESSBulk(x), 0)
		line := mapped(x, func(v float64) float64 { return 4*v - 8 })
		equal(t, "RHat", diag.RHat(line), diag.RHat(x), 0)
		equal(t, "ESSTail", diag.ESSTail(line), diag.ESSTail(x), 0)
		equal(t, "ESSMean", diag.ESSMean(line), diag.ESSMean(x), 1e-9)
		equal(t, "MCSESd", diag.MCSESd(line), 4*diag.MCSESd(x), 1e-9)
		mirror := mapped(x, func(v float64) float64 { return -v })
		equal(t, "RHat mirrored", diag.RHat(mirror), diag.RHat(x), 1e-12)
		equal(t, "ESSBulk mirrored", diag.ESSBulk(mirror), diag.ESSBulk(x), 1e-9)
	})
}

func TestBoundsAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := anyChains(t)
		s := float64(len(x) * len(x[0]))
		for _, v := range []float64{diag.ESSBulk(x), diag.ESSMean(x), diag.ESSTail(x), diag.ESSQuantile(x, 0.3)} {
			if v <= 0 || v > s*math.Log10(s)*(1+1e-12) {
				t.Fatalf("effective sample size %g of %g draws", v, s)
			}
		}
		turned := append(append([][]float64{}, x[1:]...), x[0])
		equal(t, "order of chains", diag.RHat(turned), diag.RHat(x), 1e-12)
		d := diag.Summarize("x", x, math.Inf(-1), math.Inf(1))
		if !(d.Q5 <= d.Q25 && d.Q25 <= d.Q50 && d.Q50 <= d.Q75 && d.Q75 <= d.Q95) {
			t.Fatalf("quantiles out of order: %+v", d)
		}
	})
}

// For AR(1) the effective sample size for the mean is S(1-φ)/(1+φ). With
// S = 100,000 Geyer's window holds W ≈ 2·log(S)/-log|φ| lags at most, and the
// relative error of a window estimate has variance about 2(2W+1)/S (Sokal 1997,
// eq. 3.19); 4.9 of those, plus 1e-3 for truncation. Kills a lag lost or
// counted twice and halves not split in time order.
func TestAutoregressionTheory(t *testing.T) {
	for i, phi := range []float64{-0.5, 0.01, 0.3, 0.7, 0.9} {
		x := ar1(uint64(10+i), 4, 25000, phi)
		want := 100000 * (1 - phi) / (1 + phi)
		window := 2*math.Log(100000)/-math.Log(math.Abs(phi)) + 2
		tol := 4.9*math.Sqrt(2*(2*window+1)/100000) + 1e-3
		for name, got := range map[string]float64{"mean": diag.ESSMean(x), "bulk": diag.ESSBulk(x)} {
			if math.Abs(got/want-1) > tol {
				t.Errorf("φ = %g: ESS %s %g, want %g within %.1f %%", phi, name, got, want, 100*tol)
			}
		}
		// R̂² - 1 is about χ²(7)/7·τ/12,500 for eight halves; χ²(7) < 42 but for 1e-6.
		if r := diag.RHat(x); r > 1+3*(1+phi)/(1-phi)/12500 {
			t.Errorf("φ = %g: R̂ %g of stationary chains", phi, r)
		}
	}
}

// Units do not matter: draws of any size have the R̂ and the effective sizes of their multiples.
func TestUnits(t *testing.T) {
	x := ar1(7, 4, 500, 0.5)
	small := make([][]float64, len(x))
	for i, c := range x {
		for _, v := range c {
			small[i] = append(small[i], 0x1p-200*v)
		}
	}
	for name, f := range functions {
		switch name {
		case "rhat", "ess_bulk", "ess_tail", "ess_mean", "ess_q50":
			if v, want := f(small), f(x); v != want {
				t.Errorf("%s is %g of draws and %g of multiples", name, want, v)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, x := range [][][]float64{nil, {}, {{}}, {{}, {}}, {{1}}, {{1, 2, 3, 4}, {1, 2, 3}}, {{1, 2, nan, 4, 5, 6, 7}},
		{{1, 2, inf, 4, 5, 6, 7}}, {{3, 3, 3, 3, 3, 3, 3, 3}}, {{1e200, -1e200, 1e200}}} {
		for name, f := range functions {
			switch name {
			case "rhat", "ess_bulk", "ess_tail", "ess_mean", "ess_q50", "mcse_mean", "mcse_sd", "mcse_q50":
				if v := f(x); !math.IsNaN(v) {
					t.Errorf("%s of %v is %g, want NaN", name, x, v)
				}
			}
		}
		diag.Summarize("x", x, 0, 1)
	}
	s := diag.Summarize("x", [][]float64{{3, 3, 3, 3}, {3, 3, 3, 3}}, 0, inf)
	if s.Mean != 3 || s.SD != 0 || s.Mode != 3 || s.Q95 != 3 || !math.IsNaN(s.RHat) || !math.IsNaN(s.ESSBulk) {
		t.Errorf("constant draws: %+v", s)
	}
	for name, v := range map[string]float64{
		"KS":       diag.KS([]float64{nan}, distuv.UnitNormal.CDF),
		"quantile": diag.Quantile([]float64{1, nan}, 0.5), "level": diag.Quantile([]float64{1}, 1.5), "empty": diag.Quantile(nil, 0.5),
		"mode": diag.Mode(nil, 0, 1), "one chain": diag.RHatOf(make([]diag.Running, 1)),
	} {
		if !math.IsNaN(v) {
			t.Errorf("%s: %g, want NaN", name, v)
		}
	}
}

// Mass 1 to rounding, positive, symmetric data give a symmetric estimate. The
// trapezoidal rule on the internal grid conserves mass exactly.
func TestDensityLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, 3000)
	y := make([]float64, 3000)
	for i := range x {
		x[i], y[i] = r.ExpFloat64(), r.Float64()
	}
	d := diag.KDE(x, 0, math.Inf(1), 2000)
	if d.X[0] != 0 || math.Abs(mass(d.X, d.F)-1) > 1e-4 {
		t.Errorf("begins at %g, mass %g", d.X[0], mass(d.X, d.F))
	}
	if m := diag.Mode(x, 0, math.Inf(1)); m > d.Bandwidth {
		t.Errorf("mode of the exponential law at %g", m)
	}
	flat := diag.KDE(y, 0, 1, 50) // reflected on both sides: no dip at the ends
	for i, f := range flat.F {
		if math.Abs(f-1) > 0.25 { // sd √(0.28·2/(3000·0.05)) = 0.061 at an end
			t.Errorf("uniform density %g at %g", f, flat.X[i])
		}
	}
}

func mass(x, f []float64) float64 {
	var s float64
	for i := 1; i < len(x); i++ {
		s += (f[i] + f[i-1]) / 2 * (x[i] - x[i-1])
	}
	return s
}

// A law with infinite variance must not blind the grid.
func TestModeHeavyTails(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	x := make([]float64, 40000)
	for i := range x {
		x[i] = 5 + math.Pow(r.NormFloat64(), 7) + 0.5*r.NormFloat64()
		if i%2 == 0 {
			x[i] = 5 + 0.3*r.NormFloat64()/r.NormFloat64()
		}
	}
	if m := diag.Mode(x, math.Inf(-1), math.Inf(1)); math.Abs(m-5) > 0.05 {
		t.Errorf("mode %g, want 5", m)
	}
}

func TestRunning(t *testing.T) {
	chains := ar1(3, 3, 500, 0.9)
	run := make([]diag.Running, 3)
	for c, x := range chains {
		for _, v := range x {
			run[c].Add(v)
		}
		near(t, "mean", run[c].Mean(), diag.Mean(x), 1e-12, 1)
		near(t, "variance", run[c].Variance(), diag.Variance(x), 1e-12, 0)
	}
	between := diag.Variance([]float64{run[0].Mean(), run[1].Mean(), run[2].Mean()})
	within := (run[0].Variance() + run[1].Variance() + run[2].Variance()) / 3
	near(t, "R̂", diag.RHatOf(run), math.Sqrt(499./500+between/within), 1e-12, 0)
	if n := testing.AllocsPerRun(100, func() { run[0].Add(1) }); n != 0 {
		t.Errorf("Add allocates %g times", n)
	}
}

func TestQuantileDoesNotSort(t *testing.T) {
	x := []float64{3, 1, 2}
	if q := diag.Quantile(x, 0.25); q != 1.5 || x[0] != 3 {
		t.Errorf("quantile %g of %v", q, x)
	}
}

func FuzzSummarize(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, 0.0, 1.0)
	f.Add(math.MaxFloat64/2, -math.MaxFloat64, 0.0, 1e-320, math.Inf(-1), math.Inf(1))
	f.Add(math.MaxFloat64, -math.MaxFloat64, 0.0, 1e-320, math.Inf(-1), math.Inf(1))
	f.Fuzz(func(t *testing.T, a, b, c, d, lo, hi float64) {
		x := [][]float64{{a, b, c, d, a, c, b, a}, {b, a, c, d, d, c, a, b}}
		diag.Summarize("x", x, lo, hi) // must not panic
		diag.KDE(x[0], lo, hi, 10)
		diag.MCSEQuantile(x, a)
		diag.MCSESd(x)
	})
}

func BenchmarkSummarize(b *testing.B) {
	for _, phi := range []float64{0, 0.5, 0.9, 0.99} {
		x := ar1(1, 4, 10000, phi)
		b.Run(fmt.Sprintf("phi=%g", phi), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diag.Summarize("x", x, math.Inf(-1), math.Inf(1))
			}
		})
	}
}

// Sorting by bit pattern orders values of every sign and size, zeros included.
func TestOrderOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), 1, 50).Draw(t, "x")
		x = append(x, 0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64)
		s := diag.Summarize("x", [][]float64{x}, math.Inf(-1), math.Inf(1))
		for p, got := range map[float64]float64{0.05: s.Q5, 0.25: s.Q25, 0.5: s.Q50, 0.75: s.Q75, 0.95: s.Q95} {
			equal(t, "quantile", got, diag.Quantile(x, p), 0)
		}
	})
}
