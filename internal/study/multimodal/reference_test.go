package multimodal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/study"
)

// A referenceRow is what an independent implementation found at one checkpoint.
type referenceRow struct {
	Domain, Protocol, Label string
	Runs                    int
	Dropped                 bool
	Draws                   int
	Scores                  map[string][2]float64
}

type reference struct {
	Cells    map[string]int
	SwapRate map[string]float64 `json:"swap_rate"`
	Rows     []referenceRow
}

// referencePlans are the cases that the reference has: all with soak, else those
// of protocol paper that reflect, with more runs.
func referencePlans(scenes []*scene, soak bool) []plan {
	m := planner{study.Options{Scale: study.Paper, Seed: 7}}
	paper, released := protocols(study.Paper)
	var out []plan
	for _, s := range scenes {
		for _, p := range []protocol{paper, released} {
			all := m.nine(s, p, nil)
			all = append(all, m.variants(s, p)...)
			if soak {
				all = append(all, m.grid(s, p)...)
			}
			for _, q := range all {
				switch {
				case q.group == groupBaseline || q.group == groupTwice:
					continue
				case !soak && (p != paper || q.group == groupPlain):
					continue
				case !soak && q.label == "r2SGLD":
					q.runs = 60
				case !soak:
					q.runs = map[string]int{groupReflected: 30, groupBoundary: 10}[q.group]
				}
				out = append(out, q)
			}
		}
	}
	return out
}

// values are a row's numbers by run in an outcome; nil if it does not have them.
func (r referenceRow) values(t *trials, metric string) []float64 {
	label, half := strings.CutSuffix(r.Label, " at half the draws")
	var o *outcome
	for _, group := range []string{groupReflected, groupPlain, groupGrid, groupBoundary, groupIID} {
		if o == nil {
			o = t.find(r.Domain, r.Protocol, group, label)
		}
	}
	if o == nil {
		return nil
	}
	of := metrics()[metric]
	if metric == "w1_mean" {
		of = w1
	}
	at := slices.Index(o.At, r.Draws)
	if half {
		return o.cheap(at, r.Dropped, of)
	}
	return o.values(at, r.Dropped, of)
}

// The scores agree with those of an independent implementation at every number
// of draws it lists: nearest, specular and refuse, and independent draws at the
// floor. Each comparison is Welch's test at 1e-6 over their number, so that a
// false alarm of the whole test is below 1e-6. It kills: a boundary rule
// in place of another with a bias, the step or its noise off by a fifth, burn-in counted
// otherwise, cells or smoothing otherwise. Its cosine schedule ends at a tenth of
// the step, ours at 0: 2.7 % of the diffusion time, which no test here sees. With
// R2SGLD_SOAK=1 it compares all methods, penalties and both protocols, and counts
// how many lie within the two intervals combined.
func TestStudyAgreesWithReference(t *testing.T) {
	pace.Slow(t)
	soak := pace.Soaking()
	var ref reference
	readJSON(t, "multimodal_study.json", &ref)
	two, err := scenes(shapes()[:2], 2)
	if err != nil {
		t.Fatal(err)
	}
	all, err := runAll(context.Background(), study.Options{Threads: 2}.Batch("cases"), referencePlans(two, soak))
	if err != nil {
		t.Fatal(err)
	}
	tr := newTrials(all)
	paper, _ := protocols(study.Paper)
	for _, s := range two {
		tr.add(s.floor(paper, 20, 3))
		if s.cells.K() != ref.Cells[s.name] {
			t.Errorf("%s: %d cells, want %d", s.name, s.cells.K(), ref.Cells[s.name])
		}
		// 0.006: runs differ by 0.004, and so do the steps' bias and its estimate; it kills a missing penalty for noise (0.29 → 0.31)
		if rate := interval(tr.of(s.name, "paper", "r2SGLD").Swaps); math.Abs(rate.Mean-ref.SwapRate[s.name]) > 0.006 {
			t.Errorf("%s: swap rate %s, want %g", s.name, short(rate), ref.SwapRate[s.name])
		}
	}
	reflectedStayInside(t, all)
	compareAll(t, ref.Rows, tr)
}

func reflectedStayInside(t *testing.T, all []*outcome) {
	t.Helper()
	for _, o := range all {
		if (o.group == groupReflected || o.group == groupBoundary) && (o.Outside != 0 || o.Fallbacks != 0) {
			t.Errorf("%s: %d draws outside, %d steps given up", o.name(), o.Outside, o.Fallbacks)
		}
	}
}

// compareAll compares every number of the reference that tr has.
func compareAll(t *testing.T, rows []referenceRow, tr *trials) {
	t.Helper()
	type result struct {
		what string
		p    float64
	}
	var results []result
	within, near := 0, 0
	for _, r := range rows {
		for _, metric := range []string{"kl_te_all", "kl_te_in", "kl_et_in", "frac_out", "w1x", "w1y", "w1_mean"} {
			w, ok := r.Scores[metric]
			v := r.values(tr, metric)
			if !ok || v == nil {
				continue
			}
			want, got := Interval{w[0], w[1]}, interval(v)
			_, p := significance.Welch(significance.MeanSEOf(v), want.over(r.Runs))
			results = append(results, result{fmt.Sprintf("%s, protocol %s, %s, %d draws (first fifth dropped: %t), %s: %s, want %s (p = %.2g)",
				r.Domain, r.Protocol, r.Label, r.Draws, r.Dropped, metric, short(got), short(want), p), p})
			off := math.Abs(got.Mean - want.Mean)
			if off <= got.Half+want.Half {
				within++
			}
			if off <= math.Hypot(got.Half, want.Half) {
				near++
			}
		}
	}
	if len(results) < 100 {
		t.Fatalf("only %d comparisons", len(results))
	}
	for _, r := range results {
		if r.p < 1e-6/float64(len(results)) {
			t.Error(r.what)
		}
	}
	slices.SortFunc(results, func(a, b result) int {
		if a.p < b.p {
			return -1
		}
		return 1
	})
	t.Logf("%d comparisons: %d within the sum of the two intervals, %d within their root sum of squares (95 %% expected)", len(results),
		within, near)
	for _, r := range results[:5] {
		t.Log("farthest: " + r.what)
	}
}
