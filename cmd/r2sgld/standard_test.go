package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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
