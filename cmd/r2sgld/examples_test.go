package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/tune"
)

// truth is what is known exactly of an example.
type truth struct {
	Mean []float64 `json:"mean"`
	SD   []float64 `json:"sd"`
}

func readTruth(t *testing.T, file string, keys ...string) truth {
	t.Helper()
	b, err := os.ReadFile("../../testdata/reference/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		b = m[k]
	}
	var v truth
	if err := json.Unmarshal(b, &v); err != nil || len(v.Mean) == 0 {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

// The examples, run as they stand, agree with independent references: every mean
// and sd within 4.9 standard errors (false alarm 1e-6 each) and the stated bias
// of the step size, in standard deviations of the parameter. The bias of each
// was measured with 24 ladders and is stated in the example where it is larger
// than a hundredth.
func TestExamplesAgreeWithReferences(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	cases := []struct {
		file string
		want truth
		bias float64
	}{
		{"truncated-gaussian", readTruth(t, "gauss_box.json", "truth"), 0.01},
		{"halfspace", readTruth(t, "gauss_halfspace.json", "truth"), 0.01},
		{"ball", readTruth(t, "gauss_ball.json", "truth"), 0.02},
		{"simplex", readTruth(t, "dirichlet.json", "truth"), 0.06},
		{"flower", truth{[]float64{0, -0.0122300998}, []float64{0.828463589, 0.904175558}}, 0.02}, // multimodal.json
		{"lynx-hare", readTruth(t, "lynx_hare.json", "posterior"), 0.01},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			res := runExample(t, c.file)
			for j, name := range res.Names {
				chains := res.Chains(j)
				p := report.Describe(name, chains, math.Inf(-1), math.Inf(1))
				sdError := diag.MCSESd(chains)
				if gap := math.Abs(p.Mean - c.want.Mean[j]); !(gap < 4.9*p.MCSEMean+c.bias*c.want.SD[j]) {
					t.Errorf("%s: mean %.5g, exact %.5g: off by %.1f standard errors", name, p.Mean, c.want.Mean[j], gap/p.MCSEMean)
				}
				if gap := math.Abs(p.SD - c.want.SD[j]); !(gap < 4.9*sdError+c.bias*c.want.SD[j]) {
					t.Errorf("%s: sd %.5g, exact %.5g: off by %.1f standard errors", name, p.SD, c.want.SD[j], gap/sdError)
				}
				if !(p.RHat < 1.02) {
					t.Errorf("%s: R̂ %.3f", name, p.RHat)
				}
				if c.file == "lynx-hare" && !(p.RHat < 1.01 && p.ESSBulk > 1000 && p.ESSTail > 1000) {
					t.Errorf("%s: R̂ %.4f, ESS %.0f and %.0f", name, p.RHat, p.ESSBulk, p.ESSTail)
				}
				t.Logf("%-6s mean %+.4f sd off (± %.4f), sd %+.2f %% off (± %.2f), R̂ %.4f, ESS %.0f %.0f", name, (p.Mean-c.want.Mean[j])/c.want.SD[j],
					p.MCSEMean/c.want.SD[j], 100*(p.SD/c.want.SD[j]-1), 100*sdError/c.want.SD[j], p.RHat, p.ESSBulk, p.ESSTail)
			}
			if n := res.Tally(0).Outside; n != 0 {
				t.Errorf("%d draws outside", n)
			}
		})
	}
}

func runExample(t *testing.T, name string) *r2sgld.Result {
	t.Helper()
	file := "../../examples/" + name + ".yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	command := "sample"
	if strings.Contains(string(text), "\ndata:") {
		command = "identify"
	}
	c, err := config.Load(command, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	var res *r2sgld.Result
	if c.Until == nil {
		res, err = r2sgld.Sample(context.Background(), c.Problem, c.Settings)
	} else {
		res, _, err = tune.Sample(context.Background(), c.Problem, c.Settings, *c.Until)
	}
	if err != nil {
		t.Fatal(err)
	}
	return res
}
