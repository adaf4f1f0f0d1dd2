package diag_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/significance"
	"gonum.org/v1/gonum/stat/distuv"
)

// chain is the generator of testdata/make.R, bit for bit.
func chain(seed, n int, phi float64, kind string, offset float64) []float64 {
	k := int64(seed)
	e := func() float64 {
		var t int64
		for range 12 {
			k = 16807 * k % 2147483647
			t += k
		}
		return float64(t)/2147483648 - 6
	}
	x := make([]float64, n)
	v := 0.0
	for i := range x {
		v = float64(phi*v) + e()
		switch kind {
		case "ar":
			x[i] = v
		case "ratio":
			x[i] = v / e()
		case "discrete":
			x[i] = math.Floor(v)
		case "binary":
			if v < 0 {
				x[i] = 1
			}
		case "constant":
			x[i] = 1
		case "alternating":
			x[i] = float64(2*(i%2) - 1)
		}
		x[i] += offset
	}
	return x
}

type reference struct {
	Provenance string
	Cases      []struct {
		Name        string
		M, N, Seed  int
		Phi, Step   float64
		Kind        string
		First, Last float64
		Numbers     map[string]any
	}
	Other struct {
		KS []struct {
			D, Asymptotic float64
			N             int
		}
		KSOne       float64   `json:"ks_one"`
		TInterval   []float64 `json:"t_interval"`
		TInterval80 []float64 `json:"t_interval_80"`
		KDEAt       []float64 `json:"kde_at"`
		KDE         []float64
		WallAt      []float64 `json:"wall_at"`
		Wall        []float64
		Mode        float64
	}
}

func load(t testing.TB, path string) *reference {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := new(reference)
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func number(t testing.TB, v any) float64 {
	t.Helper()
	switch v := v.(type) {
	case float64:
		return v
	case string:
		if v == "Inf" {
			return math.Inf(1)
		}
		return math.NaN()
	}
	t.Fatalf("not a number: %v", v)
	return 0
}

// near demands relative agreement; scale is what rounding is relative to if
// the value itself cancels.
func near(t testing.TB, what string, got, want, tol, scale float64) {
	t.Helper()
	switch {
	case math.IsNaN(want) && math.IsNaN(got), got == want:
	case math.Abs(got-want) <= tol*math.Max(math.Abs(want), scale):
	default:
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

var functions = map[string]func(c [][]float64) float64{
	"mean":      func(c [][]float64) float64 { return diag.Mean(flat(c)) },
	"sd":        func(c [][]float64) float64 { return diag.SD(flat(c)) },
	"q5":        func(c [][]float64) float64 { return diag.Quantile(flat(c), 0.05) },
	"q25":       func(c [][]float64) float64 { return diag.Quantile(flat(c), 0.25) },
	"q50":       func(c [][]float64) float64 { return diag.Quantile(flat(c), 0.5) },
	"q75":       func(c [][]float64) float64 { return diag.Quantile(flat(c), 0.75) },
	"q95":       func(c [][]float64) float64 { return diag.Quantile(flat(c), 0.95) },
	"bandwidth": func(c [][]float64) float64 { return diag.Bandwidth(flat(c)) },
	"rhat":      diag.RHat, "ess_bulk": diag.ESSBulk, "ess_tail": diag.ESSTail,
	"ess_mean": diag.ESSMean, "ess_sd": diag.ESSSd, "mcse_mean": diag.MCSEMean, "mcse_sd": diag.MCSESd,
	"ess_q0":   func(c [][]float64) float64 { return diag.ESSQuantile(c, 0) },
	"ess_q25":  func(c [][]float64) float64 { return diag.ESSQuantile(c, 0.25) },
	"ess_q50":  func(c [][]float64) float64 { return diag.ESSQuantile(c, 0.5) },
	"ess_q100": func(c [][]float64) float64 { return diag.ESSQuantile(c, 1) },
	"mcse_q5":  func(c [][]float64) float64 { return diag.MCSEQuantile(c, 0.05) },
	"mcse_q50": func(c [][]float64) float64 { return diag.MCSEQuantile(c, 0.5) },
	"mcse_q95": func(c [][]float64) float64 { return diag.MCSEQuantile(c, 0.95) },
}

func flat(c [][]float64) []float64 {
	var x []float64
	for _, v := range c {
		x = append(x, v...)
	}
	return x
}

func TestPosterior(t *testing.T) {
	all := map[string][][]float64{}
	for _, c := range load(t, "testdata/posterior.json").Cases {
		chains := make([][]float64, c.M)
		for i := range chains {
			chains[i] = chain(1000*c.Seed+i+1, c.N, c.Phi, c.Kind, c.Step*float64(i))
		}
		all[c.Name] = chains
		if chains[0][0] != c.First || chains[c.M-1][c.N-1] != c.Last {
			t.Fatalf("%s: the generator differs from that of make.R", c.Name)
		}
		if len(c.Numbers) != len(functions) {
			t.Errorf("%s: %d numbers, want %d", c.Name, len(c.Numbers), len(functions))
		}
		for name, f := range functions {
			want, scale := number(t, c.Numbers[name]), 0.0
			if exception(c.Name, name, want) {
				continue
			}
			if name == "mean" || name[0] == 'q' {
				scale = 1e-3 // a mean near 0 cancels
			}
			// 1e-9 kills ranks over the unsplit draws, n-1 for n, and
			// every change of an index in Geyer's sequence.
			near(t, c.Name+" "+name, f(chains), want, 1e-9, scale)
		}
	}
	second := load(t, "testdata/arviz.json")
	for _, c := range second.Cases {
		for name, v := range c.Numbers {
			chains := all[c.Name]
			if differs(c.Name, len(chains[0]), len(chains), name) {
				continue
			}
			near(t, "ArviZ "+c.Name+" "+name, functions[name](chains), number(t, v), 1e-9, 0)
		}
	}
}

// differs lists where ArviZ 0.23 and posterior disagree: chains of fewer than
// 12 draws and a first pair of autocorrelations that is not positive (the last
// lag of Geyer's sequence), constant indicators (ArviZ: S, not NaN), R̂ of one
// chain (ArviZ: NaN), and the median that folds chains of odd length (ArviZ
// drops the middle draws first).
func differs(name string, n, m int, number string) bool {
	switch {
	case number == "rhat":
		return m == 1 || n%2 == 1 || name == "frozen apart" || name == "alternating"
	case name == "large mean" && number == "mcse_sd": // see exception
		return true
	case name == "constant" || name == "alternating" || n < 12:
		return true
	}
	return number == "ess_tail" && (name == "binary" || name == "frozen apart")
}

// exception lists where we do not follow posterior 1.4.0: it gives R̂ some 1e15
// from rounding where each chain is constant, and takes draws for chains when
// a half has one draw. Its mcse_sd takes E s² - (E s)², which for means 1e6
// apart leaves 5 digits; exact fractions confirm ours.
func exception(name, number string, want float64) bool {
	if number == "mcse_sd" && name == "large mean" {
		return true
	}
	return number == "rhat" && (name == "short 3" || name == "frozen apart" && want > 1e14)
}

func TestOtherReferences(t *testing.T) {
	r := load(t, "testdata/posterior.json").Other
	for _, k := range r.KS {
		near(t, "asymptotic", diag.KSPValue(k.D, float64(k.N)), k.Asymptotic, 1e-9, 1e-3)
	}
	normal := distuv.UnitNormal
	x := chain(77, 60, 0, "ar", 0)
	near(t, "KS", diag.KS(x, normal.CDF), r.KSOne, 1e-12, 0)
	iv := significance.TInterval(x, 0.95)
	near(t, "t lo", iv.Lo, r.TInterval[0], 1e-9, 0)
	near(t, "t hi", iv.Hi, r.TInterval[1], 1e-9, 0)
	iv = significance.TInterval(x[:3], 0.8)
	near(t, "t lo", iv.Lo, r.TInterval80[0], 1e-9, 0)
	near(t, "t hi", iv.Hi, r.TInterval80[1], 1e-9, 0)
}

// Linear binning on cells of h/8 adds at most (1/8)²/4 to h², 0.4 %; the error
// is that times h²f”/2 < f(0)/2. 0.003 of the height kills a wrong
// bandwidth, a missing image and an end bin not doubled.
func TestKDEReference(t *testing.T) {
	r := load(t, "testdata/posterior.json").Other
	x, inf := chain(77, 60, 0, "ar", 0), math.Inf(1)
	f := diag.KDE(x, -inf, inf, 4001)
	for i, p := range r.KDEAt {
		near(t, "density", at(f, p), r.KDE[i], 0.003, 0.4)
	}
	near(t, "mode", diag.Mode(x, -inf, inf), r.Mode, 0.01*f.Bandwidth, 1)
	wall := chain(79, 500, 0, "ar", 0)
	for i, v := range wall {
		wall[i] = math.Abs(v)
	}
	f = diag.KDE(wall, 0, inf, 4001)
	for i, p := range r.WallAt {
		near(t, "density at a wall", at(f, p), r.Wall[i], 0.003, 0.8)
	}
}

func at(d diag.Density, x float64) float64 {
	u := (x - d.X[0]) / (d.X[1] - d.X[0])
	i := min(int(u), len(d.X)-2)
	u -= float64(i)
	return d.F[i]*(1-u) + d.F[i+1]*u
}
