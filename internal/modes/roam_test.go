package modes

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// The mass of a normal law by 4,000 of its draws at temperature 7 is right to six of their
// standard errors, √(d/n), along the axes of a part that is as oblong as it.
//
// Mutants: the mean energy taken for the least; widths as they are at temperature 1.
func TestMassOfACloud(t *testing.T) {
	const d, n, temperature, depth, unit = 3, 4000, 7, -2012.5, 2000
	l := [][]float64{{2, 0, 0}, {-1, 0.1, 0}, {0.5, 3, 0.02}}
	rng := rand.New(rand.NewPCG(1, 2))
	c := &cloud{x: make([][]float64, d), slope: make([][]float64, d)}
	inv := inverse(l)
	for range n {
		z, x, slope := make([]float64, d), make([]float64, d), make([]float64, d)
		for j := range z {
			z[j] = math.Sqrt(temperature) * rng.NormFloat64()
		}
		for j := range x {
			x[j] = 4 + floats.Dot(l[j], z)
			for k := range z { // L⁻ᵀ z
				slope[j] += inv[k][j] * z[k]
			}
		}
		c.add(x, slope, depth+floats.Dot(z, z)/2)
	}
	part := Part{Center: []float64{1, 0, 0}, L: scaled(l, 0.01)}
	want := d/2.0*math.Log(2*math.Pi) + math.Log(2*0.1*0.02) - depth - unit
	law := c.law(part, unit)
	if got := math.Log(law.Weight); math.Abs(got-want) > 6*math.Sqrt(d/float64(n)) {
		t.Errorf("log of the mass %.4f, want %.4f", got, want)
	}
	for j, row := range l {
		for k, v := range row[:j+1] {
			if off := math.Abs(law.L[j][k] - v); off > 6*floats.Norm(row, 2)/math.Sqrt(n) {
				t.Errorf("L[%d][%d] is %.4f, want %.4f", j, k, law.L[j][k], v)
			}
		}
	}
}
