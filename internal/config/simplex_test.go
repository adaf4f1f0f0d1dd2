package config

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// All draws of a simplex's prior lie in the domain, however much of it is at the walls, so that the logarithm of
// its volume is 0; an order of shares leaves the part of it that it does.
// Mutants: shares that round beyond the wall.
func TestVolumeOfPeakedSimplexes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d.csv"), "y\n1\n2\n")
	for _, alpha := range []float64{0.02, 0.1, 1} {
		for _, k := range []int{2, 3, 12} {
			prior := "dirichlet(" + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%g, ", alpha), k), ", ") + ")"
			load := func(more string) *Run {
				s, err := Parse("fit", filepath.Join(dir, "f.yaml"), []byte(fmt.Sprintf("data: d.csv\nmodel:\n  parameters: {w: {shape: simplex(%d), "+
					"prior: \"%s\"}, m: \"normal(0, 3)\"}\n  likelihood: y ~ normal(m + w[1], 2)\n%s", k, prior, more)), nil)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			p := load("").Problem
			if p.Base == nil {
				t.Fatalf("%s: no law of the priors to begin at", prior)
			}
			log, se, err := p.Mass(t.Context(), newRand(3))
			if log != 0 || se != 0 || err != nil {
				t.Errorf("%s of %d: log volume %v ± %v, %v", prior, k, log, se, err)
			}
			of := load("  constraints: w[1] <= w[2]\n").Problem
			if of.Base == nil {
				continue
			}
			log, se, err = of.Mass(t.Context(), newRand(3))
			if err != nil || alpha >= 0.1 && !(math.Abs(log+math.Ln2) < 5.5*se+0.03) {
				t.Errorf("%s of %d in order: log volume %v ± %v, %v", prior, k, log, se, err)
			}
		}
	}
}
