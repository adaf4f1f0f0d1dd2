package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// stadium is a curve with straight sides, half circles and, where tip is set, a
// corner: smooth pieces that are no corners in the tangent count as joints too.
func stadium(tip float64) func(theta float64) (x, y float64) {
	return func(theta float64) (x, y float64) {
		s := theta / (2 * math.Pi) * (4 + 2*math.Pi)
		switch {
		case s < 2:
			x = s - 1
			y = -1 - tip*(1-math.Abs(x))
		case s < 2+math.Pi:
			sin, cos := math.Sincos(s - 2 - math.Pi/2)
			x, y = 1+cos, sin
		case s < 4+math.Pi:
			x, y = 1-(s-2-math.Pi), 1
		default:
			sin, cos := math.Sincos(s - 4 - math.Pi + math.Pi/2)
			x, y = -1+cos, sin
		}
		return x, y
	}
}

type bounded struct {
	name            string
	d               Domain
	area, perimeter float64
	pieces          int // 0: not known
}

func boundedPlane(t *testing.T) []bounded {
	t.Helper()
	curve := func(name string, d Domain, err error, pieces int) bounded {
		if err != nil {
			t.Fatal(err)
		}
		c := d.(*curve)
		return bounded{name, c, c.area, c.arc, pieces}
	}
	flower, err1 := NewFlower(5, 3, 2)
	heart, err2 := NewHeart(2)
	oval, err3 := NewCurve("oval", stadium(0))
	ship, err4 := NewCurve("ship", stadium(1))
	clock, err5 := NewCurve("clockwise", func(theta float64) (x, y float64) { return 3 * math.Cos(-theta), math.Sin(-theta) })
	star := must[*polygon](t)(NewStar(2))
	return []bounded{
		curve("flower", flower, err1, 1), curve("heart", heart, err2, 2), curve("oval", oval, err3, 0),
		curve("ship", ship, err4, 0), curve("clockwise", clock, err5, 1),
		{"star", star, star.area, 5 * (distance(star.v[0][:], star.v[1][:]) + distance(star.v[1][:], star.v[2][:])), 10},
		{"box", must[*box](t)(NewBox([]float64{-1, 2}, []float64{3, 2.5})), 2, 9, 4},
		{"simplex", must[*simplex](t)(NewSimplex(2, 3)), 4.5, 6 + 3*math.Sqrt2, 3},
		{"ball", must[*ball](t)(NewBall([]float64{4, -1}, 0.5)), math.Pi / 4, math.Pi, 1},
	}
}

// Pieces close up, enclose the area of the domain counter-clockwise and have its
// length: a missing piece, one run backwards or a derivative by another
// parameter fails by far more than 1e-9.
func TestBoundaryIsTheWholeWall(t *testing.T) {
	for _, b := range boundedPlane(t) {
		pieces, err := Boundary(b.d)
		if err != nil {
			t.Fatal(err)
		}
		if b.pieces != 0 && len(pieces) != b.pieces {
			t.Errorf("%s: %d pieces, want %d", b.name, len(pieces), b.pieces)
		}
		area, length := 0.0, 0.0
		for i, p := range pieces {
			ax, ay, _, _ := pieces[(i+1)%len(pieces)].At(0)
			if x, y, _, _ := p.At(1); x != ax || y != ay {
				t.Errorf("%s: piece %d ends at (%v, %v), the next begins at (%v, %v)", b.name, i, x, y, ax, ay)
			}
			if p.Knots[0] != 0 || p.Knots[len(p.Knots)-1] != 1 {
				t.Fatalf("%s: knots run from %v to %v", b.name, p.Knots[0], p.Knots[len(p.Knots)-1])
			}
			for k, to := range p.Knots[1:] {
				from := p.Knots[k]
				if !(from < to) {
					t.Fatalf("%s: knots %v, %v", b.name, from, to)
				}
				const n = 100 // Simpson's rule
				for j := 0; j <= n; j++ {
					w := (2 + 2*float64(j%2)) / (3 * n) * (to - from)
					if j == 0 || j == n {
						w /= 2
					}
					x, y, dx, dy := p.At(from + (to-from)*float64(j)/n)
					area += w * 0.5 * (x*dy - y*dx)
					length += w * math.Hypot(dx, dy)
				}
			}
		}
		within(t, b.name+": area", area, b.area, 1e-9)
		within(t, b.name+": perimeter", length, b.perimeter, 1e-9)
	}
}

// Every point of a piece lies on the wall: a small step to the left ends inside,
// one to the right outside; and the derivative is that of the points.
func TestBoundaryPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for _, b := range boundedPlane(t) {
		pieces, err := Boundary(b.d)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range pieces {
			for range 300 {
				at := 0.02 + 0.96*rng.Float64()
				x, y, dx, dy := p.At(at)
				name := fmt.Sprintf("%s: piece %d at %v", b.name, i, at)
				const h = 1e-6
				x0, y0, _, _ := p.At(at - h)
				x1, y1, _, _ := p.At(at + h)
				speed := math.Hypot(dx, dy)
				if speed < 1e-4 {
					continue // next to a corner that θ does not name to the last bit
				}
				if math.Hypot((x1-x0)/(2*h)-dx, (y1-y0)/(2*h)-dy) > 1e-4*(1+speed) {
					t.Fatalf("%s: derivative (%v, %v), differences (%v, %v)", name, dx, dy, (x1-x0)/(2*h), (y1-y0)/(2*h))
				}
				nx, ny := dy/speed, -dx/speed // outward
				e := 1e-9
				if b.d.Contains([]float64{x + e*nx, y + e*ny}) || !b.d.Contains([]float64{x - e*nx, y - e*ny}) {
					t.Fatalf("%s: (%v, %v) with normal (%v, %v) is not on the wall", name, x, y, nx, ny)
				}
			}
		}
	}
}

func TestBoundaryRefusals(t *testing.T) {
	for name, d := range map[string]Domain{
		"nothing":       nil,
		"three":         must[*ball](t)(NewBall([]float64{0, 0, 0}, 1)),
		"unbounded box": must[*box](t)(NewBox([]float64{0, 0}, []float64{1, math.Inf(1)})),
	} {
		if p, err := Boundary(d); err == nil {
			t.Errorf("%s: %d pieces", name, len(p))
		}
	}
}

func ExampleBoundary() {
	heart, err := NewHeart(2)
	if err != nil {
		panic(err)
	}
	pieces, err := Boundary(heart)
	if err != nil {
		panic(err)
	}
	for _, p := range pieces {
		x, y, _, _ := p.At(0.5)
		fmt.Printf("from one cusp to the other by way of (%.2f, %.2f)\n", x, y)
	}
	// Output:
	// from one cusp to the other by way of (-3.20, 0.80)
	// from one cusp to the other by way of (3.20, 0.80)
}
