package reversible

import (
	"math"
	"testing"
)

// Two states with masses p and q and flow pq between them have (q − p)/log(q/p) (Diaconis
// and Saloff-Coste 1996), which is below half the gap, ½; an interval of length 1 has π²/2,
// half the gap; so has a product of two what the worse of both has.
func TestLogSobolev(t *testing.T) {
	two := func(p float64) *Chain {
		c, err := New([]float64{p, 1 - p}, []Edge{{0, 1, p * (1 - p)}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	check := func(name string, c *Chain, want, room float64) {
		t.Helper()
		found, err := c.LogSobolev(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(found/want-1) > room {
			t.Errorf("%s: %.8g, exactly %.8g", name, found, want)
		}
	}
	for _, p := range []float64{0.3, 0.1, 0.01} {
		check("two states", two(p), (1-2*p)/math.Log(1/p-1), 1e-6)
	}
	check("product", Product(two(0.3), two(0.05)), 0.9/math.Log(19), 1e-5)
	const n = 200
	mass := make([]float64, n)
	var edges []Edge
	for i := range mass {
		if mass[i] = 1.0 / n; i > 0 {
			edges = append(edges, Edge{i - 1, i, n})
		}
	}
	line, err := New(mass, edges)
	if err != nil {
		t.Fatal(err)
	}
	check("interval", line, math.Pi*math.Pi/2, 1e-4)
}
