package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// In a funnel without bounds, cut by a plane, hot rungs do not reach their law, and the cold
// one inherits that, with R̂ and effective sample sizes that suffice: a warning says so, of
// every seed whose mean is 5 standard errors off or more. In variables divided by their
// scale, as it advises, the mean is right within 5 standard errors (chance: 6e-7 each) and
// there is no such warning. The mean is by quadrature.
//
// Mutant: any R̂ good enough.
func TestFunnel(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	const mean = -1.34358
	dir := t.TempDir()
	for i, c := range []struct {
		variables, potential, constraint string
		divided                          bool
		seeds                            []int
	}{
		{"[v, x]", "-normal_lpdf(v, 0, 3) - normal_lpdf(x, 0, exp(v/2))", "x > v", false, []int{7, 22, 34, 43, 50}},
		{"[v, z]", "v^2/18 + z^2/2", "exp(v/2)*z > v", true, []int{7, 22}},
	} {
		file := write(t, dir, "funnel.yaml",
			fmt.Sprintf("variables: %s\npotential: %q\ndomain: {constraints: [%q]}\n", c.variables, c.potential, c.constraint))
		told := 0
		for _, seed := range c.seeds {
			out := filepath.Join(dir, fmt.Sprint(i, seed))
			if p := start(t, "sample", file, "--out", out, "--seed", fmt.Sprint(seed)); p.code(t) != exitDone {
				t.Fatal(&p.stderr)
			}
			s := summaryOf(t, out)
			v := s.Parameters[0]
			z, warned := math.Abs(v.Mean-mean)/v.MCSEMean, strings.Contains(strings.Join(s.Warnings, " "), "have not come to agree at rung")
			if warned {
				told++
			}
			if c.divided && (z > 5 || warned) || z > 5 && !warned {
				t.Errorf("%s, seed %d: mean %.3f, %.1f standard errors off, warnings %q", c.potential, seed, v.Mean, z, s.Warnings)
			}
		}
		if !c.divided && told == 0 {
			t.Errorf("%s: no seed is told that hot rungs disagree, and means of some are far off", c.potential)
		}
	}
}
