package diag_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/diag"
)

type predictive struct {
	Seed, N, Data int
	REff          float64 `json:"r_eff"`
	LOO           float64
	LOOSE         float64   `json:"loo_se"`
	PLOO          float64   `json:"p_loo"`
	LOOI          []float64 `json:"loo_i"`
	K             []float64
	WAIC          float64
	WAICSE        float64   `json:"waic_se"`
	PWAIC         float64   `json:"p_waic"`
	WAICI         []float64 `json:"waic_i"`
}

// logLik is loglik of testdata/make-loo.R.
func logLik(seed, n, data int) [][]float64 {
	theta, y := chain(seed, n, 0, "ar", 0), chain(seed+1, data, 0, "ar", 0)
	l := make([][]float64, data)
	for i := range l {
		l[i] = make([]float64, n)
		for s := range l[i] {
			z := (1.5*y[i] - theta[s]) / (0.5 + float64(i%5)*0.5)
			if l[i][s] = -z * z / 2; i%2 == 1 {
				l[i][s] = -math.Log1p(z * z)
			}
		}
	}
	return l
}

// Relative agreement of 1e-9 (the Pareto shape, which may be near 0, to 1e-9
// of 1) kills a tail one weight longer or shorter, no truncation, shape without
// the pull to ½, quantiles at j/m, and r_eff the wrong way round.
func TestPredictiveReference(t *testing.T) {
	for _, file := range []string{"testdata/loo.json", "testdata/loo-arviz.json"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all struct{ Cases []predictive }
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Cases {
			l, eff := logLik(c.Seed, c.N, c.Data), make([]float64, c.Data)
			for i := range eff {
				eff[i] = c.REff
			}
			what := fmt.Sprintf("%s seed %d ", file, c.Seed)
			a, w := diag.LOO(l, eff), diag.WAIC(l)
			// ArviZ divides variances by n, also those of the draws.
			se, spread := 1.0, 1.0
			if file == "testdata/loo-arviz.json" {
				se, spread = math.Sqrt(1-1/float64(c.Data)), 1-1/float64(c.N)
			}
			near(t, what+"loo", a.Estimate, c.LOO, 1e-9, 0)
			near(t, what+"loo se", a.SE*se, c.LOOSE, 1e-9, 0)
			near(t, what+"p_loo", a.P, c.PLOO, 1e-9, 0)
			near(t, what+"p_waic", w.P*spread, c.PWAIC, 1e-9, 0)
			for i := range l {
				near(t, what+"loo term", a.Pointwise[i], c.LOOI[i], 1e-9, 0)
				near(t, what+"k", a.K[i], c.K[i], 1e-9, 1)
				near(t, what+"waic term", w.Pointwise[i]+(1-spread)*diag.Variance(l[i]), c.WAICI[i], 1e-9, 0)
			}
			if spread == 1 {
				near(t, what+"waic", w.Estimate, c.WAIC, 1e-9, 0)
				near(t, what+"waic se", w.SE, c.WAICSE, 1e-9, 0)
			}
		}
	}
}

// Weights add up to 1, keep the order of the raw ones, and are none the wiser
// of a constant added to their logs. 1e-9 kills weights that are not normalised.
func TestPSISProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "n")
		raw, w, shifted := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range raw { // many ties
			raw[i] = float64(rapid.IntRange(-40, 40).Draw(t, "w")) / 8
			w[i], shifted[i] = raw[i], raw[i]+1024
		}
		k := diag.PSIS(w, rapid.Float64Range(0.05, 3).Draw(t, "rEff"))
		diag.PSIS(shifted, 1)
		if math.IsNaN(k) {
			t.Fatal("no shape")
		}
		var sum float64
		for i := range w {
			sum += math.Exp(w[i])
			for j := range w {
				if raw[i] < raw[j] && w[i] > w[j]+1e-9 {
					t.Fatalf("weights %g < %g became %g > %g", raw[i], raw[j], w[i], w[j])
				}
			}
		}
		equal(t, "sum", sum, 1, 1e-9)
		again := append([]float64(nil), raw...)
		diag.PSIS(again, 1)
		for i := range again {
			equal(t, "shifted", math.Exp(shifted[i]), math.Exp(again[i]), 1e-9)
		}
	})
}

func TestPSISSpecialCases(t *testing.T) {
	same := make([]float64, 100)
	for i := range same {
		same[i] = 700
	}
	if k := diag.PSIS(same, 1); k != 0 || math.Abs(same[3]+math.Log(100)) > 1e-12 {
		t.Errorf("equal weights: k %g, log weight %g", k, same[3])
	}
	if k := diag.PSIS([]float64{1, 2, 3}, 1); !math.IsInf(k, 1) {
		t.Errorf("three weights: k %g", k)
	}
	bad := []float64{0, math.Inf(1), 2}
	if k := diag.PSIS(bad, 1); !math.IsNaN(k) || bad[0] != 0 {
		t.Errorf("an infinite weight: k %g", k)
	}
	tied := make([]float64, 100) // ten of the twenty in the tail tie with the rest
	for i := range 10 {
		tied[i] = 1 + float64(i)/4
	}
	if k := diag.PSIS(tied, 1); !(k > 0 && k < 1) {
		t.Errorf("tied weights: k %g", k)
	}
	huge := make([]float64, 200) // all but one underflow
	for i := range huge {
		huge[i] = -1000 * float64(i)
	}
	if k := diag.PSIS(huge, 1); !math.IsInf(k, 1) || huge[0] != 0 {
		t.Errorf("one weight: k %g, %g", k, huge[0])
	}
	if e := diag.LOO(nil, nil); e.Estimate != 0 || !math.IsNaN(e.SE) {
		t.Errorf("no data: %+v", e)
	}
	if e := diag.LOO([][]float64{{1, 2}, {1}}, nil); !math.IsNaN(e.Estimate) || e.Pointwise[1] == e.Pointwise[1] {
		t.Errorf("data of different numbers of draws: %+v", e)
	}
	if e := diag.WAIC([][]float64{{1, math.Inf(-1)}}); !math.IsNaN(e.Estimate) || e.K != nil {
		t.Errorf("a density of 0: %+v", e)
	}
}

// The shape of exact Pareto weights of shape k, pulled to ½ by 10 parts in
// m + 10 of a tail of m: over 200 fits the mean is within 4.9 standard errors
// and a bias of 0.03 of that of Zhang and Stephens' estimator. Kills a sign and
// a fit to the body of the weights.
func TestPSISFindsTheShape(t *testing.T) {
	for _, k := range []float64{0.2, 0.5, 0.9} {
		rng := rand.New(rand.NewPCG(7, uint64(100*k)))
		fits := make([]float64, 200)
		for i := range fits {
			w := make([]float64, 2000)
			for s := range w {
				w[s] = math.Log(math.Expm1(-k*math.Log(1-rng.Float64()))/k + 1/k)
			}
			fits[i] = diag.PSIS(w, 1)
		}
		const tail = 135 // ⌈3√2000⌉
		want := (tail*k + 5) / (tail + 10)
		if gap := math.Abs(diag.Mean(fits) - want); gap > 4.9*diag.SD(fits)/math.Sqrt(200)+0.03 {
			t.Errorf("shape %g: mean fit %g, want %g", k, diag.Mean(fits), want)
		}
	}
}

// LOO against exact leave-one-out: y_i ~ N(θ, 1), θ flat, so that without y_i θ
// is normal about the mean of the others. Fifty posteriors of 1000 draws each:
// the mean is within 4.9 standard errors, which are some 0.005. Kills weights 1
// (off by p_loo ≈ 1) and no smoothing of an outlier.
func TestLOOAgreesWithRefits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, draws, runs = 15, 1000, 50
	y := make([]float64, n)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	y[0] = 2.5
	exact, sum := 0.0, floats.Sum(y)
	for _, v := range y {
		rest := (sum - v) / (n - 1)
		exact += distuv.Normal{Mu: rest, Sigma: math.Sqrt(1 + 1.0/(n-1))}.LogProb(v)
	}
	gaps := make([]float64, runs)
	for r := range gaps {
		l := make([][]float64, n)
		for i := range l {
			l[i] = make([]float64, draws)
		}
		for s := range draws {
			law := distuv.Normal{Mu: sum/n + rng.NormFloat64()/math.Sqrt(n), Sigma: 1}
			for i, v := range y {
				l[i][s] = law.LogProb(v)
			}
		}
		gaps[r] = diag.LOO(l, nil).Estimate - exact
	}
	if se := diag.SD(gaps) / math.Sqrt(runs); math.Abs(diag.Mean(gaps)) > 4.9*se || se > 0.01 {
		t.Errorf("LOO is off by %g ± %g", diag.Mean(gaps), se)
	}
}

// Independent draws have efficiency 1; for AR(1) draws of φ = 0.9 the density, a
// function of v², has autocorrelations of about φ²ᵗ: 0.19/1.81 = 0.105. Constant
// ones count as independent. The bounds kill S/ESS and autocorrelations of v.
func TestRelativeEfficiency(t *testing.T) {
	for _, c := range []struct{ phi, lo, hi float64 }{{0, 0.85, 1.15}, {0.9, 0.07, 0.15}} {
		l := mapped(ar1(5, 4, 2000, c.phi), func(v float64) float64 { return -v*v/2 - 1000 })
		if r := diag.RelativeEfficiency(l); !(r > c.lo && r < c.hi) {
			t.Errorf("phi %g: %g", c.phi, r)
		}
	}
	if r := diag.RelativeEfficiency([][]float64{{1, 1, 1, 1, 1, 1, 1, 1}}); r != 1 {
		t.Errorf("constant: %g", r)
	}
}

// How well a normal law with unknown mean predicts three numbers, from draws of
// the mean.
func ExampleLOO() {
	rng := rand.New(rand.NewPCG(1, 2))
	data := []float64{-0.3, 0.4, 1.1}
	logLik := make([][]float64, len(data))
	for range 4000 {
		mean := 0.4 + rng.NormFloat64()/math.Sqrt(3)
		for i, y := range data {
			logLik[i] = append(logLik[i], distuv.Normal{Mu: mean, Sigma: 1}.LogProb(y))
		}
	}
	e := diag.LOO(logLik, nil)
	fmt.Printf("elpd %.1f ± %.1f, %.1f parameters\n", e.Estimate, e.SE, e.P)
	// Output:
	// elpd -4.1 ± 0.4, 0.6 parameters
}
