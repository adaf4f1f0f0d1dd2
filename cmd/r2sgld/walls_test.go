package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/tune"
)

// A box of 4e5 numbers is one, and draws of an exponential law in it have its mean, within
// 4.9 standard errors (chance: 1e-6) and half of what numbers lie apart.
func TestBoxOfFewNumbers(t *testing.T) {
	const wide = 4e5 * 0x1p-52
	file := write(t, t.TempDir(), "box.yaml",
		fmt.Sprintf("variables: [x]\npotential: \"(x - 1)*%.17g\"\ndomain: {box: {x: [1, %.17g]}}\n", 3/wide, 1+wide))
	c, err := config.Load("sample", file, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, _, err := tune.Sample(t.Context(), c.Problem, c.Settings, *c.Until)
	if err != nil {
		t.Fatal(err)
	}
	ps, want := make([][]float64, len(res.Ladders)), 1./3-1/math.Expm1(3)
	for i, l := range res.Ladders {
		for _, x := range l.X[0] {
			ps[i] = append(ps[i], (x-1)/wide)
		}
	}
	mean := 0.0
	for _, p := range ps {
		mean += stat.Mean(p, nil) / float64(len(ps))
	}
	if se := diag.MCSEMean(ps); !(math.Abs(mean-want) < 4.9*se+0.5/4e5) {
		t.Errorf("mean %.4f of the width, not %.4f ± %.4f", mean, want, se)
	}
}

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
