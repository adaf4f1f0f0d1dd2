package study

import (
	"math"
	"slices"
	"testing"
)

// Kills: columns of another case or metric, a and b exchanged, p values that are not
// adjusted, the largest mean for the least.
func TestTidy(t *testing.T) {
	var m Tidy
	for i, v := range []float64{1, 2, 3, 4, 5} {
		m.Add("a", "error", v)
		m.Add("b", "error", v+1+0.1*float64(i%2))
		m.Add("a", "time", 7)
	}
	if got := m.Column("a", "error"); !slices.Equal(got, []float64{1, 2, 3, 4, 5}) {
		t.Errorf("column %v", got)
	}
	if got := m.Interval("a", "time"); got.Mean != 7 {
		t.Errorf("mean %g", got.Mean)
	}
	if low := m.Lowest("error", "b", "a"); low != 3 {
		t.Errorf("lowest %g", low)
	}
	if low := m.Lowest("error", "a", "none"); !math.IsNaN(low) {
		t.Errorf("lowest of what is not known: %g", low)
	}
	one := m.Compare(Paired, "error", Pair{"x", "a", "b"})
	two := m.Compare(Paired, "error", Pair{"x", "a", "b"}, Pair{"y", "b", "a"})
	if len(one) != 1 || one[0].About != "x" || !one[0].Better() || !two[1].Worse() || math.Abs(two[0].P/one[0].P-2) > 1e-9 {
		t.Errorf("%+v, %+v", one, two)
	}
	if c := m.Compare(Welch, "error", Pair{"x", "a", "b"})[0]; c.P < 0.1 || c.A.Mean != 3 {
		t.Errorf("Welch: %+v", c)
	}
	if c := Welch("", []float64{1}, []float64{2, 3}); c.P != 1 {
		t.Errorf("Welch of one run: p = %g", c.P)
	}
}
