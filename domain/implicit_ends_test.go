package domain

import (
	"math"
	"slices"
	"testing"
)

// rooted is √x + √y − 1, which ends to be defined at the axes.
type rooted struct{}

func (rooted) Dim() int { return 2 }

func (rooted) Bind() SurfaceEval { return rooted{} }

func (rooted) Value(x []float64) float64 { return math.Sqrt(x[0]) + math.Sqrt(x[1]) - 1 }

func (rooted) Gradient(g, x []float64) float64 {
	g[0], g[1] = 0.5/math.Sqrt(x[0]), 0.5/math.Sqrt(x[1])
	return math.Sqrt(x[0]) + math.Sqrt(x[1]) - 1
}

// A constraint that ends to be defined is a wall there as anywhere else: steps are mirrored.
func TestReflectionWhereAConstraintEnds(t *testing.T) {
	d := must[Domain](t)(NewImplicit([]Surface{rooted{}}, []string{"rooted"}, []float64{-1, -1}, []float64{1, 1}))
	r, err := NewReflector(d, Specular, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want, v, turned []float64 }{
		{[]float64{0.1, 0.2}, []float64{-0.08, 0.21}, []float64{0.08, 0.21}, []float64{-1, 3}, []float64{1, 3}},
		{[]float64{0.3, 0.01}, []float64{0.29, -0.02}, []float64{0.29, 0.02}, []float64{5, -2}, []float64{5, 2}},
		{[]float64{0.01, 0.01}, []float64{-0.02, -0.03}, []float64{0.02, 0.03}, []float64{-1, -1}, []float64{1, 1}}, // both
	} {
		to, v := slices.Clone(c.to), slices.Clone(c.v)
		hits, ok := r.Reflect(c.from, to, v)
		if !ok || distance(to, c.want) > 1e-7 || distance(v, c.turned) > 1e-4 {
			t.Errorf("from %v to %v: %v, velocity %v after %d hits, %v; want %v, %v", c.from, c.to, to, v, hits, ok, c.want, c.turned)
		}
	}
}

// cone is |x| − 2 − x₀², whose gradient is not defined at the origin.
type cone struct{}

func (cone) Dim() int { return 2 }

func (cone) Bind() SurfaceEval { return cone{} }

func (cone) Value(x []float64) float64 { return math.Sqrt(x[0]*x[0]+x[1]*x[1]) - 2 - x[0]*x[0] }

func (c cone) Gradient(g, x []float64) float64 {
	r := math.Sqrt(x[0]*x[0] + x[1]*x[1])
	g[0], g[1] = x[0]/r-2*x[0], x[1]/r
	return c.Value(x)
}

// Steps leave a point where a constraint holds and its slope is not defined.
func TestStepsFromTheTipOfACone(t *testing.T) {
	d := must[Domain](t)(NewImplicit([]Surface{cone{}}, []string{"cone"}, []float64{-9, -9}, []float64{9, 9}))
	r, err := NewReflector(d, Specular, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2][]float64{{{0.1, 0.2}, {0.1, 0.2}}, {{0, 3}, {0, 1}}} {
		to := slices.Clone(c[0])
		if _, ok := r.Reflect([]float64{0, 0}, to, nil); !ok || distance(to, c[1]) > 1e-9 {
			t.Errorf("to %v: %v, %v; want %v", c[0], to, ok, c[1])
		}
	}
}
