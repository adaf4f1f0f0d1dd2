package report

import (
	"math"
	"slices"
	"testing"
)

// Shares of draws count ties half, and what was not observed not at all.
func TestCheck(t *testing.T) {
	nan := math.NaN()
	observed := []float64{0, 2, nan, 4}
	drawn := [][]float64{
		{0, 2, 99, 4},   // as observed
		{1, 2, -99, 4},  // larger mean, smaller sd, larger min, no zero
		{0, 0, 50, 0},   // smaller mean, max and sd, more zeros
		{0, nan, 50, 9}, // tells of zeros alone
	}
	p := Check("y", observed, drawn, "mean", "sd", "min", "max", "zeros")
	want := []Statistic{{"mean", 2, 0.5}, {"sd", 2, 0.5 / 3}, {"min", 0, (0.5 + 1 + 0.5) / 3}, {"max", 4, 1.0 / 3}, {"zeros", 1.0 / 3, 0.5}}
	for i, s := range p.Statistics {
		w := want[i]
		if s.Name != w.Name || math.Abs(s.Observed-w.Observed) > 1e-15 || math.Abs(s.P-w.P) > 1e-15 {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
	if len(p.Statistics) != len(want) {
		t.Errorf("%d statistics, want %d", len(p.Statistics), len(want))
	}
	if p := Check("y", []float64{1, nan}, drawn, "mean"); p.Statistics != nil {
		t.Errorf("of one observation %v", p.Statistics)
	}
}

// What no draw comes up to, or all draws exceed, is said; shares in between are not.
func TestMisfits(t *testing.T) {
	drawn := slices.Repeat([][]float64{{0, 1, 2}, {1, 2, 2}, {0, 0, 2}}, 200)
	few := Check("v", []float64{0, 1, 3}, drawn[:400], "max") // of which chance leaves none
	s := &Summary{Predictive: []Prediction{
		Check("y", []float64{0, 1, 3}, drawn, "mean", "sd", "min", "max"),
		Check("z", []float64{-2, 1, 2}, drawn, "min", "max"),
		Check("u", []float64{0, 1, 2}, drawn, "mean", "sd", "min", "max"), few,
	}}
	want := []string{
		"the model does not predict sd, max of y: in all draws it is less than observed",
		"the model does not predict min of z: in all draws it is more than observed",
	}
	if said := s.Misfits(); !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}
