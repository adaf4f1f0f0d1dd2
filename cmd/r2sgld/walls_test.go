package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/report"
)

// Ten seeds of FitzHugh and Nagumo's equations with a + b ≤ 0.35 end by their stopping
// rule, exact and without a draw outside, with the means of importance sampling: an
// adapted t law of 6 degrees of freedom in log c, log a, log(0.35 − a − b) and the
// others, 200,000 points of effective size 130,000, its equations solved by Runge and
// Kutta's classical method in 24 steps a row. 4.9 standard errors are 1e-6 each.
func TestFitzHughNagumoBetweenWalls(t *testing.T) {
	want := map[string][2]float64{ // mean, standard deviation
		"c": {3.01670302, 0.00724032}, "a": {0.20586007, 0.00463289}, "b": {0.13894141, 0.00673715},
		"V.initial": {-0.98361024, 0.01470870}, "R.initial": {0.97936971, 0.01502847},
		"V.noise": {0.06510566, 0.00633786}, "R.noise": {0.05147778, 0.00493872},
	}
	if !pace.Soaking() {
		t.Skip("ten runs of about a minute: R2SGLD_SOAK=1")
	}
	for seed := 1; seed <= 10; seed++ {
		dir := filepath.Join(t.TempDir(), "run")
		if code := run(t.Context(), []string{"identify", "testdata/fitzhugh-nagumo.yaml", "--seed", fmt.Sprint(seed), "--out", dir, "--quiet"}); code != exitDone {
			t.Fatalf("seed %d: exit code %d", seed, code)
		}
		b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
		if err != nil {
			t.Fatal(err)
		}
		var sum report.Summary
		if err := json.Unmarshal(b, &sum); err != nil {
			t.Fatal(err)
		}
		if text := string(b); !strings.Contains(text, `"met": true`) || !strings.Contains(text, `"exact": true`) || sum.Domain.Outside != 0 {
			t.Errorf("seed %d: met and exact? %d draws outside, warnings %v", seed, sum.Domain.Outside, sum.Warnings)
		}
		for _, p := range sum.Parameters {
			w := want[p.Name]
			if z := (p.Mean - w[0]) / math.Hypot(p.MCSEMean, w[1]/math.Sqrt(130_000)); !(math.Abs(z) < 4.9) {
				t.Errorf("seed %d: the mean of %s is %g ± %g, by importance sampling %g", seed, p.Name, p.Mean, p.MCSEMean, w[0])
			}
		}
	}
}
