package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
)

// off is by how many of their standard errors the mean and the standard deviation of p are
// off, the larger of the two. The law has a kurtosis of no more than 3.1.
func off(p report.Parameter, mean, sd float64) float64 {
	se := sd * math.Sqrt((3.1-1)/(4*min(p.ESSBulk, p.ESSTail)))
	return max(math.Abs(p.Mean-mean)/p.MCSEMean, math.Abs(p.SD-sd)/se)
}

// A density that is far from where ladders start, next to its width, is found and sampled as
// if it were near: a regression with flat priors on a column of years, whose slope has a
// Student t law with n − 3 degrees of freedom about the least squares, and a quartic well at a
// million. Means and standard deviations are right within 5 standard errors (chance 2e-6 for
// all of them), and there is no warning.
//
// Mutant: steps no longer than starts are wide.
func TestFarFromTheStart(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	const n = 80
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(7, 8))
	var x, y []float64
	rows := "x,y\n"
	for range n {
		x = append(x, 1990+34*rng.Float64())
		y = append(y, -3e6+5e3*x[len(x)-1]+2e4*rng.NormFloat64())
		rows += fmt.Sprintf("%v,%v\n", x[len(x)-1], y[len(y)-1])
	}
	write(t, dir, "years.csv", rows)
	a, b := stat.LinearRegression(x, y, nil, false)
	rss := 0.0
	for i := range x {
		rss += math.Pow(y[i]-a-b*x[i], 2)
	}
	slope := math.Sqrt(rss / (n - 5) / (stat.Variance(x, nil) * (n - 1)))
	line := fitted(t, write(t, dir, "line.yaml", "data: years.csv\nmodel:\n  parameters: {a: flat, b: flat, s: {prior: flat, min: 0}}\n"+
		"  likelihood: \"y ~ normal(a + b*x, s)\"\n"))
	well := summarised(t, "sample", write(t, dir, "well.yaml", "variables: [x]\npotential: \"(x - 1e6)^4\"\n"))
	quartic := math.Sqrt(math.Gamma(0.75) / math.Gamma(0.25))
	for _, c := range []struct {
		is       report.Parameter
		mean, sd float64
	}{{line.Parameters[1], b, slope}, {well.Parameters[0], 1e6, quartic}} {
		if z := off(c.is, c.mean, c.sd); !(z < 5) {
			t.Errorf("%s: %g ± %g, sd %g, off by %.1f standard errors", c.is.Name, c.is.Mean, c.is.MCSEMean, c.is.SD, z)
		}
	}
	if said := strings.Join(append(line.Warnings, well.Warnings...), "\n"); said != "" {
		t.Error(said)
	}
}
