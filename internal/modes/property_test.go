package modes

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// A convexBody is a domain with its support function: the largest g·y of its points y.
type convexBody struct {
	domain.Domain
	support func(g []float64) float64
}

// bodies draws a ball, a simplex or a parallelotope.
func bodies(t *rapid.T, d int) convexBody {
	number := rapid.Float64Range(-1, 1)
	switch rapid.SampledFrom([]string{"ball", "simplex", "parallelotope"}).Draw(t, "body") {
	case "ball":
		c, r := rapid.SliceOfN(number, d, d).Draw(t, "center"), rapid.Float64Range(0.1, 10).Draw(t, "radius")
		ball, err := domain.NewBall(c, r)
		if err != nil {
			t.Fatal(err)
		}
		return convexBody{ball, func(g []float64) float64 { return floats.Dot(c, g) + r*floats.Norm(g, 2) }}
	case "simplex":
		s := rapid.Float64Range(0.1, 10).Draw(t, "size")
		simplex, err := domain.NewSimplex(d, s)
		if err != nil {
			t.Fatal(err)
		}
		return convexBody{simplex, func(g []float64) float64 { return s * max(0, floats.Max(g)) }}
	}
	l, back := mat.NewDense(d, d, rapid.SliceOfN(number, d*d, d*d).Draw(t, "edges")), mat.NewDense(d, d, nil)
	for i := range d {
		l.Set(i, i, l.At(i, i)+float64(d+1))
	}
	if err := back.Inverse(l); err != nil {
		t.Fatal(err)
	}
	var a [][]float64
	b := make([]float64, 2*d)
	for i := range d { // |(L⁻¹x)_i| ≤ 1
		up := mat.Row(nil, i, back)
		down := append([]float64(nil), up...)
		floats.Scale(-1, down)
		a, b[2*i], b[2*i+1] = append(a, up, down), 1, 1
	}
	p, err := domain.NewPolytope(a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return convexBody{p, func(g []float64) float64 {
		var v mat.VecDense
		v.MulVec(l.T(), mat.NewVecDense(d, g))
		return floats.Norm(v.RawVector().Data, 1)
	}}
}

// waves is ½ |A(x − c)|² and a wave of height h along every coordinate: convex at h = 0.
func waves(a *mat.Dense, c []float64, h float64) potential.Potential {
	d := len(c)
	return potential.Func(d, func(grad, x []float64) float64 {
		var z mat.VecDense
		y, u := mat.NewVecDense(d, nil), 0.0
		for j, v := range x {
			y.SetVec(j, v-c[j])
		}
		z.MulVec(a, y)
		y.MulVec(a.T(), &z)
		for j, v := range x {
			sin, cos := math.Sincos(5 * v)
			u += z.AtVec(j)*z.AtVec(j)/2 + h*sin
			grad[j] = y.AtVec(j) + 5*h*cos
		}
		return u
	})
}

// A walled problem is an energy on a body, and whether that is convex.
type walled struct {
	energy potential.Potential
	body   convexBody
	convex bool
}

func drawWalled(t *rapid.T) walled {
	d := rapid.IntRange(1, 6).Draw(t, "d")
	a := mat.NewDense(d, d, rapid.SliceOfN(rapid.Float64Range(-1, 1), d*d, d*d).Draw(t, "a"))
	for j := range d {
		a.Set(j, j, a.At(j, j)+2)
	}
	center := rapid.SliceOfN(rapid.Float64Range(-3, 3), d, d).Draw(t, "center")
	height := rapid.SampledFrom([]float64{0, 0.5, 3}).Draw(t, "height")
	return walled{waves(a, center, height), bodies(t, d), height == 0}
}

// find goes down from 150 starts, more than one thread takes.
func (p walled) find(t *testing.T, seed uint64, threads int) (s *Search, size float64) {
	t.Helper()
	lo, hi := domain.BoundsOf(p.body.Domain, p.energy.Dim())
	target := Target{Energy: p.energy, Domain: p.body.Domain, Flat: 1, Threads: threads}
	for j := range lo {
		target.Width = append(target.Width, (hi[j]-lo[j])/math.Sqrt(12))
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	law, err := domain.Uniform(t.Context(), p.body.Domain)
	if err != nil {
		t.Fatal(err)
	}
	s, err = Find(t.Context(), target, func(x []float64) error { return law.Draw(t.Context(), x, rng) }, 150, 150, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s, floats.Distance(lo, hi, 2)
}

// On balls, simplices and parallelotopes every minimum lies in the domain and is one to first
// order, at walls or not (Karush, Kuhn and Tucker): no way of length one in the domain leads
// down by more than a barrier that is none. Two numbers of threads find the same, and of a
// convex E there is one basin.
//
// Mutants: one wall forgotten for the next; steps that end at curved walls; minima at walls
// that are looked at once; directions that are not projected.
func TestMinimaAreOfFirstOrder(t *testing.T) {
	pace.Slow(t)
	problems := rapid.Custom(drawWalled)
	for seed := 150; seed < 250; seed++ {
		p := problems.Example(seed)
		s, size := p.find(t, uint64(seed), 1)
		if len(s.Modes) == 0 || p.convex && len(s.Modes) != 1 {
			t.Errorf("seed %d: %d basins", seed, len(s.Modes))
		}
		if other, _ := p.find(t, uint64(seed), 3); !reflect.DeepEqual(s, other) {
			t.Errorf("seed %d: three threads find something else than one", seed)
		}
		eval, slope, e := p.energy.Evaluator(1, nil), make([]float64, p.energy.Dim()), make([]float64, 1)
		for _, m := range s.Modes {
			if !p.body.Contains(m.X) {
				t.Errorf("seed %d: %v is outside", seed, m.X)
			}
			eval.Eval(e, slope, m.X)
			down := floats.Dot(slope, m.X)
			floats.Scale(-1, slope)
			if down = (down + p.body.support(slope)) / max(1, size); !(down <= barrier) {
				t.Errorf("seed %d: from %v a way of length one leads down by %g", seed, m.X, down)
			}
		}
	}
}
