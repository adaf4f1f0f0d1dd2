package domain

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// thinSet is an implicit set in a box of half-width h.
func thinSet(t *testing.T, h float64, s ...Surface) *implicit {
	d := s[0].Dim()
	lo, hi, names := make([]float64, d), make([]float64, d), make([]string, len(s))
	for i := range lo {
		lo[i], hi[i] = -h, h
	}
	return must[*implicit](t)(NewImplicit(s, names, lo, hi))
}

// exactly compares n uniform draws of d, mapped by f to what is uniform on [0, 1], with
// that law, and the volume with want. False alarms: 1e-6 of f, 1e-6 of the volume.
func exactly(t *testing.T, name string, d Domain, n int, want float64, f func(x []float64) float64) {
	t.Helper()
	law := must[*Law](t)(Uniform(t.Context(), d))
	if math.IsInf(law.Tries, 1) || law.Note != "" {
		t.Errorf("%s: draws take %g tries: %s", name, law.Tries, law.Note)
	}
	rng := rand.New(rand.NewPCG(9, 4))
	u, x := make([]float64, n), make([]float64, d.Dim())
	for k := range u {
		if err := law.Draw(t.Context(), x, rng); err != nil || !d.Contains(x) {
			t.Fatalf("%s: %v, %v", name, x, err)
		}
		u[k] = f(x)
	}
	if p := uniformP(u); p < 1e-6 {
		t.Errorf("%s: the draws are not uniform, p = %.1g", name, p)
	}
	log, se, err := Volume(t.Context(), d, rng)
	if err != nil || math.Abs(log-want) > 4.9*se+1e-9*math.Abs(want) || se > 0.05 {
		t.Errorf("%s: log volume %.12g ± %.2g, want %.12g: %v", name, log, se, want, err)
	}
}

// Uniform draws of rings and shells as thin as 10⁻⁶, and of discs far apart, are uniform
// all around and in every piece.
func TestThinSetsAreDrawnUniformly(t *testing.T) {
	pace.Slow(t)
	n := pace.Soak(4000, 100_000)
	angle := func(x []float64) float64 { return (math.Atan2(x[1], x[0]) + math.Pi) / (2 * math.Pi) }
	for _, eps := range []float64{1e-4, 1e-6} {
		inner := 1 - eps
		ring := thinSet(t, 2, sphere(2, 1, 1), sphere(2, inner, -1))
		exactly(t, "ring", ring, n, math.Log(math.Pi*(1-inner*inner)), angle)
		exactly(t, "across the ring", ring, n, math.Log(math.Pi*(1-inner*inner)), func(x []float64) float64 {
			r := math.Hypot(x[0], x[1])
			return (r*r - inner*inner) / (1 - inner*inner)
		})
	}
	inner := 1 - 1e-4
	exactly(t, "shell", thinSet(t, 2, sphere(3, 1, 1), sphere(3, inner, -1)), n, math.Log(4./3*math.Pi*(1-inner*inner*inner)),
		func(x []float64) float64 { return (1 + x[2]/norm(x)) / 2 })
	// Two discs of radii 0.01 and 0.02 as one formula: a fifth of the area is in the first.
	discs := formula{2, func(x []float64) float64 {
		a, b := x[0]-3, x[0]+3
		return min(a*a+x[1]*x[1]-1e-4, b*b+x[1]*x[1]-4e-4)
	}, func(g, x []float64) {
		g[0], g[1] = 2*(x[0]-math.Copysign(3, x[0])), 2*x[1]
	}}
	rng := rand.New(rand.NewPCG(3, 3))
	exactly(t, "discs", thinSet(t, 5, discs), n, math.Log(math.Pi*5e-4), func(x []float64) float64 {
		if x[0] > 0 {
			return rng.Float64() / 5
		}
		return 0.2 + 0.8*rng.Float64()
	})
}

// Caps, slices and lenses of balls of many dimensions are drawn exactly, their volumes
// known to rounding: the height of a point of the ball has a law of beta.
func TestZonesOfBalls(t *testing.T) {
	pace.Slow(t)
	n := pace.Soak(4000, 100_000)
	ball := func(d int, at, r float64) *ball {
		c := make([]float64, d)
		c[0] = at
		return must[*ball](t)(NewBall(c, r))
	}
	below := func(d int, v float64) float64 { // share of the unit ball with x₁ ≤ v
		k := float64(d+1) / 2
		return mathext.RegIncBeta(k, k, (1+v)/2)
	}
	wall := func(d int, a, b float64) *polytope {
		row := make([]float64, d)
		row[0] = a
		return must[*polytope](t)(NewHalfSpace(row, b))
	}
	for _, c := range []struct {
		d      int
		lo, hi float64
	}{{2, 0.97, 1}, {3, 0.95, 1}, {40, 0, 1}, {50, 0.5, 1}, {50, 0.9, 1}, {50, 0.999, 1}, {12, 0.7, 0.71}, {12, -0.3, 0.01}, {12, -0.9, -0.8},
		{9, -0.99, 0}, {500, 0.3, 1}} {
		x := must[Domain](t)(NewIntersection(ball(c.d, 0, 1), wall(c.d, -1, -c.lo), wall(c.d, 1, c.hi)))
		mass := func(lo, hi float64) float64 {
			if lo > 0 { // where the difference has digits
				lo, hi = -hi, -lo
			}
			return below(c.d, hi) - below(c.d, lo)
		}
		all := mass(c.lo, c.hi)
		exactly(t, "zone", x, n, logBall(c.d)+math.Log(all), func(x []float64) float64 { return mass(c.lo, x[0]) / all })
	}
	// A lens of two balls of unlike radii, as a ball and an ellipsoid.
	const d, r, apart = 50, 1.5, 2.3
	axes := make([]float64, d)
	for i := range axes {
		axes[i] = 1 / (r * r)
	}
	centre := make([]float64, d)
	centre[0] = apart
	other := must[*ellipsoid](t)(NewEllipsoid(centre, diagonal(axes...)))
	plane := (apart*apart + 1 - r*r) / (2 * apart)
	near, far := below(d, -plane), math.Exp(d*math.Log(r))*below(d, (plane-apart)/r)
	exactly(t, "lens", must[Domain](t)(NewIntersection(ball(d, 0, 1), other)), n, logBall(d)+math.Log(near+far), func(x []float64) float64 {
		if x[0] > plane {
			return below(d, -x[0]) / (near + far)
		}
		return 1 - math.Exp(d*math.Log(r))*below(d, (x[0]-apart)/r)/(near+far)
	})
}

// What formulas of second degree leave of balls is drawn exactly as well, and the law of a
// hollow ball has its volume in closed form where the hollow is in the middle.
func TestShellsOfQuadrics(t *testing.T) {
	pace.Slow(t)
	n := pace.Soak(4000, 100_000)
	sphere := func(d int, at, r, sign float64) Surface {
		x, h := make([]float64, d), make([][]float64, d)
		for j := range h {
			h[j] = make([]float64, d)
			h[j][j] = 2 * sign
		}
		x[0] = at
		return must[*quadric](t)(NewQuadric(x, -r*r*sign, nil, h))
	}
	within := func(d int, g ...Surface) Domain {
		lo, hi := slices.Repeat([]float64{-2}, d), slices.Repeat([]float64{2}, d)
		return must[Domain](t)(NewIntersection(must[*box](t)(NewBox(lo, hi)), must[*implicit](t)(NewImplicit(g, make([]string, len(g)), lo, hi))))
	}
	for _, c := range []struct {
		d   int
		rho float64
	}{{2, 0.9999}, {3, 0.2}, {20, 0.995}, {60, 0.999}} {
		d := within(c.d, sphere(c.d, 0, 1, 1), sphere(c.d, 0, c.rho, -1))
		hollow := math.Pow(c.rho, float64(c.d))
		exactly(t, "shell", d, n, logBall(c.d)+math.Log(1-hollow), func(x []float64) float64 {
			return (math.Pow(norm(x), float64(c.d)) - hollow) / (1 - hollow)
		})
	}
	const d, plane = 50, 0.999
	below := func(v float64) float64 { return mathext.RegIncBeta((d+1)/2., (d+1)/2., (1+v)/2) }
	cap := below(-plane)
	exactly(t, "lens", within(d, sphere(d, 0, 1, 1), sphere(d, 2*plane, 1, 1)), n, logBall(d)+math.Log(2*cap), func(x []float64) float64 {
		if x[0] > plane {
			return 1 - below(-x[0])/(2*cap)
		}
		return below(x[0]-2*plane) / (2 * cap)
	})
	// A hollow beside the middle leaves less than the shell around it.
	x, q := within(3, sphere(3, 0, 1, 1), sphere(3, 0.002, 0.995, -1)), 1-math.Pow(0.995, 3)
	law := must[*Law](t)(Uniform(t.Context(), x))
	log, se, err := Volume(t.Context(), x, rand.New(rand.NewPCG(1, 2)))
	if law.Tries > 3 || law.Note != "" || err != nil || math.Abs(log-math.Log(4*math.Pi/3*q)) > 5*se || se == 0 {
		t.Errorf("a hollow beside the middle: %v tries, log volume %v ± %v, want %v: %v", law.Tries, log, se, math.Log(4*math.Pi/3*q), err)
	}
}

// A point of a small ball far off is found from its formula alone, and an empty domain is
// told with the number of tries.
func TestInteriorOfSmallSets(t *testing.T) {
	f := formula{6, func(x []float64) float64 {
		s := (math.Abs(x[0])-3)*(math.Abs(x[0])-3) - 0.01
		return s + dot(x[1:], x[1:])
	}, func(g, x []float64) {
		copy(g, x)
		g[0] -= math.Copysign(3, x[0])
		for i := range g {
			g[i] *= 2
		}
	}}
	d := thinSet(t, 5, f)
	if x, err := Interior(t.Context(), d, rand.New(rand.NewPCG(1, 1))); err != nil || !d.Contains(x) {
		t.Errorf("two small balls: %v, %v", x, err)
	}
	law := must[*Law](t)(Uniform(t.Context(), d))
	if !strings.Contains(law.Note, "in the piece") || law.Tries < math.Inf(1) {
		t.Errorf("draws by paths in one of two balls, in %g tries: note %q", law.Tries, law.Note)
	}
	none := thinSet(t, 5, sphere(2, 1, 1), sphere(2, 2, -1))
	if _, err := Uniform(t.Context(), none); !errors.Is(err, ErrNoInterior) || !strings.Contains(err.Error(), "0 of 200000") {
		t.Errorf("an empty set: %v", err)
	}
}
