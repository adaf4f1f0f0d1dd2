package figure

import (
	"math"
	"strings"
	"testing"
)

// valleys are seven basins: two near each other, a ladder of others, one without draws, and
// one to which no way is known.
func valleys() Basins {
	return Basins{
		Energy: []float64{1, 1.4, 2.5, 0.6, 3, 2, 1.8}, Weight: []float64{0.3, 0.2, 0.05, 0.4, 0, 0.03, 0.02}, Missing: []int{4},
		Joins: []Join{{0, 1, 2.2}, {3, 5, 4}, {1, 5, 6.5}, {2, 0, 7}, {4, 2, 9.5}, {0, 6, math.NaN()}},
	}
}

// The leaves of a tree stand side by side in the groups that join first, a deeper one to the
// left, and a join is at its barrier above the lowest minimum, wherever the lines were between.
func TestDisconnectivityTree(t *testing.T) {
	q := valleys()
	tr := q.tree()
	want := []int{3, 5, 0, 1, 2, 4, 6}
	for i, leaf := range tr.order {
		if leaf != want[i] {
			t.Fatalf("leaves %v, want %v", tr.order, want)
		}
	}
	if math.Abs(tr.top-8.9) > 1e-12 {
		t.Errorf("top %v, want 9.5 − 0.6", tr.top)
	}
	known, unknown := tr.lines(1, 10)
	if len(known) != 5 || len(unknown) != 1 || unknown[0][1].y != 10 {
		t.Fatalf("%d joins known, %v not", len(known), unknown)
	}
	// the third join is of the groups of basins 0 and 3, at 6.5 − 0.6 from 3.4 to 1.6
	for i, y := range []float64{3.4, 5.9, 5.9, 1.6} {
		if x := []float64{0.5, 0.5, 2.5, 2.5}[i]; math.Abs(known[2][i].y-y) > 1e-12 || known[2][i].x != x {
			t.Errorf("corner %d of the third join is %v, want %v, %v", i, known[2][i], x, y)
		}
	}
}

// Faults are told, one basin is no figure, and neither high barriers nor equal minima are a fault.
func TestDisconnectivityFaults(t *testing.T) {
	for want, change := range map[string]func(*Basins){
		"5 joins of 7 basins":       func(q *Basins) { q.Joins = q.Joins[1:] },
		"between two groups":        func(q *Basins) { q.Joins[1] = Join{0, 1, 4} },
		"of 7: it must be":          func(q *Basins) { q.Joins[0].B = 7 },
		"join 1 is at 0.1, below":   func(q *Basins) { q.Joins[0].Energy = 0.1 },
		"join 3 is at 2.1, below":   func(q *Basins) { q.Joins[2].Energy = 2.1 },
		"known after one that":      func(q *Basins) { q.Joins[0].Energy = math.NaN() },
		"basin −1 of 7":             func(q *Basins) { q.Missing[0] = -1 },
		"weight: value 2 is 1.5":    func(q *Basins) { q.Weight[1] = 1.5 },
		"energy: value 3 is NaN":    func(q *Basins) { q.Energy[2] = math.NaN() },
		"6 values beside 7":         func(q *Basins) { q.Weight = q.Weight[1:] },
		"join 1: value 1 is 1e+301": func(q *Basins) { q.Joins[0].Energy = 1e301 },
	} {
		q := valleys()
		change(&q)
		if _, err := Disconnectivity(q); err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(want, "−", "-")) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, q := range []Basins{{}, {Energy: []float64{1}, Weight: []float64{1}}} {
		if f, err := Disconnectivity(q); f != nil || err != nil {
			t.Errorf("%d basins: %v, %v", len(q.Energy), f, err)
		}
	}
	flat := Basins{Energy: []float64{1, 1}, Weight: []float64{0.5, 0.5}, Joins: []Join{{0, 1, math.NaN()}}}
	if f, err := Disconnectivity(flat); f == nil || err != nil {
		t.Errorf("equal minima: %v", err)
	}
}

// steep are forty basins behind one another, whose barriers reach from 1 to 10,000.
func steep() Basins {
	q := Basins{}
	for i := range 40 {
		q.Energy, q.Weight = append(q.Energy, 0.2*float64(i)), append(q.Weight, math.Exp(-0.2*float64(i))/5.6)
		if i > 0 {
			q.Joins = append(q.Joins, Join{i - 1, i, 8 + math.Pow(10, float64(i)/9.75)})
		}
	}
	return q
}
