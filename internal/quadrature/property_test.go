package quadrature_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/quadrature"
	"github.com/r2sgld/r2sgld/potential"
)

// polygon draws a polygon that is monotone in some direction; it is rarely
// star-shaped. Half of them have sides along the axes and vertices on whole
// numbers, where the lines of a grid run.
func polygon(t *rapid.T) [][2]float64 {
	n := rapid.IntRange(1, 7).Draw(t, "steps")
	whole := rapid.Bool().Draw(t, "whole")
	height := func(from float64, name string) float64 {
		if whole {
			return from * float64(rapid.IntRange(1, 3).Draw(t, name))
		}
		return from * rapid.Float64Range(0.05, 2).Draw(t, name)
	}
	var up, down [][2]float64
	x := 0.0
	for i := range n {
		step := 1.0
		if !whole {
			step = rapid.Float64Range(0.05, 1.5).Draw(t, "step")
		}
		hi, lo := height(1, "up"), height(-1, "down")
		if whole { // a staircase; equal steps would be straight angles, no harm
			up = append(up, [2]float64{x, hi}, [2]float64{x + step, hi})
			down = append(down, [2]float64{x, lo}, [2]float64{x + step, lo})
		} else {
			bend := 0.4 * float64(i%3)
			up, down = append(up, [2]float64{x, hi + bend}), append(down, [2]float64{x, lo + bend})
		}
		x += step
	}
	if !whole {
		up, down = append(up, [2]float64{x, 3}), append(down, [2]float64{x + 0.1, 2})
	}
	v := append([][2]float64(nil), down...)
	for i := range up {
		v = append(v, up[len(up)-1-i])
	}
	v = unique(v)
	angle := float64(rapid.IntRange(0, 3).Draw(t, "quarter turns")) * math.Pi / 2
	sx, sy := 0.0, 0.0
	if !whole {
		angle = rapid.Float64Range(0, 6.3).Draw(t, "angle")
		sx, sy = rapid.Float64Range(-5, 5).Draw(t, "sx"), rapid.Float64Range(-5, 5).Draw(t, "sy")
	}
	sin, cos := math.Sincos(angle)
	if whole {
		sin, cos = math.Round(sin), math.Round(cos)
	}
	for i, p := range v {
		v[i] = [2]float64{cos*p[0] - sin*p[1] + sx, sin*p[0] + cos*p[1] + sy}
	}
	return v
}

// unique drops vertices that occur twice in a row.
func unique(v [][2]float64) [][2]float64 {
	out := v[:0]
	for _, p := range v {
		if len(out) == 0 || p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	return out
}

func newPolygon(t *rapid.T, v [][2]float64) domain.Domain {
	p, err := domain.NewPolygon(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newRegion(t *rapid.T, u potential.Potential, d domain.Domain) *quadrature.Region {
	r, err := quadrature.New(u, d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clip keeps the part of a polygon on one side of a line parallel to an axis
// (Sutherland & Hodgman 1974); the area is right also where it falls apart.
func clip(v [][2]float64, axis int, at, side float64) [][2]float64 {
	var out [][2]float64
	for i, a := range v {
		b := v[(i+1)%len(v)]
		da, db := side*(a[axis]-at), side*(b[axis]-at)
		if da >= 0 {
			out = append(out, a)
		}
		if da*db < 0 {
			s := da / (da - db)
			p := [2]float64{a[0] + s*(b[0]-a[0]), a[1] + s*(b[1]-a[1])}
			p[axis] = at
			out = append(out, p)
		}
	}
	return out
}

func area(v [][2]float64) float64 {
	sum := 0.0
	for i, a := range v {
		b := v[(i+1)%len(v)]
		sum += 0.5 * (a[0]*b[1] - a[1]*b[0])
	}
	return math.Abs(sum)
}

func flat() potential.Potential {
	return potential.Func(2, func(g, _ []float64) float64 { g[0], g[1] = 0, 0; return 0 })
}

// Every cell of any grid holds the area of the clipped polygon, and all of them
// one. The tolerance 1e-10 kills a cell counted twice, a sliver at the wall left
// out, a missing side and a side on a grid line given to neither or to both.
func TestCellsOfPolygons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := polygon(t)
		p := newPolygon(t, v)
		lo, hi := domain.BoundsOf(p, 2)
		g := quadrature.Grid{NX: rapid.IntRange(1, 12).Draw(t, "nx"), NY: rapid.IntRange(1, 12).Draw(t, "ny")}
		if rapid.Bool().Draw(t, "whole cells") {
			g.X0, g.Y0, g.DX, g.DY = math.Floor(lo[0]), math.Floor(lo[1]), 1, 1
			g.NX, g.NY = int(math.Ceil(hi[0]-g.X0)), int(math.Ceil(hi[1]-g.Y0))
		} else {
			a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
			g.X0, g.Y0 = lo[0]-a, lo[1]-b
			g.DX, g.DY = (hi[0]-g.X0+a)/float64(g.NX), (hi[1]-g.Y0+b)/float64(g.NY)
		}
		r := newRegion(t, flat(), p)
		sum := 0.0
		for k, m := range r.Masses(1, g) {
			x, y := g.X0+float64(k%g.NX)*g.DX, g.Y0+float64(k/g.NX)*g.DY
			x1, y1 := g.X0+float64(k%g.NX+1)*g.DX, g.Y0+float64(k/g.NX+1)*g.DY
			want := area(clip(clip(clip(clip(v, 0, x, 1), 0, x1, -1), 1, y, 1), 1, y1, -1)) / area(v)
			if !(math.Abs(m-want) <= 1e-10) {
				t.Fatalf("cell (%d, %d) has mass %.14g, want %.14g", k%g.NX, k/g.NX, m, want)
			}
			sum += m
		}
		if err := r.Err(); err != nil || !(math.Abs(sum-1) <= 1e-10) {
			t.Fatalf("masses add up to %.14g: %v", sum, err)
		}
	})
}

// ∫ x^a y^b over a polygon by Green's theorem, ∮ x^(a+1)/(a+1) y^b dy, with
// Simpson's rule on so many parts that it is exact enough for degree 5.
func monomial(v [][2]float64, a, b int) float64 {
	f := func(x, y float64) float64 { return math.Pow(x, float64(a+1)) / float64(a+1) * math.Pow(y, float64(b)) }
	sum := 0.0
	for i, p := range v {
		q := v[(i+1)%len(v)]
		const n = 400
		for k := range n {
			at := func(s float64) float64 {
				s = (float64(k) + s) / n
				return f(p[0]+s*(q[0]-p[0]), p[1]+s*(q[1]-p[1]))
			}
			sum += (at(0) + 4*at(0.5) + at(1)) / 6 / n * (q[1] - p[1])
		}
	}
	return sum
}

// Integrals of polynomials of degree up to five over any polygon, and the
// moments that follow from them.
func TestPolynomialsOnPolygons(t *testing.T) {
	pace.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		v := polygon(t)
		p := newPolygon(t, v)
		a, b := rapid.IntRange(0, 3).Draw(t, "a"), rapid.IntRange(0, 2).Draw(t, "b")
		r := newRegion(t, potential.Func(2, func(_, x []float64) float64 {
			return math.Pow(x[0], float64(a)) * math.Pow(x[1], float64(b))
		}), p)
		one := monomial(v, 0, 0)
		orient := math.Copysign(1, one)
		m := r.Moments(math.Inf(1))
		size := 0.0
		for _, q := range v {
			size = math.Max(size, math.Max(math.Abs(q[0]), math.Abs(q[1])))
		}
		check := func(what string, got, want float64, degree int) {
			if tol := 1e-9 * (1 + math.Pow(size, float64(degree))); !(math.Abs(got-want) <= tol) {
				t.Fatalf("%s is %.12g, want %.12g", what, got, want)
			}
		}
		check("Z", m.Z, orient*one, 2)
		check("area", r.Area(), orient*one, 2)
		check(fmt.Sprintf("mean of x^%d y^%d", a, b), m.MeanU, monomial(v, a, b)/one, a+b)
		check("mean of x", m.MeanX, monomial(v, 1, 0)/one, 1)
		check("mean of y", m.MeanY, monomial(v, 0, 1)/one, 1)
		check("mean of r²", m.MeanR2, (monomial(v, 2, 0)+monomial(v, 0, 2))/one, 2)
		check("variance of x", m.SDX*m.SDX, monomial(v, 2, 0)/one-m.MeanX*m.MeanX, 2)
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

// Moving the domain, the potential and the grid together changes nothing, and
// cells of any origin add up to the same row as one long cell.
func TestMovedGrid(t *testing.T) {
	pace.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		v := polygon(t)
		p := newPolygon(t, v)
		sx, sy := rapid.Float64Range(-3, 3).Draw(t, "dx"), rapid.Float64Range(-3, 3).Draw(t, "dy")
		w := make([][2]float64, len(v))
		for i, q := range v {
			w[i] = [2]float64{q[0] + sx, q[1] + sy}
		}
		q := newPolygon(t, w)
		law := func(sx, sy float64) potential.Potential {
			return potential.Func(2, func(_, x []float64) float64 {
				a, b := x[0]-sx, x[1]-sy
				return 0.3*a + 0.2*b*b + 0.3*math.Sin(a-b)
			})
		}
		lo, hi := domain.BoundsOf(p, 2)
		g := quadrature.Grid{X0: lo[0] - 0.3, Y0: lo[1] - 0.2, DX: (hi[0] - lo[0] + 0.6) / 5, DY: (hi[1] - lo[1] + 0.4) / 4, NX: 5, NY: 4}
		moved := g
		moved.X0, moved.Y0 = g.X0+sx, g.Y0+sy
		r := newRegion(t, law(0, 0), p)
		here, there := r.Masses(2, g), newRegion(t, law(sx, sy), q).Masses(2, moved)
		row := g
		row.DX, row.NX = 5*g.DX, 1
		sum := r.Masses(2, row)
		for k, m := range here {
			if !(math.Abs(m-there[k]) <= 1e-9) {
				t.Fatalf("cell %d has mass %.12g, moved %.12g", k, m, there[k])
			}
			sum[k/5] -= m
		}
		for j, rest := range sum {
			if !(math.Abs(rest) <= 1e-9) {
				t.Fatalf("row %d differs from its cells by %.3g", j, rest)
			}
		}
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

// A bent bar, far from star-shaped, and curves with cusps and corners: the cells
// of any grid hold the areas of a polygon of 20,000 vertices on the curve, whose
// own error is below 4e-7. It kills a crossing of the wrong branch where a
// vertical line meets the wall more than twice.
func TestCellsOfCurves(t *testing.T) {
	pace.Slow(t)
	bent := func(theta float64) (x, y float64) {
		s, c := math.Sincos(theta)
		sin, cos := math.Sincos(2.4 * c)
		return (2 + 0.5*s) * cos, (2 + 0.5*s) * sin
	}
	lens := func(theta float64) (x, y float64) { // two arcs with corners at 1 and 1 + π
		a := theta - 1
		return math.Cos(a), 0.4 * math.Abs(math.Sin(a)) * math.Copysign(1, math.Sin(a)) * (1 + 0.5*math.Abs(math.Cos(a)))
	}
	flower := func(theta float64) (x, y float64) {
		r := 2 / 3.5 * (math.Sin(5*theta) + 3)
		return r * math.Cos(theta), r * math.Sin(theta)
	}
	heart := func(theta float64) (x, y float64) {
		s := math.Sin(theta)
		return 3.2 * s * s * s, 0.2 * (13*math.Cos(theta) - 5*math.Cos(2*theta) - 2*math.Cos(3*theta) - math.Cos(4*theta))
	}
	names := []string{"flower", "heart", "bent", "lens"}
	curves := []domain.Domain{shape("flower"), shape("heart"), must(domain.NewCurve("bent", bent)), must(domain.NewCurve("lens", lens))}
	outlines, areas := make([][][2]float64, len(curves)), make([]float64, len(curves))
	for i, gamma := range []func(theta float64) (x, y float64){flower, heart, bent, lens} {
		for k := range 20_000 {
			x, y := gamma(2 * math.Pi * float64(k) / 20_000)
			outlines[i] = append(outlines[i], [2]float64{x, y})
		}
		log, _, err := domain.Volume(t.Context(), curves[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		areas[i] = math.Exp(log)
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(curves)-1).Draw(t, "curve")
		v := outlines[i]
		lo, hi := domain.BoundsOf(curves[i], 2)
		g := quadrature.Grid{NX: rapid.IntRange(1, 5).Draw(t, "nx"), NY: rapid.IntRange(1, 5).Draw(t, "ny")}
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		g.X0, g.Y0 = lo[0]-a, lo[1]-b
		g.DX, g.DY = (hi[0]-g.X0)/float64(g.NX), (hi[1]-g.Y0)/float64(g.NY)
		r := newRegion(t, flat(), curves[i])
		sum := 0.0
		masses := r.Masses(1, g)
		for x := range g.NX {
			x0, x1 := g.X0+float64(x)*g.DX, g.X0+float64(x+1)*g.DX
			strip := clip(clip(v, 0, x0, 1), 0, x1, -1)
			for y := range g.NY {
				y0, y1 := g.Y0+float64(y)*g.DY, g.Y0+float64(y+1)*g.DY
				want := area(clip(clip(strip, 1, y0, 1), 1, y1, -1)) / areas[i]
				m := masses[y*g.NX+x]
				if !(math.Abs(m-want) <= 4e-7) {
					t.Fatalf("%s: cell (%d, %d) has mass %.10g, want %.10g", names[i], x, y, m, want)
				}
				sum += m
			}
		}
		if err := r.Err(); err != nil || !(math.Abs(sum-1) <= 1e-9) {
			t.Fatalf("masses add up to %.14g: %v", sum, err)
		}
	})
}
