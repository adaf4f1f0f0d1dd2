package tune

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/potential"
)

// Descents that go on abreast ask what each asks alone, are told the same, and end alike, at any number of
// places; once one has had enough, no other begins.
//
// Mutant: a place that is told the slope of its neighbour.
func TestAbreast(t *testing.T) {
	u := potential.Func(1, func(g, x []float64) float64 {
		g[0] = 0.5/(x[0]+1e-4) + math.Sin(40*x[0])
		return 0.5*math.Log(x[0]+1e-4) - math.Cos(40*x[0])/40
	})
	q, half := newProbe(u, 1), box(t, []float64{0}, []float64{math.Inf(1)})
	var x []float64
	for i := range 70 {
		x = append(x, (float64(i)+0.5)/35)
	}
	type told struct {
		at, slope float64
		fine      bool
	}
	seen := q.slopes().around(x, 1, nil)
	descents := func(places, enough int) (all [][]told, poles []bool, begun int) {
		m := newMeter(q.slopes(), 1, nil, places)
		defer m.close()
		all, poles = make([][]told, len(seen)), make([]bool, len(seen))
		m.abreast(len(seen), func(i int, look func(slope, at []float64) bool) bool {
			begun++
			poles[i] = newDescent(func(slope, at []float64) bool {
				fine := look(slope, at)
				all[i] = append(all[i], told{at[0], slope[0], fine})
				return fine
			}, half, widths(seen), seen[i]).infinite()
			return i != enough
		})
		return all, poles, begun
	}
	want, poles, _ := descents(1, -1)
	shortest, longest := 0, 0
	for i, looks := range want {
		if len(looks) < len(want[shortest]) {
			shortest = i
		}
		if len(looks) > len(want[longest]) {
			longest = i
		}
	}
	if len(want[shortest]) == len(want[longest]) {
		t.Fatalf("all descents end after %d looks", len(want[longest]))
	}
	for _, places := range []int{2, 7, 32, 100} {
		all, found, begun := descents(places, -1)
		if begun != len(seen) || !reflect.DeepEqual(all, want) || !slices.Equal(found, poles) {
			t.Errorf("%d places: %d of %d begun, or told otherwise than alone", places, begun, len(seen))
		}
		if _, _, begun = descents(places, shortest); places < len(seen)-shortest && begun == len(seen) {
			t.Errorf("%d places: all begin although one has had enough", places)
		}
	}
}
