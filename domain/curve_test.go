package domain

import (
	"math"
	"testing"
)

func must[T any](t testing.TB) func(v any, err error) T {
	return func(v any, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v.(T)
	}
}

// Areas and perimeters: closed forms to 1e-12 relative (kills a lost arc, a
// wrong quadrature weight, a wrong convention of radius).
func TestCurveAreaAndPerimeter(t *testing.T) {
	flower := must[*curve](t)(NewFlower(5, 3, 2))
	s := 2 / 3.5
	within(t, "flower area", flower.area, 9.5*math.Pi*s*s, 1e-12)
	within(t, "flower perimeter", flower.arc, 16.33282225, 4e-9) // reference to 10 digits
	within(t, "flower perimeter by the trapezium rule", flower.arc, trapeziumPerimeter(flower, 4096), 1e-12)
	heart := must[*curve](t)(NewHeart(2))
	within(t, "heart area", heart.area, 1.8*math.Pi*4, 1e-12)
	ellipse := must[*curve](t)(NewCurve("ellipse", ellipsePoint))
	within(t, "ellipse area", ellipse.area, 1.5*math.Pi, 1e-12)
	octagon := must[*polygon](t)(NewOctagon(2))
	within(t, "octagon area", octagon.area, 8*math.Sqrt2, 1e-14)
	within(t, "octagon perimeter", 8*distance(octagon.v[0][:], octagon.v[1][:]), 32*math.Sin(math.Pi/8), 1e-14)
	t.Logf("arcs: flower %d, heart %d, ellipse %d", len(flower.arcs), len(heart.arcs), len(ellipse.arcs))
}

// ellipsePoint runs clockwise around an ellipse with half axes 1.5 and 1, off
// the origin and turned.
func ellipsePoint(theta float64) (x, y float64) {
	sin, cos := math.Sincos(-theta)
	x, y = 1.5*cos, sin
	return 0.3 + 0.8*x - 0.6*y, -0.2 + 0.6*x + 0.8*y
}

func trapeziumPerimeter(c *curve, n int) float64 {
	sum := 0.0
	for i := range n {
		theta := 2 * math.Pi * float64(i) / float64(n)
		sin, cos := math.Sincos(theta)
		s5, c5 := math.Sincos(5 * theta)
		r, dr := s5+3, 5*c5
		sum += math.Hypot(dr*cos-r*sin, dr*sin+r*cos)
	}
	return sum / 3.5 * 2 * 2 * math.Pi / float64(n)
}

func within(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s: %.15g, want %.15g (off by %.3g relative)", what, got, want, math.Abs(got/want-1))
	}
}
