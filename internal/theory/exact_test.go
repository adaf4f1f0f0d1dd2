package theory_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

func box(t testing.TB, lo, hi []float64) domain.Domain {
	t.Helper()
	d, err := domain.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func interval(t testing.TB, lo, hi float64) domain.Domain {
	return box(t, []float64{lo}, []float64{hi})
}

func polygon(t testing.TB, v ...[2]float64) domain.Domain {
	t.Helper()
	d, err := domain.NewPolygon(v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func disk(t testing.TB, x, y, r float64) domain.Domain {
	t.Helper()
	d, err := domain.NewBall([]float64{x, y}, r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// bowl is U = x²/2, of the Ornstein–Uhlenbeck process.
func bowl() potential.Potential {
	return potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = x[0]
		return x[0] * x[0] / 2
	})
}

// wells is the double well U = h(x² − 1)².
func wells(h float64) potential.Potential {
	return potential.Func(1, func(grad, x []float64) float64 {
		q := x[0]*x[0] - 1
		grad[0] = 4 * h * x[0] * q
		return h * q * q
	})
}

// ramp is U = ax on an interval.
func ramp(a float64) potential.Potential {
	return potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = a
		return a * x[0]
	})
}

func process(t testing.TB, p theory.Problem, tau []float64, r float64, n int) *theory.Process {
	t.Helper()
	out, err := theory.NewProcess(t.Context(), p, tau, r, n)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func gap(t testing.TB, p theory.Problem, tau []float64, r float64, n int) float64 {
	t.Helper()
	g, err := process(t, p, tau, r, n).Gap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// bessel1 is the first zero of J′₁.
const bessel1 = 1.841183781340659

// An exactCase has a gap that is known.
type exactCase struct {
	name    string
	problem theory.Problem
	tau     float64
	grid    int
	gap     float64
	order   float64
}

func exactCases(t testing.TB) []exactCase {
	h := math.Sqrt(3) / 2
	tilt := func(x, y float64) [2]float64 { // neither along the axes nor centred on a grid line
		return [2]float64{0.1 + math.Cos(0.3)*x - math.Sin(0.3)*y, math.Sin(0.3)*x + math.Cos(0.3)*y}
	}
	pi2 := math.Pi * math.Pi
	return []exactCase{
		{"interval", theory.Problem{Domain: interval(t, -0.5, 1.5)}, 1.5, 100, 1.5 * pi2 / 4, 2},
		{"rectangle", theory.Problem{Domain: box(t, []float64{0, 0}, []float64{2, 1.3})}, 1, 100, pi2 / 4, 2},
		{"tilted rectangle", theory.Problem{Domain: polygon(t, tilt(0, 0), tilt(2, 0), tilt(2, 1.3), tilt(0, 1.3))}, 1, 130, pi2 / 4, 2},
		{"disk", theory.Problem{Domain: disk(t, 0.2, -0.1, 1.3)}, 0.7, 130, 0.7 * bessel1 * bessel1 / 1.69, 2},
		{"triangle", theory.Problem{Domain: polygon(t, [2]float64{0, 0}, [2]float64{2, 0}, [2]float64{1, 2 * h})}, 3, 130,
			3 * 16 * pi2 / 9 / 4, 2},
		{"tilted triangle", theory.Problem{Domain: polygon(t, tilt(0, 0), tilt(1, 0), tilt(0.5, h))}, 1, 130, 16 * pi2 / 9, 2},
		{"Ornstein–Uhlenbeck", theory.Problem{Potential: bowl(), Domain: interval(t, -9, 9)}, 1, 100, 1, 4},
		{"cold Ornstein–Uhlenbeck", theory.Problem{Potential: bowl(), Domain: interval(t, -4, 4)}, 0.2, 100, 1, 4},
		{"slope", theory.Problem{Potential: ramp(3), Domain: interval(t, 0, 2)}, 0.5, 200, 0.5*pi2/4 + 9/(4*0.5), 2},
	}
}

// Gaps that are known, to 1e-4.
func TestExactGaps(t *testing.T) {
	pace.Slow(t)
	for _, c := range exactCases(t) {
		g := gap(t, c.problem, []float64{c.tau}, 0, c.grid)
		if e := g/c.gap - 1; math.Abs(e) > 1e-4 {
			t.Errorf("%s at grid %d: gap %.8g, exact %.8g: off by %.2g", c.name, c.grid, g, c.gap, e)
		} else {
			t.Logf("%s at grid %d: off by %.2g", c.name, c.grid, e)
		}
	}
}

func slope(x, y []float64) float64 {
	var mx, my, xy, xx float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(x))
	}
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
	}
	return xy / xx
}

// Errors fall with the square of the side of a cell; for a quadratic U, by chance,
// with its fourth power.
func TestSecondOrder(t *testing.T) {
	pace.Slow(t)
	for _, c := range exactCases(t) {
		var logN, logE []float64
		text := ""
		for n := c.grid / 4; n < c.grid; n = n * 3 / 2 {
			e := math.Abs(gap(t, c.problem, []float64{c.tau}, 0, n)/c.gap - 1)
			logN, logE = append(logN, -math.Log(float64(n))), append(logE, math.Log(e))
			text += fmt.Sprintf(" %d: %.3g", n, e)
		}
		if o := slope(logN, logE); math.Abs(o-c.order) > 0.2 {
			t.Errorf("%s: errors fall with order %.2f (%s)", c.name, o, text)
		} else {
			t.Logf("%s: order %.2f (%s)", c.name, o, text)
		}
	}
}

// ring is the part of the unit disc farther than inner from its centre.
func ring(t testing.TB, inner float64) domain.Domain {
	t.Helper()
	origin, minus := []float64{0, 0}, [][]float64{{-2, 0}, {0, -2}}
	hole, err := domain.NewQuadric(origin, inner*inner, origin, minus)
	if err != nil {
		t.Fatal(err)
	}
	disc, err := domain.NewBall(origin, 1)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := domain.NewImplicit([]domain.Surface{hole}, []string{"hole"}, []float64{-1, -1}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := domain.NewIntersection(disc, rest)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
