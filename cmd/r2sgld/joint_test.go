package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Slopes that vary by site, together with intercepts: given the scale s of intercepts and the correlation r
// the rows are normal, and sums over a grid of both are exact to many digits. log Z and the means of r and s
// are at most 5.2 standard errors from these: 6e-7 for the three.
// Mutants: a correlation with the density of another power.
func TestVaryingSlopes(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	x, site := []float64{-1, 0, 1, 2, -1, 0.5, 1, 2, -2, 0, 1, 1.5, -1, 1}, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3}
	y := []float64{0.2, 1.3, 1.9, 3.4, -1.2, -1.4, -1.0, -1.9, -1.8, 0.4, 1.1, 2.2, 1.9, 2.1}
	n := len(x)
	var table strings.Builder
	table.WriteString("site,one,x,y\n")
	for i := range x {
		fmt.Fprintf(&table, "%c,1,%g,%g\n", "ABCD"[site[i]], x[i], y[i])
	}
	write(t, dir, "d.csv", table.String())
	density := func(r, s float64) float64 { // of y, and of s and r
		cov := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				v := 1 + 0.25*x[i]*x[j] // of the means of both, with standard deviations 1 and 0.5
				if site[i] == site[j] {
					v += s*s + 0.7*s*r*(x[i]+x[j]) + 0.49*x[i]*x[j]
				}
				if i == j {
					v += 0.25
				}
				cov.SetSym(i, j, v)
			}
		}
		var c mat.Cholesky
		var z mat.VecDense
		off := mat.NewVecDense(n, y)
		if !c.Factorize(cov) || c.SolveVecTo(&z, off) != nil {
			t.Fatal("no covariance")
		}
		log := -mat.Dot(off, &z)/2 - c.LogDet()/2 - float64(n)*math.Log(2*math.Pi)/2
		log += math.Log(3.0/4*(1-r*r)) - math.Log(s)*math.Log(s)/(2*0.25) - math.Log(s*0.5) - math.Log(2*math.Pi)/2
		return math.Exp(log)
	}
	var z, meanR, meanS float64
	const h = 0.02
	for a := -3.0; a < 3; a += h { // s = exp(a)
		for r := -1 + h/2; r < 1; r += h {
			p := density(r, math.Exp(a)) * math.Exp(a) * h * h
			z, meanR, meanS = z+p, meanR+p*r, meanS+p*math.Exp(a)
		}
	}
	fit := fitted(t, write(t, dir, "slopes.yaml", `data: d.csv
model:
  parameters:
    b[site, X]: multi_normal_cholesky([m, k], diag_pre_multiply([s, 0.7], L))
    m: normal(0, 1)
    k: normal(0, 0.5)
    s: lognormal(0, 0.5)
    L: {shape: cholesky_corr(2), prior: "lkj_corr_cholesky(2)"}
  let:
    X: {columns: [one, x]}
  likelihood: y ~ normal(X*b[site], 0.5)
sampler: {until: {ess: 4000}}
`))
	if e := fit.Evidence; !(math.Abs(e.Estimate-math.Log(z)) < 5.2*e.SE) || !(e.SE < 0.2) {
		t.Errorf("log Z is %g ± %g, want %g", e.Estimate, e.SE, math.Log(z))
	}
	for _, p := range fit.Parameters {
		want, ok := map[string]float64{"L[2,1]": meanR / z, "s": meanS / z}[p.Name]
		if ok && !(math.Abs(p.Mean-want) < 5.2*p.MCSEMean) {
			t.Errorf("the mean of %s is %g ± %g, want %g", p.Name, p.Mean, p.MCSEMean, want)
		}
	}
}

// Correlations of four columns on which no row has an influence are sampled between walls that are balls, and
// keep their prior: the last row is uniform on its ball, whose walls alone bound it. Six entries, each with two
// numbers, are at most 5.6 standard errors off: 3e-7.
// Mutants: no balls.
func TestCorrelationsBetweenBalls(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "d.csv", "y\n0.3\n1.2\n-0.4\n")
	out := filepath.Join(dir, "run")
	fit := summarisedIn(t, out, "fit", write(t, dir, "four.yaml", `data: d.csv
model:
  parameters:
    a: normal(0, 1)
    L: cholesky_corr(4)
  likelihood: y ~ normal(a, 1)
sampler: {until: {ess: 4000}}
`))
	names := 0
	for _, p := range fit.Parameters {
		if !strings.HasPrefix(p.Name, "L[") {
			continue
		}
		names++
		var i, j int
		if _, err := fmt.Sscanf(p.Name, "L[%d,%d]", &i, &j); err != nil {
			t.Fatal(err)
		}
		a := (4 - float64(i)) / 2            // the power of row i: |r|² ~ Beta((i − 1)/2, a + 1)
		want := 1 / (float64(i-1) + 2*(a+1)) // the mean square of a coordinate
		// squares vary less than those of a normal law; effective draws of them are half as many at least
		se := want * math.Sqrt2 / math.Sqrt(min(p.ESSBulk, p.ESSTail)/2)
		if math.Abs(p.Mean) > 5.6*p.MCSEMean || math.Abs(p.SD*p.SD-want) > 5.6*se {
			t.Errorf("%s: mean %g ± %g, variance %g, want %g ± %g", p.Name, p.Mean, p.MCSEMean, p.SD*p.SD, want, se)
		}
	}
	if names != 6 {
		t.Errorf("%d entries", names)
	}
}

// A joint law is compared with laws of its columns, and predicts other rows; where a table has not all of its
// columns that is told.
func TestRunsOfJointLaws(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "d.csv", "u,v,x\n0.3,0.4,1\n1.2,1.5,2\n-0.4,-0.2,0\n0.7,0.4,1\n-1.3,-0.9,0\n2.2,2.0,1\n0.1,NA,2\n")
	runs := map[string]string{}
	for name, likelihood := range map[string]string{
		"joint": `"[u, v] ~ multi_normal(m, [[s^2, r*s^2], [r*s^2, s^2]])"`, "apart": `["u ~ normal(m[1], s + 0*r)", "v ~ normal(m[2], s)"]`,
	} {
		runs[name] = filepath.Join(dir, name)
		must(t, exitDone, "fit", write(t, dir, name+".yaml", `data: {file: d.csv, missing: drop}
model:
  parameters: {"m[2]": "normal(0, 1)", s: "lognormal(0, 0.5)", r: {prior: flat, min: -1, max: 1}}
  likelihood: `+likelihood+`
sampler: {until: {ess: 400}}
`), "--out", runs[name], "--quiet")
	}
	c := start(t, "compare", runs["joint"], runs["apart"])
	if code := c.code(t); code != exitDone || !strings.Contains(c.stdout.String(), "data: u, v, 6 rows") {
		t.Errorf("exit code %d: %s%s", code, &c.stdout, &c.stderr)
	}
	for table, want := range map[string]string{
		"u,v\n1,\n2,3\n": "map[u:2 v:1] ",
		"u\n1\n":         "map[u:1 v:0] new.csv has no column for v: what is predicted together with it is compared without it.",
	} {
		must(t, exitDone, "simulate", runs["joint"], "--data", write(t, dir, "new.csv", table), "--quiet", "--force")
		var rep struct {
			Outcomes []struct {
				Outcome  string
				Observed int
			}
			Warnings []string
		}
		if err := json.Unmarshal([]byte(read(t, filepath.Join(runs["joint"], "simulation", "simulation.json"))), &rep); err != nil {
			t.Fatal(err)
		}
		observed := map[string]int{}
		for _, o := range rep.Outcomes {
			observed[o.Outcome] = o.Observed
		}
		if got := fmt.Sprint(observed, " ", strings.Join(rep.Warnings, "; ")); got != want {
			t.Errorf("%q: %s, want %s", table, got, want)
		}
	}
	refused := start(t, "fit", filepath.Join(dir, "joint.yaml"), "--set", "sampler.init={\"m[1]\": 0, \"m[2]\": 0, s: 1, r: 1}",
		"--out", filepath.Join(dir, "no"))
	says := "Sigma of multi_normal is not positive definite"
	if code := refused.code(t); code != exitUsage || !strings.Contains(refused.stderr.String(), says) {
		t.Errorf("exit code %d: %s", code, &refused.stderr)
	}
}
