package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// countsByValue are rows of counts whose mean is exp(0.5 + 0.4x): the values of x, how many
// rows have each, and the sums of their counts.
func countsByValue(n int) (table string, x, rows, sums []float64) {
	rng := rand.New(rand.NewPCG(11, 12))
	var csv strings.Builder
	csv.WriteString("x,y\n")
	for i := range 41 {
		x = append(x, float64(i-20)/10)
	}
	rows, sums = make([]float64, len(x)), make([]float64, len(x))
	for range n {
		k := rng.IntN(len(x))
		y := distuv.Poisson{Lambda: math.Exp(0.5 + 0.4*x[k]), Src: rng}.Rand()
		rows[k]++
		sums[k] += y
		fmt.Fprintf(&csv, "%g,%g\n", x[k], y)
	}
	return csv.String(), x, rows, sums
}

// A posterior by minibatches, held by a wall, has the moments of quadrature: means within
// 0.05 standard deviations and standard deviations within 3 %, but for what 5.5 standard errors
// of chance make of four numbers, 2e-7.
func TestMinibatchesAtAWall(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	table, x, rows, sums := countsByValue(3000)
	write(t, dir, "rows.csv", table)
	sum := fitted(t, write(t, dir, "counts.yaml", `data: rows.csv
model:
  parameters: {a: "normal(0, 2)", b: "normal(0, 2)"}
  likelihood: y ~ poisson_log(a + b*x)
  constraints: a + b <= 0.9
sampler: {minibatch: 128}
`))
	log := func(a, b float64) float64 {
		u := -(a*a + b*b) / 8
		for k, v := range x {
			u += sums[k]*(a+b*v) - rows[k]*math.Exp(a+b*v)
		}
		return u
	}
	best := math.Inf(-1)
	const cells, from, to = 400, 0.3, 0.6
	at := func(i int) float64 { return from + (to-from)*(float64(i)+0.5)/cells }
	for i := range cells {
		for j := range cells {
			best = max(best, log(at(i), at(j)))
		}
	}
	var mass float64
	var first, second [2]float64
	for i := range cells {
		for j := range cells {
			a, b := at(i), at(j)
			// of a cell at the wall what is inside, to first order
			share := min(1, max(0, 0.5+(0.9-a-b)/((to-from)/cells)))
			w := share * math.Exp(log(a, b)-best)
			mass += w
			for k, v := range []float64{a, b} {
				first[k] += w * v
				second[k] += w * v * v
			}
		}
	}
	for k, p := range sum.Parameters {
		mean := first[k] / mass
		sd := math.Sqrt(second[k]/mass - mean*mean)
		if off := math.Abs(p.Mean - mean); !(off < 0.05*sd+5.5*p.MCSEMean) {
			t.Errorf("the mean of %s is %g ± %g, by quadrature %g with sd %g", p.Name, p.Mean, p.MCSEMean, mean, sd)
		}
		if off := math.Abs(p.SD/sd - 1); !(off < 0.03+5.5*math.Sqrt(0.5/p.ESSBulk)) {
			t.Errorf("the sd of %s is %g, by quadrature %g", p.Name, p.SD, sd)
		}
	}
	if len(sum.Warnings) > 0 {
		t.Errorf("warnings: %q", sum.Warnings)
	}
}

// Two modes that a prior weighs have their weights by minibatches: the mean that they make is
// right within a weight of 0.03 and 5.5 standard errors, 4e-8.
func TestMinibatchesOfTwoModes(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	const n = 2000
	rng := rand.New(rand.NewPCG(13, 14))
	var csv strings.Builder
	total := 0.0
	csv.WriteString("y\n")
	for range n {
		y := 0.1 + rng.NormFloat64()
		total += y
		fmt.Fprintf(&csv, "%.17g\n", y)
	}
	write(t, dir, "rows.csv", csv.String())
	sum := fitted(t, write(t, dir, "two.yaml", `data: rows.csv
model:
  parameters: {m: "normal(0.3, 0.5)"}
  likelihood: y ~ normal(m^2, 1)
sampler: {minibatch: 256, until: {ess: 1500, rhat: 1.01}}
`))
	mean, mass, plus, side := 0.0, 0.0, 0.0, 0.0
	const cells = 4000
	for i := range cells {
		m := -1 + 2*(float64(i)+0.5)/cells
		w := math.Exp(-2*(m-0.3)*(m-0.3) - n/2*(m*m-total/n)*(m*m-total/n))
		mass, mean = mass+w, mean+w*m
		if m > 0 {
			plus, side = plus+w, side+w*m
		}
	}
	mean /= mass
	apart := side/plus - (mean*mass-side)/(mass-plus)
	if p := sum.Parameters[0]; !(math.Abs(p.Mean-mean) < 0.03*apart+5.5*p.MCSEMean) || !(p.MCSEMean < 0.02) {
		t.Errorf("the mean is %g ± %g, by quadrature %g; modes are %g apart and that on the right weighs %g", p.Mean, p.MCSEMean, mean, apart,
			plus/mass)
	}
}

// What is said of minibatches: a number is rounded up to chunks, one of all rows takes all,
// auto leaves small tables alone, and kernels that accept by energies have none. Draws do not
// depend on threads.
func TestMinibatchKey(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	table, _, _, _ := countsByValue(3000)
	write(t, dir, "rows.csv", table)
	config := func(sampler string) string {
		return write(t, dir, "c.yaml", `data: rows.csv
model:
  parameters: {a: "normal(0, 2)", b: "normal(0, 2)"}
  likelihood: y ~ poisson_log(a + b*x)
sampler: {`+sampler+`}
`)
	}
	for _, c := range []struct {
		name, sampler string
		code          int
		says          string
	}{
		{"number", "minibatch: 100, method: auto, iterations: 1000, until: {iterations: 1000}", 0, "minibatches of 104 of 3,000 rows"},
		{"all", "minibatch: 3000, method: auto, iterations: 100, until: {iterations: 100}", 0, "a minibatch of 3,000 is all of the 3,000 rows"},
		{"few", "minibatch: 1, method: auto, iterations: 1000, until: {iterations: 1000}", 0, "steps must be"},
		{"auto", "minibatch: auto, method: auto, iterations: 100, until: {iterations: 100}", 0, "exact"},
		{"none", "minibatch: none, method: auto, iterations: 100, until: {iterations: 100}", 0, "exact"},
		{"hmc", "minibatch: 100, kernel: hmc", 2, "c.yaml:5:22: kernel hmc accepts by the energy over all rows: leave minibatch out"},
		{"zero", "minibatch: 0", 2, "c.yaml:5:22: minibatch must be at least 1; found 0"},
		{"word", "minibatch: some", 2, "c.yaml:5:22: minibatch"},
		{"prior", "minibatch: 100, init: prior", 2, "init: prior goes with all rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, "fit", config(c.sampler), "--out", filepath.Join(dir, c.name))
			code := p.code(t)
			if said := p.stdout.String() + p.stderr.String(); code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("exit code %d, want %d, with %q in\n%s", code, c.code, c.says, said)
			}
			if _, err := os.Stat(filepath.Join(dir, c.name)); c.code != 0 && err == nil {
				t.Error("a folder is written")
			}
		})
	}
	again := filepath.Join(dir, "again")
	if p := start(t, "fit", config("minibatch: 100, method: auto, iterations: 1000, until: {iterations: 1000}"), "--out", again, "--threads",
		"1"); p.code(t) != exitDone {
		t.Fatal(p.stderr.String())
	}
	for k := range 4 {
		name := fmt.Sprintf("draws-%d.csv", k+1)
		a, errA := os.ReadFile(filepath.Join(dir, "number", name))
		b, errB := os.ReadFile(filepath.Join(again, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s depends on threads: %v, %v", name, errA, errB)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "number", "run.json"))
	if err != nil || !slices.Contains(strings.Fields(string(text)), "104,") {
		t.Errorf("the minibatch in use is not in run.json: %v", err)
	}
}
