package modes

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// shells are thin shells, with centres on the first axis, radii, and heights of their floors, of which each
// adds to the density.
type shells struct{ center, radius, floor []float64 }

// energy is −log of the density in d dimensions.
func (s shells) energy(d int) potential.Potential {
	return potential.Func(d, func(grad, x []float64) float64 {
		rest, sum, least := 0.0, 0.0, math.Inf(1)
		for _, v := range x[1:] {
			rest += v * v
		}
		e, r := make([]float64, len(s.center)), make([]float64, len(s.center))
		for k, c := range s.center {
			r[k] = math.Sqrt((x[0]-c)*(x[0]-c) + rest)
			e[k] = s.floor[k] + 50*(r[k]-s.radius[k])*(r[k]-s.radius[k])
			least = min(least, e[k])
		}
		clear(grad)
		for _, v := range e {
			sum += math.Exp(least - v)
		}
		for k, c := range s.center {
			slope := 100 * (r[k] - s.radius[k]) / r[k] * math.Exp(least-e[k]) / sum
			grad[0] += slope * (x[0] - c)
			for j, v := range x[1:] {
				grad[j+1] += slope * v
			}
		}
		return least - math.Log(sum)
	})
}

// A shell is one valley, however many modes it is covered by, and one of higher E beside it has room.
//
// Mutants: no valleys; valleys of any modes whose laws are wide; a valley that takes all room.
func TestShellsAreValleys(t *testing.T) {
	for _, c := range []struct {
		d int
		shells
	}{
		{2, shells{[]float64{0}, []float64{2}, []float64{0}}},
		{2, shells{[]float64{3.5, -3.5}, []float64{2, 2}, []float64{0, 0}}},
		{10, shells{[]float64{3.5, -3.5}, []float64{2, 2}, []float64{1, 0}}},
	} {
		target, draw := boxed(t, c.energy(c.d), -6, 6, 1)
		s, err := Find(t.Context(), target, draw, 64, 4000, 60_000)
		if err != nil {
			t.Fatal(err)
		}
		valleys := 0
		for first, of := range Pieces(s.Modes) {
			valleys++
			starts := 0
			for _, k := range of {
				starts += s.Modes[k].Starts
				if c.nearest(s.Modes[k].X) != c.nearest(s.Modes[first].X) {
					t.Errorf("%d dimensions, shells at %v: modes at %v and %v are of one valley", c.d, c.center, s.Modes[k].X, s.Modes[first].X)
				}
			}
			if starts > s.Settled || len(of) > mostPieces {
				t.Errorf("%d dimensions, shells at %v: %d of %d starts lead to a valley of %d modes", c.d, c.center, starts, s.Settled, len(of))
			}
		}
		if valleys != len(c.center) || len(s.Modes) < 4*valleys {
			t.Errorf("%d dimensions, shells at %v: %d valleys of %d modes", c.d, c.center, valleys, len(s.Modes))
		}
	}
}

// nearest is the shell whose floor is closest to x.
func (s shells) nearest(x []float64) int {
	best, least := 0, math.Inf(1)
	for k, c := range s.center {
		if off := math.Abs(math.Hypot(x[0]-c, norm(x[1:])) - s.radius[k]); off < least {
			best, least = k, off
		}
	}
	return best
}

func norm(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// A start counts once for a valley: for the mode that it led to, or else the first that it saw.
//
// Mutant: starts that count for every mode.
func TestStartsOfValleys(t *testing.T) {
	s := Search{Modes: []Mode{{Valley: 1}, {Valley: 1}, {Valley: 2}, {Valley: 2}}}
	s.count(-1, 0b0111)
	s.count(1, 0b0101)
	s.count(3, 0)
	s.count(-1, 0)
	for k, want := range []int{1, 1, 2, 1} {
		if got := s.Modes[k].Starts; got != want {
			t.Errorf("%d starts of mode %d, want %d", got, k, want)
		}
	}
	if s.Settled != 3 {
		t.Errorf("%d starts have led to a mode, want 3", s.Settled)
	}
}

// Two minima at opposite points of a ring are of one valley where E rises by less than a barrier on the
// way round it, and not where it rises by more.
//
// Mutants: ways that nobody looks along; ways of any height.
func TestLevelWays(t *testing.T) {
	for rise, want := range map[float64]bool{0: true, 0.8 * barrier: true, 2 * barrier: false} {
		ring := potential.Func(2, func(grad, x []float64) float64 { // 50(r − 2)² + rise·y²/r²
			r2 := x[0]*x[0] + x[1]*x[1]
			r, across := math.Sqrt(r2), x[1]*x[1]/r2
			for j, v := range x {
				grad[j] = 100*(r-2)*v/r - 2*rise*across*v/r2
			}
			grad[1] += 2 * rise * x[1] / r2
			return 50*(r-2)*(r-2) + rise*across
		})
		target := Target{Energy: ring, Width: []float64{3, 3}, Flat: 1, idle: &idle{}}
		sin, cos := math.Sincos(math.Pi - 0.1)
		a, b := Mode{X: []float64{2, 0}}, Mode{X: []float64{2 * cos, 2 * sin}, Energy: rise * sin * sin}
		if got, asked, err := target.level(t.Context(), &a, &b); err != nil || got != want || asked == 0 {
			t.Errorf("E that rises by %g: %v after %d gradients, %v", rise, got, asked, err)
		}
	}
}

// No level way leads through a wall: from arm to arm of a U on which E is 0.
//
// Mutant: walls that are not seen.
func TestLevelWaysStayInside(t *testing.T) {
	u, err := domain.NewPolygon([][2]float64{{-3, -3}, {3, -3}, {3, 3}, {1, 3}, {1, -1}, {-1, -1}, {-1, 3}, {-3, 3}})
	if err != nil {
		t.Fatal(err)
	}
	flat := potential.Func(2, func(grad, _ []float64) float64 { clear(grad); return 0 })
	target := Target{Energy: flat, Domain: u, Width: []float64{2, 2}, Flat: 1, idle: &idle{}}
	left, right, base := Mode{X: []float64{-2, 2}}, Mode{X: []float64{2, 2}}, Mode{X: []float64{-2, -2}}
	for _, c := range []struct {
		a, b *Mode
		want bool
	}{{&left, &right, false}, {&left, &base, true}} {
		if got, _, err := target.level(t.Context(), c.a, c.b); err != nil || got != c.want {
			t.Errorf("from %v to %v: %v, %v", c.a.X, c.b.X, got, err)
		}
	}
}

// Points of shells that lie between modes are near the modes of their own shell, but for a few in the middle, and
// descents from near them lead to it, though no mode is close: of a shell in another as well, of which the
// nearest mode may be of the wrong one.
//
// Mutants: the laws at modes alone; points that lead to none; the closest valley without a way; laws of modes that
// reach beyond their valley.
func TestBetweenModesOfAShell(t *testing.T) {
	for _, c := range []struct {
		d int
		shells
	}{
		{10, shells{[]float64{3.5, -3.5}, []float64{2, 2}, []float64{1, 0}}},
		{6, shells{[]float64{3.5, -3.5}, []float64{2, 2}, []float64{0, 0}}},
		{3, shells{[]float64{0, 0}, []float64{2, 3}, []float64{0, 0}}},
	} {
		target, draw := boxed(t, c.energy(c.d), -6, 6, 2)
		s, err := Find(t.Context(), target, draw, 64, 4000, 60_000)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		part, at, near, want := NewPartition(s.Modes), []float64(nil), []int(nil), []int(nil)
		for i := range 200 {
			x, k := make([]float64, c.d), i%2
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			r := norm(x) / (c.radius[k] + 0.1*rng.NormFloat64())
			for j := range x {
				x[j] /= r
			}
			x[0] += c.center[k]
			at, near, want = append(at, x...), append(near, part.Near(x)), append(want, k)
		}
		ends, _, err := target.Lead(context.Background(), s.Modes, at, near, 1e6)
		if err != nil {
			t.Fatal(err)
		}
		astray := 0
		for i, k := range want {
			if c.nearest(s.Modes[near[i]].X) != k {
				astray++
			}
			if ends[i] < 0 || c.nearest(s.Modes[ends[i]].X) != k {
				t.Errorf("%d dimensions: a point of the shell of radius %g at %g leads to %d", c.d, c.radius[k], c.center[k], ends[i])
			}
		}
		if c.center[0] != c.center[1] && astray > len(want)/20 {
			t.Errorf("%d dimensions: %d points of %d are near the other shell", c.d, astray, len(want))
		}
	}
}
