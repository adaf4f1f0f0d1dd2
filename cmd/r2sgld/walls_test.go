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
	"github.com/r2sgld/r2sgld/internal/report"
)

// Ten seeds of FitzHugh and Nagumo's equations with a + b ≤ 0.35 end by their stopping
// rule, exact and without a draw outside, with the means of importance sampling
// ([TestFitzHughNagumoByImportanceSampling]). 4.9 standard errors are 1e-6 each.
func TestFitzHughNagumoBetweenWalls(t *testing.T) {
	if !pace.Soaking() {
		t.Skip("ten runs of about a minute: R2SGLD_SOAK=1")
	}
	for seed := 1; seed <= 10; seed++ {
		dir := filepath.Join(t.TempDir(), "run")
		if code := run(t.Context(), []string{"identify", "testdata/fitzhugh-nagumo.yaml", "--seed", fmt.Sprint(seed), "--out", dir,
			"--quiet"}); code != exitDone {
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
			w := fitzHughNagumo[p.Name]
			if z := (p.Mean - w.mean) / math.Hypot(p.MCSEMean, w.sd/math.Sqrt(fitzHughNagumoESS)); !(math.Abs(z) < 4.9) {
				t.Errorf("seed %d: the mean of %s is %g ± %g, by importance sampling %g", seed, p.Name, p.Mean, p.MCSEMean, w.mean)
			}
		}
	}
}
