package dynamical

import (
	"slices"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/study"
)

// paired compares by the paired t test a number of runs that share their starts, of
// as many runs as both have; p is 1 where one run has no spread.
func paired(about string, a, b []float64) study.Comparison {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i] - b[i]
	}
	c := study.Comparison{About: about, A: study.IntervalOf(a), B: study.IntervalOf(b), P: 1, Same: n > 0 && slices.Equal(a, b)}
	if n > 1 && !c.Same {
		_, c.P = diag.TTest(diag.MeanSEOf(d))
	}
	return c
}

// ruleText says how verdicts are reached.
func ruleText() string {
	return study.Rule("paired t over runs that share start, noise and minibatches, in every comparison (free coefficients, start, method)", "; nor if a and b are the same numbers")
}
