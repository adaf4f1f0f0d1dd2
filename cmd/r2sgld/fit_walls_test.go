package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// Errors that tests between walls allow, in standard errors. Draws of a law that leans on a
// wall are skewed, at most as exponential ones: with skewness g of the mean of n of them, a
// studentised mean is off by z in 2Φ(−z)·exp(g·z³/3) of all cases. For means g is 2/√n, and 6
// errors have 8e-9 with n = 12,000. For squares g is 10.6/√n, and 7 errors have 2e-7. Where no
// law is as skewed, g is at most 4/√n for squares and 1/√n for means, and 3,000 draws suffice
// for 2e-8 and 8e-9. A share of 1/6 has g = 1.8/√n, and 6.3 errors have 6e-8 with n = 800.
const (
	mostOfMeans  = 6.0
	mostOfSDs    = 7.0
	mostOfShares = 6.3
)

// A known is a moment, and its standard error where it is not exact.
type known struct{ value, se float64 }

// A drawnFit is the summary of a fit and its draws, by ladder, number and parameter.
type drawnFit struct {
	*fitting
	draws [][][]float64
}

// drawFit runs fit on a configuration.
func drawFit(t *testing.T, file string) drawnFit {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	sum := summarisedIn(t, dir, "fit", file)
	if len(sum.Warnings) > 0 {
		t.Errorf("warnings: %q", sum.Warnings)
	}
	return drawnFit{sum, drawsIn(t, dir)}
}

// chains are what f says of the draws.
func (d drawnFit) chains(f func(x []float64) float64) [][]float64 {
	all := make([][]float64, len(d.draws))
	for i, of := range d.draws {
		for _, x := range of {
			all[i] = append(all[i], f(x))
		}
	}
	return all
}

// moments holds means and standard deviations of all parameters against known ones, by draws
// that are worth least independent ones.
func (d drawnFit) moments(t *testing.T, mean, sd []known, least float64) {
	t.Helper()
	if len(d.Parameters) != len(mean) {
		t.Fatalf("%d parameters, want %d", len(d.Parameters), len(mean))
	}
	for j, p := range d.Parameters {
		chains := d.chains(func(x []float64) float64 { return x[j] })
		if n, squares := diag.ESSMean(chains), diag.ESSSd(chains); !(min(n, squares) > least) {
			t.Errorf("%s: %.0f effective draws, %.0f for its standard deviation", p.Name, n, squares)
		}
		off := (p.Mean - mean[j].value) / math.Hypot(p.MCSEMean, mean[j].se)
		wide := (p.SD - sd[j].value) / math.Hypot(diag.MCSESd(chains), sd[j].se)
		t.Logf("%-9s %8.4f ± %.4f, want %8.4f ± %.4f: %+.1f and %+.1f standard errors, %.0f and %.0f draws", p.Name, p.Mean, p.SD,
			mean[j].value, sd[j].value, off, wide, diag.ESSMean(chains), diag.ESSSd(chains))
		if !(math.Abs(off) < mostOfMeans) {
			t.Errorf("the mean of %s is %g ± %g, want %g", p.Name, p.Mean, p.MCSEMean, mean[j].value)
		}
		if !(math.Abs(wide) < mostOfSDs) {
			t.Errorf("the standard deviation of %s is %g, want %g", p.Name, p.SD, sd[j].value)
		}
	}
}

// logarithm holds an estimate of log Z against a known one.
func logarithm(t *testing.T, what string, estimate, se float64, want known) {
	t.Helper()
	off := (estimate - want.value) / math.Hypot(se, want.se)
	t.Logf("%s %.4f ± %.4f, want %.4f ± %.4f: %+.1f standard errors", what, estimate, se, want.value, want.se, off)
	if !(math.Abs(off) < mostOfMeans && se < 0.1) {
		t.Errorf("%s is %g ± %g, want %g ± %g", what, estimate, se, want.value, want.se)
	}
}

// Twelve levels in order, with noise that is known, have normal laws cut to the cone of the
// order. Data break the order in half the places. Moments and log Z are those of a chain of
// twelve steps on a grid, forward and backward. Of 50 numbers one is off by chance in 6e-7 of
// all cases: none is as skewed as an exponential law.
//
// Mutants: the order of the first two levels is left out; walls leave momenta as they are; the
// part of the priors that is in order is its square root.
func TestIsotonicRegression(t *testing.T) {
	pace.Slow(t)
	const levels, wide = 12, 3.0
	rng := rand.New(rand.NewPCG(12, 1))
	var table strings.Builder
	table.WriteString("level,y,s\n")
	mean, precision, constant := make([]float64, levels), make([]float64, levels), make([]float64, levels) // of the data alone
	for i, center := range []float64{0, -0.6, 0.3, 0.2, -0.2, 0.8, 0.7, 1.4, 0.9, 0.6, 1.8, 1.2} {
		for range []int{3, 1, 4, 2, 1, 5, 2, 3, 1, 2, 4, 1}[i] {
			s := []float64{0.5, 1}[rng.IntN(2)]
			y := math.Round(1000*(center+0.3*s*rng.NormFloat64())) / 1000
			fmt.Fprintf(&table, "%d,%g,%g\n", i+1, y, s)
			precision[i] += 1 / (s * s)
			mean[i] += y / (s * s)
			constant[i] -= (y*y/(s*s) + math.Log(2*math.Pi*s*s)) / 2
		}
	}
	dir := t.TempDir()
	write(t, dir, "d.csv", table.String())
	order := make([]string, levels-1)
	for i := range order {
		order[i] = fmt.Sprintf("%q", fmt.Sprintf("c[%d] <= c[%d]", i+1, i+2))
	}
	for name, c := range map[string]struct {
		model string
		prior float64 // precision
	}{
		"shape": {fmt.Sprintf("{theta: {shape: ordered(12), prior: \"normal(0, %g)\"}}\n  likelihood: y ~ normal(theta[level], s)\n", wide),
			1 / (wide * wide)},
		"constraints": {"{\"c[level]\": flat}\n  likelihood: y ~ normal(c[level], s)\n  constraints: [" + strings.Join(order, ", ") + "]\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, sd, logZ := make([]float64, levels), make([]float64, levels), 0.0
			for i, b := range mean {
				k := precision[i] + c.prior
				m[i], sd[i] = b/k, 1/math.Sqrt(k)
				logZ += constant[i] + (b*b/k-math.Log(k)+math.Log(c.prior))/2
			}
			means, sds, inside := inOrder(m, sd, 16_000)
			coarse, coarseSD, _ := inOrder(m, sd, 8000)
			for i := range means { // errors fall with the square of the cell
				if off := max(math.Abs(means[i].value-coarse[i].value), math.Abs(sds[i].value-coarseSD[i].value)); !(off < 1e-4*sds[i].value) {
					t.Fatalf("cells half as wide change moments of level %d by %g", i+1, off)
				}
			}
			d := drawFit(t, write(t, dir, name+".yaml", "data: d.csv\nmodel:\n  parameters: "+c.model+"sampler: {until: {ess: 6000}}\n"))
			d.moments(t, means, sds, 3000)
			if c.prior == 0 {
				return
			}
			logZ += inside
			logarithm(t, "log Z", d.Evidence.Estimate, d.Evidence.SE, known{value: logZ})
			if d.Marginal == nil {
				t.Fatal("no marginal likelihood, though priors are cut")
			}
			orders, _ := math.Lgamma(levels + 1) // all of them are as likely
			logarithm(t, "log marginal likelihood", d.Marginal.Log, d.Marginal.SE, known{value: logZ + orders})
		})
	}
}

// inOrder are means and standard deviations of normal numbers that do not fall, and the
// logarithm of the chance that they do not, by trapezia on a grid.
func inOrder(m, sd []float64, cells int) (mean, spread []known, inside float64) {
	n := len(m)
	const tail = 9 // what is left out is 1e-18
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range n {
		lo, hi = min(lo, m[i]-tail*sd[i]), max(hi, m[i]+tail*sd[i])
	}
	h := (hi - lo) / float64(cells)
	density := func(i, k int) float64 {
		z := (lo + h*float64(k) - m[i]) / sd[i]
		return math.Exp(-z*z/2) / (sd[i] * math.Sqrt(2*math.Pi))
	}
	before, after := make([][]float64, n), make([][]float64, n) // of what levels below and above let through
	for i := range n {
		before[i], after[n-1-i] = make([]float64, cells+1), make([]float64, cells+1)
		for k := range cells + 1 {
			switch {
			case i == 0:
				before[0][k], after[n-1][k] = 1, 1
			case k > 0:
				before[i][k] = before[i][k-1] + h/2*(density(i-1, k-1)*before[i-1][k-1]+density(i-1, k)*before[i-1][k])
				j, up := n-1-i, cells-k
				after[j][up] = after[j][up+1] + h/2*(density(j+1, up)*after[j+1][up]+density(j+1, up+1)*after[j+1][up+1])
			}
		}
	}
	for i := range n {
		sum, first, second := 0.0, 0.0, 0.0
		for k := range cells + 1 {
			p, x := density(i, k)*before[i][k]*after[i][k], lo+h*float64(k)-m[i]
			sum, first, second = sum+p, first+p*x, second+p*x*x
		}
		first, second = first/sum, second/sum
		mean, spread = append(mean, known{value: m[i] + first}), append(spread, known{value: math.Sqrt(second - first*first)})
		inside = math.Log(sum * h)
	}
	return mean, spread, inside
}

// Shares of six categories, of which the data show four, have a Dirichlet law, and log Z is
// that of the Dirichlet-multinomial law of the rows in their order. One share is the likelier
// the nearer it is to its wall. Of 13 numbers one is off by chance in 4e-7 of all cases.
//
// Mutants: exponents of the prior are not less by one; its constant lacks the sum.
func TestSimplexOfSix(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	alpha, counts := []float64{1, 2, 1, 1, 1, 3}, []int{12, 7, 3, 1, 0, 0}
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("k\n")
	sum, all, logZ := 0.0, 0.0, 0.0
	lgamma := func(x float64) float64 {
		v, _ := math.Lgamma(x)
		return v
	}
	for i, a := range alpha {
		n := float64(counts[i])
		table.WriteString(strings.Repeat(fmt.Sprintln(i+1), counts[i]))
		sum, all, logZ = sum+a, all+a+n, logZ+lgamma(a+n)-lgamma(a)
	}
	logZ += lgamma(sum) - lgamma(all)
	var mean, sd []known
	for i, a := range alpha {
		m := (a + float64(counts[i])) / all
		mean, sd = append(mean, known{value: m}), append(sd, known{value: math.Sqrt(m * (1 - m) / (all + 1))})
	}
	write(t, dir, "d.csv", table.String())
	d := drawFit(t, write(t, dir, "simplex.yaml", `data: d.csv
model:
  parameters: {p: {shape: simplex(6), prior: "dirichlet(1, 2, 1, 1, 1, 3)"}}
  likelihood: k ~ categorical(p)
sampler: {until: {ess: 15000}}
`))
	d.moments(t, mean, sd, 12_000)
	logarithm(t, "log Z", d.Evidence.Estimate, d.Evidence.SE, known{value: logZ})
}

// Coefficients of a logistic regression are not negative, where the data would have two of
// five below zero. Moments and log Z are those of points of a t law by the logarithms of the
// coefficients, adapted in three rounds, with densities written by hand. Of 13 numbers one is
// off by chance in 4e-7 of all cases.
//
// Mutants: priors forget bounds below; walls leave momenta as they are; rows that are 0 count
// a tenth less.
func TestSignedLogisticRegression(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	const rows, signed = 60, 5
	rng := rand.New(rand.NewPCG(60, 5))
	x, y := make([][]float64, rows), make([]float64, rows)
	var table strings.Builder
	table.WriteString("y,x1,x2,x3,x4,x5\n")
	for i := range x {
		row := []float64{1}
		for range signed {
			row = append(row, rng.NormFloat64())
		}
		row[2] = 0.6*row[1] + 0.8*row[2]
		eta := 0.0
		for j := range row {
			row[j] = math.Round(1000*row[j]) / 1000
			eta += []float64{-0.3, 1.2, -0.8, 0.1, -0.4, 0.6}[j] * row[j]
		}
		if rng.Float64() < 1/(1+math.Exp(-eta)) {
			y[i] = 1
		}
		fmt.Fprintf(&table, "%g,%g,%g,%g,%g,%g\n", y[i], row[1], row[2], row[3], row[4], row[5])
		x[i] = row
	}
	s := newImportance([]float64{0, 0, -1, -1, -1, 0}, []float64{1, 1, 1, 1, 1, 1}, func(u []float64) ([]float64, float64) {
		b, log := slices.Clone(u), -u[0]*u[0]/(2*25)-math.Log(5*math.Sqrt(2*math.Pi))
		for j := 1; j <= signed; j++ {
			b[j] = math.Exp(u[j])
			log += u[j] - b[j]*b[j]/(2*2.5*2.5) - math.Log(2.5*math.Sqrt(2*math.Pi)/2) // half a normal law, by the logarithm
		}
		for i, row := range x {
			eta := 0.0
			for j, v := range row {
				eta += v * b[j]
			}
			log += y[i]*eta - max(eta, 0) - math.Log1p(math.Exp(-math.Abs(eta)))
		}
		return b, log
	})
	for range 3 {
		s.draw(20_000)
		s.adapt()
	}
	const points = 400_000
	ess := s.draw(points)
	if !(ess > 1e5) {
		t.Fatalf("an effective sample size of %.0f", ess)
	}
	mean, sd := make([]known, 1+signed), make([]known, 1+signed)
	for j := range mean {
		m, v, errM, errV := 0.0, 0.0, 0.0, 0.0
		for i, w := range s.weight {
			m += w * s.value[i][j]
		}
		for i, w := range s.weight {
			v += w * math.Pow(s.value[i][j]-m, 2)
		}
		for i, w := range s.weight {
			square := math.Pow(s.value[i][j]-m, 2)
			errM, errV = errM+w*w*square, errV+w*w*math.Pow(square-v, 2)
		}
		mean[j], sd[j] = known{m, math.Sqrt(errM)}, known{math.Sqrt(v), math.Sqrt(errV / v / 4)}
	}
	dir := t.TempDir()
	write(t, dir, "d.csv", table.String())
	d := drawFit(t, write(t, dir, "signs.yaml", `data: d.csv
model:
  parameters:
    a: normal(0, 5)
    b[X]: {prior: "normal(0, 2.5)", min: 0}
  let:
    X: {columns: [x1, x2, x3, x4, x5]}
  likelihood: y ~ bernoulli_logit(a + X*b)
sampler: {until: {ess: 15000}}
`))
	d.moments(t, mean, sd, 12_000)
	logarithm(t, "log Z", d.Evidence.Estimate, d.Evidence.SE, known{s.evidence, math.Sqrt(1/ess - 1.0/points)})
}

// A mixture of three normal laws without an order has six modes of one sixth each, and the
// evidence that nested sampling and importance sampling find (testdata/fit/mixture3.py). Its
// weights are a simplex, whose draws tell the order of the means, or two numbers in a
// triangle, where the summary tells the modes. The means in their order are those of
// importance sampling. Of 24 numbers one is off by chance in 9e-7 of all cases.
//
// Mutants: the area of a simplex is that of its shadow; a fitted law is told without its
// determinants; weights of a mixture are not those of its laws.
func TestMixtureOfThree(t *testing.T) {
	pace.Slow(t)
	data, err := filepath.Abs("testdata/fit/mixture3.csv")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/fit/mixture3.json")
	if err != nil {
		t.Fatal(err)
	}
	type estimate struct {
		Log    float64 `json:"log_evidence"`
		SE     float64
		Mean   []float64
		MeanSE []float64 `json:"mean_se"`
	}
	var by struct{ Dynesty, Importance estimate }
	if err := json.Unmarshal(text, &by); err != nil {
		t.Fatal(err)
	}
	// of 800 draws or more
	share := func(t *testing.T, weight, se float64) {
		t.Helper()
		t.Logf("share %.4f ± %.4f: %+.1f standard errors", weight, se, (weight-1./6)/se)
		if !(math.Abs(weight-1./6) < mostOfShares*se && se < 0.0132) {
			t.Errorf("an order has the share %g ± %g, want 1/6", weight, se)
		}
	}
	const rest = `    mu[3]: normal(0, 5)
    sigma[3]: lognormal(0, 0.3)
  likelihood: y ~ mix(`
	const until = "sampler: {until: {ess: 1000}}\n"
	t.Run("simplex", func(t *testing.T) {
		t.Parallel()
		d := drawFit(t, write(t, t.TempDir(), "simplex.yaml", "data: "+data+`
model:
  parameters:
    w: {shape: simplex(3), prior: "dirichlet(4, 4, 4)"}
`+rest+"w[1], normal(mu[1], sigma[1]), w[2], normal(mu[2], sigma[2]), w[3], normal(mu[3], sigma[3]))\n"+until))
		logarithm(t, "log Z against dynesty", d.Evidence.Estimate, d.Evidence.SE, known{by.Dynesty.Log, by.Dynesty.SE})
		logarithm(t, "log Z against importance sampling", d.Evidence.Estimate, d.Evidence.SE, known{by.Importance.Log, by.Importance.SE})
		for _, of := range [][]int{{3, 4, 5}, {3, 5, 4}, {4, 3, 5}, {4, 5, 3}, {5, 3, 4}, {5, 4, 3}} {
			chains := d.chains(func(x []float64) float64 {
				if x[of[0]] < x[of[1]] && x[of[1]] < x[of[2]] {
					return 1
				}
				return 0
			})
			share(t, diag.Mean(slices.Concat(chains...)), diag.MCSEMean(chains))
		}
		for j, want := range by.Importance.Mean {
			chains := d.chains(func(x []float64) float64 {
				order := []int{0, 1, 2}
				slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[3+a], x[3+b]) })
				return x[j/3*3+order[j%3]]
			})
			mean, se := diag.Mean(slices.Concat(chains...)), math.Hypot(diag.MCSEMean(chains), by.Importance.MeanSE[j])
			t.Logf("%s: %.4f ± %.4f, want %.4f: %+.1f standard errors", d.Parameters[j].Name, mean, se, want, (mean-want)/se)
			if !(math.Abs(mean-want) < mostOfMeans*se) {
				t.Errorf("in the order of the means, %s is %g ± %g, want %g", d.Parameters[j].Name, mean, se, want)
			}
		}
	})
	t.Run("triangle", func(t *testing.T) {
		t.Parallel()
		constant, _ := math.Lgamma(12)
		of4, _ := math.Lgamma(4)
		// rows share the Dirichlet density, which is 1 in all over the triangle
		d := drawFit(t, write(t, t.TempDir(), "triangle.yaml", "data: "+data+`
model:
  parameters:
    u: {prior: flat, min: 0, max: 1}
    v: {prior: flat, min: 0, max: 1}
`+rest+`u, normal(mu[1], sigma[1]), v, normal(mu[2], sigma[2]), 1 - u - v, normal(mu[3], sigma[3]))
  log_lik: (3*log(u) + 3*log(v) + 3*log(1 - u - v) + `+fmt.Sprintf("%.17g", constant-3*of4)+`)/200
  constraints: u + v <= 1
`+until))
		logarithm(t, "log Z against importance sampling", d.Evidence.Estimate, d.Evidence.SE, known{by.Importance.Log, by.Importance.SE})
		if len(d.Modes.Modes) != 6 {
			t.Fatalf("%d modes", len(d.Modes.Modes))
		}
		for _, m := range d.Modes.Modes {
			share(t, m.Weight, m.SE)
		}
	})
}
