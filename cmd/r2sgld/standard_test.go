package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Groups whose scale may be 0, where their density grows without bound, end after one round, with mean and log Z within 5.2
// standard errors (chance: 2e-7 each) of an integral over the scale: given that, a group's rows are normal together. No
// warning is left.
//
// Mutants: laws of other scales; slopes without those by the scale; coordinates that are those of the parameters.
func TestGroupsOfNoScale(t *testing.T) {
	pace.Slow(t)
	const groups, each = 8, 6
	rng := rand.New(rand.NewPCG(4, 4))
	var csv strings.Builder
	csv.WriteString("y,g\n")
	var sums, squares [groups]float64
	for g := range groups {
		c := 0.5 * rng.NormFloat64()
		for range each {
			y := math.Round(1000*(c+rng.NormFloat64())) / 1000
			fmt.Fprintf(&csv, "%.3f,g%d\n", y, g)
			sums[g], squares[g] = sums[g]+y, squares[g]+y*y
		}
	}
	z, first := 0.0, 0.0
	const step = 1e-3
	for s := step / 2; s < 9; s += step {
		log := math.Log(2) - s*s/2 - math.Log(2*math.Pi)/2 // of half_normal(1)
		for g := range groups {
			v := 1 + each*s*s // of I + s² 1 1ᵀ in the direction of 1
			log -= (each*math.Log(2*math.Pi) + math.Log(v) + squares[g] - s*s/v*sums[g]*sums[g]) / 2
		}
		z, first = z+step*math.Exp(log), first+step*s*math.Exp(log)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "groups.yaml")
	config := "name: groups\ndata: groups.csv\nmodel:\n  parameters: {\"c[g]\": \"normal(0, s)\", s: half_normal(1)}\n  likelihood: y ~ normal(c[g], 1)\n"
	for name, text := range map[string]string{"groups.yaml": config, "groups.csv": csv.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := fitted(t, file)
	if got, want := f.Evidence.Estimate, math.Log(z); !(math.Abs(got-want) < 5.2*f.Evidence.SE) || f.Evidence.SE > 0.2 {
		t.Errorf("log Z %.4f ± %.4f, want %.4f", got, f.Evidence.SE, want)
	}
	s := f.Parameters[len(f.Parameters)-1]
	if want := first / z; !(math.Abs(s.Mean-want) < 5.2*s.MCSEMean) || s.MCSEMean > 0.05 {
		t.Errorf("mean of %s %.4f ± %.4f, want %.4f", s.Name, s.Mean, s.MCSEMean, want)
	}
	if len(f.Warnings) > 0 {
		t.Errorf("warnings %q", f.Warnings)
	}
}

// lp__ is the log density of the posterior up to a constant, whatever law ladders begin at and in which coordinates steps are made:
// of independent priors, of groups, and of a method without a ladder.
//
// Mutants: priors that do not count.
func TestLogPosteriorOfDraws(t *testing.T) {
	t.Parallel()
	y := []float64{0.3, 1.9, -0.7, 0.4, 1.1, -0.2}
	normal := func(v, m, s float64) float64 { return -math.Log(s) - (v-m)*(v-m)/(2*s*s) }
	for name, c := range map[string]struct {
		model string
		log   func(x []float64) float64
	}{
		"alone": {"parameters: {a: \"normal(0, 0.5)\"}\n  likelihood: y ~ normal(a, 2)", func(x []float64) float64 { return normal(x[0], 0, 0.5) }},
		"groups": {"parameters: {\"c[g]\": \"normal(m, s)\", m: \"normal(0, 1)\", s: half_normal(1)}\n  likelihood: y ~ normal(c[g], 2)", func(x []float64) float64 {
			return normal(x[0], x[2], x[3]) + normal(x[1], x[2], x[3]) + normal(x[2], 0, 1) + normal(x[3], 0, 1)
		}},
	} {
		for _, method := range []string{"auto", "r-hmc"} {
			dir := t.TempDir()
			var csv strings.Builder
			csv.WriteString("y,g\n")
			for i, v := range y {
				fmt.Fprintf(&csv, "%g,%c\n", v, 'A'+i%2)
			}
			config := "name: lp\ndata: lp.csv\nmodel:\n  " + c.model + "\nsampler: {method: " + method + ", iterations: 1000}\n"
			for file, text := range map[string]string{"lp.yaml": config, "lp.csv": csv.String()} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			run := filepath.Join(dir, "run")
			summarisedIn(t, run, "fit", filepath.Join(dir, "lp.yaml"))
			text, err := os.ReadFile(filepath.Join(run, "draws-1.csv"))
			if err != nil {
				t.Fatal(err)
			}
			constant, draws := math.NaN(), 0
			for line := range strings.Lines(string(text)) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") || strings.HasPrefix(line, "lp__") || line == "" {
					continue
				}
				var v []float64
				for cell := range strings.SplitSeq(line, ",") {
					number, err := strconv.ParseFloat(cell, 64)
					if err != nil {
						t.Fatal(err)
					}
					v = append(v, number)
				}
				x := v[3:]
				log := c.log(x)
				for i, v := range y {
					log += normal(v, x[i%2*(len(x)-1)/3], 2)
				}
				if draws++; draws == 1 {
					constant = v[0] - log
				}
				if !(math.Abs(v[0]-log-constant) < 1e-8*(1+math.Abs(log))) {
					t.Fatalf("%s, %s, draw %d: lp__ %v, log posterior %v + %v", name, method, draws, v[0], log, constant)
				}
			}
			if draws < 50 {
				t.Errorf("%s, %s: %d draws", name, method, draws)
			}
		}
	}
}
