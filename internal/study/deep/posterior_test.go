package deep

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// The study is whole, and samplers come near to the frozen posterior: after 40 passes over the
// data SGHMC has a total variation of 0.11, after 1000 of 0.03. Kills predictions of other pictures
// than the reference's, or in another order: those are off by 0.7.
func TestPosteriorStudy(t *testing.T) {
	pace.Slow(t)
	effort, near := posteriorEffort{epochs: 40, repeats: 2}, 0.2
	if pace.Soaking() {
		effort.epochs, near = 1000, 0.05
	}
	data, err := posteriorData(fashion)
	if err != nil {
		t.Fatal(err)
	}
	s, err := comparePosteriors(context.Background(), study.Options{Scale: study.Smoke, Seed: 1, Threads: 2}, effort, data, inMemory)
	if err != nil {
		t.Fatal(err)
	}
	if out := studytest.Whole(t, s); len(out.Claims) != 3 || out.Pictures != 1 {
		t.Errorf("%d claims, %d pictures", len(out.Claims), out.Pictures)
	}
	studytest.Documented(t, s, "../../../docs/studies.md")
	r := s.Results.(posteriorResults)
	of := map[string]rivalResult{}
	for _, m := range r.Methods {
		of[m.Name] = m
		t.Logf("%s: agreement %s, total variation %s, NLL %s, %d models", m.Name, m.Agreement.PlusMinus(), m.Variation.PlusMinus(),
			m.NLL.PlusMinus(), m.Models)
	}
	if a := of["SGHMC"].Variation.Mean; !(a < near) {
		t.Errorf("total variation of SGHMC %g", a)
	}
	if a, b := of["SGHMC"].Variation, of["R-SGHMC"].Variation; a != b {
		t.Errorf("walls that nobody met changed %v into %v", a, b)
	}
	for k, p := range r.Plan.Swap {
		if !(p > 0 && p <= 1) {
			t.Errorf("planned pair %d swaps with probability %g", k+1, p)
		}
	}
	for _, x := range s.Sections {
		if strings.Contains(x.Text, "NaN") || strings.Contains(x.Text, "%!") {
			t.Error(x.Text)
		}
	}
	if why := s.Claims[2].Why; !strings.HasPrefix(why, "No weight came near a wall") || s.Claims[2].Verdict != study.Fails {
		t.Errorf("%s: %s", s.Claims[2].Verdict, why)
	}
}

// A reference is what it was when it was frozen, up to rounding to 16 bits.
func TestFreezeAndThaw(t *testing.T) {
	y := &yardstick{facts: yardFacts{Chains: 4, RHat: 1.01}}
	for h := range y.halves {
		for i := range posteriorTest {
			for k := range 10 {
				y.halves[h] = append(y.halves[h], []float64{0.1, 0.02 * float64(k) / 0.9}[(i+h)%2])
			}
		}
	}
	facts, packed, err := y.freeze()
	if err != nil {
		t.Fatal(err)
	}
	z, err := thaw(facts, packed)
	if err != nil {
		t.Fatal(err)
	}
	if z.facts != y.facts {
		t.Errorf("%+v instead of %+v", z.facts, y.facts)
	}
	for h := range y.halves {
		for i, p := range y.halves[h] {
			if math.Abs(p-z.halves[h][i]) > 1e-4 {
				t.Fatalf("half %d, number %d: %g instead of %g", h, i, z.halves[h][i], p)
			}
		}
	}
	for _, bad := range [][2][]byte{{facts[:9], packed}, {facts, packed[:20]}, {facts, nil}} {
		if _, err := thaw(bad[0], bad[1]); err == nil {
			t.Error("a broken reference thaws")
		}
	}
}

// Pictures are averaged over blocks, and sets that do not fit are refused.
func TestCoarse(t *testing.T) {
	s := &images.Set{Name: "two", Channels: 1, Height: 28, Width: 28, Pixels: make([]byte, 2*28*28), Labels: []int32{3, 4}, Classes: 10}
	s.Pixels[28*28+5*28+9] = 160 // of the second picture: block row 1, column 2
	c, err := coarse(s, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range c.Values {
		want := -0.286 / 0.32
		if i == 49+7+2 {
			want += 160.0 / 255 / 16 / 0.32
		}
		if math.Abs(float64(v)-want) > 1e-6 {
			t.Errorf("number %d is %g instead of %g", i, v, want)
		}
	}
	if _, err := coarse(s, 3); err == nil || !strings.Contains(err.Error(), "not at least 3") {
		t.Error(err)
	}
}
