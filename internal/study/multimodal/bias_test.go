package multimodal

import (
	"context"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
)

// On the star, whose walls are straight, U = 0 and the step 0.015, reflection at the
// nearest point is biased and reflection along the path is not. Twenty runs: t with
// 19 degrees of freedom, two-sided 1e-6 at 7.2. It kills: one rule in place of the
// other, r² of another domain, the law at another temperature.
func TestNearestIsBiasedInCorners(t *testing.T) {
	pace.Slow(t)
	s, err := newScene(shapes()[4])
	if err != nil {
		t.Fatal(err)
	}
	m := planner{study.Options{Scale: study.Paper, Seed: 9}}
	plans := m.uniform(s)
	for i := range plans {
		plans[i].runs = 20
	}
	all, err := runAll(context.Background(), study.Options{Threads: 2}.Batch("cases"), plans)
	if err != nil {
		t.Fatal(err)
	}
	nearest, specular := biasOf(all[0], lawUniform), biasOf(all[1], lawUniform)
	t.Logf("nearest %s, specular %s, of exactly %.6f", nearest.told(), specular.told(), nearest.Exact)
	if nearest.errors() < 7.2 || nearest.Off.Mean < 0 {
		t.Errorf("nearest shows no bias: %s", nearest.told())
	}
	if specular.errors() > 7.2 {
		t.Errorf("specular is biased: %s", specular.told())
	}
}

// The verdict follows the numbers.
func TestUnbiasedVerdicts(t *testing.T) {
	for _, c := range []struct {
		off   int // domains, of five
		scale study.Scale
		want  study.Verdict
		why   string
	}{
		{0, study.Paper, study.Holds, "off on 0 of 5 domains, rule specular on 0 of 5 domains."},
		{0, study.Smoke, study.Untestable, "off on 0 of 5"},
		{2, study.Paper, study.Depends, "off on 2 of 5 domains (flower and octagon)"},
		{3, study.Paper, study.Fails, "off on 3 of 5 domains (flower, octagon and heart)"},
	} {
		var all []bias
		for i, s := range shapes() {
			b := bias{Domain: s.name, Law: lawUniform, Label: uniformNearest, Protocol: "uniform", Exact: 1, Off: Interval{0.001, 0.01}, runs: 10}
			right := b
			right.Label = uniformSpecular
			if i < c.off {
				b.Off.Mean = 0.1
			}
			all = append(all, b, right)
		}
		got := court{scale: c.scale, bias: all}.unbiased()
		if got.Verdict != c.want || !strings.Contains(got.Why, c.why) || len(got.Numbers) != 10 {
			t.Errorf("%d domains off: %s: %s (%d numbers)", c.off, got.Verdict, got.Why, len(got.Numbers))
		}
	}
}
