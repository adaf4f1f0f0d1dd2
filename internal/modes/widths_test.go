package modes

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
)

// oddsAt are the factors of w and their probabilities at one state.
func oddsAt(w kernel.Widths, x ...float64) map[float64]float64 {
	logs, odds := make([]float64, len(w.Factors())), map[float64]float64{}
	w.Odds(1)(logs, x)
	for k, f := range w.Factors() {
		odds[f] += math.Exp(logs[k])
	}
	return odds
}

// In the coordinates of a whitening, where L⁻¹L' is known by hand, three parts have the widths 0.5, 0.6 and 4 where
// they are narrowest: the first two share a factor, 1, and the third has 8. A minimum in the third of sd 1.5
// makes that 3, and the factor 2√2. The probabilities are those of the parts' densities, the box aside.
//
// Mutants: widths of the coordinates of the problem; those of the widest direction; minima do not count; the wide
// law has a say; parts weigh alike; each part has a factor of its own.
func TestWidths(t *testing.T) {
	w := &r2sgld.Whitening{Center: []float64{1, -1}, L: [][]float64{{2, 0}, {1, 0.5}}}
	through := func(scale ...float64) [][]float64 { // L times a diagonal
		return [][]float64{{2 * scale[0], 0}, {scale[0], 0.5 * scale[1]}}
	}
	m := &Mixture{Lo: []float64{-100, -100}, Hi: []float64{100, 100}, Parts: []Part{
		{Weight: 0.2, Center: []float64{1, -1}, L: through(0.5, 2)},
		{Weight: 0.3, Center: []float64{3, 0}, L: through(0.7, 0.6)}, // (1, 0)
		{Weight: 0.4, Center: []float64{5, 3}, L: through(4, 5)},     // (2, 4)
	}}
	at := []float64{0.5, 0.2}
	density := func(weight, a, b, sa, sb float64) float64 {
		a, b = (at[0]-a)/sa, (at[1]-b)/sb
		return weight * math.Exp(-(a*a+b*b)/2) / (sa * sb)
	}
	narrow := density(0.2, 0, 0, 0.5, 2) + density(0.3, 1, 0, 0.7, 0.6)
	wide := density(0.4, 2, 4, 4, 5)
	check := func(name string, want float64) {
		odds := oddsAt(m.Widths(w), at...)
		if got := odds[1]; len(m.Widths(w).Factors()) != 2 || math.Abs(got-narrow/(narrow+wide)) > 1e-9 {
			t.Errorf("%s: factors and odds %v, want %g of factor 1", name, odds, narrow/(narrow+wide))
		}
		if got, ok := odds[want]; !ok || math.Abs(got-wide/(narrow+wide)) > 1e-9 {
			t.Errorf("%s: factors and odds %v, want %g of factor %g", name, odds, wide/(narrow+wide), want)
		}
	}
	check("parts", 8)
	m.Minima = []Mode{{X: []float64{5, 3}, L: through(1.5, 9)}}
	check("a minimum", 2*math.Sqrt2)
	m.Parts[2].L, m.Minima = through(40, 50), nil
	if odds := oddsAt(m.Widths(w), 40, 50); odds[16] < 0.99 {
		t.Errorf("a part eighty times as wide: %v", odds)
	}
}

// Widths that are not to be had are alike everywhere.
func TestWidthsOfNoCoordinates(t *testing.T) {
	m := &Mixture{Parts: twoParts()}
	if w := m.Widths(&r2sgld.Whitening{Center: []float64{0, 0}, L: [][]float64{{1, 1}, {1, 1}}}); len(w.Factors()) != 1 {
		t.Errorf("factors %v", w.Factors())
	}
}

// Odds of a block of two are those of each state, and nothing is allocated for them.
func TestOddsOfABlock(t *testing.T) {
	w := (&Mixture{Parts: []Part{
		{Weight: 0.3, Center: []float64{-1, 0.5}, L: [][]float64{{0.4, 0}, {0.3, 0.6}}},
		{Weight: 0.7, Center: []float64{1.5, -1}, L: [][]float64{{3, 0}, {-0.5, 4}}},
	}}).Widths(nil)
	odds, logs := w.Odds(2), make([]float64, 4)
	x := []float64{-1, 0.7, 0.5, -2}
	odds(logs, x)
	for i := range 2 {
		one := make([]float64, 2)
		w.Odds(1)(one, []float64{x[i], x[2+i]})
		if one[0] != logs[i] || one[1] != logs[2+i] {
			t.Errorf("state %d alone has %v, in a block %v", i, one, logs)
		}
	}
	if n := testing.AllocsPerRun(100, func() { odds(logs, x) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
