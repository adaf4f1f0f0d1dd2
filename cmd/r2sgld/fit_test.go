package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
)

// A fitting is what these tests read of a summary.
type fitting struct {
	Parameters []report.Parameter
	Outputs    []report.Parameter
	Warnings   []string
	Evidence   report.Estimate  `json:"log_evidence"`
	Marginal   *report.Marginal `json:"marginal_likelihood"`
	Modes      struct {
		Modes []struct {
			Weight float64
			SE     float64 `json:"weight_se"`
		}
	}
}

// fitted runs fit on a configuration and returns its summary.
func fitted(t *testing.T, args ...string) *fitting {
	t.Helper()
	return summarised(t, slices.Concat([]string{"fit"}, args)...)
}

// summarised runs a command and returns the summary of its run.
func summarised(t *testing.T, args ...string) *fitting {
	t.Helper()
	return summarisedIn(t, filepath.Join(t.TempDir(), "run"), args...)
}

// summarisedIn runs a command, with a folder for its run, draws no figures, and returns the summary.
func summarisedIn(t *testing.T, dir string, args ...string) *fitting {
	t.Helper()
	if code := run(t.Context(), slices.Concat(args, []string{"--out", dir, "--quiet", "--set", "figures=none"})); code != exitDone {
		t.Fatalf("%s: exit code %d", strings.Join(args, " "), code)
	}
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := new(fitting)
	if err := json.Unmarshal(text, sum); err != nil {
		t.Fatal(err)
	}
	return sum
}

// stanMoments are those of a parameter, as Stan drew them.
type stanMoments struct {
	Name           string
	Mean, SD, MCSE float64
}

// stans are what Stan says of posteriors of posteriordb, by their names.
func stans(t *testing.T) (all map[string][]stanMoments) {
	t.Helper()
	text, err := os.ReadFile("testdata/fit/posteriordb.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// agree checks means and standard deviations against those that Stan drew.
func agree(t *testing.T, got []report.Parameter, want []stanMoments) {
	t.Helper()
	for i, w := range want {
		p := got[i]
		if z := (p.Mean - w.Mean) / math.Hypot(p.MCSEMean, w.MCSE); !(math.Abs(z) < 5.5) {
			t.Errorf("the mean of %s is %g ± %g, by Stan %g: %.1f standard errors", p.Name, p.Mean, p.MCSEMean, w.Mean, z)
		}
		if off, most := p.SD/w.SD-1, 5.5*math.Sqrt(2/p.ESSBulk+2e-4); !(math.Abs(off) < most) {
			t.Errorf("the standard deviation of %s is %g, by Stan %g: off by %.3f of it, at most %.3f by chance", p.Name, p.SD, w.SD, off, most)
		}
	}
}

// Regressions, a hierarchy, an autoregression and a mixture have the posteriors that Stan
// drew (testdata/fit). A mean is off by 5.5 standard errors in 4e-8 of all cases, and there
// are fewer than 25 in the usual run and 90 in the large one. The error of a standard deviation is at most √(2/n) of
// it where the kurtosis is at most 9.
func TestPosteriordb(t *testing.T) {
	pace.Slow(t)
	all := stans(t)
	if !pace.Soaking() {
		for name := range all {
			if !slices.Contains([]string{"arK", "eight_schools", "gauss_mix", "kidscore_momhs"}, name) {
				delete(all, name)
			}
		}
	}
	for name, want := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sum := fitted(t, "testdata/fit/"+name+".yaml")
			agree(t, sum.Parameters, want)
			if len(sum.Warnings) > 0 {
				t.Errorf("warnings: %q", sum.Warnings)
			}
		})
	}
}

// Without its order the mixture has two mirror modes of one half each.
func TestMixtureWithoutOrder(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	data, err := filepath.Abs("testdata/fit/gauss_mix.csv")
	if err != nil {
		t.Fatal(err)
	}
	sum := fitted(t, write(t, t.TempDir(), "mix.yaml", `data: `+data+`
model:
  parameters:
    mu[2]: normal(0, 2)
    sigma[2]: half_normal(2)
    theta: beta(5, 5)
  log_lik: log_mix(theta, normal_lpdf(y, mu[1], sigma[1]), normal_lpdf(y, mu[2], sigma[2]))
`))
	if len(sum.Modes.Modes) != 2 {
		t.Fatalf("%d modes", len(sum.Modes.Modes))
	}
	for _, m := range sum.Modes.Modes {
		// 4.9 standard errors have 1e-6
		if z := (m.Weight - 0.5) / m.SE; !(math.Abs(z) < 4.9) || !(m.SE < 0.05) {
			t.Errorf("a mode has weight %g ± %g of one half", m.Weight, m.SE)
		}
	}
	if p := sum.Parameters[4]; !(math.Abs(p.Mean-0.5) < 4.9*p.MCSEMean) {
		t.Errorf("theta is %g ± %g, by symmetry one half", p.Mean, p.MCSEMean)
	}
}

// With labels that draws agree on, the mixture without an order has the components that Stan
// finds with one: theirs are so far apart that order and labels agree. A mean is off by 5.5
// standard errors in 4e-8 of all cases, a standard deviation as above.
func TestLabelledMixtureIsStans(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	data, err := filepath.Abs("testdata/fit/gauss_mix.csv")
	if err != nil {
		t.Fatal(err)
	}
	all := stans(t)
	want := all["gauss_mix"] // mu[1], mu[2], sigma[1], sigma[2], theta, the weight of the first
	sum := fitted(t, write(t, t.TempDir(), "mix.yaml", `data: `+data+`
model:
  parameters:
    w: {shape: simplex(2), prior: "dirichlet(5, 5)"}
    mu[2]: normal(0, 2)
    sigma[2]: half_normal(2)
  log_lik: log_mix(w[1], normal_lpdf(y, mu[1], sigma[1]), normal_lpdf(y, mu[2], sigma[2]))
  labels: [mu, sigma, w]
sampler: {until: {ess: 200}}
`))
	if len(sum.Outputs) != 6 || sum.Outputs[5].Name != "w_labelled[2]" {
		t.Fatalf("outputs %v", sum.Outputs)
	}
	agree(t, sum.Outputs, want)
	if m := sum.Parameters[2]; !(m.SD > 1.5*want[0].SD+1) {
		t.Errorf("%s, which bears no label, has standard deviation %g only", m.Name, m.SD)
	}
}

// Where priors are of other parameters, ladders begin at their law: log Z and means are those
// of normal laws. c and m are normal with y, and k is cut at 0, as if it were another prior.
func TestEvidenceOfAHierarchy(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	ys, group, zs := []float64{4.1, 2.2, 3.6, -1.3, 0.4, 5.0, 6.1}, []int{0, 0, 0, 1, 1, 2, 2}, []float64{0.3, -0.9, 0.6, -0.2, 0.4, 0.1, -0.5}
	var rows strings.Builder
	rows.WriteString("y,z,g\n")
	n := len(ys)
	cov, off := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, y := range ys {
		fmt.Fprintf(&rows, "%g,%g,%c\n", y, zs[i], "ABC"[group[i]])
		off.SetVec(i, y-1)
		for j := range n {
			v := 9.0 // of m
			if group[i] == group[j] {
				v += 4
			}
			if i == j {
				v += 1.5 * 1.5
			}
			cov.SetSym(i, j, v)
		}
	}
	write(t, dir, "d.csv", rows.String())
	var chol mat.Cholesky
	chol.Factorize(cov)
	var solved mat.VecDense
	if err := chol.SolveVecTo(&solved, off); err != nil {
		t.Fatal(err)
	}
	logZ := -(mat.Dot(off, &solved) + chol.LogDet() + float64(n)*math.Log(2*math.Pi)) / 2
	meanM := 1.0
	for i := range n {
		meanM += 9 * solved.AtVec(i)
	}
	// k: precision 1 of the prior and 1 of each z
	sum, squares := 0.0, 0.0
	for _, z := range zs {
		sum, squares = sum+z, squares+z*z
	}
	v := 1 / float64(n+1)
	above := distuv.UnitNormal.CDF(sum * v / math.Sqrt(v))
	logZ += math.Log(2*above) + (math.Log(v)+sum*sum*v-squares-float64(n)*math.Log(2*math.Pi))/2
	meanK := sum*v + math.Sqrt(v)*distuv.UnitNormal.Prob(sum*math.Sqrt(v))/above

	fit := fitted(t, write(t, dir, "h.yaml", `data: d.csv
model:
  parameters:
    c[g]: normal(m, 2)
    m: normal(1, 3)
    k: {prior: "normal(0, 1)", min: 0}
  likelihood: ["y ~ normal(c[g], 1.5)", "z ~ normal(k, 1)"]
`))
	// three numbers at 5.2 standard errors: 6e-7
	if e := fit.Evidence; !(math.Abs(e.Estimate-logZ) < 5.2*e.SE) || !(e.SE < 0.1) {
		t.Errorf("log Z is %g ± %g, want %g", e.Estimate, e.SE, logZ)
	}
	for _, p := range fit.Parameters {
		want, ok := map[string]float64{"m": meanM, "k": meanK}[p.Name]
		if ok && !(math.Abs(p.Mean-want) < 5.2*p.MCSEMean) {
			t.Errorf("the mean of %s is %g ± %g, want %g", p.Name, p.Mean, p.MCSEMean, want)
		}
	}
}

// Priors that walls cut are normalised on what is left, and those of a simplex by what it is:
// log Z is that of the Dirichlet-multinomial law and of normal laws that are cut. A domain
// that leaves less of them divides the marginal likelihood. Of five numbers, one is off by 5.2
// standard errors with 1e-6.
func TestEvidenceBetweenWalls(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "d.csv", "k,n,y\n1,10,1.2\n2,5,0.3\n3,0,2.2\n")
	lgamma := func(x float64) float64 {
		v, _ := math.Lgamma(x)
		return v
	}
	dirichlet := func(alpha ...float64) float64 { // of 10, 5 and 0
		sum, z := 0.0, 0.0
		for i, a := range alpha {
			n := []float64{10, 5, 0}[i]
			sum, z = sum+a, z+lgamma(a+n)-lgamma(a)
		}
		return z + lgamma(sum) - lgamma(sum+15)
	}
	of := func(a, b float64) float64 { // ∫ of N(m; 0, 2²) ∏ N(y; m, 1) from a to b
		v := 1 / (0.25 + 3)
		mean := v * 3.7
		log := math.Log(v/4)/2 + mean*mean/(2*v) - (1.44+0.09+4.84)/2 - 1.5*math.Log(2*math.Pi)
		return log + math.Log(distuv.UnitNormal.CDF((b-mean)/math.Sqrt(v))-distuv.UnitNormal.CDF((a-mean)/math.Sqrt(v)))
	}
	const multinomial = "\n  log_lik: n*(max(0, 1 - abs(k - 1))*log(p[1]) + max(0, 1 - abs(k - 2))*log(p[2]) + max(0, 1 - abs(k - " +
		"3))*log(p[3]))\n"
	for name, c := range map[string]struct {
		model string
		want  float64
	}{
		"dirichlet": {`p: {shape: simplex(3), prior: "dirichlet(1, 2, 3)"}` + multinomial, dirichlet(1, 2, 3)},
		"simplex":   {"p: simplex(3)" + multinomial, dirichlet(1, 1, 1)},
		"cut": {"m: {prior: \"normal(0, 2)\", min: 1.5}\n  likelihood: y ~ normal(m, 1)\n",
			of(1.5, math.Inf(1)) - math.Log(1-distuv.UnitNormal.CDF(0.75))},
		"constrained": {"m: normal(0, 2)\n  likelihood: y ~ normal(m, 1)\n  constraints: m >= 1.5\n",
			of(1.5, math.Inf(1)) - math.Log(1-distuv.UnitNormal.CDF(0.75))},
		"flat": {"m: {prior: flat, min: 0, max: 2}\n  likelihood: y ~ normal(m, 1)\n",
			flatZ([]float64{1.2, 0.3, 2.2}, 0, 2)},
	} {
		fit := fitted(t, write(t, dir, name+".yaml", "data: d.csv\nmodel:\n  parameters:\n    "+c.model))
		e := fit.Evidence
		if m := fit.Marginal; m != nil {
			e = report.Estimate{Estimate: m.Log, SE: m.SE}
		}
		if !(math.Abs(e.Estimate-c.want) < 5.2*e.SE) || !(e.SE < 0.1) || (fit.Marginal != nil) != (name == "constrained") {
			t.Errorf("%s: log Z is %g ± %g, want %g", name, e.Estimate, e.SE, c.want)
		}
	}
}

// Leave-one-out densities of normal rows with a normal prior are normal laws. By n independent
// draws the mean of 1/p has the relative variance (E p⁻²/(E p⁻¹)² − 1)/n. Of eight rows, one is
// off by 5.4 standard errors with 6e-7. Rows of other values are other data.
func TestFitLeavesOneOut(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	ys := []float64{0.4, -1.2, 2.1, 0.9, -0.3, 1.6, 0.2, -0.8}
	table := "y\n"
	for _, y := range ys {
		table += fmt.Sprintln(y)
	}
	write(t, dir, "d.csv", table)
	write(t, dir, "other.csv", table+"0.5\n")
	runs := map[string]string{}
	for name, c := range map[string]string{"one": "data: d.csv\nmodel: {parameters: {m: \"normal(0, 2)\"}, likelihood: \"y ~ normal(m, 1)\"}\n",
		"wide":  "data: d.csv\nmodel: {parameters: {m: \"normal(0, 2)\"}, log_lik: \"normal_lpdf(y, m, 3)\"}\n",
		"other": "data: other.csv\nmodel: {parameters: {m: \"normal(0, 2)\"}, likelihood: \"y ~ normal(m, 1)\"}\n"} {
		runs[name] = filepath.Join(dir, name)
		must(t, exitDone, "fit", write(t, dir, name+".yaml", c), "--out", runs[name], "--quiet")
	}
	text, err := os.ReadFile(filepath.Join(runs["one"], "predictive.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p compare.Predictive
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	v := 1 / (0.25 + float64(len(ys)))
	mean := 0.0
	for _, y := range ys {
		mean += v * y
	}
	for i, y := range ys {
		rest := 1 / (1/v - 1)
		center := rest * (mean/v - y)
		want := -(y-center)*(y-center)/2/(1+rest) - math.Log(2*math.Pi*(1+rest))/2
		inverse := func(power float64) float64 { // of E p⁻ᵏ, up to (2π)^(k/2)
			s := 1/v - power
			at := (mean/v - power*y) / s
			return math.Exp(-math.Log(s*v)/2 + at*at*s/2 - mean*mean/v/2 + power*y*y/2)
		}
		spread := math.Sqrt((inverse(2)/math.Pow(inverse(1), 2) - 1) / float64(p.Draws))
		// draws of two chains of trajectories are worth half as many at least
		if off := p.Pointwise.ELPDLOO[i] - want; !(math.Abs(off) < 5.4*spread*math.Sqrt2) || len(p.Pointwise.ELPDLOO) != len(ys) {
			t.Errorf("row %d: %g, want %g ± %g", i+1, p.Pointwise.ELPDLOO[i], want, spread)
		}
	}
	c := start(t, "compare", runs["one"], runs["wide"])
	if code := c.code(t); code != exitDone || !strings.Contains(c.stdout.String(), "data: y, 8 rows") {
		t.Errorf("exit code %d: %s%s", code, &c.stdout, &c.stderr)
	}
	c = start(t, "compare", runs["one"], runs["other"])
	if code := c.code(t); code != exitUsage || !strings.Contains(c.stderr.String(), "explain different data") {
		t.Errorf("exit code %d: %s", code, &c.stderr)
	}
}

// flatZ is log of ∫ ∏ N(y; m, 1) dm/(b − a) from a to b.
func flatZ(ys []float64, a, b float64) float64 {
	n := float64(len(ys))
	mean, squares := stat.Mean(ys, nil), 0.0
	for _, y := range ys {
		squares += (y - mean) * (y - mean)
	}
	inside := distuv.UnitNormal.CDF((b-mean)*math.Sqrt(n)) - distuv.UnitNormal.CDF((a-mean)*math.Sqrt(n))
	return math.Log(inside/(b-a)) - squares/2 - math.Log(n)/2 - (n-1)/2*math.Log(2*math.Pi)
}

// A mode that leans on a constraint, far from the end of a prior's support, is no place where
// the density is infinite.
func TestModeAtAConstraint(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "d.csv", "y\n1\n2\n")
	fit := fitted(t, write(t, dir, "c.yaml", `data: d.csv
model:
  parameters: {s: half_normal(1), m: "normal(0, 1)"}
  likelihood: y ~ normal(m, 50)
  constraints: s + m >= 4
sampler: {until: {ess: 100}}
`))
	if fit.Evidence.SE == 0 || slices.ContainsFunc(fit.Warnings, func(w string) bool { return strings.Contains(w, "without bound") }) {
		t.Errorf("log Z %v, warnings %q", fit.Evidence, fit.Warnings)
	}
}

// A fit that is stopped and goes on leaves the draws of one that was not, and a finished one
// can be extended.
func TestFitGoesOn(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	fit := []string{"fit", "testdata/fit/eight_schools.yaml", "--quiet"}
	must(t, exitDone, append(fit, "--out", parts, "--set", "sampler.until.ess=500")...)
	must(t, exitDone, "resume", parts, "--quiet", "--set", "sampler.until.ess=4000")
	must(t, exitDone, append(fit, "--out", whole, "--set", "sampler.until.ess=4000")...)
	for i := range 4 {
		name := fmt.Sprintf("draws-%d.csv", i+1)
		a, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(parts, name))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from that of a run in one go: %v", name, err)
		}
	}
}

// Labels are refused where a constraint tells components apart only where the posterior is, far from
// the priors.
func TestLabelsToldApartAtTheModes(t *testing.T) {
	dir := t.TempDir()
	var data strings.Builder
	data.WriteString("y\n")
	for i := range 60 {
		fmt.Fprintf(&data, "%g\n", 9*float64(2*(i%2)-1)+float64(i)/60)
	}
	write(t, dir, "d.csv", data.String())
	file := write(t, dir, "f.yaml", `data: d.csv
model:
  parameters:
    w: simplex(2)
    mu[2]: normal(0, 2)
  likelihood: y ~ mix(w[1], normal(mu[1], 1), w[2], normal(mu[2], 1))
  constraints: mu[1] < 8.7
  labels: w
`)
	p := start(t, "fit", file, "--out", filepath.Join(dir, "run"))
	if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), "f.yaml:8:11: a constraint tells 1 and 2 of w, mu apart") {
		t.Errorf("exit code %d, %s", code, p.stderr.String())
	}
}

// A fit says where its configuration and its data are wrong, and writes nothing.
func TestFaultyFits(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "d.csv", "y,x,g\n1,2,a\n2,NA,b\n")
	for text, want := range map[string]string{
		"model:\n  parameters:\n    a: flat\n  likelihood: y ~ normal(a, 1)\n": "the data are missing",
		"data: d.csv\n": "the model is missing",
		"data: none.csv\nmodel:\n  parameters:\n    a: flat\n  likelihood: y ~ normal(a, 1)\n":                                "f.yaml:1:7",
		"data: d.csv\nmodel:\n  parameters:\n    a: flat\n  likelihood: y ~ normal(a + z, 1)\n":                               "f.yaml:5:30",
		"data: d.csv\nmodel:\n  parameters:\n    a: flat\n  likelihood: y ~ normal(a*x, 1)\n":                                 "d.csv:3",
		"data: d.csv\nmodel:\n  parameters:\n    a: {prior: flat, mni: 0}\n  likelihood: y ~ normal(a, 1)\n":                  `unknown key "mni"`,
		"data: d.csv\nmodel:\n  parameters:\n    a: {min: 1, max: 0}\n  likelihood: y ~ normal(a, 1)\n":                       "is not below max",
		"data: d.csv\nmodel:\n  parameters:\n    c[g]: flat\n  likelihood: y ~ normal(c[g], 1)\n  constraints: c[a] < c[z]\n": `"c[z]"`,
		"data: {file: d.csv, missing: skip}\nmodel:\n  parameters:\n    a: flat\n  likelihood: y ~ normal(a, 1)\n":            "missing",
	} {
		out := filepath.Join(dir, "run")
		p := start(t, "fit", write(t, dir, "f.yaml", text), "--out", out)
		code := p.code(t)
		if stderr := p.stderr.String(); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s, want %s", text, code, stderr, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: it wrote %s", text, out)
		}
	}
}

// What the help shows of a model is YAML.
func TestHelpOfFitIsYAML(t *testing.T) {
	model := "model:\n"
	for line := range strings.SplitSeq(fitCommand().Long, "\n") {
		if name, _, key := strings.Cut(line, ": "); key && !strings.HasPrefix(name, "   ") && strings.HasPrefix(name, "  ") {
			model += strings.Split(line, "      ")[0] + "\n"
		}
	}
	if root, err := yamlpos.Parse("help", []byte(model)); err != nil || len(root.Field("model").Fields) != 4 {
		t.Errorf("%s: %v", model, err)
	}
}

// The entries of a parameter with an order, of one prior that the data do not speak of, are the
// order statistics of normal numbers, whose means Teichroew (1956) has, though one draw of the
// priors in 9! is in order; also where their mean is a parameter. The evidence is that of the
// data alone, less log 9!. Any of 24 numbers is off by 5.5 standard errors in 1e-6 of all cases.
func TestOrderOfAlikeEntries(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	y := []float64{0.5, 1.2, -0.3, 0.8, 0.4}
	var sum, squares float64
	var table strings.Builder
	table.WriteString("y\n")
	for _, v := range y {
		sum, squares = sum+v, squares+v*v
		fmt.Fprintln(&table, v)
	}
	write(t, dir, "y.csv", table.String())
	n := float64(len(y))
	exact := -n/2*math.Log(2*math.Pi) - math.Log(1+n)/2 - (squares-sum*sum/(1+n))/2
	factorial, _ := math.Lgamma(10)
	want := []float64{-1.48501, -0.93230, -0.57197, -0.27453, 0, 0.27453, 0.57197, 0.93230, 1.48501}
	for name, prior := range map[string]string{"numbers": "normal(0, 1)", "a parameter": "normal(m, 1)"} {
		s := fitted(t, write(t, dir, "model.yaml", `name: order
data: y.csv
model:
  parameters: {mu: "normal(0, 1)", m: "normal(0, 1)", c: {shape: ordered(9), prior: "`+prior+`"}}
  likelihood: y ~ normal(mu, 1)
`))
		if s.Marginal == nil || s.Marginal.Untrusted != nil {
			t.Fatalf("%s: no marginal likelihood: %+v", name, s.Marginal)
		}
		if z := (s.Evidence.Estimate - exact + factorial) / s.Evidence.SE; !(math.Abs(z) < 5.5 && s.Evidence.SE < 0.3) {
			t.Errorf("%s: log Z %v ± %v, exactly %v", name, s.Evidence.Estimate, s.Evidence.SE, exact-factorial)
		}
		if z := (s.Marginal.Log - exact) / s.Marginal.SE; !(math.Abs(z) < 5.5) {
			t.Errorf("%s: log marginal likelihood %v ± %v, exactly %v", name, s.Marginal.Log, s.Marginal.SE, exact)
		}
		found := 0
		for _, p := range s.Parameters {
			var k int
			if _, err := fmt.Sscanf(p.Name, "c[%d]", &k); err != nil {
				continue
			}
			if found++; !(math.Abs(p.Mean-want[k-1]) < 5.5*p.MCSEMean+1e-4) {
				t.Errorf("%s: the mean of %s is %v ± %v, exactly %v", name, p.Name, p.Mean, p.MCSEMean, want[k-1])
			}
		}
		if found != 9 {
			t.Errorf("%s: %d entries", name, found)
		}
	}
}

// Tastes of cheeses differ by what maximum likelihood says, 1.6128, 4.9645 and 3.3227 less than
// the best (SAS/STAT User's Guide, "Ordinal Logistic Regression", of the same table), but for
// the priors, which pull differences towards 0 by about 1 %, and the skewness of the posterior.
func TestOrderedScores(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	s := fitted(t, "../../examples/fit/cheese.yaml", "--set", "sampler.until.ess=400")
	mean := map[string]float64{}
	for _, p := range s.Parameters {
		mean[p.Name] = p.Mean
	}
	for cheese, want := range map[string]float64{"A": -1.6128, "B": -4.9645, "C": -3.3227} {
		if got := mean["taste["+cheese+"]"] - mean["taste[D]"]; !(math.Abs(got-want) < 0.2) {
			t.Errorf("cheese %s tastes %.3f, by maximum likelihood %.4f", cheese, got, want)
		}
	}
	if len(s.Warnings) > 0 {
		t.Errorf("warnings: %q", s.Warnings)
	}
}
