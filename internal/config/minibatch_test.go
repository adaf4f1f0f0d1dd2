package config

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Minibatches of rows of which a few tell much more than others are warned of, and auto takes all rows then; of rows that are
// alike neither.
func TestHeavyMinibatches(t *testing.T) {
	for _, heavy := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 1))
		var csv strings.Builder
		csv.WriteString("n,y,x\n")
		for i := range 4000 {
			n := 20
			if heavy && i%400 == 0 {
				n = 20_000
			}
			fmt.Fprintf(&csv, "%d,%d,%.3f\n", n, n/3+rng.IntN(n/4), rng.NormFloat64())
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "rows.csv"), []byte(csv.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		load := func(minibatch string) *Run {
			s, err := Parse("fit", filepath.Join(dir, "rows.yaml"), []byte("name: rows\ndata: rows.csv\nmodel:\n  parameters: {a: \"normal(0, 2)\", "+
				"b: \"normal(0, 1)\"}\n  likelihood: y ~ binomial_logit(n, a + b*x)\nsampler: {minibatch: "+minibatch+"}\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		told := strings.Contains(strings.Join(load("512").Warnings, "\n"), "noise far from normal (excess kurtosis ")
		if told != heavy {
			t.Errorf("rows that differ much %v: %q", heavy, load("512").Warnings)
		}
		if s := load("auto"); heavy && s.Rows.Drawn != nil {
			t.Errorf("rows that differ much: minibatches of %d", s.Rows.Drawn.Rows())
		}
	}
}

// A step that is not given is one of the coordinates in which a fit moves, whatever the rows and however narrow
// their posterior is: with minibatches of little noise it is about that of all rows.
func TestStepsOfMinibatches(t *testing.T) {
	for _, scale := range []float64{1, 1e6} {
		rng := rand.New(rand.NewPCG(1, 1))
		var csv strings.Builder
		csv.WriteString("y,x\n")
		for range 20_000 {
			x := rng.NormFloat64()
			fmt.Fprintf(&csv, "%g,%g\n", scale*(1+x/2+rng.NormFloat64()), x)
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "rows.csv"), csv.String())
		for _, sampler := range []string{"minibatch: 512, method: r2sgld", "method: r2sgld, kernel: sgld", "minibatch: 512, method: sgld"} {
			s, err := Parse("fit", filepath.Join(dir, "rows.yaml"), []byte(fmt.Sprintf("name: rows\ndata: rows.csv\nmodel:\n  parameters: "+
				"{a: \"normal(0, %g)\", b: \"normal(0, %g)\"}\n  likelihood: y ~ student_t(5, a + b*x, %g)\nsampler: {%s}\n", 9*scale, 9*scale, scale, sampler)), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, eta := range s.Settings.StepSize {
				if !(eta > 0.01 && eta <= 0.06) || s.Settings.Whitening == nil {
					t.Errorf("scale %g, %s: steps %v", scale, sampler, s.Settings.StepSize)
				}
			}
		}
	}
}
