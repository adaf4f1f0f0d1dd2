package modes

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// wells are minima of E = (1 − cos 2πx)·height(x) on a line, at x = 0, 1, 2, 3: barriers 4, 1, 8.
func wells(x float64) float64 {
	height := []float64{2, 0.5, 4, 4}[min(3, max(0, int(math.Floor(x))))]
	return height * (1 - math.Cos(2*math.Pi*x))
}

func wellTarget(d domain.Domain) Target {
	return Target{Domain: d, Energy: potential.Func(2, func(grad, x []float64) float64 {
		clear(grad)
		if x[1] > 5 {
			return math.Inf(1)
		}
		return wells(x[0]) + x[1]*x[1]
	})}
}

func minimum(x, y float64) Mode { return Mode{X: []float64{x, y}, Energy: wells(x) + y*y} }

// Barriers are known where the highest point of a line is not one that is evenly spread: to
// the curvature of E, 8π², and half the distance of points, 3/2·2/17/32, that is 1 %. The tree
// is that of the lowest ways: from the first minimum to the last it climbs 8, though the
// straight line between them does as well.
//
// Mutants: lines that are not looked at anew around their highest point; joins of the highest
// first; walls that are not seen.
func TestJoins(t *testing.T) {
	target := wellTarget(nil)
	at := []Mode{minimum(2, 0), minimum(0, 0), minimum(3, 0), minimum(1, 0)}
	joins, asked, err := target.Joins(t.Context(), at, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(6 * 30); asked != want {
		t.Errorf("%d gradients, want %d", asked, want)
	}
	for i, want := range []Join{{[2]int{0, 3}, 1}, {[2]int{1, 3}, 4}, {[2]int{0, 2}, 8}} {
		got := joins[i]
		if i == 1 && got.Between == [2]int{0, 1} { // the line over both barriers is as high
			got.Between = want.Between
		}
		if i == 2 && got.Between[1] == 2 {
			got.Between = want.Between
		}
		if got.Between != want.Between || !(got.Energy <= want.Energy && got.Energy > 0.99*want.Energy) {
			t.Errorf("join %d: %v, want %v", i, joins[i], want)
		}
	}
}

// A line that leaves the domain, here a U, or meets +Inf, joins nothing, and neither does one
// that is not followed for want of gradients: ways go round by other minima, and the tree has
// all minima nevertheless.
func TestJoinsAreUnknown(t *testing.T) {
	u, err := domain.NewPolygon([][2]float64{{-0.6, -3}, {2.6, -3}, {2.6, 1}, {1.4, 1}, {1.4, -1}, {0.6, -1}, {0.6, 1}, {-0.6, 1}})
	if err != nil {
		t.Fatal(err)
	}
	arms := []Mode{minimum(0, 0), minimum(2, 0), minimum(1, -2)}
	for _, c := range []struct {
		name      string
		d         domain.Domain
		at        []Mode
		gradients int64
		unknown   int // joins
	}{
		{"round the wall", u, arms, 1e6, 0},
		{"two arms", u, arms[:2], 1e6, 1},
		{"no wall", nil, arms[:2], 1e6, 0},
		{"+Inf", nil, []Mode{minimum(0, 0), minimum(1, 6)}, 1e6, 1},
		{"few gradients", nil, []Mode{minimum(0, 0), minimum(1, 0), minimum(2, 0), minimum(3, 0)}, 80, 2},
		{"one minimum", nil, arms[:1], 1e6, 0},
	} {
		target := wellTarget(c.d)
		joins, _, err := target.Joins(t.Context(), c.at, c.gradients)
		if err != nil {
			t.Fatal(err)
		}
		unknown := 0
		for i, j := range joins {
			if j.Energy != j.Energy {
				unknown++
			} else if unknown > 0 {
				t.Errorf("%s: join %d is known after one that is not", c.name, i)
			}
		}
		if unknown != c.unknown || len(joins) != len(c.at)-1 {
			t.Errorf("%s: %d of %d joins not known, want %d of %d", c.name, unknown, len(joins), c.unknown, len(c.at)-1)
		}
	}
}
